// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "bench/reading.h"
#include "export/copy.h"
#include "fakevmcore/pattern.h"
#include "set/read/range.h"
#include "set/read/walk.h"

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
static void unreadable(void *arg, uint64_t offset, uint64_t length)
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
		.unreadable = unreadable,
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

enum status reading_verify(const struct names *members, unsigned threads,
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

enum status reading_join(const struct names *members, unsigned threads, struct target *target,
			 bool force, struct activity *activity, double *seconds,
			 struct error *e)
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

enum status reading_random(const struct names *members, unsigned count, uint64_t seed,
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
