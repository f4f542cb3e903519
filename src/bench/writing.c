// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/random.h"
#include "bench/writing.h"
#include "capture/engine/capture.h"
#include "io/sink_probe.h"
#include "io/throttle.h"

struct writing {
	struct sink *sinks;
	struct throttle *throttles;
	unsigned count;
	const struct bench_pages *pages;
	const struct layer_policy *policy;	/* NULL: not begun */
	struct capture *capture;
};

static enum status probe_outputs(struct writing *w, const struct bench_settings *s,
				 const struct targets *targets, struct error *e)
{
	w->sinks = calloc(w->count, sizeof(*w->sinks));
	w->throttles = calloc(w->count, sizeof(*w->throttles));
	if (!w->sinks || !w->throttles)
		return error_system(e, ENOMEM, "benchmark");
	for (unsigned i = 0; i < w->count; i++) {
		enum status status = sink_probe(&w->sinks[i], targets->targets[i].name,
						s->permits, s->direct, e);

		if (status)
			return status;
		if (s->disk_rates.count)
			w->sinks[i].throttle = &w->throttles[i];
	}
	return STATUS_OK;
}

static enum status make_capture(struct writing *w, const struct cell *cell,
				const struct bench_settings *s, struct source *source,
				struct error *e)
{
	struct capture_settings settings = {
		.presets = cell->codec->presets,
		.codec_text = cell->codec->text,
		.creator = PACKAGE_STRING,
		.block_size = cell->block_size,
		.chunk_size = s->chunk_size,
		.threads = cell->threads ? cell->threads : 1,
		.serial = !cell->threads,
		.sink_timeout = s->sink_timeout,
		.policy = w->policy,
		.fixed_time = -1,
	};
	struct memory_plan plan;
	enum status status = random_bytes(settings.id.uuid.bytes, UUID_LENGTH, e);

	uuid_from_random(&settings.id.uuid);
	if (!status)
		status = capture_plan(&settings, source, w->sinks, w->count, &plan, e);
	if (!status)
		status = capture_new(&w->capture, &settings, &plan, source, w->sinks, w->count, e);
	return status;
}

static enum status begin_pages(struct writing *w, struct source *source, struct error *e)
{
	if (!w->pages->begin)
		return STATUS_OK;
	w->policy = w->pages->begin(w->pages->arg, source, e);
	return w->policy ? STATUS_OK : e->status;
}

/* The result of the capture includes both. */
static void sink_failed(void *arg, const struct sink_stats *stats, const struct sinks_left *left)
{
	(void)arg, (void)stats, (void)left;
}

static void unreadable(void *arg, uint64_t offset, uint64_t length, const struct error *why)
{
	(void)arg, (void)offset, (void)length, (void)why;
}

static void start_disks(struct writing *w, const struct bench_settings *s)
{
	const struct numbers *now = &s->disk_rates, *later = &s->later_rates;

	for (unsigned i = 0; now->count && i < w->count; i++) {
		throttle_start(&w->throttles[i], now->values[i % now->count]);
		if (later->count)
			throttle_change(&w->throttles[i], s->later,
					later->values[i % later->count]);
	}
}

static enum status run(struct writing *w, const struct bench_settings *s, struct targets *targets,
		       struct activity *activity, double *seconds, struct error *e)
{
	struct capture_watch watch = {
		.watch = *activity->watch,
		.sink_failed = sink_failed,
		.unreadable = unreadable,
	};
	double started = clock_seconds();
	enum status status;

	start_disks(w, s);
	for (unsigned i = 0; i < w->count; i++)
		targets->targets[i].making = w->sinks[i].kind == SINK_FILE &&
					     !w->sinks[i].identity.type;
	capture_open(w->capture, &watch);
	activity->capture = w->capture;
	status = capture_run(w->capture, e);
	activity->capture = NULL;
	*seconds = clock_seconds() - started;
	for (unsigned i = 0; i < w->count; i++) {
		targets->targets[i].making = false;
		targets->targets[i].made |= w->sinks[i].created;
	}
	return status;
}

/* A capture that has lost an output is perfect, but not comparable. */
static enum status check_outputs(const struct writing *w, struct activity *activity,
				 struct error *e)
{
	enum status status = STATUS_OK;

	for (unsigned i = 0; i < w->count; i++) {
		struct sink_stats stats;

		capture_get_sink(w->capture, i, &stats);
		activity->hung |= stats.hung;
		if (stats.state == SINK_TAKING || stats.state == SINK_ENDED || status)
			continue;
		*e = stats.why;
		status = error_suffix(e, "; the benchmark needs all outputs");
	}
	return status;
}

/* After an output has hung, its thread may still use the sinks, so they are not freed. */
static void writing_free(struct writing *w, bool hung)
{
	capture_free(w->capture);
	for (unsigned i = 0; !hung && w->sinks && i < w->count; i++)
		sink_free(&w->sinks[i]);
	if (hung)
		return;
	free(w->sinks);
	free(w->throttles);
	if (w->policy)
		w->pages->end(w->pages->arg);
}

static void get_written(const struct writing *w, const struct source *source, struct written *written)
{
	struct class_amounts amounts;
	struct capture_progress p;

	capture_get_progress(w->capture, &p);
	written->member_bytes = p.member_bytes;
	written->stored_bytes = p.layers ? p.stored_bytes : source->size;
	if (!p.layers)
		return;
	capture_class_amounts(&p, &amounts);
	memcpy(written->left_out.of_class, amounts.left_out, sizeof(amounts.left_out));
	memcpy(written->left_out.kept_because, p.kept_because, sizeof(p.kept_because));
}

enum status writing_run(const struct cell *cell, const struct bench_settings *settings,
			struct source *source, struct targets *targets,
			struct activity *activity, struct written *written, struct error *e)
{
	struct writing w = { .count = cell->outputs, .pages = &settings->pages };
	struct error why;
	enum status status = probe_outputs(&w, settings, targets, e);

	if (!status)
		status = begin_pages(&w, source, e);
	if (!status)
		status = make_capture(&w, cell, settings, source, e);
	if (!status) {
		status = run(&w, settings, targets, activity, &written->seconds, e);
		if (check_outputs(&w, activity, &why) && status != STATUS_STOPPED) {
			*e = why;
			status = why.status;
		}
		get_written(&w, source, written);
	}
	writing_free(&w, activity->hung);
	return status;
}
