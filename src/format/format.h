// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Definitions that all pieces of a member share: limits, identity, magic, checksum.  The reference is
 * doc/format.md, whose sections are cited here.
 */
#ifndef NSPLIT_FORMAT_FORMAT_H
#define NSPLIT_FORMAT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

enum {
	FORMAT_VERSION = 1,
	FORMAT_MAGIC_LENGTH = 8,
	UUID_LENGTH = 16,
};

/* The source is divided into granules of this size; bytes.  Section 2. */
enum { GRANULE = ALIGNMENT };

/* Section 11. */
#define BLOCK_SIZE_MIN ((uint32_t)4096)
#define BLOCK_SIZE_MAX ((uint32_t)1 << 20)
#define CHUNK_SIZE_MAX ((uint32_t)1 << 26)
#define CELL_SIZE_MAX ((uint32_t)1 << 26)
#define MEMBERS_MAX ((uint32_t)254)
#define SOURCE_SIZE_UNKNOWN UINT64_MAX

struct uuid {
	uint8_t bytes[UUID_LENGTH];
};

enum { UUID_TEXT_LENGTH = 36 };		/* without the NUL */

bool uuid_equal(const struct uuid *a, const struct uuid *b);
void uuid_format(const struct uuid *uuid, char text[UUID_TEXT_LENGTH + 1]);
/* False: text is not 8-4-4-4-12 hexadecimal digits. */
bool uuid_parse(const char *text, struct uuid *uuid);
/* Makes 16 random bytes a version 4 UUID (RFC 4122, 4.4). */
void uuid_from_random(struct uuid *uuid);

/*
 * Identifies the capture that a piece belongs to.  A user can give two captures the same UUID, but not the same
 * tag.
 */
struct capture_id {
	struct uuid uuid;
	uint32_t tag;			/* random; 0 in reproducible members */
};

bool capture_id_equal(const struct capture_id *a, const struct capture_id *b);

enum piece_kind {
	PIECE_NONE,		/* none of the magics */
	PIECE_SUPERBLOCK,
	PIECE_RECORD,
	PIECE_INDEX,
	PIECE_FOOTER,
};

/* Compares only the magic, of FORMAT_MAGIC_LENGTH bytes. */
enum piece_kind piece_kind(const uint8_t *bytes);
/* The magic of a kind other than PIECE_NONE: FORMAT_MAGIC_LENGTH bytes. */
const char *piece_magic(enum piece_kind kind);

/* Section 3. */
uint64_t format_checksum(const void *bytes, size_t len);

bool block_size_valid(uint64_t size);
bool chunk_size_valid(uint64_t size, uint32_t block_size);
/* Of a superblock or footer. */
bool cell_size_valid(uint64_t size, uint32_t chunk_size);

#endif
