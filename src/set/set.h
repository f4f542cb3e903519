// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sets: all members of one capture, opened and cross-checked, and one sorted
 * map of which range of the source lies where.
 */
#ifndef NSPLIT_SET_SET_H
#define NSPLIT_SET_SET_H

#include "base/names.h"
#include "set/member.h"

struct set {
	struct member *members;		/* those that can be used; owned */
	unsigned count;
	unsigned expected;		/* members that the capture opened */
	struct uuid uuid;
	uint32_t block_size;
	uint32_t chunk_size;
	uint64_t source_size;		/* the best that is known; SOURCE_SIZE_UNKNOWN: nothing is */
	bool stopped;			/* the capture was stopped before the end */
	bool has_stream;		/* one member at least: the map is not known beforehand */
	struct place **map;		/* every place by source offset, spares behind theirs; owned */
	size_t places;
};

struct set_settings {
	bool salvage;			/* do without what cannot be used */
	/* Told of each member that is done without, or that only salvage can read. */
	void (*warn)(void *arg, const struct error *e);
	void *arg;
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
 * Takes over what the footers know: the size of the source, and whether the
 * capture was stopped.  set_open() asks; a stream's is known when it has been read.
 */
void set_ask_footers(struct set *set);

/*
 * The next range at or after *offset that the map does not hold, up to source_size;
 * false: none.  Not for sets with streams.
 */
bool set_hole(const struct set *set, uint64_t *offset, uint64_t *length);

/* Is member number (as in the superblock) among those opened? */
bool set_has_member(const struct set *set, uint32_t number);

/* The first entry of the map whose range ends behind offset; set->places if none. */
size_t set_find(const struct set *set, uint64_t offset);

#endif
