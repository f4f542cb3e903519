// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/system.h"
#include "bench/bench.h"
#include "capture/engine/capture.h"
#include "export/output_file.h"
#include "format/format.h"
#include "set/read/walk.h"

struct target {
	const char *name;		/* borrowed from the settings */
	bool made;			/* a file that the benchmark has created */
	bool making;			/* the running capture creates it */
	bool on_disk;			/* a file or a block device, which can be read and cached */
};

struct bench {
	const struct bench_settings *settings;
	struct source *source;
	struct sample sample;		/* for the ceilings */
	struct target *targets;		/* the most that a cell needs; owned */
	unsigned count;
	unsigned readable;		/* number of targets, from the first, that can be read */
	struct target join;		/* where the source is restored to; it is not removed */
	struct bench_results results;
	const struct watch *watch;
	/* What the tick of the watch, in the same thread, stops; NULL: it is not running. */
	atomic_bool stop;
	struct capture *capture;
	struct walk *walk;
	const struct output_file *output;
};

/* --- the outputs: written repeatedly, read back, and removed at the end ---- */

/* Drops the clean pages of one file or device, if it exists. */
static void caches_drop_file(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return;
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	close(fd);
}

static bool is_null(const char *name)
{
	return strcmp(name, "null:") == 0;
}

static enum status survey_one(struct target *target, struct error *e)
{
	struct stat st;
	bool exists = stat(target->name, &st) == 0;

	if (strcmp(target->name, "-") == 0 || (exists && S_ISFIFO(st.st_mode)))
		return error_set(e, STATUS_USAGE, "%s: can be written only once, but a benchmark "
				 "writes repeatedly", target->name);
	target->on_disk = !is_null(target->name) && target->name[0] != '|' &&
			  !(exists && S_ISCHR(st.st_mode));
	return STATUS_OK;
}

/* STATUS_USAGE: there are too few, or one can be written only once. */
static enum status targets_init(struct bench *b, unsigned needed, struct error *e)
{
	const struct names *names = &b->settings->outputs;
	unsigned given = (unsigned)names->count;
	bool members = false;

	if (needed > given && !(given == 1 && is_null(names->names[0])))
		return error_set(e, STATUS_USAGE, "%u outputs are needed, but only %u given",
				 needed, given);
	b->targets = calloc(needed, sizeof(*b->targets));
	if (!b->targets)
		return error_system(e, ENOMEM, "benchmark");
	for (; b->count < needed; b->count++) {
		struct target *target = &b->targets[b->count];

		target->name = names->names[b->count % given];
		if (survey_one(target, e))
			return e->status;
		b->readable += target->on_disk && b->readable == b->count;
		members |= target->on_disk;
	}
	if (members || b->source->fd >= 0)
		b->results.caches = members && b->settings->cache == CACHE_DROP_MEMBERS ? CACHES_MEMBERS : CACHES_KEPT;
	b->join.name = b->settings->join_to;
	return survey_one(&b->join, e);
}

/* Removes the files that the benchmark has created. */
static void targets_remove(const struct bench *b)
{
	for (unsigned i = 0; i < b->count; i++)
		if (b->targets[i].made || b->targets[i].making)
			unlink(b->targets[i].name);
}

static bool may_overwrite(const struct bench *b)
{
	return b->settings->permits & PERMIT_OVERWRITE;
}

/* Removes a file that the benchmark has created, or empties one that may be overwritten. */
static bool clear(const struct bench *b, struct target *target)
{
	struct stat st;

	if (target->made) {
		target->made = false;
		return unlink(target->name) == 0;
	}
	return may_overwrite(b) && stat(target->name, &st) == 0 && S_ISREG(st.st_mode) &&
	       truncate(target->name, 0) == 0;
}

/* Removes or empties files before they are written, so that freeing their space is not measured. */
static void targets_clear(const struct bench *b, struct target *targets, unsigned count)
{
	bool any = false;

	for (unsigned i = 0; i < count; i++)
		any |= clear(b, &targets[i]);
	/* Some file systems free space only when they write their metadata. */
	if (any)
		sync();
}

