// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The page types of struct page, a part of what VMCOREINFO says about it (doc/pages.md).
 */
#ifndef NSPLIT_CORE_PAGE_TYPES_H
#define NSPLIT_CORE_PAGE_TYPES_H

#include "core/page_keys.h"

/*
 * Since 6.12 the highest byte is the type, and its owner may use the rest.  Types that are not
 * exported have had the same numbers since then; two of them give kernel pages a name.  Tests
 * that types of doubtful numbers would mislead are turned off.
 */
void page_types_find(struct page_keys *keys, const struct vmcoreinfo *info);

#endif
