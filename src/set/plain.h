// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A plain file in place of a set: the source itself, such as a core that was copied with cp.
 *
 * It is opened as a set of one member.  The records of that member are not stored: each is made when it
 * is loaded, as a capture of the file with codec raw would have made it.  So everything that reads a
 * set, on any number of threads, reads a plain file in the same way.
 *
 * Unlike in a set, what is unreadable is not known before the file is read.
 */
#ifndef NSPLIT_SET_PLAIN_H
#define NSPLIT_SET_PLAIN_H

#include "set/dump_file.h"
#include "set/read/reader.h"
#include "set/set.h"

/* Is this a file or a block device that begins as an ELF file?  It need not be a core. */
bool plain_recognise(const char *name);

/* Opens a file as set_open() does.  STATUS_USAGE: it is too large. */
enum status plain_open(struct set *set, const char *name, struct error *e);

/* Makes the record at a location.  The only failure is STATUS_NO_MEMORY: what cannot be read is unreadable. */
enum status plain_load(struct record_reader *r, const struct set *set, const struct location *location,
		       struct error *e);

/*
 * Reads bytes that are within the source.  STATUS_MISSING: some of them cannot be read; the file may
 * have been cut short meanwhile.
 */
enum status plain_read(const struct set *set, uint64_t offset, size_t len, uint8_t *dst,
		       struct error *e);

/* --- flattened ELF cores (set/dump_file.h): the same set, whose source is read through the list of pieces --- */

/* Does the dump in the pieces begin as an ELF file? */
bool flat_core_recognise(const struct dump_file *f);

/* The set has begun (made_begin()).  Takes over the file, even after a failure. */
enum status flat_core_open(struct set *set, struct dump_file *f, struct error *e);

/* The file of a set of this kind; NULL: it is of another one. */
const struct dump_file *set_flat_core(const struct set *set);

/* --- for dumps as well, whose records are made when they are loaded, too --- */

/*
 * Begins a set of one member.  The caller then opens what the records are made of, sets size and
 * identity of the member, and calls made_end().  set_close() must be called even after a failure.
 */
enum status made_begin(struct set *set, const char *name, struct error *e);
/* Adds the records of the member, which have blocks of this size.  STATUS_USAGE: they are too many for a set. */
enum status made_end(struct set *set, uint32_t block_size, struct error *e);

/* The header of the record at a location, if all of it is stored. */
struct record made_head(const struct set *set, const struct location *location);

/*
 * A record being made: first its blocks, behind space for a run list of one run for each granule and a table of
 * one entry for each block; then the list that it turns out to be, and the table before the blocks.
 */
struct making {
	struct record_reader *r;
	struct run_list list;
	uint32_t *table;		/* entries of the blocks so far; owned */
	uint32_t blocks;
	uint8_t *payload;		/* of the record */
	uint32_t used;			/* bytes of it */
};

/* Call making_end() in any case. */
enum status making_begin(struct making *m, struct record_reader *r, const struct set *set,
			 const struct location *location, struct error *e);
/* Adds bytes that are not stored. */
void making_add_run(struct making *m, enum run_kind kind, uint64_t length);
/* Adds a block of which these bytes are at the end of the payload. */
void making_add_block(struct making *m, enum block_kind kind, uint32_t length);
/* good: completes the record. */
void making_end(struct making *m, bool good);

#endif
