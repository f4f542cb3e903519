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
	DAMAGE_LISTED = 100,
	/* More do not make one reader faster, and each takes memory for a record and its blocks. */
	AHEAD_THREADS_MAX = 8,
	/* Records differ in size: a heap of them would have holes as large as what is used. */
	OWN_PAGES_FROM = 64 << 10,
	CACHE_RECORDS = 4,
};

/* All that a run of the program holds; main's, and handed down. */
struct nsplit_mount {
	struct mount_options options;
	char *mountpoint;		/* from the root; owned */
	struct set set;
	struct buffer_pool pool;
	struct cache *cache;
	struct source_view source;
	struct kdump_view kdump;
	struct shown shown;
	struct mounted *mounted;
	bool incomplete;		/* as far as is known before it is mounted */
	bool background;		/* there is no standard error any more */
	struct message_list damage;	/* any thread adds to it */
};

/* --- what is told ------------------------------------------------------------------- */

static void say(const struct nsplit_mount *mount, const char *text)
{
	if (mount->background)
		syslog(LOG_WARNING, "%s", text);
	else
		message("%s", text);
}

static void warn(void *arg, const struct error *e)
{
	struct nsplit_mount *mount = arg;
	enum message_entry entry = message_list_next(&mount->damage);
	struct error last;

	if (entry == ENTRY_FIRST_OMITTED) {
		error_set(&last, STATUS_DAMAGED, "further damage is not listed");
		e = &last;
	}
	if (entry != ENTRY_OMITTED)
		say(mount, e->text);
}

/* Returns the bytes of all holes. */
static uint64_t report_holes(const struct set *set, bool all)
{
	struct message_ranges ranges;
	uint64_t offset = 0, length;

	message_ranges_begin(&ranges, all);
	for (; set_hole(set, &offset, &length); offset += length)
		message_range(&ranges, offset, length);
	message_ranges_end(&ranges);
	return ranges.bytes;
}

static uint64_t count_unreadable(const struct set *set)
{
	uint64_t blocks = 0;

	for (size_t i = 0; i < set->locations; i++)
		if (!set->map[i]->duplicate)
			blocks += set->map[i]->entry.unreadable;
	return blocks;
}

static const char *consequence(const struct nsplit_mount *mount)
{
	return mount->options.zero_holes ? "reads there return zeros" : "reads there fail";
}

/* Returns whether anything is missing. */
static bool report_missing(const struct nsplit_mount *mount)
{
	const struct set *set = &mount->set;
	uint64_t bytes = 0, offset = 0, length, unreadable = count_unreadable(set);
	char text[SIZE_TEXT_LENGTH];

	/* The members first: they are what can be looked for. */
	if (set_hole(set, &offset, &length)) {
		members_report_missing(set);
		bytes = report_holes(set, mount->options.verbose);
		message("missing: %s in total; %s", size_format(bytes, text), consequence(mount));
	}
	if (unreadable)
		message("unreadable when captured: %" PRIu64 " block%s; %s", unreadable,
			unreadable == 1 ? "" : "s", consequence(mount));
	if (set->stopped)
		message("the capture was stopped before the end of the source");
	return bytes || unreadable || set->stopped;
}

/* --- what is shown ------------------------------------------------------------------ */

static enum status open_set(struct nsplit_mount *mount, struct error *e)
{
	const struct mount_options *o = &mount->options;
	struct set_settings settings = { .salvage = o->salvage, .search = o->salvage,
					 .warn = warn, .arg = mount };
	enum status status;

	members_skip_absent(&mount->options.members);
	status = set_open(&mount->set, &o->members, &settings, e);
	if (status)
		return status;
	members_report_in_use(&mount->set);
	if (o->verbose)
		members_report(&mount->set);
	mount->incomplete = report_missing(mount) || mount->damage.count;
	return STATUS_OK;
}

/*
 * Readers go to and fro between a few records at least, and one that is thrown out for each
 * request would be read and checked again for each.
 */
static uint64_t cache_limit(const struct nsplit_mount *mount)
{
	return max_u64(mount->options.cache, CACHE_RECORDS * cache_record_max(&mount->set));
}

/* That the source is no core of Linux is no harm; that nobody can tell is. */
static enum status open_kdump(struct nsplit_mount *mount, struct error *e)
{
	enum status status = kdump_view_open(&mount->kdump, &mount->source, e);

	if (!status)
		mount->shown.views[mount->shown.count++] = &mount->kdump.view;
	if (!status || status == STATUS_NO_MEMORY)
		return status;
	mount->incomplete |= status != STATUS_USAGE;
	if (status != STATUS_USAGE || !mount->options.quiet)
		message("vmcore.kdump is not available: %s", e->text);
	return STATUS_OK;
}

/* The source in any case, and the other form of it if it has one. */
static enum status open_views(struct nsplit_mount *mount, struct error *e)
{
	const struct cache_settings settings = {
		.limit = cache_limit(mount),
		.damaged = warn,
		.arg = mount,
	};
	enum status status = cache_new(&mount->cache, &mount->set, &settings, e);

