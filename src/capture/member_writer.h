// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Member writer: puts the pieces of one member onto one sink, in the order of
 * doc/format.md.  One thread at a time uses it; what others want to know is
 * counted in struct sink_stats under the engine's lock.
 */
#ifndef NSPLIT_CAPTURE_MEMBER_WRITER_H
#define NSPLIT_CAPTURE_MEMBER_WRITER_H

#include "capture/chunk.h"
#include "codec/ladder.h"
#include "format/footer.h"
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
	uint64_t source_bytes;
	uint64_t member_bytes;		/* all pieces */
	uint64_t blocks[BLOCK_KINDS];
	uint64_t rungs[RUNGS_MAX];	/* source_bytes by the rung that packed them */
	double seconds;			/* spent in writing and in making safe */
	struct error why;		/* if SINK_FULL or SINK_DEAD */
	struct error closing;		/* STATUS_OK, or what close() said at the end */
	bool hung;			/* perhaps still in a call: must not be touched */
};

struct member_writer {
	struct sink *sink;		/* borrowed */
	struct superblock superblock;
	uint8_t *segment;		/* the index segment in the making; owned */
	uint32_t entries;		/* in it */
	uint64_t previous;		/* offset of the segment before, 0: none */
};

/* Memory of one writer. */
size_t member_writer_memory(void);
enum status member_writer_init(struct member_writer *w, struct sink *sink,
			       const struct superblock *superblock, struct error *e);
void member_writer_free(struct member_writer *w);

/* The superblock.  Call it once, first. */
enum status member_writer_begin(struct member_writer *w, struct error *e);
/* A record whose bytes, record_length() of them, are those of a chunk. */
enum status member_writer_append(struct member_writer *w, const struct record *record,
				 const uint8_t *bytes, struct error *e);
/*
 * Writes the index so far, into the space kept back if need be, and makes everything
 * safe.  Records may still follow.
 */
enum status member_writer_sync(struct member_writer *w, struct error *e);
/*
 * Closes the member with a footer, and makes it safe.  member_writer_sync() came
 * before.  If records must follow after all, they may, and so another footer.
 */
enum status member_writer_seal(struct member_writer *w, const struct sink_stats *held,
			       uint64_t source_size, bool stopped, int64_t finished,
				struct error *e);

#endif
