// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The headers and notes of one file of a dump.  A number that is wrong is found by what it leads to: descriptors that are as
 * many as the bits of the bitmap, or notes.  For set/dump*.c only.
 */
#ifndef NSPLIT_SET_DUMP_HEADER_H
#define NSPLIT_SET_DUMP_HEADER_H

#include "set/dump.h"
#include "set/dump_core.h"

/*
 * Reads them.  d->findings gets a sentence for each number that is wrong, if the rest of the file says what it is.  Free
 * notes->bytes in any case.
 */
enum status dump_header_read(struct dump *d, const struct dump_part *p, struct kdump_header *h, struct dump_notes *notes,
			     struct error *e);

/* Has the part descriptors of exactly so many pages?  DUMP_UNKNOWN: some are not there. */
enum dump_fit { DUMP_MISFIT, DUMP_UNKNOWN, DUMP_FIT };

enum dump_fit dump_fits(const struct dump *d, const struct dump_part *p, uint64_t pages);

/* What is behind the end of the file was needed. */
enum status dump_cut_short(const struct dump_file *f, struct error *e);

#endif
