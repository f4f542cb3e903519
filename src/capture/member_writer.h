// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Member writer: puts the pieces of one member onto one sink, in the order of doc/format.md.  One
 * thread at a time uses it; what others want to know is counted in struct sink_stats under the
 * engine's lock.
 */
#ifndef NSPLIT_CAPTURE_MEMBER_WRITER_H
#define NSPLIT_CAPTURE_MEMBER_WRITER_H

#include "capture/chunk.h"
#include "codec/presets.h"
#include "format/footer.h"
#include "format/index.h"
#include "io/sink.h"

enum sink_state {
	SINK_TAKING,		/* takes chunks */
	SINK_FULL,		/* takes no more; what it holds counts */
	SINK_ENDING,		/* takes no more; what it holds counts if it ends well (sink_ends()) */
	SINK_ENDED,		/* it did */
	SINK_RESERVED,		/* a fallback that is not needed yet: not even open */
	SINK_DEAD,		/* nothing that it holds counts */
};

/* What a sink holds and has cost; covered by the engine's lock. */
struct sink_stats {
	enum sink_state state;
	uint64_t records;
	uint64_t written;		/* records, those too that do not count any more */
	uint64_t source_bytes;
	uint64_t member_bytes;		/* all pieces */
	uint64_t blocks[BLOCK_KINDS];
	uint64_t presets[PRESETS_MAX];	/* source_bytes by the rung that packed them */
	double seconds;			/* spent in writing and in making safe */
	struct error why;		/* if SINK_FULL or SINK_DEAD */
	struct error closing;		/* STATUS_OK, or what close() said at the end */
	bool salvageable;		/* of SINK_DEAD: there is a record that salvage will find */
	bool hung;			/* perhaps still in a call: must not be touched */
};

/* What a record has added to the figures. */
struct record_figures {
	uint16_t blocks[BLOCK_KINDS];
	uint8_t preset;
};

/*
 * Room for what closes a member is not set aside: a file system may have no way to do that, or
 * share its room with other outputs.  Instead a member that is full gives up its last records, and
 * index and footer are written over them, in place.  So the entries of the last segment stay here
 * after it was written, until a record follows it.
 */
struct member_writer {
	struct sink *sink;		/* borrowed */
	struct superblock superblock;
	uint8_t *segment;		/* the index segment in the making; owned, as all below */
	struct record_figures *figures;	/* of the records in it */
	uint8_t *page;			/* a footer or superblock in the making, or zeros */
	uint8_t *footer;		/* the last one that is safe */
	uint32_t entries;		/* in the segment */
	uint64_t written;		/* offset of the segment, written with all of them; 0: not yet */
	uint64_t previous;		/* offset of the segment before, 0: none */
	uint64_t closed;		/* length up to that footer, 0: there is none */
	uint32_t given_up;		/* records, since the member was last known to have room */
};

/* Memory of one writer. */
size_t member_writer_memory(void);
enum status member_writer_init(struct member_writer *w, struct sink *sink,
			       const struct superblock *superblock, struct error *e);
void member_writer_free(struct member_writer *w);

/* The superblock.  Call it once, first. */
enum status member_writer_begin(struct member_writer *w, struct error *e);
/* The record that a chunk is. */
enum status member_writer_append(struct member_writer *w, const struct chunk *chunk,
				 struct error *e);

/*
 * Writes the index so far, and holds the room for the footer.  If sink_is_full() then, or after a
 * record: member_writer_give_up(), and settle again.
 */
enum status member_writer_settle(struct member_writer *w, struct error *e);
/*
 * Gives up as many of the last records as index and footer need in their place.  Each further call
 * in a row gives up twice as many, up to half of the records.  Returns their number; 0: none is
 * left to give up.  Nothing is written yet, so their bytes stay until the next call of
 * member_writer_settle().  The calls below take i from 0, the first of these records.
 */
unsigned member_writer_give_up(struct member_writer *w);
void member_writer_given_up(const struct member_writer *w, unsigned i,
			    struct index_entry *entry, struct record_figures *figures);
/* Reads one of them into a chunk; all but its index is set. */
enum status member_writer_read_back(struct member_writer *w, unsigned i, struct chunk *chunk,
				    struct error *e);

/* What came behind the last footer goes again; w->closed is not 0. */
enum status member_writer_roll_back(struct member_writer *w, struct error *e);

/* Can its first record be read from the disk?  Of a member that could not be closed. */
bool member_writer_has_record(struct member_writer *w);

/* Settles, and makes everything safe.  Records may still follow. */
enum status member_writer_sync(struct member_writer *w, struct error *e);
/*
 * Closes the member with a footer, and makes it safe.  member_writer_sync() came before.  If
 * records must follow after all, they may, and so another footer.
 */
enum status member_writer_seal(struct member_writer *w, const struct sink_stats *held,
			       uint64_t source_size, bool stopped, int64_t finished,
				struct error *e);

#endif
