// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Members made piece by piece, for the tests of the read side: complete ones, and ones with a
 * single defect.  Records are packed as a capture packs them; everything else is made here with the
 * encoders of the format.
 */
#ifndef NSPLIT_TESTS_UNIT_SET_MAKER_H
#define NSPLIT_TESTS_UNIT_SET_MAKER_H

#include <stddef.h>
#include <stdint.h>

#include "capture/fill/pack.h"
#include "format/superblock.h"
#include "format/record.h"
#include "set/set.h"

enum { MAKER_CREATED = 1000000000, MAKER_BLOCK = 4096, MAKER_CHUNK = 16384, MAKER_PLAIN = 3 * MAKER_CHUNK };

/* Of all sets made here, unless a test sets another one. */
extern const struct capture_id maker_id, maker_other_id;

struct maker {
	/* A test may change it before maker_begin(); cell_size 0 is as chunk_size. */
	struct superblock superblock;
	const struct codec *codec;	/* likewise; LZO */
	uint32_t row;			/* bytes of a row: blocks of further records are packed in columns; 0: as they are */
	struct footer footer;		/* counts what is added */
	uint8_t *bytes;			/* the member so far; owned */
	size_t length, capacity;
	uint8_t *segment;		/* entries that no segment holds yet; owned */
	uint32_t entries;
	uint64_t previous;
};

/* An empty member with blocks of MAKER_BLOCK bytes and chunks of MAKER_CHUNK bytes. */
void maker_init(struct maker *m, uint32_t number, uint32_t members, uint64_t source_size);
void maker_free(struct maker *m);

/* All of these return the offset of the piece in the member. */
size_t maker_begin(struct maker *m);
/* Bytes [offset, offset + length) of the source; the index will list it. */
size_t maker_add_record(struct maker *m, const uint8_t *source, uint64_t offset,
			uint32_t length);
/* The same, but only the first readable bytes, which are whole blocks, could be read. */
size_t maker_add_partly(struct maker *m, const uint8_t *source, uint64_t offset, uint32_t length,
			uint32_t readable);
/* The same, all of its blocks unreadable. */
size_t maker_add_unreadable(struct maker *m, uint64_t offset, uint32_t length);
/* Adds an entry to the next segment. */
void maker_list(struct maker *m, const struct index_entry *entry);
/* A segment with all entries since the previous one. */
size_t maker_add_index(struct maker *m);
/* The segment, if one is due, and the footer. */
size_t maker_add_footer(struct maker *m);
/* Any bytes; zeros if bytes is NULL. */
size_t maker_add_bytes(struct maker *m, const void *bytes, size_t len);

/* A member of a source of MAKER_PLAIN bytes: three records, one segment, one footer. */
void maker_make_plain(struct maker *m);

/* Writes the member, or with maker_write_part() its first len bytes, to a file. */
void maker_write(const struct maker *m, const char *name);
void maker_write_part(const struct maker *m, const char *name, size_t len);

/* Adds the footer, writes the member, and frees it. */
void maker_end(struct maker *m, const char *name);

/* Updates the checksums of a piece of any kind after its fields were changed. */
void maker_reseal(uint8_t *piece);

/* Flips a bit of the byte at an offset. */
void maker_flip(struct maker *m, size_t at);

/*
 * A complete set of files m0, m1...: chunk k of the source in member k mod members.  codec NULL:
 * LZO.
 */
void maker_make_set(const uint8_t *source, uint64_t size, uint32_t members,
		    const struct codec *codec);

/*
 * size bytes with all kinds of blocks in turn, so that every chunk is different; the caller frees
 * them.
 */
uint8_t *maker_source(uint64_t size);

/* Opens the set of these members; any error or warning fails the test. */
void maker_open(struct set *set, const char *members);

#endif
