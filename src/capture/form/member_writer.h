// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Member writer: the form of members.  Writes the pieces of one member to one sink, in the order of doc/format.md.
 *
 * No space is reserved for the index and footer that close a member: a file system may have no way
 * to do that, or share its space with other outputs.  Instead a full member gives up its last
 * records, and index and footer are written over them.  So the entries of the last segment are kept
 * after it was written, until a record follows it.
 */
#ifndef NSPLIT_CAPTURE_FORM_MEMBER_WRITER_H
#define NSPLIT_CAPTURE_FORM_MEMBER_WRITER_H

#include "capture/form/form.h"
#include "format/record.h"

/* Bytes of memory of one writer, with layers or without. */
size_t member_writer_memory(bool layers);
/* With layers if the superblock says so.  form_free() frees it. */
enum status member_writer_new(struct form **form, struct sink *sink, const struct superblock *superblock,
			      struct error *e);

/*
 * Gives up the last records, enough to make space for what closes the output.  Each further call in a row
 * gives up twice as many, up to half of the records.  Returns their number; 0: none is left to give
 * up.  Nothing is written yet, so their bytes remain until the next call of form_settle().
 * In the calls below, i is 0 for the first of these records.
 */
unsigned member_give_up(struct member_writer *w);

struct given_up {
	struct index_entry entry;
	struct record_figures figures;
	uint16_t units;			/* of its run (ledger.h) */
};

struct given_up member_given_up(const struct member_writer *w, unsigned i);
/* Of a stream: reads one of them into a chunk and sets everything but the chunk's index. */
enum status member_read_back(struct member_writer *w, unsigned i, struct chunk *chunk, struct error *e);

/* Can what was written after the last seal() be cut off?  And does so. */
bool member_rolls_back(const struct member_writer *w);
enum status member_roll_back(struct member_writer *w, struct error *e);

/*
 * With layers: states which of them are complete, unless it is known that there is no space for
 * that, and confirms.  Something was written; chunks may follow.  If
 * sink_is_full() afterwards, see form_settle().
 */
enum status member_checkpoint(struct member_writer *w, const struct sink_stats *held, int64_t now, struct error *e);

#endif
