// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/system.h"
#include "capture/auto/auto_codec.h"

/* --- the choice ------------------------------------------------------------ */

/*
 * Measured with nsplit-bench --codecs=auto --threads=2 --write-only fake:2G,compressible=100 null:, with
 * --disk-rate=60M, with --disk-rate=400M, and with a disk that falls from 400M to 40M after 0.7 s; 2026-11-23,
 * 2 CPUs, two or more runs each.
 */

/*
 * Times that differ by no more than this part count as equal, and the preset that leaves less is
 * chosen.  So this bounds the throughput that is lost for a smaller dump.
 */
static const double TIME_NEAR = 0.02;

/*
 * A slower preset must leave less by this part of the source to be chosen.  With 0, slow presets
 * are chosen for next to nothing: to the disk of 60 MB/s a fifth slower, for 1 % less.
 */
static const double LEFT_NEAR = 0.002;

/*
 * Where the standard preset leaves more than this part, other presets are assumed to leave all.  It
 * keeps the ratios of data that can be packed from being applied to data that cannot;
 * test_nothing_packs in tests/unit/test_auto_choice.c fails without it.
 */
static const double NOTHING_PACKS = 0.98;

/*
 * A chunk with a smaller packable part than this shows the cost of other work, and not of packing.
 * With 0 the cost of other work is never learnt: to the disk of 400 MB/s the choice remained
 * zstd:1, a third slower.
 */
static const double FEW = 1.0 / 16;

