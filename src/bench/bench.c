// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/names.h"
#include "base/system.h"
#include "base/thread_pool.h"
#include "bench/bench.h"
#include "capture/engine/capture.h"
#include "export/output_file.h"
#include "fakevmcore/pattern.h"
#include "io/sink.h"
#include "set/read/range.h"
#include "set/read/walk.h"

/* --- the outputs: written repeatedly, read back, and removed at the end ---- */

struct target {
	const char *name;		/* borrowed from the settings */
	bool made;			/* a file that the benchmark has created */
	bool making;			/* the running capture creates it */
	bool on_disk;			/* a file or a block device, which can be read and cached */
};

struct targets {
	struct target *targets;		/* the most that a cell needs; owned */
	unsigned count;
	unsigned readable;		/* number of targets, from the first, that can be read */
	struct target join;		/* where the source is restored to; it is not removed */
	bool force;			/* existing files may be overwritten */
	const struct source *source;	/* borrowed */
	enum caches caches;
};

/* Removing files from the page cache, so that they are read from the disk. */

static const char control[] = "/proc/sys/vm/drop_caches";

/* True if caches_drop() is permitted.  Drops nothing. */
static bool caches_can_drop(void)
{
	return access(control, W_OK) == 0;
}

/* Drops the page cache of the whole machine.  False: nothing was dropped. */
static bool caches_drop(void)
{
	int fd = open(control, O_WRONLY | O_CLOEXEC);
	bool dropped = fd >= 0 && write(fd, "1", 1) == 1;

	if (fd >= 0)
		close(fd);
	return dropped;
}

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

static enum status take_names(struct targets *t, const struct names *names, unsigned needed,
			      struct error *e)
{
	unsigned given = (unsigned)names->count;

	if (needed > given && !(given == 1 && is_null(names->names[0])))
		return error_set(e, STATUS_USAGE, "%u outputs are needed, but only %u given",
				 needed, given);
	t->targets = calloc(needed, sizeof(*t->targets));
	if (!t->targets)
		return error_system(e, ENOMEM, "benchmark");
	for (unsigned i = 0; i < needed; i++)
		t->targets[i].name = names->names[i % given];
	t->count = needed;
	return STATUS_OK;
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

/* Finds out which targets can be written repeatedly and which can be read. */
static enum status survey(struct targets *t, struct error *e)
{
	for (unsigned i = 0; i < t->count; i++) {
		enum status status = survey_one(&t->targets[i], e);

		if (status)
			return status;
		if (t->targets[i].on_disk && t->readable == i)
			t->readable++;
	}
	return survey_one(&t->join, e);
}

static enum caches choose_caches(const struct targets *t, enum cache_way way)
{
	bool members = false;

