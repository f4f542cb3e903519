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
#include "capture/pack.h"

enum { HAND_STACK = 512 << 10 };

/*
 * So long that what threads need to start and to end does not show, and so short that the fastest
 * round of a machine that others disturb was not disturbed.
 */
static const double SECONDS_MIN = 0.05;

/* A block that was packed: its bytes, or 0 for one that is passed over; stored ones are marked. */
#define STORED (1u << 31)

/* One chunk of blocks that were packed beforehand. */
struct packed {
	uint8_t *bytes;			/* owned */
	uint32_t *lengths;		/* one a block, owned */
};

/* One thread. */
struct thread {
	struct source_reader reader;
	void *packer, *unpacker;
	struct incompressible run;
	uint8_t *scratch;		/* a chunk, and a block that grows */
	double started, ended;
	uint64_t bytes;			/* done */
};

struct work {
	const struct ceiling *ceiling;
	void (*chunk)(struct work *w, struct thread *h, uint64_t number);
	atomic_ullong next;		/* chunk to be claimed: the number goes on in the next pass */
	uint64_t chunks;		/* of the sample */
	bool once;			/* no pass but the first */
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

/* Calls one() with each piece of the chunk, which are whole blocks. */
static void each_piece(struct work *w, struct thread *h, uint64_t number,
		       void (*one)(struct work *w, struct thread *h, uint64_t number, uint32_t at,
				   const uint8_t *data, size_t len))
{
	uint64_t start = chunk_start(w, number);
	uint32_t length = chunk_length(w, number);
	struct error never;
	const uint8_t *data;
	size_t got;

	for (uint32_t at = 0; at < length; at += (uint32_t)got) {
		/* A source in memory gives all that it has. */
		if (source_get(&h->reader, start + at, length - at, &data, &got, &never))
			return;
		one(w, h, number, at, data, got);
	}
}

static void copy_piece(struct work *w, struct thread *h, uint64_t number, uint32_t at,
		       const uint8_t *data, size_t len)
{
	(void)w, (void)number;
	memcpy(h->scratch + at, data, len);
}

static void copy_chunk(struct work *w, struct thread *h, uint64_t number)
{
	each_piece(w, h, number, copy_piece);
}

/* Packs a block to dst as a capture does; returns its length as in struct packed. */
static uint32_t pack_one(const struct ceiling *c, struct thread *h, const uint8_t *data, size_t len,
			 uint8_t *dst)
{
	size_t packed = 0;

	if (pack_same_filled(data, len))
		return 0;
	if (!incompressible_skips(&h->run, len))
		packed = incompressible_tried(&h->run, len,
					  c->preset->codec->pack(h->packer, data, len, dst));
	if (packed)
		return (uint32_t)packed;
	memcpy(dst, data, len);
	return (uint32_t)len | STORED;
}

static void pack_piece(struct work *w, struct thread *h, uint64_t number, uint32_t at,
		       const uint8_t *data, size_t len)
{
	const struct ceiling *c = w->ceiling;

	(void)number, (void)at;
	for (size_t done = 0; done < len; done += c->block_size)
		pack_one(c, h, data + done, min_u64(c->block_size, len - done), h->scratch);
}

static void pack_chunk(struct work *w, struct thread *h, uint64_t number)
{
	each_piece(w, h, number, pack_piece);
}

/* Behind what of this chunk is in scratch already: its end is kept in the last length. */
static void keep_piece(struct work *w, struct thread *h, uint64_t number, uint32_t at,
		       const uint8_t *data, size_t len)
{
	const struct ceiling *c = w->ceiling;
	struct packed *packed = &w->packed[number];
	uint32_t block = at / c->block_size, end = 0;

	for (uint32_t i = 0; i < block; i++)
		end += packed->lengths[i] & ~STORED;
	for (size_t done = 0; done < len; done += c->block_size, block++) {
		packed->lengths[block] = pack_one(c, h, data + done,
						  min_u64(c->block_size, len - done),
						  h->scratch + end);
		end += packed->lengths[block] & ~STORED;
	}
	free(packed->bytes);
	packed->bytes = malloc(end + 1);
	if (packed->bytes)
		memcpy(packed->bytes, h->scratch, end);
	else
		w->no_memory = true;
}

static void keep_chunk(struct work *w, struct thread *h, uint64_t number)
{
	struct packed *packed = &w->packed[number];

	packed->lengths = calloc(w->ceiling->chunk_size / w->ceiling->block_size,
				 sizeof(*packed->lengths));
	if (packed->lengths)
		each_piece(w, h, number, keep_piece);
	else
		w->no_memory = true;
}

static void unpack_chunk(struct work *w, struct thread *h, uint64_t number)
{
	const struct ceiling *c = w->ceiling;
	const struct packed *packed = &w->packed[number];
	const uint8_t *from = packed->bytes;
	uint32_t left = chunk_length(w, number);
	uint8_t *to = h->scratch;

	for (uint32_t i = 0; left; i++) {
		uint32_t length = packed->lengths[i] & ~STORED;
		size_t block = min_u64(c->block_size, left);

		if (packed->lengths[i] & STORED)
			memcpy(to, from, length);
		else if (length)
			c->preset->codec->unpack(h->unpacker, from, length, to, block);
		from += length;
		to += block;
		left -= block;
	}
}

static bool is_over(const struct work *w, const struct thread *h, uint64_t number)
{
	return number >= w->chunks && (w->once || h->ended - h->started >= SECONDS_MIN);
}

static void hand_work(void *arg, unsigned number)
{
	struct work *w = arg;
	struct thread *h = &w->threads[number];

	h->bytes = 0;
	h->started = h->ended = clock_seconds();
	while (!atomic_load_explicit(w->ceiling->stop, memory_order_relaxed)) {
		uint64_t chunk = atomic_fetch_add(&w->next, 1);

		if (is_over(w, h, chunk))
			break;
		w->chunk(w, h, chunk % w->chunks);
		h->bytes += chunk_length(w, chunk % w->chunks);
		h->ended = clock_seconds();
	}
}

static enum status do_all(struct work *w, void (*chunk)(struct work *, struct thread *, uint64_t),
			  const struct watch *watch, struct error *e)
{
	struct thread_pool pool = {
		.count = w->ceiling->threads,
		.stack = HAND_STACK,
		.work = hand_work,
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

static enum status hand_init(struct thread *h, const struct ceiling *c, struct error *e)
{
	const struct codec *codec = c->preset->codec;
	size_t bytes = c->chunk_size + codec->bound(c->block_size);
	enum status status = source_reader_init(&h->reader, c->source, c->block_size,
						c->chunk_size, READ_TO_BUFFER, e);

	if (status)
		return status;
	h->scratch = malloc(bytes);
	if (codec->packer_new)
		h->packer = codec->packer_new(c->preset->level, c->block_size);
	if (codec->unpacker_new)
		h->unpacker = codec->unpacker_new();
	if (!h->scratch || (codec->packer_new && !h->packer) ||
	    (codec->unpacker_new && !h->unpacker))
		return error_system(e, ENOMEM, "ceiling");
	memory_touch(h->scratch, bytes);
	return STATUS_OK;
}

static void work_free(struct work *w)
{
	const struct codec *codec = w->ceiling->preset->codec;

	for (unsigned i = 0; w->threads && i < w->ceiling->threads; i++) {
		struct thread *h = &w->threads[i];

		if (h->packer)
			codec->packer_free(h->packer);
		if (h->unpacker)
			codec->unpacker_free(h->unpacker);
		free(h->scratch);
		source_reader_free(&h->reader);
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
		status = hand_init(&w->threads[i], w->ceiling, e);
	return status;
}

static void add_up(const struct work *w, struct ceiling_figures *figures)
{
	double started = w->threads[0].started, ended = w->threads[0].ended;

	figures->bytes = 0;
	for (unsigned i = 0; i < w->ceiling->threads; i++) {
		const struct thread *h = &w->threads[i];

		figures->bytes += h->bytes;
		started = h->started < started ? h->started : started;
		ended = h->ended > ended ? h->ended : ended;
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