/* Before each measurement, so that files are read from the disk. */
static void prepare_caches(const struct bench *b)
{
	for (unsigned i = 0; b->results.caches == CACHES_MEMBERS && i < b->count; i++)
		if (b->targets[i].on_disk)
			caches_drop_file(b->targets[i].name);
}

/* --- every combination of the settings ----------------------------------- */

enum { CELLS_MAX = 4096 };		/* more are probably a typing error, or take too long */

static unsigned outputs_of(const struct bench_settings *s, size_t which, size_t threads)
{
	unsigned count = (unsigned)s->output_counts.values[which];

	return count ? count : (unsigned)max_u64(s->threads.values[threads], 1);
}

/* The largest number of outputs of a cell. */
static unsigned most_outputs(const struct bench_settings *s)
{
	unsigned most = 0;

	for (size_t o = 0; o < s->output_counts.count; o++)
		for (size_t t = 0; t < s->threads.count; t++)
			most = (unsigned)max_u64(most, outputs_of(s, o, t));
	return most;
}

static uint64_t cell_count(const struct bench_settings *s)
{
	/* This cannot overflow: cmd/nsplit-bench/options.c limits each list to some thousand values. */
	return (uint64_t)s->output_counts.count * s->block_sizes.count * s->codecs_count *
	       s->threads.count;
}

/* STATUS_USAGE: a combination is impossible. */
static enum status check_cells(const struct bench_settings *s, struct error *e)
{
	for (size_t i = 0; i < s->block_sizes.count; i++) {
		/* The option has limited it to 32 bits. */
		uint32_t size = (uint32_t)s->block_sizes.values[i];

		if (!block_size_valid(size))
			return error_set(e, STATUS_USAGE, "a block size must be a power of two "
					 "from 4K to 1M");
		if (!chunk_size_valid(s->chunk_size, size))
			return error_set(e, STATUS_USAGE, "the chunk size must be a multiple of "
					 "every block size, and at most 64M");
	}
	if (most_outputs(s) > MEMBERS_MAX)
		return error_set(e, STATUS_USAGE, "a capture has at most %u outputs", MEMBERS_MAX);
	if (cell_count(s) > CELLS_MAX)
		return error_set(e, STATUS_USAGE, "%" PRIu64 " combinations; at most %d can be "
				 "measured", cell_count(s), CELLS_MAX);
	return STATUS_OK;
}

/* The settings and targets have been checked. */
static enum status cells_init(struct bench *b, struct error *e)
{
	const struct bench_settings *s = b->settings;
	size_t each[] = { s->output_counts.count, s->block_sizes.count, s->codecs_count,
			  s->threads.count };
	struct bench_results *r = &b->results;
	enum status status = STATUS_OK;

	r->cells = calloc(cell_count(s), sizeof(*r->cells));
	if (!r->cells)
		return error_system(e, ENOMEM, "benchmark");
	r->count = cell_count(s);
	r->total = (unsigned)r->count * (s->warmups + s->rounds);
	for (size_t i = 0; i < r->count && !status; i++) {
		size_t threads = i % each[3], codec = i / each[3] % each[2];
		size_t block = i / each[3] / each[2] % each[1];
		size_t outputs = i / each[3] / each[2] / each[1];

		r->cells[i] = (struct cell){
			.threads = (unsigned)s->threads.values[threads],
			.outputs = outputs_of(s, outputs, threads),
			.block_size = (uint32_t)s->block_sizes.values[block],
			.codec = &s->codecs[codec],
		};
		r->cells[i].reads = s->reads && r->cells[i].outputs <= b->readable;
		for (int what = 0; what < MEASURES && !status; what++)
			status = samples_init(&r->cells[i].rate[what], s->rounds, e);
	}
	return status;
}

static unsigned threads_of(const struct cell *cell)
{
	return (unsigned)max_u64(cell->threads, 1);
}

/* --- measures of reading ------------------------------------------------- */

