// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sources: what is captured.
 *
 * A positioned source (file, block device, /proc/vmcore) has a size; any range of it can be read,
 * more than once, and by many threads at the same time.  A stream has no known size and returns the
 * bytes that come next.  Each worker reads through a struct source_reader of its own, which owns a
 * buffer or is given one with every call.
 *
 * All calls that return a status leave a complete sentence in *e when they fail, which begins with
 * the name of the source, and errno in e->errnum if a system call failed.  STATUS_END is not a
 * failure and sets no message.
 *
 * To add a kind of source, see "Adding a source" in HACKING.md.
 */
#ifndef NSPLIT_IO_SOURCE_H
#define NSPLIT_IO_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"
#include "io/path.h"

struct source {
	/* Set by source_open() and constant afterwards, so that any thread may read them: */
	const struct source_ops *ops;
	char *name;			/* as given; "standard input" for "-"; owned */
	int fd;				/* -1: none */
	int direct_fd;			/* of the same file, past the page cache; -1: none */
	struct identity identity;
	bool is_stream;
	bool may_fault;			/* reading bytes of source_get() can raise SIGBUS */
	bool made_by_kernel;		/* on procfs: what its headers say of memory is true */
	bool sparse;			/* a file with holes that source_next_data() finds */
	uint64_t stored;		/* bytes that the file system stores, if sparse */
	void *state;			/* private to the kind */

	/* Bytes.  Of a stream: returned so far, written by the thread in source_take(). */
	uint64_t size;

	/*
	 * For a program with a single thread: while source_take() waits and interrupt_fd (-1: none)
	 * is readable, it calls interrupted() and goes on waiting.  Whoever reads for long calls it
	 * from time to time.  Set by the caller before the first read.
	 */
	int interrupt_fd;
	void (*interrupted)(void *arg);
	void *interrupted_arg;
};

/* Where a reader puts bytes. */
enum reading {
	READ_TO_BUFFER,			/* into its own buffer */
	READ_TO_CALLER,			/* where the caller points destination before each call */
};

/* One thread at a time uses a reader. */
struct source_reader {
	struct source *source;
	uint8_t *buffer;		/* ALIGNMENT aligned, owned; NULL: READ_TO_CALLER */
	size_t buffer_size;		/* the most that one source_get() reads */
	uint8_t *destination;		/* buffer, or the caller's memory */
	double turn;			/* seconds that the last source_take() kept others waiting */
	uint8_t *map;			/* addresses for mapped windows, owned; NULL: none yet */
	size_t map_size, map_used;	/* bytes */
};

/*
 * The functions of a kind.  get() and take() may be called by many threads at once, each with a
 * reader of its own, and may block.  Exactly one of the two is NULL.
 */
struct source_ops {
	/*
	 * Bytes of buffer, and of addresses for mappings, that a reader needs.  The memory plan
	 * counts the buffer, and page tables for the mappings.  buffer_size NULL: a chunk.
	 */
	size_t (*buffer_size)(uint32_t block_size, uint32_t chunk_size);
	size_t (*map_size)(uint32_t chunk_size);	/* NULL: none */

	/*
	 * Positioned sources; see source_get().  Bytes are read to r->destination, at most
	 * r->buffer_size at a time, or *data points into memory that stays valid until the next
	 * call on this reader.  If reading that memory may raise SIGBUS, the source sets may_fault.
	 * After a failure, pread() on source->fd must work: see source_get_carefully().
	 */
	enum status (*get)(struct source_reader *r, uint64_t offset, size_t want,
			   const uint8_t **data, size_t *got, struct error *e);

	/* The same for source_get_carefully(), if another source is shown.  NULL: pread() on source->fd does it. */
	enum status (*get_carefully)(struct source_reader *r, uint64_t offset, size_t want,
				     const uint8_t **data, size_t *got, struct error *e);

	/* See source_original().  NULL: no other source is shown. */
	uint64_t (*original)(const struct source *s, uint64_t offset, uint64_t *length);

	/* Streams; see source_take().  Bytes are read to r->destination.  Threads take turns. */
	enum status (*take)(struct source_reader *r, size_t want, uint64_t *offset,
			    size_t *got, struct error *e);

	/* Positioned sources; see source_next_data(); to may be NULL.  NULL: the kind knows no holes. */
	void (*next_data)(const struct source *s, uint64_t offset, uint64_t end, uint64_t *from,
			  uint64_t *to);

	/* See source_cancel().  Any thread, also during take().  NULL: no call ever waits. */
	void (*cancel)(struct source *s);

	/* Frees s->state.  source_close() closes s->fd and frees the rest.  NULL: nothing to free. */
	void (*close)(struct source *s);
};

static inline size_t source_map_size(const struct source *s, uint32_t chunk_size)
{
	return s->ops->map_size ? s->ops->map_size(chunk_size) : 0;
}

