// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/memory.h"
#include "bench/ceiling.h"
#include "bench/sample.h"
#include "capture/fill/pack.h"

enum { THREAD_STACK = 512 << 10 };

/*
 * Long enough that starting and ending threads does not matter, and short enough that on a busy
 * machine the fastest round was probably not disturbed.
 */
static const double SECONDS_MIN = 0.05;
/*
 * So that the threads that end before the last one do not matter either, each has so many chunks, unless that
 * takes too long.
 */
enum { CHUNKS_MIN = 64 };
static const double SECONDS_MOST = 2;

/*
 * Set in the length of a block that is stored instead of packed.  The length of a zero or
 * same-filled block is 0.
 */
#define STORED (1u << 31)

/* A chunk whose blocks were packed before the measurement. */
struct packed {
	uint8_t *bytes;			/* owned */
	uint32_t *lengths;		/* of each block; owned */
};

struct thread {
	struct source_reader reader;
	void *packer, *unpacker;
	struct incompressible incompressible;
	uint8_t *scratch;		/* fits a chunk and the largest packed block */
	double started, ended;
	uint64_t bytes;			/* processed */
};

struct work {
	const struct ceiling *ceiling;
	void (*chunk)(struct work *w, struct thread *t, uint64_t number);
	atomic_ullong next;		/* chunk to be claimed; not reset between passes */
	uint64_t chunks;		/* of the sample */
	bool once;			/* end after the first pass */
	struct thread *threads;
	struct packed *packed;
	atomic_bool no_memory;
};

static uint64_t chunk_start(const struct work *w, uint64_t number)
{
	const struct ceiling *c = w->ceiling;

	return sample_start(c->source->size, c->chunk_size, w->chunks, number);
}

static uint32_t chunk_length(const struct work *w, uint64_t number)
{
	return (uint32_t)min_u64(w->ceiling->chunk_size,
				 w->ceiling->source->size - chunk_start(w, number));
}

/* Calls one() for each piece of the chunk.  A piece consists of whole blocks. */
static void each_piece(struct work *w, struct thread *t, uint64_t number,
		       void (*one)(struct work *w, struct thread *t, uint64_t number, uint32_t at,
				   const uint8_t *data, size_t len))
{
	uint64_t start = chunk_start(w, number);
	uint32_t length = chunk_length(w, number);
	struct error never;
	const uint8_t *data;
	size_t got;

	for (uint32_t at = 0; at < length; at += (uint32_t)got) {
		/* A source in memory has no errors. */
		if (source_get(&t->reader, start + at, length - at, &data, &got, &never))
			return;
		one(w, t, number, at, data, got);
	}
}

static void copy_piece(struct work *w, struct thread *t, uint64_t number, uint32_t at,
		       const uint8_t *data, size_t len)
{
	(void)w, (void)number;
	memcpy(t->scratch + at, data, len);
}

static void copy_chunk(struct work *w, struct thread *t, uint64_t number)
{
	each_piece(w, t, number, copy_piece);
}

/* Packs a block to dst as a capture does, and returns its length as in struct packed. */
static uint32_t pack_one(const struct ceiling *c, struct thread *t, const uint8_t *data, size_t len,
			 uint8_t *dst)
{
	size_t packed = 0;

	if (pack_same_filled(data, len))
		return 0;
	if (!incompressible_skips(&t->incompressible, len))
		packed = incompressible_tried(&t->incompressible, len,
					  c->preset->codec->pack(t->packer, data, len, dst));
	if (packed)
		return (uint32_t)packed;
	memcpy(dst, data, len);
	return (uint32_t)len | STORED;
}

static void pack_piece(struct work *w, struct thread *t, uint64_t number, uint32_t at,
		       const uint8_t *data, size_t len)
{
	const struct ceiling *c = w->ceiling;

	(void)number, (void)at;
	for (size_t done = 0; done < len; done += c->block_size)
		pack_one(c, t, data + done, min_u64(c->block_size, len - done), t->scratch);
}

static void pack_chunk(struct work *w, struct thread *t, uint64_t number)
{
	each_piece(w, t, number, pack_piece);
}

/* Packs a piece, after the earlier pieces of this chunk in scratch, and keeps all of them. */
static void keep_piece(struct work *w, struct thread *t, uint64_t number, uint32_t at,
		       const uint8_t *data, size_t len)
{
	const struct ceiling *c = w->ceiling;
	struct packed *packed = &w->packed[number];
	uint32_t block = at / c->block_size, end = 0;

	for (uint32_t i = 0; i < block; i++)
		end += packed->lengths[i] & ~STORED;
	for (size_t done = 0; done < len; done += c->block_size, block++) {
		packed->lengths[block] = pack_one(c, t, data + done,
						  min_u64(c->block_size, len - done),
						  t->scratch + end);
		end += packed->lengths[block] & ~STORED;
	}
	free(packed->bytes);
	packed->bytes = malloc(end + 1);
	if (packed->bytes)
		memcpy(packed->bytes, t->scratch, end);
	else
		w->no_memory = true;
}

static void keep_chunk(struct work *w, struct thread *t, uint64_t number)
{
	struct packed *packed = &w->packed[number];

	packed->lengths = calloc(w->ceiling->chunk_size / w->ceiling->block_size,
				 sizeof(*packed->lengths));
	if (packed->lengths)
		each_piece(w, t, number, keep_piece);
	else
		w->no_memory = true;
}

