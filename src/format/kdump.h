// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Headers and descriptors of the kdump-compressed form (diskdump, versions 1 to 6, 64-bit).  No
 * specification exists: the sources are makedumpfile's diskdump_mod.h and the code of the readers crash
 * and libkdumpfile.
 *
 *     block 0 header | block 1 sub header, notes | bitmap 1 | bitmap 2 | descriptors | pages
 *
 * A block is a page.  Bitmap 1 has a bit for each page frame that is memory, bitmap 2 for each page
 * that is in the file.  Descriptor r belongs to the page whose bit is the r-th one set in bitmap 2.
 * Each file of a split dump has the complete headers and bitmaps, but only the descriptors and pages
 * of its own page frames.
 */
#ifndef NSPLIT_FORMAT_KDUMP_H
#define NSPLIT_FORMAT_KDUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

#define KDUMP_SIGNATURE "KDUMP   "
enum { KDUMP_SIGNATURE_LENGTH = 8 };

/* Flags of a page, and of (most) pages in the header's status: the codec.  0: not compressed. */
enum {
	KDUMP_ZLIB = 0x1,
	KDUMP_LZO = 0x2,
	KDUMP_SNAPPY = 0x4,
	KDUMP_INCOMPLETE = 0x8,		/* only in the header: pages are missing */
	KDUMP_NO_VMEMMAP = 0x10,	/* only in the header: so are unused parts of the memory map */
	KDUMP_ZSTD = 0x20,
	KDUMP_CODECS = KDUMP_ZLIB | KDUMP_LZO | KDUMP_SNAPPY | KDUMP_ZSTD,
};

/* Bytes of the notes, or of VMCOREINFO. */
enum { KDUMP_NOTES_MAX = 16 << 20 };

enum { KDUMP_DESCRIPTOR_LENGTH = 24, KDUMP_HEADER_LENGTH = 464, KDUMP_SUB_HEADER_LENGTH = 104 };

/* Offsets in struct disk_dump_header of a 64-bit machine. */
enum {
	KDUMP_HEADER_VERSION = 8,
	KDUMP_HEADER_UTS = 12,
	KDUMP_HEADER_TIME = 408,
	KDUMP_HEADER_STATUS = 424,
	KDUMP_HEADER_BLOCK_SIZE = 428,
	KDUMP_HEADER_SUB_BLOCKS = 432,
	KDUMP_HEADER_BITMAP_BLOCKS = 436,
	KDUMP_HEADER_MAX_MAPNR = 440,
	KDUMP_HEADER_CPUS = 460,
};

/* Offsets in struct kdump_sub_header, which is in the next block. */
enum {
	KDUMP_SUB_PHYS_BASE = 0,
	KDUMP_SUB_DUMP_LEVEL = 8,
	KDUMP_SUB_SPLIT = 12,
	KDUMP_SUB_START = 16,
	KDUMP_SUB_END = 24,
	KDUMP_SUB_VMCOREINFO = 32,
	KDUMP_SUB_VMCOREINFO_SIZE = 40,
	KDUMP_SUB_NOTES = 48,
	KDUMP_SUB_NOTES_SIZE = 56,
	KDUMP_SUB_ERASED = 64,
	KDUMP_SUB_ERASED_SIZE = 72,
	KDUMP_SUB_START_64 = 80,
	KDUMP_SUB_END_64 = 88,
	KDUMP_SUB_MAX_MAPNR_64 = 96,
};

/* Bytes of the six texts of uname(2). */
enum { KDUMP_UTS_LENGTH = 390 };

/*
 * Decoded, and checked: the layout is possible.  Without the time and the CPUs: VMCOREINFO and the notes have them.
 * Whether the file has as much is for the caller to check, and where the notes are.
 */
struct kdump_header {
	uint32_t version;
	char uts[KDUMP_UTS_LENGTH + 8];	/* as they are in the file, with 4 bytes more on either side */
	uint64_t time;			/* of the crash, in seconds; 0: not known */
	uint32_t flags;
	uint32_t block_size;
	uint64_t bitmap1, bitmap_size;	/* offset; bytes of each bitmap */
	uint64_t frames;		/* the highest page frame number, plus 1 */
	const char *other;		/* "a 32-bit" machine, or another one that is not read; NULL: none */
	/* Of the sub header: */
	uint64_t phys_base;
	uint32_t level;
	bool split;
	uint64_t first_page, end_page;	/* page frames of this file, if split */
	uint64_t notes, notes_size;	/* size 0: none */
	uint64_t vmcoreinfo, vmcoreinfo_size;
	uint64_t erased, erased_size;	/* what makedumpfile has erased, as it says; not checked */
};

/*
 * STATUS_DAMAGED: a number is not possible.  STATUS_USAGE: the numbers are those of another machine, and h->other
 * says which.  Names decide nothing.
 */
enum status kdump_header_decode(struct kdump_header *h, const uint8_t raw[KDUMP_HEADER_LENGTH]);
/* After that of the header, at the offset block_size. */
enum status kdump_sub_header_decode(struct kdump_header *h, const uint8_t raw[KDUMP_SUB_HEADER_LENGTH]);

/* The offset of the descriptors. */
static inline uint64_t kdump_descriptors_offset(const struct kdump_header *h)
{
	return h->bitmap1 + 2 * h->bitmap_size;
}

struct kdump_descriptor {
	uint64_t offset;
	uint32_t size, flags;
};

/* Of a page that is missing: no reader accepts this length, while one of zeros is a page of zeros for some. */
static const struct kdump_descriptor kdump_absence = { .offset = 4096, .size = 0, .flags = KDUMP_ZLIB };

void kdump_descriptor_encode(const struct kdump_descriptor *d, uint8_t raw[KDUMP_DESCRIPTOR_LENGTH]);
struct kdump_descriptor kdump_descriptor_decode(const uint8_t raw[KDUMP_DESCRIPTOR_LENGTH]);

#endif
