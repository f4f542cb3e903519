// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the kernel image is. */
#ifndef NSPLIT_CORE_KINDS_PAGE_IMAGE_H
#define NSPLIT_CORE_KINDS_PAGE_IMAGE_H

#include "core/kinds/page_map.h"

/*
 * Sets image and image_address of the map, unless it is not known.  Only failures that end the whole
 * operation.
 */
enum status page_image_find(struct page_map *map, const struct virt *virt, struct error *e);

#endif
