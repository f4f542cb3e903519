// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sets: all members of one capture, opened and cross-checked, and one sorted
 * map of which range of the source lies where.
 */
#ifndef NSPLIT_SET_SET_H
#define NSPLIT_SET_SET_H

#include "base/names.h"
#include "set/member.h"
#include "set/salvage.h"

struct set {
	struct member *members;		/* those that can be used; owned */
	unsigned count;
	unsigned expected;		/* members that the capture opened, or might have */
	unsigned fallbacks;		/* so many of them, the last ones, were made if need be only */
	struct capture_id id;
	bool assumed;			/* from records alone: nothing but id and chunks is known */
	uint32_t block_size;
	uint32_t chunk_size;
	uint64_t source_size;		/* SOURCE_SIZE_UNKNOWN: nobody has told yet */
	bool stopped;			/* the capture did not see the end, or nobody knows */
	bool has_stream;		/* one member at least: the map is not known beforehand */
	struct location **map;		/* every place by source offset, spares behind theirs; owned */
	size_t locations;
};

struct set_settings {
	bool salvage;			/* do without what cannot be used */
	/*
	 * With salvage: a member that has neither superblock nor footer is searched for records.
	 * Whatever file is given is read as a whole then.
	 */
	bool search;
	/* Told of each member that is done without, or that only salvage can read. */
	void (*warn)(void *arg, const struct error *e);
	void *arg;
	struct salvage_watch watch;
};

/*
 * Opens the members.  Without salvage the first one that is foreign, repeated, damaged,
 * cut, or newer ends it, with an error that names the file.
 * Whether the map has holes is not asked here: see set_hole().
 */
enum status set_open(struct set *set, const struct names *names,
		     const struct set_settings *settings, struct error *e);
void set_close(struct set *set);

/*
 * Takes over what superblocks and footers know: the size of the source, and whether the
 * capture was stopped.  True, with the reason: a member, which was not named before, says
 * another size than those before it.  set_open() asks; a stream's footer is known when it has
 * been read.
 */
bool set_disagrees(struct set *set, struct error *e);

/* The verdict on a record at offset of a member whose range ends behind source_size. */
enum status set_record_beyond_end(const struct member *m, uint64_t offset, struct error *e);

/*
 * The next range at or after *offset that the map does not hold, up to source_size;
 * false: none.  Not for sets with streams.
 */
bool set_hole(const struct set *set, uint64_t *offset, uint64_t *length);

/* Is member number (as in the superblock) among those opened? */
bool set_has_member(const struct set *set, uint32_t number);
/* Is there a member whose number is not known, since only its records were found? */
bool set_has_unknown_member(const struct set *set);
/* Was it to be made only if need be? */
bool set_is_fallback(const struct set *set, uint32_t number);

/* The first entry of the map whose range ends behind offset; set->places if none. */
size_t set_find(const struct set *set, uint64_t offset);

/* The entry behind i, if it is of the same range: a spare; set->places if not. */
size_t set_next_copy(const struct set *set, size_t i);

#endif
