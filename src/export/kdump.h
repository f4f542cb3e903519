// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kdump-compressed form of a core (diskdump, version 6, 64-bit): what crash, libkdumpfile and
 * makedumpfile read.  There is no paper; the source is makedumpfile's diskdump_mod.h and what its
 * write_kdump_header() and those three readers do.
 *
 *     block 0 header | block 1 sub header, notes | bitmap 1 | bitmap 2 | descriptors | pages
 *
 * Bitmap 1 has a bit for each page frame that is memory, bitmap 2 for each that the file has, and
 * descriptor number r is that of the page whose bit is the r-th in bitmap 2.  Pages lie anywhere, and
 * may be shared.  A split set has all of the headers and bitmaps in each file, and
 * the descriptors and pages of its range of page frames; descriptors count from the range's first.
 */
#ifndef NSPLIT_EXPORT_KDUMP_H
#define NSPLIT_EXPORT_KDUMP_H

#include "codec/codec.h"
#include "core/pages.h"
#include "core/uts.h"

/* Flags of a page, and in the header's status: how (most) pages are packed.  0: as they are. */
enum {
	KDUMP_ZLIB = 0x1,
	KDUMP_LZO = 0x2,
	KDUMP_SNAPPY = 0x4,
	KDUMP_INCOMPLETE = 0x8,		/* of the header only: pages are lost */
	KDUMP_ZSTD = 0x20,
};

enum { KDUMP_DESCRIPTOR_LENGTH = 24 };

/* A range of page frames in one file.  Parts begin at multiples of this many. */
enum { KDUMP_PART_PAGES = 64 };

struct kdump_part {
	uint64_t first, end;		/* page frames */
	bool split;			/* one of several */
};

/* The form of one core, the same in all parts.  Offsets in bytes from the beginning of a file. */
struct kdump {
	const struct core *core;	/* these three borrowed */
	const struct vmcoreinfo *info;
	const struct pages *pages;
	struct uts uts;
	uint64_t phys_base;
	uint32_t block_size;		/* that of a page */
	uint64_t bitmap1, bitmap2;	/* each of them up to the next */
	uint64_t descriptors;
	uint64_t data;			/* the first byte behind the descriptors of the whole core */
};

/* The flag of a codec's packed pages; 0: the form does not know that codec. */
uint32_t kdump_flag(enum codec_id id);

/* The whole of a core as one part. */
struct kdump_part kdump_whole(const struct pages *pages);

/*
 * Works out the form; all three must outlive it.  Reads of the core what uts_find() does, so that later
 * nothing is read, and all parts say the same.  Pages at high addresses make bitmaps of
 * gigabytes, almost all of them zeros, which a file need not have.
 */
void kdump_init(struct kdump *k, const struct core *core, const struct vmcoreinfo *info,
		const struct pages *pages);

/*
 * Writes all that lies before bitmap 1, k->bitmap1 bytes, zeroed, into dst.  status: flags of those
 * above.
 */
void kdump_put_head(const struct kdump *k, const struct kdump_part *part, uint32_t status,
		    uint8_t *dst);

/*
 * Writes bytes from to from + len of both bitmaps, counted from bitmap1, so 2 * (bitmap2 - bitmap1)
 * at most, into dst.
 */
void kdump_put_bitmaps(const struct kdump *k, uint64_t from, size_t len, uint8_t *dst);

/*
 * The first byte of both bitmaps, counted so, at or after from that is not zero; the end of both if
 * there is none.
 */
uint64_t kdump_bitmaps_next(const struct kdump *k, uint64_t from);

/* A page of size bytes at offset of its file. */
void kdump_put_descriptor(uint8_t dst[KDUMP_DESCRIPTOR_LENGTH], uint64_t offset, uint32_t size,
			  uint32_t flags);

#endif