/* set_open() fails if a member is not intact; warnings are not needed. */
static void warn(void *arg, const struct error *e)
{
	(void)arg, (void)e;
}

/* A walk leaves out holes; here there must be none. */
static enum status check_whole(const struct walk *walk, struct error *e)
{
	uint64_t offset = 0, length;

	if (walk_hole(walk, &offset, &length))
		return error_set(e, STATUS_MISSING, "byte %" PRIu64 " is not in any member",
				 offset);
	return STATUS_OK;
}

/* copy is NULL if the set is only verified.  The capture has checked for unreadable blocks, and damage ends the walk. */
static enum status walk_set(struct bench *b, struct set *set, unsigned threads, struct copy *copy,
			    struct error *e)
{
	struct walk_settings settings = {
		.threads = threads,
		.ordered = copy && !output_file_seekable(copy->output),
		.to = set->source_size,
		.mode = copy ? WALK_BYTES : WALK_CHECK,
		.deliver = copy_deliver,
		.deliver_arg = copy,
		.watch = *b->watch,
	};
	struct walk *walk = NULL;
	enum status status = walk_new(&walk, set, &settings, e);

	if (!status) {
		b->walk = walk;
		status = walk_run(walk, e);
		b->walk = NULL;
	}
	if (!status)
		status = check_whole(walk, e);
	walk_free(walk);
	return status;
}

static enum status join(struct bench *b, struct set *set, unsigned threads, struct error *e)
{
	struct output_file output;
	struct copy copy = { .output = &output };
	/* Its owner and what it held were looked at before the first round. */
	unsigned permits = PERMIT_ANY_OWNER | (may_overwrite(b) ? PERMIT_OVERWRITE | PERMIT_DUMPS : 0);
	enum status status = output_file_probe(&output, b->join.name, permits, true, e);
	bool is_new = output.kind == OUTPUT_FILE && !output.identity.type;

	if (!status)
		status = output_file_open(&output, e);
	b->output = &output;
	if (!status)
		status = walk_set(b, set, threads, &copy, e);
	if (!status)
		status = output_file_finish(&output, set->source_size, e);
	b->output = NULL;
	b->join.made = !status && is_new;
	output_file_free(&output);
	return status;
}

/* Opens and reads a set, which must be complete, as njoin --verify or njoin -o does. */
static enum status measure_walk(struct bench *b, const struct cell *cell, enum measure what, double *rate,
				struct error *e)
{
	const struct names members = { b->settings->outputs.names, cell->outputs };
	const struct set_settings settings = { .warn = warn };
	enum status status;
	struct set set;
	double started;

	if (what == MEASURE_JOIN)
		targets_clear(b, &b->join, 1);
	prepare_caches(b);
	started = clock_seconds();
	status = set_open(&set, &members, &settings, e);
	if (!status && what == MEASURE_JOIN)
		status = join(b, &set, threads_of(cell), e);
	else if (!status)
		status = walk_set(b, &set, threads_of(cell), NULL, e);
	*rate = (double)b->source->size / (clock_seconds() - started);
	set_close(&set);
	return status;
}

/* --- measures of writing ------------------------------------------------- */

struct writing {
	struct sink *sinks;
	struct throttle *throttles;
	unsigned count;
	struct capture *capture;
};

static enum status probe_outputs(struct writing *w, const struct bench *b, struct error *e)
{
	const struct bench_settings *s = b->settings;

	w->sinks = calloc(w->count, sizeof(*w->sinks));
	w->throttles = calloc(w->count, sizeof(*w->throttles));
	if (!w->sinks || !w->throttles)
		return error_system(e, ENOMEM, "benchmark");
	for (unsigned i = 0; i < w->count; i++) {
		enum status status = sink_probe(&w->sinks[i], b->targets[i].name, NULL, s->permits, s->direct, e);

		if (status)
			return status;
		if (s->disk_rates.count)
			w->sinks[i].throttle = &w->throttles[i];
	}
	return STATUS_OK;
}