	for (unsigned i = 0; i < t->count; i++)
		members |= t->targets[i].on_disk;
	if (!members && t->source->fd < 0)
		return CACHES_NONE;
	switch (way) {
	case CACHE_DROP_MEMBERS:
		return members ? CACHES_MEMBERS : CACHES_KEPT;
	case CACHE_DROP:
		return caches_can_drop() ? CACHES_DROPPED : CACHES_FILES;
	default:
		return CACHES_KEPT;
	}
}

/* STATUS_USAGE: there are too few, or one can be written only once. */
static enum status targets_init(struct targets *t, const struct bench_settings *settings,
			 const struct source *source, unsigned needed, struct error *e)
{
	enum status status;

	*t = (struct targets){
		.source = source,
		.join.name = settings->join_to,
		.force = settings->permits & PERMIT_OVERWRITE,
	};
	status = take_names(t, &settings->outputs, needed, e);
	if (!status)
		status = survey(t, e);
	if (!status)
		t->caches = choose_caches(t, settings->cache);
	return status;
}

static void targets_free(struct targets *t)
{
	free(t->targets);
	*t = (struct targets){ 0 };
}

/* Removes the files that the benchmark has created. */
static void targets_remove(const struct targets *t)
{
	for (unsigned i = 0; i < t->count; i++)
		if (t->targets[i].made || t->targets[i].making)
			unlink(t->targets[i].name);
}

/* Removes a file that the benchmark has created, or empties one that may be overwritten. */
static bool clear(const struct targets *t, struct target *target)
{
	struct stat st;

	if (target->made) {
		target->made = false;
		return unlink(target->name) == 0;
	}
	return t->force && stat(target->name, &st) == 0 && S_ISREG(st.st_mode) &&
	       truncate(target->name, 0) == 0;
}

/*
 * Removes or empties files before they are written, so that freeing their space is not measured.
 */
static void targets_clear(const struct targets *t, struct target *targets, unsigned count)
{
	bool any = false;

	for (unsigned i = 0; i < count; i++)
		any |= clear(t, &targets[i]);
	/* Some file systems free space only when they write their metadata. */
	if (any)
		sync();
}

/* Before each measurement. */
static void targets_drop_caches(const struct targets *t)
{
	if (t->caches == CACHES_DROPPED)
		caches_drop();
	if (t->caches != CACHES_FILES && t->caches != CACHES_MEMBERS)
		return;
	if (t->caches == CACHES_FILES && t->source->fd >= 0)
		caches_drop_file(t->source->name);
	for (unsigned i = 0; i < t->count; i++)
		if (t->targets[i].on_disk)
			caches_drop_file(t->targets[i].name);
}

/* The current activity of the benchmark, so that the tick of the watch, in the same thread, can stop it. */

struct capture;
struct output_file;
struct walk;

struct activity {
	const struct watch *watch;
	atomic_bool stop;
	struct capture *capture;	/* NULL if none is running, as are the next two */
	struct walk *walk;
	const struct output_file *output;
	bool hung;			/* a thread may still use an output: do not free it */
};

enum { RANDOM_READ = 4096 };

/* --- measures of reading ------------------------------------------------- */

/* set_open() fails if a member is not intact; warnings are not needed. */
static void warn(void *arg, const struct error *e)
{
	(void)arg, (void)e;
}

static enum status open_set(struct set *set, const struct names *members, struct error *e)
{
	const struct set_settings settings = { .warn = warn };

	return set_open(set, members, &settings, e);
}

/* The capture has checked for unreadable blocks, and damage ends the walk. */
static void nothing_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	(void)arg, (void)offset, (void)length;
}

static void damaged(void *arg, const struct error *e)
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

/* copy is NULL if the set is only verified. */
static enum status walk_set(struct set *set, unsigned threads, struct copy *copy,
			    struct activity *activity, struct error *e)
{
	struct walk_settings settings = {
		.threads = threads,
		.ordered = copy && !output_file_seekable(copy->output),
		.to = set->source_size,
		.mode = copy ? WALK_BYTES : WALK_CHECK,
		.deliver = copy_deliver,
		.deliver_arg = copy,
		.unreadable = nothing_unreadable,
		.damaged = damaged,
		.watch = *activity->watch,
	};
	struct walk *walk = NULL;
	enum status status = walk_new(&walk, set, &settings, e);

	if (!status) {
		activity->walk = walk;
		status = walk_run(walk, e);
		activity->walk = NULL;
	}
	if (!status)
		status = check_whole(walk, e);
	walk_free(walk);
	return status;
}

static enum status join(struct set *set, unsigned threads, struct target *target, bool force,
			struct activity *activity, struct error *e)
{
	struct output_file output;
	struct copy copy = { .output = &output };
	/* Its owner and what it held were looked at before the first round. */
	unsigned permits = PERMIT_ANY_OWNER | (force ? PERMIT_OVERWRITE | PERMIT_DUMPS : 0);
	enum status status = output_file_probe(&output, target->name, permits, true, e);
	bool is_new = output.kind == OUTPUT_FILE && !output.identity.type;

	if (!status)
		status = output_file_open(&output, e);
	activity->output = &output;
	if (!status)
		status = walk_set(set, threads, &copy, activity, e);
	if (!status)
		status = output_file_finish(&output, set->source_size, e);
	activity->output = NULL;
	target->made = !status && is_new;
	output_file_free(&output);
	return status;
}

/*
 * Opens and reads a set, which must be complete, as njoin --verify or njoin -o does; *seconds is
 * the time that this has taken.
 */
static enum status reading_verify(const struct names *members, unsigned threads,
				  struct activity *activity, double *seconds, struct error *e)
{
	double started = clock_seconds();
	struct set set;
	enum status status = open_set(&set, members, e);

