// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Members made piece by piece, for the tests of the reading side: whole ones, and
 * ones that are wrong in one way.  Records are packed as a capture packs them; all
 * else is put together here from the encoders of the format.
 */
#ifndef NSPLIT_TESTS_UNIT_SET_MAKER_H
#define NSPLIT_TESTS_UNIT_SET_MAKER_H

#include <stddef.h>
#include <stdint.h>

#include "capture/pack.h"
#include "format/footer.h"
#include "format/index.h"

enum { MAKER_CREATED = 1000000000, MAKER_BLOCK = 4096, MAKER_CHUNK = 16384, MAKER_PLAIN = 3 * MAKER_CHUNK };

/* Of all sets that are made here, unless a test says otherwise. */
extern const struct capture_id maker_id, maker_other_id;

struct maker {
	struct superblock superblock;	/* a test may change it before maker_begin() */
	const struct codec *codec;	/* likewise; LZO */
	struct footer footer;		/* counts what is added */
	uint8_t *bytes;			/* the member so far; owned */
	size_t length, room;
	uint8_t *segment;		/* entries that no segment holds yet; owned */
	uint32_t entries;
	uint64_t previous;
};

/* A member with blocks of MAKER_BLOCK and chunks of MAKER_CHUNK bytes, and nothing in it yet. */
void maker_init(struct maker *m, uint32_t number, uint32_t members, uint64_t source_size);
void maker_free(struct maker *m);

/* All of these return where in the member the piece begins. */
size_t maker_begin(struct maker *m);
/* Bytes [offset, offset + length) of the source; the index will list it. */
size_t maker_add_record(struct maker *m, const uint8_t *source, uint64_t offset,
			uint32_t length);
/* The same, of which only the first readable bytes, whole blocks, could be read. */
size_t maker_add_partly(struct maker *m, const uint8_t *source, uint64_t offset, uint32_t length,
			uint32_t readable);
/* The same, all of its blocks unreadable. */
size_t maker_add_unreadable(struct maker *m, uint64_t offset, uint32_t length);
/* A record of zeros that the index does not list yet: see maker_list(). */
size_t maker_add_zeros(struct maker *m, uint64_t offset, uint32_t length);
/* Puts an entry in the segment to come. */
void maker_list(struct maker *m, const struct index_entry *entry);
/* The segment with what was listed since the last one. */
size_t maker_add_index(struct maker *m);
/* The segment, if one is due, and the footer. */
size_t maker_add_footer(struct maker *m);
/* Any bytes; zeros if bytes is NULL. */
size_t maker_add_bytes(struct maker *m, const void *bytes, size_t len);

/* A member of a source of MAKER_PLAIN bytes: three records, one segment, one footer. */
void maker_make_plain(struct maker *m);

/* Writes the member to a file; len bytes of it only with maker_write_part(). */
void maker_write(const struct maker *m, const char *name);
void maker_write_part(const struct maker *m, const char *name, size_t len);

/* Makes the checksums of a piece of any kind right again for what its fields hold. */
void maker_reseal(uint8_t *piece);

/* Turns a bit of byte at. */
void maker_flip(struct maker *m, size_t at);

/* The file is opened as a member, and reading its index gives this; text may be NULL. */
void maker_load_says(const char *name, enum status want, const char *text);

/*
 * A whole set of files m0, m1...: chunk k of the source in member k mod members.  With
 * codec NULL it is LZO.
 */
void maker_make_set(const uint8_t *source, uint64_t size, uint32_t members,
		    const struct codec *codec);

/* Size bytes of all kinds of blocks in turn, so that every chunk is different; to be freed. */
uint8_t *maker_source(uint64_t size);

#endif