static void unpack_chunk(struct work *w, struct thread *t, uint64_t number)
{
	const struct ceiling *c = w->ceiling;
	const struct packed *packed = &w->packed[number];
	const uint8_t *from = packed->bytes;
	uint32_t left = chunk_length(w, number);
	uint8_t *to = t->scratch;

	for (uint32_t i = 0; left; i++) {
		uint32_t length = packed->lengths[i] & ~STORED;
		size_t block = min_u64(c->block_size, left);

		if (packed->lengths[i] & STORED)
			memcpy(to, from, length);
		else if (length)
			c->preset->codec->unpack(t->unpacker, from, length, to, block);
		from += length;
		to += block;
		left -= block;
	}
}

static bool is_over(const struct work *w, const struct thread *t, uint64_t number)
{
	double seconds = t->ended - t->started;

	if (number < w->chunks || w->once)
		return number >= w->chunks;
	return seconds >= SECONDS_MOST ||
	       (seconds >= SECONDS_MIN && number / CHUNKS_MIN >= w->ceiling->threads);
}

static void thread_work(void *arg, unsigned number)
{
	struct work *w = arg;
	struct thread *t = &w->threads[number];

	t->bytes = 0;
	t->started = t->ended = clock_seconds();
	while (!atomic_load_explicit(w->ceiling->stop, memory_order_relaxed)) {
		uint64_t chunk = atomic_fetch_add(&w->next, 1);

		if (is_over(w, t, chunk))
			break;
		w->chunk(w, t, chunk % w->chunks);
		t->bytes += chunk_length(w, chunk % w->chunks);
		t->ended = clock_seconds();
	}
}

static enum status do_all(struct work *w, void (*chunk)(struct work *, struct thread *, uint64_t),
			  const struct watch *watch, struct error *e)
{
	struct thread_pool pool = {
		.count = w->ceiling->threads,
		.stack = THREAD_STACK,
		.work = thread_work,
		.arg = w,
	};
	enum status status;

	w->next = 0;
	w->chunk = chunk;
	status = thread_pool_run(&pool, watch, e);
	if (!status && w->no_memory)
		status = error_system(e, ENOMEM, "ceiling");
	if (!status && atomic_load(w->ceiling->stop))
		status = error_set(e, STATUS_STOPPED, "stopped");
	return status;
}

static enum status thread_init(struct thread *t, const struct ceiling *c, struct error *e)
{
	const struct codec *codec = c->preset->codec;
	size_t bytes = c->chunk_size + codec->bound(c->block_size);
	enum status status = source_reader_init(&t->reader, c->source, c->block_size,
						c->chunk_size, READ_TO_BUFFER, e);

	if (status)
		return status;
	t->scratch = malloc(bytes);
	if (codec->packer_new)
		t->packer = codec->packer_new(c->preset->level, c->block_size);
	if (codec->unpacker_new)
		t->unpacker = codec->unpacker_new();
	if (!t->scratch || (codec->packer_new && !t->packer) ||
	    (codec->unpacker_new && !t->unpacker))
		return error_system(e, ENOMEM, "ceiling");
	memory_touch(t->scratch, bytes);
	return STATUS_OK;
}

static void work_free(struct work *w)
{
	const struct codec *codec = w->ceiling->preset->codec;

	for (unsigned i = 0; w->threads && i < w->ceiling->threads; i++) {
		struct thread *t = &w->threads[i];

		if (t->packer)
			codec->packer_free(t->packer);
		if (t->unpacker)
			codec->unpacker_free(t->unpacker);
		free(t->scratch);
		source_reader_free(&t->reader);
	}
	for (uint64_t i = 0; w->packed && i < w->chunks; i++) {
		free(w->packed[i].bytes);
		free(w->packed[i].lengths);
	}
	free(w->threads);
	free(w->packed);
}

static enum status work_init(struct work *w, struct error *e)
{
	const struct ceiling *c = w->ceiling;
	enum status status = STATUS_OK;

	w->chunks = sample_chunks(c->source->size, c->chunk_size, c->sample);
	w->threads = calloc(w->ceiling->threads, sizeof(*w->threads));
	w->packed = calloc(w->chunks, sizeof(*w->packed));
	if (!w->threads || !w->packed)
		return error_system(e, ENOMEM, "ceiling");
	for (unsigned i = 0; !status && i < w->ceiling->threads; i++)
		status = thread_init(&w->threads[i], w->ceiling, e);
	return status;
}

static void add_up(const struct work *w, struct ceiling_figures *figures)
{
	double started = w->threads[0].started, ended = w->threads[0].ended;

	figures->bytes = 0;
	for (unsigned i = 0; i < w->ceiling->threads; i++) {
		const struct thread *t = &w->threads[i];

		figures->bytes += t->bytes;
		started = t->started < started ? t->started : started;
		ended = t->ended > ended ? t->ended : ended;
	}
	figures->seconds = ended - started;
}

enum status ceiling_run(const struct ceiling *c, enum measure what, const struct watch *watch,
			struct ceiling_figures *figures, struct error *e)
{
	struct work w = { .ceiling = c, .once = true };
	enum status status = work_init(&w, e);

	if (!status && what == MEASURE_UNPACK)
		status = do_all(&w, keep_chunk, watch, e);
	w.once = false;
	if (!status)
		status = do_all(&w, what == MEASURE_COPY ? copy_chunk :
				what == MEASURE_PACK ? pack_chunk : unpack_chunk, watch, e);
	if (!status)
		add_up(&w, figures);
	work_free(&w);
	return status;
}
