// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Footer: says that the member was closed, and what it holds.  doc/format.md, section 9.  A checkpoint
 * says only that some layers are complete.
 */
#ifndef NSPLIT_FORMAT_FOOTER_H
#define NSPLIT_FORMAT_FOOTER_H

#include "base/digest.h"
#include "format/record.h"
#include "format/superblock.h"

/*
 * Root: one SHA-256 over the checksums of all records of a member, which its footer holds.  doc/format.md, section 9.
 * Only where digest_supported().
 */

enum { ROOT_LENGTH = DIGEST_LENGTH };

struct root {
	struct digest digest;
};

void root_begin(struct root *root);
/* The next record in the order of the member: record_checksum(). */
void root_add(struct root *root, uint64_t checksum);
/* The root of the records so far. */
void root_get(const struct root *root, uint8_t bytes[ROOT_LENGTH]);

enum { FOOTER_LENGTH = SUPERBLOCK_LENGTH, REASON_TEXT_LENGTH = 256 };

/* What the records of the member are, in bytes of the source. */
struct layer_figures {
	uint64_t first[CLASSES];	/* by class: stored in layer 1, or zeros */
	uint64_t named[CLASSES];	/* named in layer 1 */
	uint64_t later[CLASSES];	/* stored in other layers */
	uint64_t unreadable;
};

struct footer {
	struct superblock set;		/* the superblock again, with the final source_size */
	uint64_t offset;		/* offset of this footer in the member */
	uint64_t index;			/* offset of the last index segment; 0: there are no records */
	uint64_t records;
	uint64_t source_bytes;
	uint64_t blocks[BLOCK_KINDS];	/* by enum block_kind */
	int64_t finished;		/* seconds since 1970 */
	bool stopped;			/* the capture ended before the end of the source */
	bool checkpoint;		/* the member was not closed */
	uint32_t whole;			/* layers 1 to this one are complete */
	struct layer_figures figures;
	bool has_root;
	uint8_t root[ROOT_LENGTH];	/* see above; zeros without has_root */
	char reason[REASON_TEXT_LENGTH + 1];	/* why classes were saved after all */
};

void footer_encode(const struct footer *footer, uint8_t raw[FOOTER_LENGTH]);

/* STATUS_NOT_OURS, STATUS_DAMAGED or STATUS_UNSUPPORTED as defined in section 3. */
enum status footer_decode(struct footer *footer, const uint8_t raw[FOOTER_LENGTH]);

#endif
