// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory of a core that is in the source, and its place there: the segments without overlaps. */
#ifndef NSPLIT_CORE_PAGES_STORED_H
#define NSPLIT_CORE_PAGES_STORED_H

#include "base/array.h"
#include "core/pages.h"

/* Sorted by offset.  Free *stored in any case. */
enum status stored_find(struct stored_range **stored, size_t *count, const struct core *core,
			struct error *e);

/* The index of the first stored range that ends after an offset of the source; count if none. */
size_t stored_find_offset(const struct stored_range *stored, size_t count, uint64_t offset);

/* Page frames that more than one stored range has, sorted and merged.  Call range_list_free(). */
enum status stored_find_shared(struct range_list *frames, const struct stored_range *stored,
			       size_t count, uint32_t page_size, struct error *e);

#endif
