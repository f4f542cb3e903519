// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sources: what is captured.
 *
 * A positioned source (file, block device, /proc/vmcore) has a size and can be read anywhere,
 * again, and by many threads at once.  A stream has neither: it hands out what comes next.  Every
 * worker has a reader of its own, which owns the memory that the bytes are shown in, or is told
 * where to put them.
 */
#ifndef NSPLIT_IO_SOURCE_H
#define NSPLIT_IO_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"
#include "io/identity.h"

enum mmap_mode {
	MMAP_AUTO,		/* /proc files are mapped, others read */
	MMAP_ALWAYS,
	MMAP_NEVER,
};

struct source {
	const struct source_ops *ops;
	char *name;			/* as given; "standard input" for "-" */
	int fd;
	struct identity identity;
	bool is_stream;
	bool may_fault;			/* bytes shown by source_get() can raise SIGBUS */
	uint64_t size;			/* bytes; of a stream, what has come so far */
	bool sparse;			/* a file with holes, which source_next_data() finds */
	uint64_t held;			/* bytes of it that the file system stores, if sparse */
	void *state;			/* of the ops */

	/*
	 * For who waits in source_take() and has no other thread to watch: when interrupt_fd (-1:
	 * none) is readable, interrupted(arg) is called, and the wait goes on.
	 */
	int interrupt_fd;
	void (*interrupted)(void *arg);
	void *interrupted_arg;
};

/*
 * To where a reader reads.  READ_TO_CALLER: it has no buffer, and its user sets place before each
 * call, to as much memory as the call asks for.
 */
enum reading {
	READ_TO_BUFFER,
	READ_TO_CALLER,
};

struct source_reader {
	struct source *source;
	uint8_t *buffer;		/* UNIT aligned, owned; NULL: READ_TO_CALLER */
	size_t buffer_size;		/* the most that one call of source_get() reads */
	uint8_t *destination;			/* what is read goes here: the buffer, or the caller's */
	double turn;			/* seconds that the last source_take() had the stream */
	uint8_t *map;			/* where windows are mapped, owned; NULL: none ever was */
	size_t map_size, map_used;
};

struct source_ops {
	/* Bytes of buffer, and of addresses to map at, that a reader needs. */
	size_t (*buffer_size)(uint32_t block_size, uint32_t chunk_size);
	size_t (*map_size)(uint32_t chunk_size);
	/* See source_get() and source_take(); one of the two is NULL.  What is read goes to place. */
	enum status (*get)(struct source_reader *r, uint64_t offset, size_t want,
			   const uint8_t **data, size_t *got, struct error *e);
	enum status (*take)(struct source_reader *r, size_t want, uint64_t *offset,
			    size_t *got, struct error *e);
	void (*cancel)(struct source *s);	/* NULL: nothing ever waits */
	void (*close)(struct source *s);
};

/* Opens a file, device or "-".  The error names the source. */
enum status source_open(struct source **source, const char *name, enum mmap_mode mmap,
			struct error *e);
/*
 * A file of /proc of that size that is not there yet, for a plan to be made: what would be taken to
 * read it can be asked, and it cannot be read.
 */
enum status source_expect(struct source **source, const char *name, uint64_t size,
			  enum mmap_mode mmap, struct error *e);
void source_close(struct source *s);

/*
 * Bytes by which a file has grown since it was opened, and which are not captured; 0 for all else.
 */
uint64_t source_growth(const struct source *s);

/* Memory that one reader will take. */
size_t source_reader_memory(const struct source *s, uint32_t block_size,
			    uint32_t chunk_size, enum reading reading);
enum status source_reader_init(struct source_reader *r, struct source *s,
			       uint32_t block_size, uint32_t chunk_size,
			       enum reading reading, struct error *e);
void source_reader_free(struct source_reader *r);

/*
 * Positioned sources: shows up to want bytes at offset, at least 1, a whole number of blocks unless
 * the source ends; they stay until the next call on this reader.  STATUS_END at or behind the end.
 */
enum status source_get(struct source_reader *r, uint64_t offset, size_t want,
		       const uint8_t **data, size_t *got, struct error *e);

/*
 * The same, slowly and surely: reads, never maps, and just what was asked for.  For pages that
 * source_get() could not give.
 */
enum status source_get_carefully(struct source_reader *r, uint64_t offset, size_t want,
				 const uint8_t **data, size_t *got, struct error *e);

/*
 * Positioned sources: [*from, *to) is the next range of [offset, end) that may hold data; all
 * before it lies in a hole and reads as zeros.  *from is end: the rest is a hole.  Where holes
 * cannot be found, all may be data.  end is at most the size.
 */
void source_next_data(const struct source *s, uint64_t offset, uint64_t end, uint64_t *from,
		      uint64_t *to);

/*
 * Streams: the next want bytes (fewer only where the stream ends) are put into the reader's place;
 * *offset says where in the stream they lie.  One thread at a time is served, in turn.  STATUS_END
 * when there is no more, STATUS_STOPPED after source_cancel().
 */
enum status source_take(struct source_reader *r, size_t want, uint64_t *offset,
			size_t *got, struct error *e);

/* Wakes who waits in source_take(), now and from now on.  Any thread may call it. */
void source_cancel(struct source *s);

/* The kinds, for source_open() and for tests that want one in particular. */
extern const struct source_ops source_file_ops;
extern const struct source_ops source_map_ops;
extern const struct source_ops source_stream_ops;

enum status source_stream_init(struct source *s, struct error *e);
/* Of a file that is read: sets sparse and held. */
void source_find_holes(struct source *s, const struct stat *st);

#endif