static enum status make_capture(struct writing *w, const struct bench *b, const struct cell *cell, struct error *e)
{
	const struct bench_settings *s = b->settings;
	struct capture_settings settings = {
		.presets = cell->codec->presets,
		.codec_text = cell->codec->text,
		.creator = PACKAGE_STRING,
		.block_size = cell->block_size,
		.chunk_size = s->chunk_size,
		.threads = threads_of(cell),
		.serial = !cell->threads,
		.sink_timeout = s->sink_timeout,
		.fixed_time = -1,
	};
	struct memory_plan plan;
	enum status status = random_bytes(settings.id.uuid.bytes, UUID_LENGTH, e);

	uuid_from_random(&settings.id.uuid);
	if (!status)
		status = capture_plan(&settings, b->source, w->sinks, w->count, &plan, e);
	if (!status)
		status = capture_new(&w->capture, &settings, &plan, b->source, w->sinks, w->count, e);
	return status;
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

/* Returns the seconds that it takes. */
static double run(struct writing *w, struct bench *b, enum status *status, struct error *e)
{
	struct capture_watch watch = {
		.watch = *b->watch,
		.sink_failed = sink_failed,
		.unreadable = unreadable,
	};
	double started = clock_seconds(), seconds;

	start_disks(w, b->settings);
	for (unsigned i = 0; i < w->count; i++)
		b->targets[i].making = w->sinks[i].kind == SINK_FILE && !w->sinks[i].identity.type;
	capture_open(w->capture, &watch);
	b->capture = w->capture;
	*status = capture_run(w->capture, e);
	b->capture = NULL;
	seconds = clock_seconds() - started;
	for (unsigned i = 0; i < w->count; i++) {
		b->targets[i].making = false;
		b->targets[i].made |= w->sinks[i].created;
	}
	return seconds;
}

/* A capture that has lost an output is perfect, but not comparable. */
static enum status check_outputs(const struct writing *w, struct bench *b, struct error *e)
{
	enum status status = STATUS_OK;

	for (unsigned i = 0; i < w->count; i++) {
		struct sink_stats stats = capture_get_sink(w->capture, i);

		b->results.hung |= stats.hung;
		if (stats.state == SINK_TAKING || stats.state == SINK_ENDED || status)
			continue;
		*e = stats.why;
		status = error_suffix(e, "; the benchmark needs all outputs");
	}
	return status;
}

/* After an output has hung, its thread may still use the sinks, so they are not freed. */
static void writing_free(struct writing *w, const struct bench *b)
{
	capture_free(w->capture);
	if (b->results.hung)
		return;
	for (unsigned i = 0; w->sinks && i < w->count; i++)
		sink_free(&w->sinks[i]);
	free(w->sinks);
	free(w->throttles);
}

/*
 * Captures the source to the outputs of the cell, and marks the files that it creates.  A capture
 * that is not perfect, or that has lost an output, is an error.
 */
static enum status measure_capture(struct bench *b, struct cell *cell, double *rate, struct error *e)
{
	struct writing w = { .count = cell->outputs };
	struct capture_progress p;
	enum status status;
	struct error why;

	targets_clear(b, b->targets, cell->outputs);
	prepare_caches(b);
	status = probe_outputs(&w, b, e);
	if (!status)
		status = make_capture(&w, b, cell, e);
	if (!status) {
		double seconds = run(&w, b, &status, e);

		if (check_outputs(&w, b, &why) && status != STATUS_STOPPED) {
			*e = why;
			status = why.status;
		}
		if (!status) {
			p = capture_get_progress(w.capture);
			cell->member_bytes = p.member_bytes;
			*rate = (double)b->source->size / seconds;
		}
	}
	writing_free(&w, b);
	return status;
}

static enum status measure_ceiling(struct bench *b, const struct cell *cell, enum measure what,
				   double *rate, struct error *e)
{
	const struct ceiling ceiling = {
		.sample = &b->sample,
		.preset = &cell->codec->presets.list[0],	/* the fastest one of auto */
		.block_size = cell->block_size,
		.chunk_size = b->settings->chunk_size,
		.threads = threads_of(cell),
		.stop = &b->stop,
	};
	struct ceiling_figures figures;
	enum status status = ceiling_run(&ceiling, what, b->watch, &figures, e);

	if (!status)
		*rate = (double)figures.bytes / figures.seconds;
	return status;
}

/* --- a benchmark --------------------------------------------------------- */

enum status bench_new(struct bench **bench, const struct bench_settings *settings,
		      struct source *source, struct error *e)
{
	enum status status = check_cells(settings, e);
	struct bench *b;

