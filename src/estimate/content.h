// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How much pages of each content are packed to, by codec: measured on a sample of pages, or as it is known of
 * such pages (known.h).
 */
#ifndef NSPLIT_ESTIMATE_CONTENT_H
#define NSPLIT_ESTIMATE_CONTENT_H

#include "codec/presets.h"
#include "format/classes.h"

/* Classes whose pages are packed alike. */
enum content {
	CONTENT_KERNEL, CONTENT_MAP, CONTENT_CACHE, CONTENT_USER, CONTENT_FREE, CONTENTS
};

/* As nsplit packs: page by page, or in larger blocks (the memory map: in columns) if pages are left out. */
enum packing { PACKED_BY_PAGE, PACKED_BY_BLOCK, PACKINGS };

enum { CODECS_SHOWN = 5 };

/* Sums over the sample. */
struct packed {
	uint64_t bytes;			/* of pages; 0: not measured */
	uint64_t stored;		/* bytes that they were packed to */
	double seconds;			/* CPU time of that */
};

enum content content_of(enum layer_class class);

/* Stored bytes for each byte of pages. */
double packed_share(const struct packed *packed);

#endif
