// SPDX-License-Identifier: GPL-2.0-or-later
/* The files of a dump: their headers, and which of its pages each of them has.  For set/dump*.c only. */
#ifndef NSPLIT_SET_DUMP_PARTS_H
#define NSPLIT_SET_DUMP_PARTS_H

#include "set/dump.h"
#include "set/dump_core.h"

/*
 * Reads the headers of all files.  *h and the notes are those of the first file that has them; free
 * notes->bytes in any case.  Another file of a split dump whose headers are not there gets a reason in
 * part->unusable, and has no pages.  STATUS_USAGE: the files are not the parts of one dump.
 */
enum status dump_parts_read(struct dump *d, struct kdump_header *h, struct dump_notes *notes, struct error *e);

/*
 * Sorts the files by their pages, and finds the pages that are in the dump.  All files have the same bitmaps: where they
 * differ, the one that fits the descriptors of a file is right.  STATUS_USAGE: a page is in two of the files.
 */
enum status dump_parts_read_runs(struct dump *d, const struct kdump_header *h, struct dump_runs *runs, struct error *e);

#endif
