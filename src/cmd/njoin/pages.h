// SPDX-License-Identifier: GPL-2.0-or-later
/* The pages of a core by kind and by class, for njoin --list. */
#ifndef NSPLIT_CMD_NJOIN_PAGES_H
#define NSPLIT_CMD_NJOIN_PAGES_H

#include "base/json.h"
#include "core/kinds/page_filter.h"

/* absent: classes of which no dump can have all pages.  Levels that keep one of them are not listed. */
void pages_print(const struct page_filter *filter, unsigned absent, uint32_t page_size);

/* As members of the object that is open. */
void pages_json(struct json *json, const struct page_filter *filter);

#endif
