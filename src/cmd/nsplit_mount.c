// SPDX-License-Identifier: GPL-2.0-or-later
/* nsplit-mount: what nsplit captured, shown as files. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/size.h"
#include "cmd/members.h"
#include "cmd/message.h"
#include "cmd/nsplit_mount_daemon.h"
#include "cmd/nsplit_mount_fuse.h"
#include "cmd/nsplit_mount_options.h"

enum {
	DAMAGE_TOLD = 100,
	/* More do not make one reader faster, and each takes memory for a record and its blocks. */
	AHEAD_THREADS_MAX = 8,
	/* Records differ in size: a heap of them would have holes as large as what is used. */
	OWN_PAGES_FROM = 64 << 10,
	CACHE_RECORDS = 4,
};

/* All that a run of the program holds; main's, and handed down. */
struct run {
	struct mount_options options;
	char *mountpoint;		/* from the root; owned */
	struct set set;
	struct hands hands;
	struct cache *cache;
	struct ahead *ahead;
	struct source_view source;
	struct kdump_view kdump;
	struct shown shown;
	struct mounted *mounted;
	bool incomplete;		/* as far as is known before it is mounted */
	bool background;		/* there is no standard error any more */
	_Atomic unsigned damaged;	/* pieces of damage that were met, by any thread */
};

/* --- what is told ------------------------------------------------------------------- */

static void say(const struct run *run, const char *text)
{
	if (run->background)
		syslog(LOG_WARNING, "%s", text);
	else
		message("%s", text);
}

static void warn(void *arg, const struct error *e)
{
	struct run *run = arg;
	unsigned told = run->damaged++;
	struct error last;

	if (told == DAMAGE_TOLD) {
		error_set(&last, STATUS_DAMAGED, "more damage is not listed");
		e = &last;
	}
	if (told <= DAMAGE_TOLD)
		say(run, e->text);
}

/* Returns the bytes of all holes. */
static uint64_t tell_holes(const struct set *set, bool all)
{
	struct message_ranges ranges = { .all = all };
	uint64_t offset = 0, length;

	for (; set_hole(set, &offset, &length); offset += length)
		message_range(&ranges, offset, length);
	message_ranges_end(&ranges);
	return ranges.bytes;
}

static uint64_t count_unreadable(const struct set *set)
{
	uint64_t blocks = 0;

	for (size_t i = 0; i < set->places; i++)
		if (!set->map[i]->spare)
			blocks += set->map[i]->entry.unreadable;
	return blocks;
}

static const char *consequence(const struct run *run)
{
	return run->options.zero_holes ? "these read as zeros" : "reading these fails";
}

/* Returns whether anything is missing. */
static bool tell_missing(const struct run *run)
{
	const struct set *set = &run->set;
	uint64_t bytes = 0, offset = 0, length, unreadable = count_unreadable(set);
	char text[SIZE_TEXT_LENGTH];

	/* The members first: they are what can be looked for. */
	if (set_hole(set, &offset, &length)) {
		members_tell_missing(set);
		bytes = tell_holes(set, run->options.verbose);
		message("missing: %s in all; %s", size_format(bytes, text), consequence(run));
	}
	if (unreadable)
		message("unreadable when it was captured: %" PRIu64 " block%s; %s", unreadable,
			unreadable == 1 ? "" : "s", consequence(run));
	if (set->stopped)
		message("the capture was stopped before the end of the source");
	return bytes || unreadable || set->stopped;
}

/* --- what is shown ------------------------------------------------------------------ */

static enum status open_set(struct run *run, struct error *e)
{
	const struct mount_options *o = &run->options;
	struct set_settings settings = { .salvage = o->salvage, .search = o->salvage,
					 .warn = warn, .arg = run };
	enum status status;

	members_leave_out_absent(&run->options.members);
	status = set_open(&run->set, &o->members, &settings, e);
	if (status)
		return status;
	members_tell_in_use(&run->set);
	if (o->verbose)
		members_tell(&run->set);
	run->incomplete = tell_missing(run) || run->damaged;
	return STATUS_OK;
}

/*
 * Readers go to and fro between a few records at least, and one that is thrown out for each
 * request would be read and checked again for each.
 */
static uint64_t cache_limit(const struct run *run)
{
	return max_u64(run->options.cache, CACHE_RECORDS * cache_cost(&run->set));
}

/* That the source is no core of Linux is no harm; that nobody can tell is. */
static enum status open_kdump(struct run *run, struct error *e)
{
	enum status status = kdump_view_open(&run->kdump, &run->source, e);

	if (!status)
		run->shown.views[run->shown.count++] = &run->kdump.view;
	if (!status || status == STATUS_NO_MEMORY)
		return status;
	run->incomplete |= status != STATUS_USAGE;
	if (status != STATUS_USAGE || !run->options.quiet)
		message("there is no vmcore.kdump: %s", e->text);
	return STATUS_OK;
}