	if (!status)
		status = walk_set(&set, threads, NULL, activity, e);
	*seconds = clock_seconds() - started;
	set_close(&set);
	return status;
}

static enum status reading_join(const struct names *members, unsigned threads,
				struct target *target, bool force, struct activity *activity,
				double *seconds, struct error *e)
{
	double started = clock_seconds();
	struct set set;
	enum status status = open_set(&set, members, e);

	if (!status)
		status = join(&set, threads, target, force, activity, e);
	*seconds = clock_seconds() - started;
	set_close(&set);
	return status;
}

/* Drops the records of the cell with this byte, of which a set without layers has one, from the page cache. */
static void drop_records(const struct set *set, uint64_t offset)
{
	size_t end = set_find_cell(set, offset / set->cell_size + 1);

	for (size_t i = set_find(set, offset); i < end; i++) {
		const struct location *location = set->map[i];

		posix_fadvise(set->members[location->member].fd, (off_t)location->entry.member_offset,
			      (off_t)location->entry.record_length, POSIX_FADV_DONTNEED);
	}
}

/* Reads zeros that no member stores, which takes no time worth a figure. */
static bool is_left_out(struct range_reader *reader, uint64_t offset, size_t len)
{
	struct extent x;
	struct error e;

	return set_has_layers(reader->set) && !resolve(&reader->resolver, offset, len, &x, &e) &&
	       x.kind == EXTENT_LEFT_OUT;
}

/* For each page that counts, if almost all are left out. */
enum { TRIES = 20 };

static enum status read_at_random(struct range_reader *reader, unsigned count, uint64_t seed,
				  bool uncached, struct activity *activity, struct samples *latency,
				  struct error *e)
{
	uint64_t pages = max_u64(reader->set->source_size / RANDOM_READ, 1);
	size_t len = min_u64(RANDOM_READ, reader->set->source_size);
	uint8_t page[RANDOM_READ];
	unsigned read = 0;

	for (uint64_t i = 0; read < count && i < (uint64_t)count * TRIES && !atomic_load(&activity->stop); i++) {
		uint64_t offset = pattern_mix(seed + i * PATTERN_STEP) % pages * RANDOM_READ;
		enum status status;
		double seconds;

		if (uncached)
			drop_records(reader->set, offset);
		range_reader_forget(reader);
		seconds = clock_seconds();
		status = range_read(reader, offset, len, page, e);
		if (status)
			return status;
		seconds = clock_seconds() - seconds;
		if (!is_left_out(reader, offset, len)) {
			samples_add(latency, seconds);
			read++;
		}
		if (i % 64 == 0)
			activity->watch->tick(activity->watch->arg);
	}
	return atomic_load(&activity->stop) ? error_set(e, STATUS_STOPPED, "stopped") : STATUS_OK;
}

/*
 * Reads RANDOM_READ bytes count times in one thread, at offsets that depend only on the seed, and
 * adds the seconds that each read has taken, without opening the set.  uncached: removes the record
 * from the page cache before each read.  Pages that were left out do not count; if almost all are, fewer are read.
 */
static enum status reading_random(const struct names *members, unsigned count, uint64_t seed,
				  bool uncached, struct activity *activity, struct samples *latency,
				  struct error *e)
{
	struct range_reader reader = { 0 };
	struct set set;
	enum status status = open_set(&set, members, e);

	if (!status)
		status = range_reader_init(&reader, &set, e);
	if (!status)
		status = read_at_random(&reader, count, seed, uncached, activity, latency, e);
	range_reader_free(&reader);
	set_close(&set);
	return status;
}

/* --- a benchmark --------------------------------------------------------- */

/* Measuring one capture. */

/* The results of a capture. */
struct written {
	double seconds;
	uint64_t stored_bytes;		/* of the source */
	uint64_t member_bytes;
	struct bench_left_out left_out;
};

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

/*
 * Captures the source to the outputs of the cell, and marks the files that it creates.  A capture
 * that is not perfect, or that has lost an output, is an error.
 */
static enum status writing_run(const struct cell *cell, const struct bench_settings *settings, struct source *source,
			       struct targets *targets, struct activity *activity, struct written *written,
			       struct error *e)
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

