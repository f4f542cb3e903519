// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kdump-compressed form of a core (diskdump, version 6, 64-bit), which crash, libkdumpfile and
 * makedumpfile read.  No specification exists: the sources are makedumpfile's diskdump_mod.h, its
 * write_kdump_header(), and the code of these three readers.
 *
 *     block 0 header | block 1 sub header, notes | bitmap 1 | bitmap 2 | descriptors | pages
 *
 * Bitmap 1 has a bit for each page frame that is memory, bitmap 2 for each page that is in the
 * file, so neither for pages that are missing nor for those that were left out.  Descriptor r belongs
 * to the page whose bit is the r-th one set in bitmap 2.  Pages may be anywhere, and may be shared.
 * Each file of a split set has the complete headers and bitmaps, but only the descriptors and pages of
 * its own page frames; its first descriptor is that of its first page.
 */
#ifndef NSPLIT_EXPORT_KDUMP_H
#define NSPLIT_EXPORT_KDUMP_H

#include "codec/codec.h"
#include "core/pages.h"
#include "core/uts.h"

/* Flags of a page, and of (most) pages in the header's status: the codec.  0: not compressed. */
enum {
	KDUMP_ZLIB = 0x1,
	KDUMP_LZO = 0x2,
	KDUMP_SNAPPY = 0x4,
	KDUMP_INCOMPLETE = 0x8,		/* only in the header: pages are missing */
	KDUMP_ZSTD = 0x20,
};

enum { KDUMP_DESCRIPTOR_LENGTH = 24 };

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
	/*
	 * Which pages were left out, for readers; 0 after kdump_init().  Never with DUMP_LEVEL_ZERO:
	 * makedumpfile --reassemble would then take the page at a certain offset for the shared zero
	 * page.
	 */
	uint32_t dump_level;
	uint32_t block_size;		/* the page size */
	uint64_t bitmap1, bitmap2;	/* each ends where the next field begins */
	uint64_t descriptors;
	uint64_t data;			/* the end of the descriptors of the whole core */
};

/* The flag of pages compressed with a codec; 0: the form does not support the codec. */
uint32_t kdump_flag(enum codec_id id);

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
 */
void kdump_put_bitmaps(const struct kdump *k, uint64_t from, size_t len, uint8_t *dst);

/*
 * The first byte of both bitmaps, at or after from, that is not zero; their end if there is none.
 */
uint64_t kdump_bitmaps_next(const struct kdump *k, uint64_t from);

/* The descriptor of a page that has size bytes at offset of its file. */
void kdump_put_descriptor(uint8_t dst[KDUMP_DESCRIPTOR_LENGTH], uint64_t offset, uint32_t size,
			  uint32_t flags);

#endif
