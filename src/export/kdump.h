// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kdump-compressed form (format/kdump.h) of a core: what its headers, bitmaps and descriptors are.
 *
 * Bitmap 2 has no bit for pages that are missing, nor for those that were left out.  Pages may be anywhere,
 * and may be shared.  The first descriptor of a file of a split set is that of its first page.
 */
#ifndef NSPLIT_EXPORT_KDUMP_H
#define NSPLIT_EXPORT_KDUMP_H

#include "core/pages.h"
#include "core/uts.h"
#include "format/kdump.h"

/*
 * Parts begin at multiples of this many page frames, because crash counts the bits before a part in
 * words.  Each part has at least one page, because libkdumpfile looks for the last one.
 */
enum { KDUMP_PART_PAGES = 64 };

/* The page frames in one file. */
struct kdump_part {
	uint64_t first, end;		/* page frames */
	bool split;			/* the file is one of several */
};

/*
 * The form of one core, the same in all parts.  Offsets count bytes from the beginning of a file.
 */
struct kdump {
	const struct core *core;	/* these three are borrowed */
	const struct vmcoreinfo *info;
	const struct pages *pages;
	struct uts uts;
	uint64_t phys_base;
	size_t erased_size;		/* of the text behind the notes */
	/*
	 * Which pages were left out, for readers; 0 after kdump_init().  In a split dump never with DUMP_LEVEL_ZERO:
	 * makedumpfile --reassemble would then take the page at a certain offset for the shared zero
	 * page.
	 */
	uint32_t dump_level;
	uint32_t block_size;		/* the page size */
	uint64_t bitmap1, bitmap2;	/* each ends where the next field begins */
	uint64_t descriptors;
	uint64_t data;			/* the end of the descriptors of the whole core */
};

/* A part with all page frames. */
struct kdump_part kdump_whole(const struct pages *pages);

/*
 * Computes the form; all three arguments must outlive it.  Only uts_find() reads from the core, and
 * only here, so all parts have the same header.  Pages at high addresses make bitmaps of gigabytes
 * that are almost all zeros, which a sparse file leaves out.
 */
void kdump_init(struct kdump *k, const struct core *core, const struct vmcoreinfo *info,
		const struct pages *pages);

/* Stores everything before bitmap 1, which is k->bitmap1 bytes.  flags: those above. */
void kdump_put_head(const struct kdump *k, const struct kdump_part *part, uint32_t flags,
		    uint8_t *dst);

/*
 * Stores bytes from to from + len of both bitmaps, which together have 2 * (bitmap2 - bitmap1)
 * bytes; from counts from the beginning of bitmap 1.
 *
 * *bits: the number set in bitmap 2 so far, 0 at first, for a caller that stores all of it in order while parts of the
 * pages may be lost.  In the end it has a bit for each page.  NULL: none is lost.
 */
void kdump_put_bitmaps(const struct kdump *k, uint64_t from, size_t len, uint8_t *dst, uint64_t *bits);

/*
 * The first byte of both bitmaps, at or after from, that is not zero; their end if there is none.  bits: as
 * above.
 */
uint64_t kdump_bitmaps_next(const struct kdump *k, uint64_t from, const uint64_t *bits);

/* Bytes of the bitmaps that are written at a time. */
enum { KDUMP_BITMAPS_PIECE = 256 * 1024 };
/*
 * The end of the piece of the bitmaps that begins at an offset, and whether it is zeros.  One
 * without a bit, where memory has large gaps, is as long as the gap.
 */
uint64_t kdump_bitmaps_piece(const struct kdump *k, uint64_t at, bool *zeros);
/* How many of the first end bytes of both bitmaps a file stores even if it is sparse. */
uint64_t kdump_bitmaps_stored(const struct kdump *k, uint64_t end);

/*
 * Fills count consecutive parts, which together cover page frames 0 to pages->end.  Each has a page, and about as many
 * as the others.
 * STATUS_USAGE: the pages cannot be divided into count parts.  STATUS_MISSING: there are no pages.
 */
enum status kdump_split(const struct pages *pages, struct kdump_part *parts, size_t count, struct error *e);

#endif