/* The source in any case, and the other form of it if it has one. */
static enum status open_views(struct run *run, struct error *e)
{
	const struct cache_settings settings = {
		.limit = cache_limit(run),
		.damaged = warn,
		.arg = run,
	};
	enum status status = cache_new(&run->cache, &run->set, &settings, e);

	if (status)
		return status;
	run->source = (struct source_view){
		.set = &run->set,
		.cache = run->cache,
		.zero_holes = run->options.zero_holes,
	};
	source_view_init(&run->source);
	run->shown.views[run->shown.count++] = &run->source.view;
	return open_kdump(run, e);
}

static void describe(struct run *run)
{
	run->shown.hands = &run->hands;
	run->shown.uid = getuid();
	run->shown.gid = run->options.access.group;
	run->shown.mode = run->options.access.mode;
	run->shown.time = run->set.members[0].superblock.created;
}

/* --- mounting ------------------------------------------------------------------------ */

/* From the root, since the background stands there. */
static enum status find_mountpoint(struct run *run, struct error *e)
{
	const char *name = run->options.mountpoint;
	struct stat st;

	run->mountpoint = realpath(name, NULL);
	if (!run->mountpoint || stat(run->mountpoint, &st) < 0)
		return error_system(e, errno, "%s", name);
	if (!S_ISDIR(st.st_mode))
		return error_set(e, STATUS_USAGE, "%s: is no directory to mount on", name);
	return STATUS_OK;
}

/*
 * Unpacking wants CPUs, so there are not more threads than these.  A quarter of the cache at most,
 * or those records that are read ahead would push each other out.
 */
static enum status start_ahead(struct run *run, struct error *e)
{
	unsigned most = (unsigned)min_u64(threads_default(), AHEAD_THREADS_MAX);
	unsigned threads = (unsigned)min_u64(run->options.threads, most);
	uint64_t distance = min_u64((uint64_t)(threads + 1) * run->set.chunk_size,
				    run->options.cache / 4);

	if (distance < run->set.chunk_size)
		return STATUS_OK;
	return ahead_new(&run->source.ahead, &run->set, run->cache, &run->hands, threads, distance,
			 e);
}

static int exit_status(const struct run *run)
{
	return run->incomplete || run->damaged ? EXIT_INCOMPLETE : EXIT_PERFECT;
}

/* Whoever waits for it is told that it can be read only if that is so. */
static enum status go_on_behind(struct run *run, int ready, struct error *e)
{
	if (mounted_stopped(run->mounted))
		return error_set(e, STATUS_STOPPED, "stopped before it was ready");
	openlog("nsplit-mount", LOG_PID, LOG_DAEMON);
	run->background = true;
	mounted_use_syslog();
	if (!daemon_ready(ready, exit_status(run)))
		return error_set(e, STATUS_STOPPED, "stopped before it was ready");
	return STATUS_OK;
}

/* Threads are made here, since a child has none of its parent's. */
static enum status serve(struct run *run, struct error *e)
{
	int ready = -1;
	enum status status = STATUS_OK;

	if (!run->options.foreground)
		status = daemon_begin(&ready, e);
	if (!status)
		status = start_ahead(run, e);
	if (!status && !run->options.foreground)
		status = go_on_behind(run, ready, e);
	return status ? status : mounted_serve(run->mounted, run->options.threads, e);
}

static enum status run_all(struct run *run, struct error *e)
{
	enum status status = find_mountpoint(run, e);

	if (!status)
		status = open_set(run, e);
	if (!status)
		status = open_views(run, e);
	if (status)
		return status;
	describe(run);
	status = mounted_new(&run->mounted, &run->shown, run->mountpoint, &run->options.fuse, e);
	return status ? status : serve(run, e);
}

/* Who reads still is refused before what it reads goes. */
static void close_all(struct run *run)
{
	mounted_free(run->mounted);
	ahead_free(run->source.ahead);
	kdump_view_close(&run->kdump);
	cache_free(run->cache);
	hands_free(&run->hands);
	set_close(&run->set);
	free(run->mountpoint);
	mount_options_free(&run->options);
}

int main(int argc, char **argv)
{
	struct run run = { 0 };
	struct error e;
	int status;

	message_open_standard();
	memory_return(OWN_PAGES_FROM);
	hands_init(&run.hands);
	status = mount_options_read(&run.options, argc, argv);
	/* A thread would stay behind in the process that the background is left by. */
	if (run.options.foreground)
		message_begin(true);
	if (status == OPTIONS_READ && !run_all(&run, &e)) {
		status = exit_status(&run);
	} else if (status == OPTIONS_READ) {
		say(&run, e.text);
		status = e.status == STATUS_USAGE ? EXIT_USAGE : EXIT_FAILED;
	}
	close_all(&run);
	if (!run.background)
		status = message_close_output(status);
	message_end();
	return status;
}