struct bench {
	const struct bench_settings *settings;
	struct source *source;
	struct source *sample;		/* for the ceiling; the source itself if it is in memory */
	struct targets targets;
	struct matrix matrix;
	struct activity activity;
	struct bench_left_out left_out;	/* by the latest capture */
	unsigned done;			/* measurements of a cell, in all rounds */
	double started;
	const struct cell *now;
};

/* Of the pages that captures store.  Fails if pages are to be left out of a source that does not describe them. */
static enum status take_sample(struct bench *b, struct error *e)
{
	const struct bench_settings *s = b->settings;
	const struct layer_policy *policy = NULL;
	enum status status = STATUS_OK;

	if (s->pages.begin) {
		policy = s->pages.begin(s->pages.arg, b->source, e);
		if (!policy)
			return e->status;
	}
	if (policy || b->source->fd >= 0)
		status = sample_take(&b->sample, b->source, policy, s->chunk_size, s->sample, e);
	if (policy)
		s->pages.end(s->pages.arg);
	return status;
}

enum status bench_new(struct bench **bench, const struct bench_settings *settings,
		      struct source *source, struct error *e)
{
	enum status status = matrix_check(settings, e);
	struct bench *b;

	if (status)
		return status;
	b = calloc(1, sizeof(*b));
	if (!b)
		return error_system(e, ENOMEM, "benchmark");
	b->settings = settings;
	b->source = b->sample = source;
	status = targets_init(&b->targets, settings, source, matrix_most_outputs(settings), e);
	if (!status)
		status = matrix_init(&b->matrix, settings, b->targets.readable, e);
	if (!status)
		status = take_sample(b, e);
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
	targets_remove(&b->targets);
	targets_free(&b->targets);
	matrix_free(&b->matrix);
	if (b->sample != b->source)
		source_close(b->sample);
	free(b);
}

static unsigned threads_of(const struct cell *cell)
{
	return (unsigned)max_u64(cell->threads, 1);
}

static enum status measure_ceiling(struct bench *b, const struct cell *cell, enum measure what,
				   double *rate, struct error *e)
{
	const struct ceiling ceiling = {
		.source = b->sample,
		.sample = b->settings->sample,
		.preset = &cell->codec->presets.list[0],	/* the fastest one of auto */
		.block_size = cell->block_size,
		.chunk_size = b->settings->chunk_size,
		.threads = threads_of(cell),
		.stop = &b->activity.stop,
	};
	struct ceiling_figures figures;
	enum status status = ceiling_run(&ceiling, what, b->activity.watch, &figures, e);

	if (!status)
		*rate = (double)figures.bytes / figures.seconds;
	return status;
}

/* Adds all three samples or none, so that samples of the same round have the same index. */
static enum status measure_capture(struct bench *b, struct cell *cell, bool counted,
				   struct error *e)
{
	struct written written = { 0 };
	double copy, pack;
	enum status status = measure_ceiling(b, cell, MEASURE_COPY, &copy, e);

	if (!status)
		status = measure_ceiling(b, cell, MEASURE_PACK, &pack, e);
	if (status)
		return status;
	targets_clear(&b->targets, b->targets.targets, cell->outputs);
	targets_drop_caches(&b->targets);
	status = writing_run(cell, b->settings, b->source, &b->targets, &b->activity, &written, e);
	if (status)
		return status;
	b->left_out = written.left_out;
	cell->stored_bytes = written.stored_bytes;
	if (!counted)
		return STATUS_OK;
	cell->member_bytes = written.member_bytes;
	samples_add(&cell->rate[MEASURE_COPY], copy);
	samples_add(&cell->rate[MEASURE_PACK], pack);
	samples_add(&cell->rate[MEASURE_CAPTURE], (double)written.stored_bytes / written.seconds);
	return STATUS_OK;
}

static enum status measure_walk(struct bench *b, const struct cell *cell,
				const struct names *members, enum measure what, double *rate,
				struct error *e)
{
	struct target *join = &b->targets.join;
	enum status status;
	double seconds;

	if (what == MEASURE_JOIN)
		targets_clear(&b->targets, join, 1);
	targets_drop_caches(&b->targets);
	if (what == MEASURE_JOIN)
		status = reading_join(members, threads_of(cell), join, b->targets.force,
				      &b->activity, &seconds, e);
	else
		status = reading_verify(members, threads_of(cell), &b->activity, &seconds, e);
	*rate = (double)cell->stored_bytes / seconds;
	return status;
}

