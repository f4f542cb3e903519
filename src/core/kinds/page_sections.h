// SPDX-License-Identifier: GPL-2.0-or-later
/* The sections of memory that are present, and the place of their map.  For page_map.c only. */
#ifndef NSPLIT_CORE_KINDS_PAGE_SECTIONS_H
#define NSPLIT_CORE_KINDS_PAGE_SECTIONS_H

#include "core/kinds/page_map.h"

/* Sets base, section_shift and the present frames of a map, and counts the present sections. */
enum status page_sections_find(struct page_map *map, const struct virt *virt, uint64_t *present,
			       struct error *e);

#endif
