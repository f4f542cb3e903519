// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/cpus.h"
#include "capture/auto/auto_choice.h"
#include "capture/auto/auto_codec.h"
#include "capture/auto/auto_estimate.h"
#include "capture/auto/auto_throughput.h"

/* The worker's own, but for figures, which it has learnt from under the lock. */
struct auto_worker {
	struct filler *filler;		/* borrowed */
	struct estimator estimator;
	struct fill_figures figures;	/* of the chunk that is being filled */
	bool carefully;			/* it was filled page by page */
	double worked;			/* seconds, on the chunks before */
	enum fill_activity activity;
	struct clock_times started;	/* when that began */
};

struct auto_output {
	struct throughput throughput;	/* under the lock */
	/* The writer's own: */
	struct throughput measured;	/* the same with the call */
	struct throughput_call call;
};

struct auto_codec {
	struct choice choice;		/* under the lock */
	struct auto_worker *workers;
	struct auto_output *outputs;
};

static void account_activity(struct auto_worker *w)
{
	struct clock_times took = clock_since(&w->started);

	if (w->activity == FILL_READING) {
		w->figures.reading += took.real;
		w->figures.reading_cpu += took.cpu;
	} else if (w->activity == FILL_PACKING) {
		w->figures.packing += took.real;
		w->figures.packing_cpu += took.cpu;
	}
	w->activity = FILL_OTHER;
}

static void make_estimates(struct auto_worker *w, const uint8_t *data, size_t len)
{
	struct fill_figures *figures = &w->figures;
	double worked = w->worked + figures->reading + figures->packing_cpu;

	while (figures->estimates_count < PRESETS_MAX &&
	       estimate_if_due(&w->estimator, worked, data, len,
			       &figures->estimates[figures->estimates_count]))
		figures->estimates_count++;
}

/* The filler's observer. */
static void filler_starts(void *arg, enum fill_activity activity, const uint8_t *data, size_t len)
{
	struct auto_worker *w = arg;
	struct source_reader *reader = &w->filler->reader;

	account_activity(w);
	/* Time that the worker waited for its turn to read is not time spent reading. */
	if (reader->source->is_stream)
		w->figures.reading = w->figures.turn = reader->turn;
	/* An estimate packs the bytes as they are, and not in columns. */
	if (data && !w->filler->columns)
		make_estimates(w, data, len);
	w->activity = activity;
	w->started = clock_begin();
	w->carefully |= activity == FILL_CAREFULLY;
}

size_t auto_codec_worker_memory(const struct packers *packers, uint32_t block_size)
{
	return estimator_memory(packers, block_size);
}

static enum status init_worker(struct auto_worker *w, struct filler *filler, struct error *e)
{
	w->filler = filler;
	w->activity = FILL_OTHER;
	filler->observer = (struct fill_observer){ .starts = filler_starts, .arg = w };
	return estimator_init(&w->estimator, &filler->packers, filler->block_size, e);
}

enum status auto_codec_new(struct capture *c, struct error *e)
{
	struct auto_codec *a = calloc(1, sizeof(*a));
	enum status status = STATUS_OK;

	if (!a)
		return error_system(e, ENOMEM, "codec auto");
	c->auto_codec = a;
	choice_init(&a->choice, c->settings.presets.count, c->workers, cpus_allowed(),
		    c->settings.serial);
	a->workers = calloc(c->workers, sizeof(*a->workers));
	a->outputs = calloc(c->count, sizeof(*a->outputs));
	if (!a->workers || !a->outputs)
		return error_system(e, ENOMEM, "codec auto");
	for (unsigned i = 0; !status && i < c->workers; i++)
		status = init_worker(&a->workers[i], &c->fillers[i], e);
	return status;
}

void auto_codec_free(struct capture *c)
{
	struct auto_codec *a = c->auto_codec;

	if (!a)
		return;
	for (unsigned i = 0; a->workers && i < c->workers; i++)
		estimator_free(&a->workers[i].estimator);
	free(a->workers);
	free(a->outputs);
	free(a);
	c->auto_codec = NULL;
}

void auto_codec_fewer_workers(struct capture *c, unsigned workers)
{
	choice_init(&c->auto_codec->choice, c->settings.presets.count, workers ? workers : 1,
		    cpus_allowed(), !workers);
}

/* Bytes a second, with the record that is being written; 0: not known. */
static double rate_of(const struct output *o, const struct throughput *throughput, double now)
{
	if (!o->writing)
		return throughput_rate(throughput, 0, 0);
	return throughput_rate(throughput, now - o->called, record_length(&o->writing->record));
}

/* The combined figures of the outputs that take chunks. */
static struct sink_figures sink_figures(const struct capture *c)
{
	struct sink_figures all = { 0 };
	double now = clock_seconds(), bytes = 0, cpu = 0;
	unsigned known = 0, begun = 0;

	for (unsigned i = 0; i < c->count; i++) {
		const struct throughput *throughput = &c->auto_codec->outputs[i].throughput;
		const struct output *o = &c->outputs[i];
		double rate = rate_of(o, throughput, now);

		if (o->stats.state != SINK_TAKING || !o->begun)
			continue;
		begun++;
		known += rate > 0;
		all.rate += rate;
		bytes += throughput->bytes;
		cpu += throughput->cpu;
	}
	/* Outputs whose rate is not known yet are assumed to be like the others. */
	if (known)
		all.rate *= (double)begun / known;
	if (bytes > 0)
		all.cpu = cpu / bytes;
	return all;
}

void auto_codec_choose(struct capture *c, unsigned worker)
{
	struct auto_worker *w = &c->auto_codec->workers[worker];
	struct sink_figures sinks = sink_figures(c);

	w->filler->preset = choice_make(&c->auto_codec->choice, &sinks);
	w->figures = (struct fill_figures){ .preset = w->filler->preset };
	w->carefully = false;
}

void auto_codec_learn_fill(struct capture *c, unsigned worker, const struct chunk *chunk)
{
	struct auto_worker *w = &c->auto_codec->workers[worker];
	struct fill_figures *figures = &w->figures;

	figures->bytes = w->carefully ? 0 : chunk->record.stored_length;
	/* The last block may be shorter. */
	figures->packable = min_double(chunk->record.stored_length, (double)chunk->record.block_size *
				       (chunk->blocks[BLOCK_PACKED] + chunk->blocks[BLOCK_STORED]));
	figures->packed = chunk->record.payload_length;
	w->worked += figures->reading + figures->packing_cpu;
	choice_learn(&c->auto_codec->choice, figures);
}

void auto_codec_write_begins(struct capture *c, unsigned output)
{
	struct auto_output *o = &c->auto_codec->outputs[output];

	o->measured = o->throughput;	/* which only this thread writes */
	o->call = throughput_begin();
}

void auto_codec_write_ends(struct capture *c, unsigned output, uint32_t bytes)
{
	struct auto_output *o = &c->auto_codec->outputs[output];

	throughput_end(&o->measured, &o->call, bytes);
}

void auto_codec_learn_write(struct capture *c, unsigned output)
{
	struct auto_output *o = &c->auto_codec->outputs[output];

	o->throughput = o->measured;
}
