// SPDX-License-Identifier: GPL-2.0-or-later
/* Superblock: the first piece of a member, which describes the set.  doc/format.md, section 4. */
#ifndef NSPLIT_FORMAT_SUPERBLOCK_H
#define NSPLIT_FORMAT_SUPERBLOCK_H

#include "format/classes.h"
#include "format/format.h"
#include "format/second_places.h"

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
 * The common part of superblock and footer (section 9): the fields up to SET_FIELDS_END, with magic and
 * version, the second places, and the checksum.
 */
enum { SET_FIELDS_END = 424 };
void set_fields_encode(const struct superblock *sb, enum piece_kind kind, uint8_t *raw);
enum status set_fields_decode(struct superblock *sb, enum piece_kind kind, const uint8_t *raw);
void set_fields_seal(uint8_t *raw);

/*
 * Compares what must be equal in all superblocks and footers of one capture.  Returns NULL, or the
 * first field that differs ("block size"), beginning with the time of the capture.  The number of
 * the member is not compared, and source sizes only if both are known.
 */
const char *superblocks_differ(const struct superblock *a, const struct superblock *b);

#endif
