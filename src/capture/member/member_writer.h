// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Member writer: writes the pieces of one member to one sink, in the order of doc/format.md.  One
 * thread at a time uses it; what other threads need is in struct sink_stats, under the engine's
 * lock.
 */
#ifndef NSPLIT_CAPTURE_MEMBER_MEMBER_WRITER_H
#define NSPLIT_CAPTURE_MEMBER_MEMBER_WRITER_H

#include "capture/fill/chunk.h"
#include "codec/presets.h"
#include "format/footer.h"
#include "format/index.h"
#include "io/sink.h"

enum sink_state {
	SINK_TAKING,		/* takes chunks */
	SINK_FULL,		/* takes no more; what it holds counts */
	SINK_ENDING,		/* takes no more; what it holds counts if it ends well (sink_ends()) */
	SINK_ENDED,		/* it ended well */
	SINK_RESERVED,		/* a fallback that is not needed yet; not even open */
	SINK_DEAD,		/* nothing that it holds counts */
};

/* The contents of a sink, and the cost of writing it; under the engine's lock. */
struct sink_stats {
	enum sink_state state;
	uint64_t records;
	uint64_t written;		/* records, including those that no longer count */
	uint64_t source_bytes;
	uint64_t member_bytes;		/* length of the member */
	uint64_t blocks[BLOCK_KINDS];
	uint64_t presets[PRESETS_MAX];	/* source_bytes by the preset that packed them */
	struct layer_figures figures;	/* what its records are */
	uint64_t later_unreadable;	/* bytes, in records of later layers: part of figures.unreadable */
	uint32_t unmatched;		/* left_to_layers of its records of layer 1, less that of the others */
	uint32_t planned_out[CLASSES];	/* of its records of layer 1 */
	double seconds;			/* spent writing and syncing */
	struct error why;		/* if SINK_FULL or SINK_DEAD */
	struct error closing;		/* STATUS_OK, or why close() failed at the end */
	bool salvageable;		/* if SINK_DEAD: it has a record that salvage will find */
	bool hung;			/* it may still be in a call and must not be touched */
};

/* The amounts that a record added to the figures of its sink. */
struct record_figures {
	uint16_t blocks[BLOCK_KINDS];
	uint8_t preset;
	uint16_t units;			/* of its run (ledger.h) */
	uint32_t stored, unreadable;	/* as in struct layer_amounts */
};

/* The layers of the set as a footer describes them. */
struct member_layers {
	struct class_table classes;	/* in force */
	unsigned whole;			/* layers that are complete */
	char reason[REASON_TEXT_LENGTH + 1];
};

/*
 * No space is reserved for the index and footer that close a member: a file system may have no way
 * to do that, or share its space with other outputs.  Instead a full member gives up its last
 * records, and index and footer are written over them.  So the entries of the last segment are kept
 * here after it was written, until a record follows it.
 */
struct member_writer {
	struct sink *sink;		/* borrowed */
	struct superblock superblock;
	uint8_t *segment;		/* the current index segment; owned, with all below */
	struct record_figures *figures;	/* of the records in it */
	uint8_t *page;			/* a footer or superblock being built, or zeros */
	uint8_t *footer;		/* the last one that was synced */
	uint32_t entries;		/* in the segment */
	uint64_t written;		/* offset of the segment, once written with all entries; else 0 */
	uint64_t previous;		/* offset of the segment before, 0: none */
	uint64_t closed;		/* length of the member up to footer; 0: there is none */
	uint32_t given_up;		/* records, since the member last had space */
	/* Of the records in the segment; NULL: there is one layer, and figures say all; owned with it. */
	struct layer_amounts *amounts;
	struct member_layers layers;	/* for the next footer */
};

/* Bytes of memory of one writer, with layers or without. */
size_t member_writer_memory(bool layers);
/* With layers if the superblock says so. */
enum status member_writer_init(struct member_writer *w, struct sink *sink,
			       const struct superblock *superblock, struct error *e);
void member_writer_free(struct member_writer *w);

/* Writes the superblock.  To be called once, first. */
enum status member_writer_begin(struct member_writer *w, struct error *e);
/* Writes the record of a chunk. */
enum status member_writer_append(struct member_writer *w, const struct chunk *chunk,
				 struct error *e);

/*
 * Writes the index so far and occupies the space for the footer.  If sink_is_full() afterwards, or
 * after a record, call member_writer_give_up() and settle again.
 */
enum status member_writer_settle(struct member_writer *w, struct error *e);
/*
 * Gives up the last records, enough to make space for index and footer.  Each further call in a row
 * gives up twice as many, up to half of the records.  Returns their number; 0: none is left to give
 * up.  Nothing is written yet, so their bytes remain until the next call of member_writer_settle().
 * In the calls below, i is 0 for the first of these records.
 */
unsigned member_writer_give_up(struct member_writer *w);
void member_writer_given_up(const struct member_writer *w, unsigned i,
			    struct index_entry *entry, struct record_figures *figures);
struct layer_amounts member_writer_given_up_amounts(const struct member_writer *w, unsigned i);
/* Of a stream: reads one of them into a chunk and sets everything but the chunk's index. */
enum status member_writer_read_back(struct member_writer *w, unsigned i, struct chunk *chunk,
				    struct error *e);

/* Truncates the member behind its last footer; w->closed must not be 0. */
enum status member_writer_roll_back(struct member_writer *w, struct error *e);

/* For a member that could not be closed: can its first record be read from the disk? */
bool member_writer_has_record(struct member_writer *w);

/* Settles and syncs.  Records may still follow. */
enum status member_writer_sync(struct member_writer *w, struct error *e);
/*
 * Writes a footer and syncs, after member_writer_sync().  More records may follow, and then another
 * footer.
 */
enum status member_writer_seal(struct member_writer *w, const struct sink_stats *held,
			       uint64_t source_size, bool stopped, int64_t finished,
				struct error *e);

/*
 * With layers: writes the index so far and a checkpoint, unless it is known that there is no space for
 * it, and syncs.  The member has a record; others may follow, and so does the footer.  If
 * sink_is_full() afterwards, see member_writer_settle().
 */
enum status member_writer_checkpoint(struct member_writer *w, const struct sink_stats *held,
				     int64_t finished, struct error *e);

#endif