	if (status)
		return status;
	mount->source = (struct source_view){
		.set = &mount->set,
		.cache = mount->cache,
		.zero_holes = mount->options.zero_holes,
	};
	source_view_init(&mount->source);
	mount->shown.views[mount->shown.count++] = &mount->source.view;
	return open_kdump(mount, e);
}

static void describe(struct nsplit_mount *mount)
{
	mount->shown.pool = &mount->pool;
	mount->shown.uid = getuid();
	mount->shown.gid = mount->options.access.group;
	mount->shown.mode = mount->options.access.mode;
	mount->shown.time = mount->set.members[0].superblock.created;
}

/* --- mounting ------------------------------------------------------------------------ */

/* From the root, since the background stands there. */
static enum status find_mountpoint(struct nsplit_mount *mount, struct error *e)
{
	const char *name = mount->options.mountpoint;
	struct stat st;

	mount->mountpoint = realpath(name, NULL);
	if (!mount->mountpoint || stat(mount->mountpoint, &st) < 0)
		return error_system(e, errno, "%s", name);
	if (!S_ISDIR(st.st_mode))
		return error_set(e, STATUS_USAGE, "%s: is not a directory", name);
	return STATUS_OK;
}

/*
 * Unpacking wants CPUs, so there are not more threads than these.  A quarter of the cache at most,
 * or those records that are read ahead would push each other out.
 */
static enum status start_ahead(struct nsplit_mount *mount, struct error *e)
{
	unsigned most = (unsigned)min_u64(threads_default(), AHEAD_THREADS_MAX);
	unsigned threads = (unsigned)min_u64(mount->options.threads, most);
	uint64_t distance = min_u64((uint64_t)(threads + 1) * mount->set.chunk_size,
				    mount->options.cache / 4);

	if (distance < mount->set.chunk_size)
		return STATUS_OK;
	return readahead_new(&mount->source.readahead, &mount->set, mount->cache, &mount->pool, threads, distance,
			 e);
}

static int exit_status(const struct nsplit_mount *mount)
{
	return mount->incomplete || mount->damage.count ? EXIT_INCOMPLETE : EXIT_PERFECT;
}

/* Whoever waits for it is told that it can be read only if that is so. */
static enum status go_on_behind(struct nsplit_mount *mount, int ready, struct error *e)
{
	if (mounted_stopped(mount->mounted))
		return error_set(e, STATUS_STOPPED, "stopped before the mount was ready");
	openlog("nsplit-mount", LOG_PID, LOG_DAEMON);
	mount->background = true;
	mounted_use_syslog();
	if (!daemon_ready(ready, exit_status(mount)))
		return error_set(e, STATUS_STOPPED, "stopped before the mount was ready");
	return STATUS_OK;
}

/* Threads are made here, since a child has none of its parent's. */
static enum status serve(struct nsplit_mount *mount, struct error *e)
{
	int ready = -1;
	enum status status = STATUS_OK;

	if (!mount->options.foreground)
		status = daemon_begin(&ready, e);
	if (!status)
		status = start_ahead(mount, e);
	if (!status && !mount->options.foreground)
		status = go_on_behind(mount, ready, e);
	return status ? status : mounted_serve(mount->mounted, mount->options.threads, e);
}

static enum status run_all(struct nsplit_mount *mount, struct error *e)
{
	enum status status = find_mountpoint(mount, e);

	if (!status)
		status = open_set(mount, e);
	if (!status)
		status = open_views(mount, e);
	if (status)
		return status;
	describe(mount);
	status = mounted_new(&mount->mounted, &mount->shown, mount->mountpoint, &mount->options.fuse, e);
	return status ? status : serve(mount, e);
}

/* Who reads still is refused before what it reads goes. */
static void close_all(struct nsplit_mount *mount)
{
	mounted_free(mount->mounted);
	readahead_free(mount->source.readahead);
	kdump_view_close(&mount->kdump);
	cache_free(mount->cache);
	buffer_pool_free(&mount->pool);
	set_close(&mount->set);
	free(mount->mountpoint);
	mount_options_free(&mount->options);
}

int main(int argc, char **argv)
{
	struct nsplit_mount mount = { .damage.limit = DAMAGE_LISTED };
	struct error e;
	int status;

	message_open_standard();
	memory_return(OWN_PAGES_FROM);
	buffer_pool_init(&mount.pool);
	status = mount_options_read(&mount.options, argc, argv);
	/* A thread would stay behind in the process that the background is left by. */
	if (mount.options.foreground)
		message_begin(true);
	if (status == OPTIONS_READ && !run_all(&mount, &e)) {
		status = exit_status(&mount);
	} else if (status == OPTIONS_READ) {
		say(&mount, e.text);
		status = e.status == STATUS_USAGE ? EXIT_USAGE : EXIT_FAILED;
	}
	close_all(&mount);
	if (!mount.background)
		status = message_close_output(status);
	message_end();
	return status;
}
