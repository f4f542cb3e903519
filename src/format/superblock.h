// SPDX-License-Identifier: GPL-2.0-or-later
/* Superblock: the first piece of a member, which describes the set.  doc/format.md, section 3. */
#ifndef NSPLIT_FORMAT_SUPERBLOCK_H
#define NSPLIT_FORMAT_SUPERBLOCK_H

#include "format/classes.h"
#include "format/format.h"

enum {
	SUPERBLOCK_LENGTH = UNIT,
	CODEC_TEXT_LENGTH = 32,
	CREATOR_TEXT_LENGTH = 32,
	SOURCE_TEXT_LENGTH = 256,
};

struct superblock {
	struct capture_id id;
	uint64_t features;	/* FEATURE_LAYERS, or 0 */
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
	/* With FEATURE_LAYERS (section 17), otherwise 0: */
	uint32_t cell_size;	/* bytes */
	struct class_table classes;	/* the plan; in a footer, what has become of it */
};

void superblock_encode(const struct superblock *sb, uint8_t raw[SUPERBLOCK_LENGTH]);

/*
 * For a caller that knows these features: STATUS_NOT_OURS, STATUS_DAMAGED or STATUS_UNSUPPORTED as
 * defined in section 2.
 */
enum status superblock_decode_with(struct superblock *sb, const uint8_t raw[SUPERBLOCK_LENGTH],
				   uint64_t features);

/*
 * The common part of superblock and footer (section 7): the fields up to offset 392, with magic, version
 * and features, and the checksum.  set_layers_decode() completes the decoding with the fields of a
 * set with layers, and checks their limits.
 */
void set_fields_encode(const struct superblock *sb, enum piece_kind kind, uint8_t *raw);
enum status set_fields_decode(struct superblock *sb, enum piece_kind kind, const uint8_t *raw,
			      uint64_t features);
enum status set_layers_decode(struct superblock *sb, const uint8_t *cell_size,
			      const uint8_t *classes);
void set_fields_seal(uint8_t *raw);

/*
 * Compares what must be equal in all superblocks and footers of one capture.  Returns NULL, or the
 * first field that differs ("block size"), beginning with the time of the capture.  The number of
 * the member is not compared, and source sizes only if both are known.  Without a capture tag,
 * times may differ by a second (section 3).
 */
const char *superblocks_differ(const struct superblock *a, const struct superblock *b);

#endif
