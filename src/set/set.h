// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sets: all members of one capture, opened and checked against each other, and a map that says
 * which range of the source is stored where.
 */
#ifndef NSPLIT_SET_SET_H
#define NSPLIT_SET_SET_H

#include "base/names.h"
#include "set/member.h"

/* In one cell; more than any capture can make. */
enum { CELL_RECORDS_MAX = 1 << 23 };

/*
 * How the bytes of a plain core (set/plain.h) from an offset on become part of a record, and how many, at most to end:
 * RUN_STORED, they are read; RUN_ZERO, nobody wants them; RUN_NAMED, they are missing, until somebody reads them alone.
 */
struct plain_wishes {
	enum run_kind (*ask)(const void *arg, uint64_t offset, uint64_t end, uint64_t *length);	/* NULL: all are read */
	const void *arg;
};

struct set {
	struct member *members;		/* those that are used; owned */
	unsigned count;
	unsigned expected;		/* outputs of the capture, fallbacks included */
	unsigned fallbacks;		/* the last of these, which were opened only if needed */
	struct capture_id id;
	bool assumed;			/* known from records only: id and chunk_size */
	uint32_t block_size;
	uint32_t chunk_size;		/* no record stores more of the source */
	uint32_t cell_size;		/* bytes; no record extends beyond its cell */
	struct class_table classes;	/* of all members together: doc/format.md, section 7 */
	bool layers;			/* see set_has_layers() */
	struct second_places second;	/* if a superblock or footer is known */
	struct set_shared *shared;	/* what readers have found, of any thread; owned */
	uint64_t source_size;		/* SOURCE_SIZE_UNKNOWN: no member has stated it yet */
	struct plain_wishes wishes;	/* of whoever walks it */
	bool stopped;			/* the capture ended before the source did, or may have */
	bool stopped_at_marked;		/* the machine stopped while pages were read that may not be touched */
	/*
	 * All locations, sorted by cell, layer and offset; of the same range, those with the fewest unreadable
	 * granules come first.  Owned; the locations belong to the members.
	 */
	struct location **map;
	size_t locations;
};

/* Is it a plain file in place of a set?  See set/plain.h. */
static inline bool set_is_plain(const struct set *set)
{
	return set->count && set->members[0].plain;
}

static inline bool set_is_dump(const struct set *set)
{
	return set->count && set->members[0].dump;
}

/*
 * Are records made when they are loaded?  Then what is unreadable is not known before.
 */
static inline bool set_is_made(const struct set *set)
{
	return set_is_plain(set) || set_is_dump(set);
}

/*
 * Is there more than one layer, or a second place, so that several records speak of one range?  Of a set
 * without layers, each record says all of its range.
 */
static inline bool set_has_layers(const struct set *set)
{
	return set->layers;
}

/* The length of the longest possible record. */
uint32_t set_record_length_max(const struct set *set);

/* Reports progress. */
struct salvage_watch {
	/*
	 * Called by the thread in set_open(), at intervals and at the end, with the bytes of
	 * members that were searched so far, and of all.  NULL: not called.
	 */
	void (*searching)(void *arg, uint64_t done, uint64_t all);
	/* Likewise while streams are copied to temporary files: the bytes so far. */
	void (*spooling)(void *arg, uint64_t done);
	void *arg;
	double interval;		/* seconds between two calls */
};

struct set_settings {
	bool plain;			/* a plain file may be given in place of the members */
	bool salvage;			/* continue without what cannot be used */
	/*
	 * With salvage: a file with neither superblock nor footer is searched for records.  That
	 * reads any file that is given, to its end.
	 */
	bool search;
	const char *spool;		/* the directory for copies of streams; NULL: a stream is refused */
	/* With salvage: called for each member that is skipped, or that only salvage can read. */
	void (*warn)(void *arg, const struct error *e);
	/*
	 * Without salvage: called for each unfinished member, which is skipped.  It was not closed, or is
	 * empty, or is a device that holds no member of this set, but another member was closed, and the
	 * set is complete without it; with layers, that is known only later.  NULL: an unfinished member is an error.
	 */
	void (*unfinished)(void *arg, const struct error *e);
	void *arg;
	struct salvage_watch watch;
};

/*
 * Opens the members.  Without salvage, the first file that is not a member of this set, was given
 * twice, is damaged or has a newer format is an error, and so is an unfinished one that is not
 * skipped.  Holes in the map are not: see set_hole().  set_close() must be called even after a failure.
 */
enum status set_open(struct set *set, const struct names *names,
		     const struct set_settings *settings, struct error *e);
void set_close(struct set *set);

/*
 * The next range at or after *offset, up to source_size, that the map does not cover; false if
 * there is none.  Not for sets with layers, of which set/read/contents.h knows more.
 */
bool set_hole(const struct set *set, uint64_t *offset, uint64_t *length);

/* Is the member with this number, as in its superblock, one of those opened? */
bool set_has_member(const struct set *set, uint32_t number);
/* Is the number of a member unknown, because only its records were found? */
bool set_has_unknown_member(const struct set *set);
/* Is the member with this number a fallback? */
bool set_is_fallback(const struct set *set, uint32_t number);

/* The index in the map of the first record of this cell or a later one; set->locations if none. */
size_t set_find_cell(const struct set *set, uint64_t cell);
/* The same for the cell with the byte at offset. */
size_t set_find(const struct set *set, uint64_t offset);

/*
 * Notes that the body of a record is damaged, which only shows when it is read.  What was
 * concluded from another count of such records is out of date.
 */
void set_lose(const struct set *set, size_t i);
bool set_is_lost(const struct set *set, size_t i);
uint64_t set_count_lost(const struct set *set);

/*
 * What is known of cells, remembered for all threads (set/read/range.h): a cell may have any number of records, whose heads
 * take long to read, and pages that are read one after the other are in different cells.  So what the heads say is kept:
 * eight bytes for each granule of the cell.  All of it is forgotten when it takes 32 MiB.
 *
 * Sets the granules of a cell, and *damage, as they were kept.  False: nothing is known.  kind: cells that were collected
 * in different ways know more or less of damage.
 */
bool set_recall_cell(const struct set *set, uint64_t offset, uint64_t kind, void *granules, size_t size,
		     struct error *damage);
/* After all records were added.  Does nothing if memory is short. */
void set_keep_cell(const struct set *set, uint64_t offset, uint64_t kind, const void *granules, size_t size,
		   const struct error *damage);

/* --- for those who open sets ----------------------------------------------------- */

/*
 * Builds the map of all locations.  Records that extend beyond the end of the source, or end within a granule,
 * are errors; with salvage they are reported instead.
 */
enum status set_build_map(struct set *set, const struct set_settings *settings, struct error *e);

#endif