static void note(struct latest *l, double value)
{
	double sorted[LATEST] = { 0 };

	l->values[l->next] = value;
	l->next = (l->next + 1) % LATEST;
	l->count += l->count < LATEST;
	for (unsigned i = 0; i < l->count; i++) {
		unsigned at = i;

		for (; at && sorted[at - 1] > l->values[i]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = l->values[i];
	}
	l->median = sorted[(l->count - 1) / 2];
	l->shortest = sorted[0];
}

void choice_init(struct choice *c, unsigned presets, unsigned workers, unsigned cpus, bool serial)
{
	*c = (struct choice){
		.presets = presets,
		.workers = workers,
		.cpus = cpus,
		.serial = serial,
		/*
		 * Until throughput and costs are known, for some milliseconds: with all codecs in the build the
		 * first level of zstd, which is neither far too slow for an output in memory nor leaves far too
		 * much for a slow one.  With raw (0) and zstd:12 (6), 1.5 % more of 2 GiB was stored.
		 */
		.preset = presets > PRESET_FIRST ? PRESET_FIRST : presets - 1,
	};
}

/* CPU seconds to pack these bytes, none of them in same-filled blocks. */
static double packing(const struct choice *c, unsigned preset, double packable)
{
	return packable * c->figures[preset].cost.median * c->standard_cost.median;
}

static void learn_estimate(struct choice *c, const struct estimate *a)
{
	struct preset_figures *f = &c->figures[a->preset];

	c->estimated += a->bytes;
	c->standard_packed += a->standard_packed;
	/* Chunks show it better, but for those that are not packed. */
	if (!c->preset || c->standard_cost.count < LATEST)
		note(&c->standard_cost, a->standard_seconds / a->bytes);
	note(&f->cost, a->seconds / a->standard_seconds);
	f->packed += a->packed;
	f->standard_packed += a->standard_packed;
}

/* The packed size with this preset, relative to the standard preset. */
static double relative_packed(const struct choice *c, unsigned preset)
{
	return c->figures[preset].packed / c->figures[preset].standard_packed;
}

/* Bytes that the preset leaves. */
static double left_by(const struct choice *c, unsigned preset, const struct period *s)
{
	if (!preset || s->standard_packed > NOTHING_PACKS * s->packable)
		return s->packable;
	return min_double(s->packable, s->standard_packed * relative_packed(c, preset));
}

static void learn_data(struct choice *c, const struct fill_figures *fill)
{
	struct period *s = &c->periods[c->period];

	if (s->chunks == PERIOD_CHUNKS) {
		c->period = (c->period + 1) % PERIODS;
		s = &c->periods[c->period];
		*s = (struct period){ 0 };
	}
	s->chunks++;
	s->bytes += fill->bytes;
	s->packable += fill->packable;
	/* The first preset, raw, packs nothing and so shows nothing of the data. */
	s->standard_packed += fill->preset ? fill->packed / relative_packed(c, fill->preset)
					 : fill->packable * c->standard_packed / c->estimated;
}

/*
 * Other work (same-filled blocks, checksums) is small beside packing.  So it is learnt from chunks
 * in which little or nothing is packed, and subtracted in the others.  The time to pack depends on
 * the data and must not be counted as other work.
 */
static void learn_work(struct choice *c, const struct fill_figures *fill)
{
	double all = fill->packing_cpu, other;

	if (!fill->preset || fill->packable < FEW * fill->bytes) {
		other = all - packing(c, fill->preset, fill->packable);
		note(&c->other_cpu, max_double(other, 0) / fill->bytes);
	} else {
		other = fill->bytes * c->other_cpu.median;
		note(&c->standard_cost, max_double(all - other, all / 2) /
					(fill->packable * c->figures[fill->preset].cost.median));
	}
}

void choice_learn(struct choice *c, const struct fill_figures *fill)
{
	for (unsigned i = 0; i < fill->estimates_count; i++)
		learn_estimate(c, &fill->estimates[i]);
	if (!fill->bytes || !c->figures[fill->preset].cost.count)
		return;
	note(&c->turn, fill->turn / fill->bytes);
	note(&c->reading, fill->reading / fill->bytes);
	note(&c->reading_cpu, fill->reading_cpu / fill->bytes);
	note(&c->cpu_share, fill->packing > fill->packing_cpu ? fill->packing_cpu / fill->packing : 1);
	learn_work(c, fill);
	learn_data(c, fill);
}

/* Seconds that the preset, which leaves these bytes, would take for the period. */
static double time_of(const struct choice *c, unsigned preset, const struct period *s, double left,
		      const struct sink_figures *sinks)
{
	double work = s->bytes * c->other_cpu.median + packing(c, preset, s->packable);
	double workers = (s->bytes * c->reading.median + work / c->cpu_share.median) / c->workers;
	double cpus = (s->bytes * c->reading_cpu.median + work + left * sinks->cpu) / c->cpus;
	double writing = left / sinks->rate;
	/* The shortest turn: a sender on this machine is slow while it waits for a CPU. */
	double turns = s->bytes * c->turn.shortest;

	if (c->serial)
		return workers + writing;
	return max_double(max_double(workers, cpus), max_double(writing, turns));
}

unsigned choice_make(struct choice *c, const struct sink_figures *sinks)
{
	double times[PRESETS_MAX] = { 0 }, left[PRESETS_MAX] = { 0 }, bytes = 0, shortest, leaves;

	if (!sinks->rate || !c->periods[0].chunks)
		return c->preset;
	for (unsigned i = 0; i < c->presets; i++)
		if (!c->figures[i].cost.count)
			return c->preset;
	/* The periods before the first wrap are in front, and the others have no bytes. */
	for (const struct period *s = c->periods; s < c->periods + PERIODS && s->chunks; s++) {
		for (unsigned i = 0; i < c->presets; i++) {
			double leaves_here = left_by(c, i, s);

			times[i] += time_of(c, i, s, leaves_here, sinks);
			left[i] += leaves_here;
		}
		bytes += s->bytes;
	}
	shortest = times[0];
	for (unsigned i = 1; i < c->presets; i++)
		shortest = min_double(shortest, times[i]);
	/* In order of speed: a slower preset is taken only if it leaves less. */
	leaves = 2 * bytes;
	for (unsigned i = 0; i < c->presets; i++) {
		if (times[i] > (1 + TIME_NEAR) * shortest || left[i] > leaves - LEFT_NEAR * bytes)
			continue;
		leaves = left[i];
		c->preset = i;
	}
	return c->preset;
}

/*
 * The part of a worker's time that estimates take, divided evenly between the presets, so fast presets are estimated
 * often and slow ones rarely.  With 0.001, presets are compared too rarely: 2 to 6 % more was stored.  With 0.05,
 * nothing was gained.  (Measured as above.)
 */
static const double ESTIMATE_SHARE = 0.01;

/*
 * Seconds in calls of an output after which earlier calls count half.  With 0.02, up to 3 % less or more was
 * stored.
 */
static const double RECENT = 0.25;

/* Seconds added to each estimate and each call, which may take none on a clock that advances in steps. */
static const double SHORTEST = 1e-7;

/* The worker's own, but for figures, which it has learnt from under the lock. */
struct auto_worker {
	struct filler *filler;		/* borrowed */
	struct fill_figures figures;	/* of the chunk that is being filled */
	bool carefully;			/* it was filled page by page */
	double worked;			/* seconds, on the chunks before */
	enum fill_activity activity;
	struct clock_times started;	/* when that began */
	/* Estimates: */
	uint8_t *scratch;		/* for a packed block, owned */
	double spent[PRESETS_MAX];	/* seconds; 0: none yet */
	double searched;		/* seconds in which no block was found */
	bool found_none;		/* all blocks were same-filled the last time */
	size_t first;			/* block to begin with; differs from piece to piece */
};

struct auto_output {
	double bytes, seconds, cpu;	/* of the latest calls; under the lock */
};

struct auto_codec {
	struct choice choice;		/* under the lock */
	struct auto_worker *workers;
	struct auto_output *outputs;
	unsigned count;			/* of workers */
	unsigned outputs_count;
};

/* --- estimates --------------------------------------------------------------- */

/* A block that is not same-filled; the search begins at a different one each time.  NULL: there is none. */
static const uint8_t *find_block(struct auto_worker *w, const uint8_t *data, size_t len)
{
	size_t size = w->filler->block_size, there = len / size, first = there ? w->first++ % there : 0;

	for (size_t i = 0; i < there; i++) {
		const uint8_t *block = data + (first + i) % there * size;

		if (!pack_same_filled(block, size))
			return block;
	}
	return NULL;
}

/* Bytes that the block would take in a record.  Raw blocks are copied, as they would be. */
static size_t pack_one(struct auto_worker *w, unsigned preset, const uint8_t *block)
{
	size_t size = w->filler->block_size;
	size_t packed = packer_try(&w->filler->packers.of[preset], block, size, w->scratch);

	if (packed && packed < size)
		return packed;
	memcpy(w->scratch, block, size);
	return size;
}

/* Packs it twice, so that the preset's tables and code are in the CPU's caches when time is measured. */
static double pack_timed(struct auto_worker *w, unsigned preset, const uint8_t *block, double *packed)
{
	double start;

	pack_one(w, preset, block);
	start = clock_thread_seconds();
	*packed = (double)pack_one(w, preset, block);
	return clock_thread_seconds() - start + SHORTEST;
}

/* The first estimate of each preset is due at once; later all of them together have their share of the time. */
static bool estimate_if_due(struct auto_worker *w, double worked, const uint8_t *data, size_t len,
			    struct estimate *estimate)
{
	double all = w->searched, start;
	const uint8_t *block;
	unsigned least = 0;

	for (unsigned i = 0; i < w->filler->packers.count; i++) {
		all += w->spent[i];
		if (w->spent[i] < w->spent[least])
			least = i;
	}
	if ((w->spent[least] > 0 || w->found_none) && all >= ESTIMATE_SHARE * worked)
		return false;
	start = clock_thread_seconds();
	*estimate = (struct estimate){ .preset = least, .bytes = w->filler->block_size };
	block = find_block(w, data, len);
	w->found_none = !block;
	if (block) {
		estimate->seconds = pack_timed(w, least, block, &estimate->packed);
		estimate->standard_seconds = pack_timed(w, PRESET_STANDARD, block, &estimate->standard_packed);
	}
	*(block ? &w->spent[least] : &w->searched) += clock_thread_seconds() - start + SHORTEST;
	return block;
}

/* --- workers ------------------------------------------------------------------ */

/* The filler's observer. */
static void filler_starts(void *arg, enum fill_activity activity, const uint8_t *data, size_t len)
{
	struct auto_worker *w = arg;
	struct source_reader *reader = &w->filler->reader;
	struct fill_figures *figures = &w->figures;
	struct clock_times took = clock_since(&w->started);

	if (w->activity == FILL_READING) {
		figures->reading += took.real;
		figures->reading_cpu += took.cpu;
	} else if (w->activity == FILL_PACKING) {
		figures->packing += took.real;
		figures->packing_cpu += took.cpu;
	}
	w->activity = FILL_OTHER;
	/* Time that the worker waited for its turn to read is not time spent reading. */
	if (reader->source->is_stream)
		figures->reading = figures->turn = reader->turn;
	/* An estimate packs the bytes as they are, and not in columns. */
	if (data && !w->filler->columns)
		while (figures->estimates_count < PRESETS_MAX &&
		       estimate_if_due(w, w->worked + figures->reading + figures->packing_cpu, data, len,
				       &figures->estimates[figures->estimates_count]))
			figures->estimates_count++;
	w->activity = activity;
	w->started = clock_begin();
	w->carefully |= activity == FILL_CAREFULLY;
}

size_t auto_codec_worker_memory(const struct packers *packers)
{
	return packers->bound;
}

enum status auto_codec_new(struct auto_codec **codec, struct filler *fillers, unsigned workers, unsigned outputs,
			   bool serial, struct error *e)
{
	struct auto_codec *a = *codec = calloc(1, sizeof(*a));

	if (!a)
		return error_system(e, ENOMEM, "codec auto");
	choice_init(&a->choice, fillers->packers.count, workers, cpus_allowed(), serial);
	a->outputs_count = outputs;
	a->workers = calloc(workers, sizeof(*a->workers));
	a->outputs = calloc(outputs, sizeof(*a->outputs));
	if (!a->workers || !a->outputs)
		return error_system(e, ENOMEM, "codec auto");
	for (; a->count < workers; a->count++) {
		struct auto_worker *w = &a->workers[a->count];

		w->filler = &fillers[a->count];
		w->activity = FILL_OTHER;
		w->scratch = memory_to_read(auto_codec_worker_memory(&fillers->packers));
		if (!w->scratch)
			return error_system(e, ENOMEM, "codec auto");
		w->filler->observer = (struct fill_observer){ .starts = filler_starts, .arg = w };
	}
	return STATUS_OK;
}

void auto_codec_free(struct auto_codec *a)
{
	if (!a)
		return;
	for (unsigned i = 0; i < a->count; i++)
		free(a->workers[i].scratch);
	free(a->workers);
	free(a->outputs);
	free(a);
}

void auto_codec_fewer_workers(struct auto_codec *a, unsigned workers)
{
	choice_init(&a->choice, a->choice.presets, workers ? workers : 1, a->choice.cpus, !workers);
}

void auto_codec_choose(struct auto_codec *a, unsigned worker, const bool *takes)
{
	struct auto_worker *w = &a->workers[worker];
	struct sink_figures sinks = { 0 };
	unsigned count = 0, known = 0;
	double bytes = 0;

	for (unsigned i = 0; i < a->outputs_count; i++) {
		const struct auto_output *o = &a->outputs[i];

		count += takes[i];
		if (!takes[i] || o->bytes <= 0)
			continue;
		known++;
		sinks.rate += o->bytes / o->seconds;
		sinks.cpu += o->cpu;
		bytes += o->bytes;
	}
	/* Outputs whose rate is not known yet are assumed to be like the others. */
	if (known) {
		sinks.rate *= (double)count / known;
		sinks.cpu /= bytes;
	}
	w->filler->preset = choice_make(&a->choice, &sinks);
	w->figures = (struct fill_figures){ .preset = w->filler->preset };
	w->carefully = false;
}

void auto_codec_learn_fill(struct auto_codec *a, unsigned worker, const struct chunk *chunk)
{
	struct auto_worker *w = &a->workers[worker];
	struct fill_figures *figures = &w->figures;

	figures->bytes = w->carefully ? 0 : chunk->record.stored_length;
	/* The last block may be shorter. */
	figures->packable = min_double(chunk->record.stored_length, (double)chunk->record.block_size *
				       (chunk->figures.blocks[BLOCK_PACKED] + chunk->figures.blocks[BLOCK_STORED]));
	figures->packed = chunk->record.payload_length;
	w->worked += figures->reading + figures->packing_cpu;
	choice_learn(&a->choice, figures);
}

/* --- outputs ------------------------------------------------------------------ */

/*
 * A call that never slept did not wait for a disk; if it waited at all, it was for a CPU.  Of such
 * a call only the CPU time counts.  Otherwise workers that keep a writer from running would make a
 * fast output look slow.
 */
void auto_codec_learn_write(struct auto_codec *a, unsigned output, uint32_t bytes, const struct clock_times *call,
			    bool slept)
{
	struct auto_output *o = &a->outputs[output];

	o->bytes += bytes;
	o->seconds += SHORTEST + (slept ? call->real : call->cpu);
	o->cpu += call->cpu;
	if (o->seconds > RECENT) {
		o->bytes /= 2;
		o->seconds /= 2;
		o->cpu /= 2;
	}
}
