// SPDX-License-Identifier: GPL-2.0-or-later
/* nsplit-mount: shows the source of a capture as files. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <syslog.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "cmd/common/left_out.h"
#include "cmd/common/message.h"
#include "cmd/common/operands.h"
#include "cmd/nsplit-mount/fuse.h"
#include "cmd/nsplit-mount/options.h"
#include "export/set_core.h"
#include "io/transfer.h"

/*
 * Going into the background.  The process that was started exits when the one in the background is
 * ready, with the status that this one determines.
 */

/* The signals that ask to stop, which the mount handles. */
static void stopping_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGHUP);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
}

/* Signals that were ignored when the program was started stay ignored. */
static void restore_default(int signal)
{
	struct sigaction action;

	if (sigaction(signal, NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
		action = (struct sigaction){ .sa_handler = SIG_DFL };
		sigaction(signal, &action, NULL);
	}
}

/* What the parent does from here on; the child serves the mount. */
static void wait_for_child(int fd, const sigset_t *mask)
{
	unsigned char status;
	sigset_t stopping;
	ssize_t got;

	restore_default(SIGHUP);
	restore_default(SIGINT);
	restore_default(SIGTERM);
	sigprocmask(SIG_SETMASK, mask, NULL);
	do
		got = read(fd, &status, 1);
	while (got < 0 && errno == EINTR);
	if (got != 1)
		_exit(EXIT_FAILED);
	/* From here on a signal is too late: the answer lets the child continue. */
	stopping_signals(&stopping);
	sigprocmask(SIG_BLOCK, &stopping, NULL);
	transfer_write(fd, &status, 1);
	_exit(status);
}

/*
 * Returns only in the child, or in the parent if there is no child.  Call it before threads are
 * created; *ready is for daemon_ready().  If the child ends before that, it has reported an error,
 * and the parent ends with EXIT_FAILED.
 */
static enum status daemon_begin(int *ready, struct error *e)
{
	sigset_t stopping, mask;
	int ends[2], errnum;
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return error_system(e, errno, "socketpair");
	/*
	 * Otherwise the mount's handlers would catch a signal in the parent, which would then
	 * continue.
	 */
	stopping_signals(&stopping);
	sigprocmask(SIG_BLOCK, &stopping, &mask);
	child = fork();
	errnum = errno;
	if (child > 0) {
		close(ends[1]);
		wait_for_child(ends[0], &mask);
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (child < 0) {
		close(ends[0]);
		close(ends[1]);
		return error_system(e, errnum, "cannot go into the background");
	}
	close(ends[0]);
	setsid();
	*ready = ends[1];
	return STATUS_OK;
}

/* Leaves the terminal and the directory. */
static void leave(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	if (null > STDERR_FILENO)
		close(null);
	/* The file system of a working directory cannot be unmounted. */
	if (chdir("/") < 0)
		message("/: %m");
}

/*
 * The parent exits with this status; the child leaves its terminal and directory.  False: a signal
 * has ended the parent, so the child should end, too.
 */
static bool daemon_ready(int ready, int exit_status)
{
	unsigned char status = (unsigned char)exit_status;
	bool waited_for;

	leave();
	waited_for = transfer_write(ready, &status, 1) == 1 &&
		     transfer_read(ready, &status, 1) == 1;
	close(ready);
	return waited_for;
}

/* What is missing in a mount, as known before anything is read. */

/* Returns the bytes of all holes. */
static uint64_t report_holes(const struct set *set, const struct set_absent *absent, bool all)
{
	struct message_ranges ranges;
	uint64_t offset = 0, length;

	message_ranges_begin(&ranges, all ? UINT_MAX : RANGES_SHOWN);
	for (; set_absent_next_missing(set, absent, &offset, &length); offset += length)
		message_range(&ranges, offset, length);
	message_ranges_end(&ranges);
	return ranges.bytes;
}

/* absent is of a set with layers, and otherwise not used. */
static bool mount_is_incomplete(const struct set *set, const struct set_absent *absent)
{
	uint64_t offset = 0, length;

	return set_absent_next_missing(set, absent, &offset, &length) ||
	       set_absent_unreadable(set, absent) ||
	       set->stopped;
}

static const char *consequence(const struct mount_options *options)
{
	return options->zero_holes ? "reads there return zeros" : "reads there fail";
}

static void mount_report_missing(const struct set *set, const struct set_absent *absent,
				 const struct mount_options *options)
{
	uint64_t bytes, offset = 0, length, unreadable = set_absent_unreadable(set, absent);
	char text[SIZE_TEXT_LENGTH];

	/* First the members, since they can be looked for. */
	if (set_absent_next_missing(set, absent, &offset, &length)) {
		members_report_missing(set);
		bytes = report_holes(set, absent, options->verbose);
		message("missing: %s in total; %s", size_format(bytes, text),
			consequence(options));
	}
	if (unreadable)
		message("unreadable when captured: %" PRIu64 " block%s; %s", unreadable,
			plural(unreadable), consequence(options));
	if (set->stopped)
		message("the capture ended before the end of the source");
}

enum {
	DAMAGE_LISTED = 100,
	/* More do not make one reader faster, and each takes memory for a record and its blocks. */
	READAHEAD_THREADS_MAX = 8,
	/*
	 * See memory_return().  Records differ in size, and a heap of them grew to twice its use.
	 */
	MAPPED_FROM = 64 << 10,
	CACHE_RECORDS = 4,
};

/* The state of the program.  main() has it and passes it to all functions. */
struct nsplit_mount {
	struct mount_options options;
	char *mountpoint;		/* absolute; owned */
	struct set set;
	struct set_absent absent;	/* with layers */
	struct cache *cache;
	struct source_view source;
	struct kdump_view kdump;
	struct file_tree tree;
	struct mount_session *session;
	bool incomplete;		/* as known before mounting */
	bool background;		/* standard error is closed */
	struct message_list damage;	/* any thread adds to it */
};

/* --- messages -------------------------------------------------------------------------- */

static void report(const struct nsplit_mount *mount, const char *text)
{
	if (mount->background)
		syslog(LOG_WARNING, "%s", text);
	else
		message("%s", text);
}

static void report_damage(void *arg, const struct error *e)
{
	struct nsplit_mount *mount = arg;
	enum message_entry entry = message_list_next(&mount->damage);
	struct error last;

	if (entry == ENTRY_FIRST_OMITTED) {
		error_set(&last, STATUS_DAMAGED, "further damage is not listed");
		e = &last;
	}
	if (entry != ENTRY_OMITTED)
		report(mount, e->text);
}

/* --- set and views --------------------------------------------------------------------- */

static enum status refuse_dump(const struct set *set, struct error *e)
{
	if (!set_is_dump(set))
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "%s: is a dump, not a member of a capture; crash opens it as it is, and "
			 "njoin -o FILE makes one intact file of a split, flattened or damaged one",
			 set->members->name);
}

static enum status open_set(struct nsplit_mount *mount, struct error *e)
{
	const struct mount_options *o = &mount->options;
	/* A plain core or a dump is opened only to be refused with advice. */
	struct set_settings settings = { .plain = true, .salvage = o->salvage, .search = o->salvage,
					 .warn = report_damage,
					 .unfinished = members_report_unfinished, .arg = mount };
	enum status status;

	members_skip_absent(&mount->options.members);
	status = members_open(&mount->set, &o->members, &settings, e);
	if (!status)
		status = members_refuse_plain(&mount->set, e);
	if (!status)
		status = refuse_dump(&mount->set, e);
	if (status)
		return status;
	members_report_in_use(&mount->set);
	if (o->verbose)
		members_report(&mount->set);
	return STATUS_OK;
}

static void note_damaged(void *arg, size_t location, const struct error *e)
{
	cache_report(arg, location, e);
}

static void report_captured(const struct nsplit_mount *mount)
{
	const struct layer_totals *totals = &mount->absent.contents.totals;
	char text[CLASS_AMOUNTS_LENGTH];

	if (!mount->options.quiet &&
	    class_amounts_format(totals->memory.left_out, text))
		message("left out when captured: %s; %s", text, mount->options.zero_holes ?
			"zeros in vmcore, not in vmcore.kdump" :
			"reads there fail in vmcore; vmcore.kdump marks them");
}

/* Finds and reports missing data; with layers also left-out data, by the heads of all records. */
static enum status find_missing(struct nsplit_mount *mount, struct error *e)
{
	const struct contents_watch watch = {
		.damaged = note_damaged,
		.arg = mount->cache,
	};
	bool layers = set_has_layers(&mount->set);
	enum status status = STATUS_OK;

	if (layers)
		status = set_absent_find(&mount->absent, &mount->set, &watch, e);
	if (status)
		return status;
	mount_report_missing(&mount->set, &mount->absent, &mount->options);
	if (layers)
		report_captured(mount);
	mount->incomplete = mount_is_incomplete(&mount->set, &mount->absent) || mount->damage.count;
	return STATUS_OK;
}

/*
 * Readers alternate between a few records.  One that did not stay would be read again for each
 * page.
 */
static uint64_t cache_limit(const struct nsplit_mount *mount)
{
	return max_u64(mount->options.cache, CACHE_RECORDS * cache_record_max(&mount->set));
}

static void report_left_out(const struct nsplit_mount *mount)
{
	left_out_report_kept(&mount->kdump.filter);
	if (!mount->options.quiet)
		left_out_report(&mount->kdump.filter, mount->kdump.pages.page_size);
}

/* A source that is not a core is complete without this view; one that cannot be examined is not. */
static enum status open_kdump(struct nsplit_mount *mount, struct error *e)
{
	const struct kdump_view_settings settings = {
		.left_out = mount->options.left_out.classes,
		.threads = mount->options.threads,
		.absent = set_has_layers(&mount->set) ? &mount->absent : NULL,
	};
	enum status status = kdump_view_open(&mount->kdump, &mount->source, &settings, e);

	if (!status) {
		mount->tree.views[mount->tree.count++] = &mount->kdump.view;
		report_left_out(mount);
	}
	if (!status || status == STATUS_NO_MEMORY)
		return status;
	mount->incomplete |= status != STATUS_USAGE;
	if (status != STATUS_USAGE || !mount->options.quiet)
		message("vmcore.kdump is not available: %s", e->text);
	return STATUS_OK;
}

/* The source, and if it is a core, its kdump-compressed form. */
static enum status open_views(struct nsplit_mount *mount, struct error *e)
{
	const struct cache_settings settings = {
		.limit = cache_limit(mount),
		.damaged = report_damage,
		.arg = mount,
	};
	enum status status = cache_new(&mount->cache, &mount->set, &settings, e);

	if (!status)
		status = find_missing(mount, e);
	if (status)
		return status;
	mount->source = (struct source_view){
		.set = &mount->set,
		.cache = mount->cache,
		.zero_holes = mount->options.zero_holes,
	};
	source_view_init(&mount->source);
	mount->tree.views[mount->tree.count++] = &mount->source.view;
	return open_kdump(mount, e);
}

static void complete_tree(struct nsplit_mount *mount)
{
	mount->tree.cache = mount->cache;
	mount->tree.uid = getuid();
	mount->tree.gid = mount->options.access.group;
	mount->tree.mode = mount->options.access.mode;
	mount->tree.time = mount->set.members[0].superblock.created;
}

/* --- mounting ------------------------------------------------------------------------ */

/*
 * Decompression needs CPUs, so there are no more threads than CPUs.  Readahead takes at most a
 * quarter of the cache; otherwise its records would evict each other.
 */
static enum status start_readahead(struct nsplit_mount *mount, struct error *e)
{
	unsigned most = (unsigned)min_u64(threads_default(), READAHEAD_THREADS_MAX);
	unsigned threads = (unsigned)min_u64(mount->options.threads, most);
	uint64_t distance = min_u64((uint64_t)(threads + 1) * mount->set.chunk_size,
				    mount->options.cache / 4);

	if (distance < mount->set.chunk_size || set_has_layers(&mount->set))
		return STATUS_OK;
	return cache_read_ahead(mount->cache, threads, distance, e);
}

static int exit_status(const struct nsplit_mount *mount)
{
	return mount->incomplete || mount->damage.count ? EXIT_INCOMPLETE : EXIT_PERFECT;
}

/* The parent exits, which shows that the mount is ready, only after the last check. */
static enum status continue_in_background(struct nsplit_mount *mount, int ready, struct error *e)
{
	if (mount_session_stopped(mount->session))
		return error_set(e, STATUS_STOPPED, "stopped before the mount was ready");
	openlog("nsplit-mount", LOG_PID, LOG_DAEMON);
	mount->background = true;
	mount_session_use_syslog();
	if (!daemon_ready(ready, exit_status(mount)))
		return error_set(e, STATUS_STOPPED, "stopped before the mount was ready");
	return STATUS_OK;
}

/* Threads are created after daemon_begin(), since fork() does not copy them. */
static enum status serve(struct nsplit_mount *mount, struct error *e)
{
	int ready = -1;
	enum status status = STATUS_OK;

	if (!mount->options.foreground)
		status = daemon_begin(&ready, e);
	if (!status)
		status = start_readahead(mount, e);
	if (!status && !mount->options.foreground)
		status = continue_in_background(mount, ready, e);
	return status ? status : mount_session_serve(mount->session, mount->options.threads, e);
}

static enum status run_all(struct nsplit_mount *mount, struct error *e)
{
	enum status status = mount_point_find(&mount->mountpoint, mount->options.mountpoint, e);

	if (!status)
		status = open_set(mount, e);
	if (!status)
		status = open_views(mount, e);
	if (status)
		return status;
	complete_tree(mount);
	if (mount_point_hides(mount->mountpoint))
		message("warning: %s: is not empty; its files are hidden until it is unmounted",
			mount->options.mountpoint);
	status = mount_session_new(&mount->session, &mount->tree, mount->mountpoint,
				   &mount->options.fuse, e);
	return status ? status : serve(mount, e);
}

/* Unmounts first: after that, no request reads what is freed here. */
static void close_all(struct nsplit_mount *mount)
{
	mount_session_free(mount->session);
	kdump_view_close(&mount->kdump);
	set_absent_free(&mount->absent);
	cache_free(mount->cache);
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
	memory_return(MAPPED_FROM);
	status = mount_options_read(&mount.options, argc, argv);
	/* In the background, the thread would stay in the parent. */
	if (mount.options.foreground)
		message_begin();
	if (status == OPTIONS_READ && !run_all(&mount, &e)) {
		status = exit_status(&mount);
	} else if (status == OPTIONS_READ) {
		report(&mount, e.text);
		status = e.status == STATUS_USAGE ? EXIT_USAGE : EXIT_FAILED;
	}
	close_all(&mount);
	if (!mount.background)
		status = message_close_output(status);
	message_end();
	return status;
}
