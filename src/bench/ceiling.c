// SPDX-License-Identifier: GPL-2.0-or-later
/* What the CPUs and the memory of this machine can do with the blocks of a source, without input and output. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/memory.h"
#include "bench/bench.h"
#include "capture/fill/pack.h"
#include "format/format.h"
#include "io/source.h"

/* --- a sample of the source ---------------------------------------------- */

/* The offset in the source of one of the chunks: number * all / chunks, computed without overflow. */
static uint64_t sample_start(uint64_t size, uint32_t chunk_size, uint64_t chunks, uint64_t number)
{
	uint64_t all = divide_up(size, chunk_size);

	return (all / chunks * number + all % chunks * number / chunks) * chunk_size;
}

static void read_chunk(struct source_reader *r, uint64_t offset, uint64_t length, uint8_t *dst)
{
	struct error unreadable;
	const uint8_t *data;
	size_t got;

	for (uint64_t at = 0; at < length; at += got) {
		if (source_get_carefully(r, offset + at, length - at, &data, &got, &unreadable))
			got = min_u64(BLOCK_SIZE_MIN, length - at);
		else
			memcpy(dst + at, data, got);
	}
}

enum status sample_take(struct sample *sample, struct source *source, uint32_t chunk_size, uint64_t limit,
			struct error *e)
{
	/* At least one chunk unless the source is empty. */
	uint64_t count = min_u64(divide_up(source->size, chunk_size), max_u64(limit / chunk_size, 1));
	struct source_reader reader;
	enum status status = source_reader_init(&reader, source, BLOCK_SIZE_MIN, chunk_size, READ_TO_BUFFER, e);

	*sample = (struct sample){ 0 };
	if (!status) {
		sample->bytes = calloc(count, chunk_size);
		if (!sample->bytes)
			status = error_system(e, ENOMEM, "%s: sample", source->name);
	}
	for (uint64_t i = 0; !status && i < count; i++) {
		uint64_t offset = sample_start(source->size, chunk_size, count, i);
		uint64_t length = min_u64(chunk_size, source->size - offset);

		read_chunk(&reader, offset, length, sample->bytes + sample->size);
		sample->size += length;
	}
	source_reader_free(&reader);
	return status;
}

/* --- ceilings ------------------------------------------------------------ */

enum { THREAD_STACK = 512 << 10 };

/*
 * Long enough that starting and ending threads does not matter, and short enough that on a busy
 * machine the fastest round was probably not disturbed.
 */
static const double SECONDS_MIN = 0.05;
/*
 * The least number of chunks of each thread, unless they take too long: then the time after the first thread has ended
 * does not matter.
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
	struct packer packer;
	void *unpacker;
	uint8_t *scratch;		/* fits a chunk and the largest packed block */
	double started, ended;
	uint64_t bytes;			/* processed */
};

struct work {
	const struct ceiling *ceiling;
	/* What is done with a chunk: len bytes of the sample. */
	void (*chunk)(struct work *w, struct thread *t, uint64_t number, const uint8_t *data, uint32_t len);
	atomic_ullong next;		/* chunk to be claimed; not reset between passes */
	uint64_t chunks;		/* of the sample */
	bool once;			/* end after the first pass */
	struct thread *threads;
	struct packed *packed;
	atomic_bool no_memory;
};

static void copy_chunk(struct work *w, struct thread *t, uint64_t number, const uint8_t *data, uint32_t len)
{
	(void)w, (void)number;
	memcpy(t->scratch, data, len);
}

/* Packs a block to dst as a capture does, and returns its length as in struct packed. */
static uint32_t pack_one(struct packer *p, const uint8_t *data, size_t len, uint8_t *dst)
{
	size_t packed = 0;

	if (pack_same_filled(data, len))
		return 0;
	if (!incompressible_skips(&p->incompressible, len))
		packed = incompressible_tried(&p->incompressible, len, packer_try(p, data, len, dst));
	if (packed)
		return (uint32_t)packed;
	memcpy(dst, data, len);
	return (uint32_t)len | STORED;
}

