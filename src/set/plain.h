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

#include "set/read/reader.h"

/* Is this a file or a block device that begins as an ELF file?  It need not be a core. */
bool plain_recognise(const char *name);

/* Opens a file as set_open() does.  STATUS_USAGE: it is too large. */
enum status plain_open(struct set *set, const char *name, struct error *e);

/* The same for a source that can be read anywhere, which then belongs to the set. */
enum status plain_open_source(struct set *set, struct source *source, struct error *e);

/* Makes the record at a location.  The only failure is STATUS_NO_MEMORY: what cannot be read is unreadable. */
enum status plain_load(struct record_reader *r, const struct set *set, const struct location *location,
		       struct error *e);

/*
 * Reads bytes that are within the source.  STATUS_MISSING: some of them cannot be read; the file may
 * have been cut short meanwhile.
 */
enum status plain_read(const struct set *set, uint64_t offset, size_t len, uint8_t *dst,
		       struct error *e);

#endif
