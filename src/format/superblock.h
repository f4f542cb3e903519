// SPDX-License-Identifier: GPL-2.0-or-later
/* Superblock: the first piece of a member, which describes the set.  doc/format.md, section 4. */
#ifndef NSPLIT_FORMAT_SUPERBLOCK_H
#define NSPLIT_FORMAT_SUPERBLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/digest.h"
#include "format/format.h"
#include "format/record.h"

/*
 * Second places: ranges of the source that hold the same memory as ranges elsewhere in it, and are not
 * stored (doc/format.md, section 4).  /proc/vmcore has one for the kernel image.
 */

enum { SECOND_PLACES_MAX = 64, SECOND_PLACES_LENGTH = 24 * SECOND_PLACES_MAX };

/* Bytes of the source, all multiples of 4096. */
struct second_place {
	uint64_t offset, length;
	uint64_t target;		/* where the first place begins */
};

struct second_places {
	uint32_t count;
	struct second_place list[SECOND_PLACES_MAX];	/* by offset, without overlaps */
};

/* Writes and reads the SECOND_PLACES_LENGTH bytes of the table; count is stored elsewhere. */
void second_places_encode(const struct second_places *places, uint8_t *raw);
void second_places_decode(struct second_places *places, uint32_t count, const uint8_t *raw);

/* Is each within the source and in order, and no target within a second place? */
bool second_places_valid(const struct second_places *places, uint64_t source_size);

bool second_places_equal(const struct second_places *a, const struct second_places *b);

/*
 * If the byte at *offset is in a second place, sets *offset to where it is stored, and returns true.
 * Reduces *length to the bytes from there on of which the same is true.
 */
bool second_places_follow(const struct second_places *places, uint64_t *offset, uint64_t *length);

enum {
	SUPERBLOCK_LENGTH = ALIGNMENT,
	CODEC_TEXT_LENGTH = 32,
	CREATOR_TEXT_LENGTH = 32,
	SOURCE_TEXT_LENGTH = 256,
};

struct superblock {
	struct capture_id id;
	uint32_t number;	/* of this member, from 0 */
	uint32_t members;
	uint32_t fallbacks;	/* how many of the members, the last ones, are fallbacks */
	uint32_t block_size;
	uint32_t chunk_size;
	uint64_t source_size;	/* bytes, or SOURCE_SIZE_UNKNOWN */
	int64_t created;	/* seconds since 1970 */
	/* Always terminated; a decoded text may contain any other byte. */
	char codec[CODEC_TEXT_LENGTH + 1];
	char creator[CREATOR_TEXT_LENGTH + 1];
	char source[SOURCE_TEXT_LENGTH + 1];
	uint32_t cell_size;	/* bytes */
	struct class_table classes;	/* the plan; in a footer, what has become of it */
	struct second_places second;
};

/*
 * Is there more than one layer, or a second place, or does a record cover less than a cell?  If not, the records of the
 * set can be used one by one, as they arrive (section 12).
 */
bool superblock_has_layers(const struct superblock *sb);

void superblock_encode(const struct superblock *sb, uint8_t raw[SUPERBLOCK_LENGTH]);

/* STATUS_NOT_OURS, STATUS_DAMAGED or STATUS_UNSUPPORTED as defined in section 3. */
enum status superblock_decode(struct superblock *sb, const uint8_t raw[SUPERBLOCK_LENGTH]);

/*
 * Compares what must be equal in all superblocks and footers of one capture.  Returns NULL, or the
 * first field that differs ("block size"), beginning with the time of the capture.  The number of
 * the member is not compared, and source sizes only if both are known.
 */
const char *superblocks_differ(const struct superblock *a, const struct superblock *b);

/* --- footers --------------------------------------------------------------- */

/*
 * Footer: says that the member was closed, and what it holds.  doc/format.md, section 9.  A checkpoint
 * says only that some layers are complete.
 */

/*
 * Root: one SHA-256 over the checksums of all records of a member, which its footer holds.  doc/format.md, section 9.
 * Only where digest_supported().
 */

enum { ROOT_LENGTH = DIGEST_LENGTH };

/* The next record in the order of the member: record_checksum(). */
void root_add(struct digest *root, uint64_t checksum);

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
	bool dangerous;			/* of a checkpoint: pages that may not be touched were read next */
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