/* No reader may be in use any more.  s may be NULL. */
void source_close(struct source *s);

/*
 * Bytes by which a regular file has grown since it was opened, which are not captured; 0 for other
 * sources.
 */
uint64_t source_growth(const struct source *s);

/* Bytes of memory that source_reader_init() allocates, and page tables of its mappings. */
size_t source_reader_memory(const struct source *s, uint32_t block_size,
			    uint32_t chunk_size, enum reading reading);
/* Fails only with STATUS_NO_MEMORY. */
enum status source_reader_init(struct source_reader *r, struct source *s,
			       uint32_t block_size, uint32_t chunk_size,
			       enum reading reading, struct error *e);
void source_reader_free(struct source_reader *r);

/*
 * Positioned sources: *data points to *got bytes from offset on, at least 1 and at most want, and
 * whole blocks except at the end of the source.  They are valid until the next call on this reader.
 * STATUS_END: offset is at or after the end.
 */
static inline enum status source_get(struct source_reader *r, uint64_t offset, size_t want,
				     const uint8_t **data, size_t *got, struct error *e)
{
	return r->source->ops->get(r, offset, want, data, got, e);
}

/*
 * The same, slower but with fewer ways to fail: only calls pread(), for exactly the bytes wanted, and
 * past the page cache for what that cannot read.  For pages on which source_get() failed or that
 * raised SIGBUS.
 */
enum status source_get_carefully(struct source_reader *r, uint64_t offset, size_t want,
				 const uint8_t **data, size_t *got, struct error *e);

/*
 * Positioned sources: [*from, *to) is the next range within [offset, end) that may contain data;
 * everything before it is a hole, which reads as zeros.  *from == end: the rest is a hole.  Where
 * holes cannot be found, the whole range may contain data.  end is at most the size.  to may be NULL: on
 * tmpfs, to find where data ends takes a time that grows with its length.
 */
static inline void source_next_data(const struct source *s, uint64_t offset, uint64_t end, uint64_t *from,
				    uint64_t *to)
{
	*from = offset;
	if (to)
		*to = end;
	if (s->ops->next_data)
		s->ops->next_data(s, offset, end, from, to);
}

/*
 * Positioned sources that show the bytes of another one in another order: the offset there of the byte at offset;
 * UINT64_MAX: nowhere.  *length, the most that is asked for, becomes the number of bytes that follow there as well.
 * Other sources show themselves.
 */
static inline uint64_t source_original(const struct source *s, uint64_t offset, uint64_t *length)
{
	return s->ops->original ? s->ops->original(s, offset, length) : offset;
}

/*
 * Streams: reads the next want bytes to r->destination, fewer only at the end of the stream;
 * *offset is their position in the stream.  Threads are served one at a time, in any order.
 * STATUS_END: no more bytes; STATUS_STOPPED: after source_cancel().
 */
static inline enum status source_take(struct source_reader *r, size_t want, uint64_t *offset,
				      size_t *got, struct error *e)
{
	return r->source->ops->take(r, want, offset, got, e);
}

/* Makes source_take() return, in all threads and from now on.  Any thread. */
static inline void source_cancel(struct source *s)
{
	if (s->ops->cancel)
		s->ops->cancel(s);
}

/* The kinds of sources that source_open() selects from. */
extern const struct source_ops source_file_ops;
extern const struct source_ops source_map_ops;
extern const struct source_ops source_stream_ops;

/* --- opening --------------------------------------------------------------- */

enum mmap_mode {
	MMAP_AUTO,		/* files of /proc are mapped, others are read */
	MMAP_ALWAYS,
	MMAP_NEVER,
};

/* Opens a file, device or "-".  The caller closes *source with source_close(). */
enum status source_open(struct source **source, const char *name, enum mmap_mode mmap,
			struct error *e);

/*
 * Stands for a file of /proc of that size which does not exist yet, so that a memory plan can be
 * made.  It cannot be read.
 */
enum status source_expect(struct source **source, const char *name, uint64_t size,
			  enum mmap_mode mmap, struct error *e);

/* For a kind of its own, which sets ops, state and size.  NULL: out of memory. */
struct source *source_new(const char *name);

/* --- SIGBUS ---------------------------------------------------------------- */

/*
 * Survives SIGBUS while mapped bytes of the source are read: a poisoned page of /proc/vmcore, or a
 * file that was truncated while it was mapped.
 *
 * Installs the handler for the process; more calls do no harm.
 */
enum status sigbus_install(struct error *e);

/*
 * Calls work(arg) and returns true, or returns false if a SIGBUS in this thread interrupted it.
 * work is left by siglongjmp(): while it reads mapped bytes, it must hold no lock and own no
 * memory, and the contents of what it was writing are undefined.
 */
bool sigbus_survive(void (*work)(void *arg), void *arg);

#endif