static enum status measure_walks(struct bench *b, struct cell *cell, const struct names *members,
				 bool counted, struct error *e)
{
	double unpack, verify, join;
	enum status status = measure_ceiling(b, cell, MEASURE_UNPACK, &unpack, e);

	if (!status)
		status = measure_walk(b, cell, members, MEASURE_VERIFY, &verify, e);
	if (!status)
		status = measure_walk(b, cell, members, MEASURE_JOIN, &join, e);
	if (status || !counted)
		return status;
	samples_add(&cell->rate[MEASURE_UNPACK], unpack);
	samples_add(&cell->rate[MEASURE_VERIFY], verify);
	samples_add(&cell->rate[MEASURE_JOIN], join);
	return STATUS_OK;
}

static enum status measure_random(struct bench *b, struct cell *cell, const struct names *members,
				  unsigned round, bool counted, struct error *e)
{
	bool uncached = b->targets.caches != CACHES_KEPT;
	size_t before = cell->latency.count;
	enum status status;

	targets_drop_caches(&b->targets);
	status = reading_random(members, b->settings->random_reads, round, uncached, &b->activity,
				&cell->latency, e);
	if (!counted)
		cell->latency.count = before;
	return status;
}

static enum status read_back(struct bench *b, struct cell *cell, unsigned round, bool counted,
			     struct error *e)
{
	const struct names members = { b->settings->outputs.names, cell->outputs };
	enum status status = measure_walks(b, cell, &members, counted, e);

	return status ? status : measure_random(b, cell, &members, round, counted, e);
}

static enum status measure_cell(struct bench *b, struct cell *cell, unsigned round, bool counted,
				struct error *e)
{
	enum status status = measure_capture(b, cell, counted, e);

	if (!status && cell->reads)
		status = read_back(b, cell, round, counted, e);
	return status;
}

static enum status measure_round(struct bench *b, unsigned round, bool counted, struct error *e)
{
	for (size_t i = 0; i < b->matrix.count; i++) {
		struct cell *cell = &b->matrix.cells[round % 2 ? b->matrix.count - 1 - i : i];
		enum status status;

		if (atomic_load(&b->activity.stop))
			return error_set(e, STATUS_STOPPED, "stopped");
		b->now = cell;
		status = measure_cell(b, cell, round, counted, e);
		if (status)
			return status;
		b->done++;
		b->activity.watch->tick(b->activity.watch->arg);
	}
	return STATUS_OK;
}

enum status bench_run(struct bench *b, const struct watch *watch, struct error *e)
{
	unsigned warmups = b->settings->warmups, rounds = warmups + b->settings->rounds;
	enum status status = STATUS_OK;

	b->activity.watch = watch;
	b->started = clock_seconds();
	for (unsigned round = 0; round < rounds && !status; round++)
		status = measure_round(b, round, round >= warmups, e);
	return status;
}

void bench_stop(struct bench *b)
{
	atomic_store(&b->activity.stop, true);
	if (b->activity.capture)
		capture_stop(b->activity.capture);
	if (b->activity.walk)
		walk_stop(b->activity.walk);
}

void bench_abandon(struct bench *b)
{
	if (b->activity.output)
		output_file_abandon(b->activity.output);
	targets_remove(&b->targets);
}

bool bench_hung(const struct bench *b)
{
	return b->activity.hung;
}

void bench_get_progress(const struct bench *b, struct bench_progress *progress)
{
	unsigned rounds = b->settings->warmups + b->settings->rounds;

	*progress = (struct bench_progress){
		.done = b->done,
		.total = (unsigned)b->matrix.count * rounds,
		.seconds = clock_seconds() - b->started,
		.cell = b->now,
	};
}

const struct cell *bench_cells(const struct bench *b, size_t *count)
{
	*count = b->matrix.count;
	return b->matrix.cells;
}

bool bench_has_results(const struct bench *b)
{
	for (size_t i = 0; i < b->matrix.count; i++)
		if (b->matrix.cells[i].rate[MEASURE_CAPTURE].count)
			return true;
	return false;
}

enum caches bench_caches(const struct bench *b)
{
	return b->targets.caches;
}

const struct bench_left_out *bench_left_out(const struct bench *b)
{
	return &b->left_out;
}
