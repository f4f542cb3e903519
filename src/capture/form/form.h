// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Form: what chunks become on an output.  Members (member_writer.h) are one form, dumps in the kdump-compressed form
 * (dump_writer.h) another.
 *
 * A form belongs to one output.  One thread at a time uses it; what other threads need is in struct sink_stats,
 * under the engine's lock.  It writes chunks in any order, and alone decides where their bytes are.  A call that fails
 * leaves what was written before as it was, and the chunk can be written to another output.
 */
#ifndef NSPLIT_CAPTURE_FORM_FORM_H
#define NSPLIT_CAPTURE_FORM_FORM_H

#include <stdatomic.h>

#include "base/digest.h"
#include "capture/fill/pack.h"
#include "codec/codec.h"
#include "format/superblock.h"
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
	bool digested;			/* digest is known */
	uint8_t digest[DIGEST_LENGTH];	/* what seal() wrote last: see struct form */
	uint64_t later_unreadable;	/* bytes, in records of later layers: part of figures.unreadable */
	double seconds;			/* spent writing and syncing */
	struct error why;		/* if SINK_FULL or SINK_DEAD */
	struct error closing;		/* STATUS_OK, or why close() failed at the end */
	bool salvageable;		/* if SINK_DEAD: it has a record that salvage will find */
	bool limited;			/* if SINK_FULL: because a limit was reached */
	bool hung;			/* it may still be in a call and must not be touched */
	uint64_t unfilled;		/* see struct form */
};

/* The layers of the set as a footer describes them. */
struct member_layers {
	struct class_table classes;	/* in force */
	unsigned whole;			/* layers that are complete */
	bool dangerous;			/* as in struct footer */
	char reason[REASON_TEXT_LENGTH + 1];
};

/* When a capture was finished, and how. */
struct form_end {
	uint64_t source_size;
	bool stopped;
	int64_t finished;		/* seconds since 1970 */
};

struct form {
	const struct form_ops *ops;
	struct sink *sink;		/* borrowed */
	/*
	 * A member: outputs share the capture, and there is more to be done with it (member_writer.h).  NULL: a dump,
	 * which has all of the capture, and the next output begins anew; what is written stays.
	 */
	struct member_writer *member;
	uint64_t closed;		/* length up to what the last seal() wrote; 0: it has not been called */
	/* Set by the caller before confirm(), seal() and member_checkpoint(). */
	struct member_layers layers;
	uint64_t unreadable;		/* bytes that begin() could not write, because there are none */
	bool digests;			/* set by the caller before begin(): a digest is wanted */
	/* Set by seal() if it is wanted: the root of a member (format/superblock.h), or the SHA-256 of a flattened dump. */
	bool digested;
	uint8_t digest[DIGEST_LENGTH];
	bool opens;			/* other programs open what is there, although it is not closed yet */
	/* Of a dump: what its output has taken shows a page to readers.  Any thread reads it, even if a call hangs. */
	atomic_bool readable;
	/* Of an ELF core in a device: bytes of missing pages that are not zeros yet.  Any thread reads it. */
	_Atomic uint64_t unfilled;
};

struct form_ops {
	/* Writes what comes before all chunks.  To be called once, first. */
	enum status (*begin)(struct form *f, struct error *e);
	/* Writes a chunk.  Nothing of it counts if that fails. */
	enum status (*append)(struct form *f, const struct chunk *chunk, struct error *e);
	enum status (*settle)(struct form *f, struct error *e);	/* NULL: nothing is needed */
	/* Makes everything so far safe against power loss. */
	enum status (*confirm)(struct form *f, struct error *e);
	/* Closes the output, after form_settle() and confirm(), and confirms.  More chunks may follow, and then another call. */
	enum status (*seal)(struct form *f, const struct sink_stats *held, const struct form_end *end,
			    struct error *e);
	/* NULL: the length of the sink. */
	uint64_t (*stored)(const struct form *f);
	/* Bytes that begin(), if it was not called, one more record besides its own, and seal() will add; NULL: 0. */
	uint64_t (*closing)(const struct form *f);
	/*
	 * The last call for an output that failed: makes readable what is there, as far as that succeeds.  Can a reader
	 * make something of it?
	 */
	bool (*leave)(struct form *f);
	void (*free)(struct form *f);
};

/* NULL is allowed. */
static inline void form_free(struct form *f)
{
	if (f)
		f->ops->free(f);
}

/*
 * Writes what is needed to close the output.  If sink_is_full() afterwards, or after a chunk, call member_give_up() and
 * settle again.
 */
static inline enum status form_settle(struct form *f, struct error *e)
{
	return f->ops->settle ? f->ops->settle(f, e) : STATUS_OK;
}

/* Bytes that were written, but for holes. */
static inline uint64_t form_stored(const struct form *f)
{
	return f->ops->stored ? f->ops->stored(f) : f->sink->length;
}

/* The same, at most, once another record of this length is written and the output is closed. */
static inline uint64_t form_stored_with(const struct form *f, uint32_t record)
{
	return form_stored(f) + record + (f->ops->closing ? f->ops->closing(f) : 0);
}

#endif