static void pack_chunk(struct work *w, struct thread *t, uint64_t number, const uint8_t *data, uint32_t len)
{
	uint32_t block = w->ceiling->block_size;

	(void)number;
	for (uint32_t at = 0; at < len; at += block)
		pack_one(&t->packer, data + at, min_u64(block, len - at), t->scratch);
}

/* Packs the blocks one after the other, and keeps them. */
static void keep_chunk(struct work *w, struct thread *t, uint64_t number, const uint8_t *data, uint32_t len)
{
	uint32_t block = w->ceiling->block_size, end = 0;
	struct packed *packed = &w->packed[number];

	packed->lengths = calloc(divide_up(len, block), sizeof(*packed->lengths));
	for (uint32_t at = 0; packed->lengths && at < len; at += block) {
		uint32_t length = pack_one(&t->packer, data + at, min_u64(block, len - at), t->scratch + end);

		packed->lengths[at / block] = length;
		end += length & ~STORED;
	}
	packed->bytes = malloc(end + 1);
	if (packed->lengths && packed->bytes)
		memcpy(packed->bytes, t->scratch, end);
	else
		w->no_memory = true;
}

static void unpack_chunk(struct work *w, struct thread *t, uint64_t number, const uint8_t *data, uint32_t len)
{
	const struct ceiling *c = w->ceiling;
	const struct packed *packed = &w->packed[number];
	const uint8_t *from = packed->bytes;

	(void)data;
	for (uint32_t at = 0; at < len; at += c->block_size) {
		uint32_t said = packed->lengths[at / c->block_size], length = said & ~STORED;

		if (said & STORED)
			memcpy(t->scratch + at, from, length);
		else if (length)
			c->preset->codec->unpack(t->unpacker, from, length, t->scratch + at,
						 min_u64(c->block_size, len - at));
		from += length;
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
		const struct sample *sample = w->ceiling->sample;
		uint64_t claimed = atomic_fetch_add(&w->next, 1), chunk = claimed % w->chunks;
		uint64_t offset = chunk * w->ceiling->chunk_size;
		uint32_t length = (uint32_t)min_u64(w->ceiling->chunk_size, sample->size - offset);

		if (is_over(w, t, claimed))
			break;
		w->chunk(w, t, chunk, sample->bytes + offset, length);
		t->bytes += length;
		t->ended = clock_seconds();
	}
}

/* w->chunk() with all chunks. */
static enum status do_all(struct work *w, const struct watch *watch, struct error *e)
{
	struct thread_pool pool = {
		.count = w->ceiling->threads,
		.stack = THREAD_STACK,
		.work = thread_work,
		.arg = w,
	};
	enum status status;

	w->next = 0;
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
	const struct capture_id id = { 0 };
	size_t bytes = c->chunk_size + codec->bound(c->block_size);
	enum status status = packer_init(&t->packer, codec, c->preset->level, c->block_size, &id, e);

	if (status)
		return status;
	t->scratch = malloc(bytes);
	if (codec->unpacker_new)
		t->unpacker = codec->unpacker_new();
	if (!t->scratch || (codec->unpacker_new && !t->unpacker))
		return error_system(e, ENOMEM, "ceiling");
	memory_touch(t->scratch, bytes);
	return STATUS_OK;
}

static void work_free(struct work *w)
{
	const struct codec *codec = w->ceiling->preset->codec;

	for (unsigned i = 0; w->threads && i < w->ceiling->threads; i++) {
		struct thread *t = &w->threads[i];

		packer_free(&t->packer);
		if (t->unpacker)
			codec->unpacker_free(t->unpacker);
		free(t->scratch);
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

	w->chunks = divide_up(c->sample->size, c->chunk_size);
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
	struct work w = { .ceiling = c, .once = true, .chunk = keep_chunk };
	enum status status = work_init(&w, e);

	if (!status && what == MEASURE_UNPACK)
		status = do_all(&w, watch, e);
	w.once = false;
	w.chunk = what == MEASURE_COPY ? copy_chunk : what == MEASURE_PACK ? pack_chunk : unpack_chunk;
	if (!status)
		status = do_all(&w, watch, e);
	if (!status)
		add_up(&w, figures);
	work_free(&w);
	return status;
}