	if (status)
		return status;
	b = calloc(1, sizeof(*b));
	if (!b)
		return error_system(e, ENOMEM, "benchmark");
	b->settings = settings;
	b->source = source;
	status = targets_init(b, most_outputs(settings), e);
	if (!status)
		status = cells_init(b, e);
	if (!status)
		status = sample_take(&b->sample, b->source, b->settings->chunk_size, b->settings->sample, e);
	if (status) {
		bench_free(b);
		return status;
	}
	*bench = b;
	return STATUS_OK;
}

void bench_free(struct bench *b)
{
	if (!b)
		return;
	targets_remove(b);
	free(b->targets);
	for (size_t i = 0; i < b->results.count; i++)
		for (int what = 0; what < MEASURES; what++)
			samples_free(&b->results.cells[i].rate[what]);
	free(b->results.cells);
	free(b->sample.bytes);
	free(b);
}

static enum status measure(struct bench *b, struct cell *cell, enum measure what, double *rate, struct error *e)
{
	if (measure_is_ceiling(what))
		return measure_ceiling(b, cell, what, rate, e);
	return what == MEASURE_CAPTURE ? measure_capture(b, cell, rate, e) : measure_walk(b, cell, what, rate, e);
}

/* Adds the samples of all these measures or none, so that those of the same round have the same index. */
static enum status measure_group(struct bench *b, struct cell *cell, enum measure from, enum measure to,
				 bool counted, struct error *e)
{
	double rate[MEASURES] = { 0 };

	for (enum measure what = from; what < to; what++) {
		enum status status = measure(b, cell, what, &rate[what], e);

		if (status)
			return status;
	}
	for (enum measure what = from; counted && what < to; what++)
		samples_add(&cell->rate[what], rate[what]);
	return STATUS_OK;
}

static enum status measure_cell(struct bench *b, struct cell *cell, bool counted, struct error *e)
{
	enum status status = measure_group(b, cell, 0, MEASURE_UNPACK, counted, e);

	b->results.captures += !status && counted;
	if (!status && cell->reads)
		status = measure_group(b, cell, MEASURE_UNPACK, MEASURES, counted, e);
	return status;
}

static enum status measure_round(struct bench *b, unsigned round, bool counted, struct error *e)
{
	struct bench_results *r = &b->results;

	for (size_t i = 0; i < r->count; i++) {
		struct cell *cell = &r->cells[round % 2 ? r->count - 1 - i : i];
		enum status status;

		if (atomic_load(&b->stop))
			return error_set(e, STATUS_STOPPED, "stopped");
		r->now = cell;
		status = measure_cell(b, cell, counted, e);
		if (status)
			return status;
		r->done++;
		b->watch->tick(b->watch->arg);
	}
	return STATUS_OK;
}

enum status bench_run(struct bench *b, const struct watch *watch, struct error *e)
{
	unsigned warmups = b->settings->warmups, rounds = warmups + b->settings->rounds;
	enum status status = STATUS_OK;

	b->watch = watch;
	b->results.started = clock_seconds();
	for (unsigned round = 0; round < rounds && !status; round++)
		status = measure_round(b, round, round >= warmups, e);
	return status;
}

void bench_stop(struct bench *b)
{
	atomic_store(&b->stop, true);
	if (b->capture)
		capture_stop(b->capture);
	if (b->walk)
		walk_stop(b->walk);
}

void bench_abandon(struct bench *b)
{
	if (b->output)
		output_file_abandon(b->output);
	targets_remove(b);
}

const struct bench_results *bench_results(const struct bench *b)
{
	return &b->results;
}
