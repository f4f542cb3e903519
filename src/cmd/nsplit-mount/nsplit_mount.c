// SPDX-License-Identifier: GPL-2.0-or-later
/* nsplit-mount: shows the source of a capture as files. */
#include "config.h"

#define FUSE_USE_VERSION 312

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/names.h"
#include "base/option_table.h"
#include "base/text.h"
#include "cmd/common/common_options.h"
#include "cmd/common/left_out.h"
#include "cmd/common/message.h"
#include "cmd/common/operands.h"
#include "export/set_core.h"
#include "io/path.h"
#include "io/transfer.h"
#include "mount/view.h"

enum {
	DAMAGE_LISTED = 100,
	/* More do not make one reader faster, and each takes memory for a record and its blocks. */
	READAHEAD_THREADS_MAX = 8,
	/*
	 * See memory_return().  Records differ in size, and a heap of them grew to twice its use.
	 */
	MAPPED_FROM = 64 << 10,
	CACHE_RECORDS = 4,
	VIEWS_MAX = 2,
	LOG_LENGTH = 512,
};

/* --- the command line; nsplit-mount.1 describes it -------------------------------------- */

struct mount_options {
	uint64_t cache;			/* bytes */
	unsigned threads;
	struct left_out_option left_out;
	bool foreground;
	bool zero_holes;
	bool salvage;
	bool quiet, verbose;
	struct names fuse;		/* of each -o; owned */
	struct names members;		/* expanded; owned */
	const char *mountpoint;
};

/* Enough for the tables that readers visit repeatedly, and for some readers ahead. */
enum { CACHE_DEFAULT = 64 << 20 };

enum { FUSE_OPTIONS_MAX = 100 };

static enum status add_fuse_options(void *settings, const struct option_call *call,
				    struct error *e)
{
	struct mount_options *o = settings;

	if (names_append(&o->fuse, call->text, FUSE_OPTIONS_MAX, e))
		return error_prefix(e, "-o: ");
	return STATUS_OK;
}

#define FIELD(field) OPTION_FIELD(struct mount_options, field)

static const struct option_entry entries[] = {
	{ "cache", 0, "SIZE", "keep up to SIZE bytes of records in memory (64M)",
	  option_set_size, FIELD(cache), .most = OFFSET_MAX, .basic = true },
	{ "dump-level", 'd', "LEVEL", "leave pages out of vmcore.kdump; LEVEL is the sum of 1 (zero), 2 (cache), "
	  "4 (private cache), 8 (user) and 16 (free)", left_out_set_level, FIELD(left_out), .basic = true },
	{ "exclude", 0, "LIST", "the same by name: zero, cache, private, user, free",
	  left_out_set_words, FIELD(left_out), .value = dump_level_word },
	{ "zero-holes", 0, NULL, "return zeros for data that is missing or was left out, instead of an error",
	  option_set_bool, FIELD(zero_holes), .basic = true },
	{ "salvage", 0, NULL, "read truncated or damaged members, and leave out what is damaged",
	  option_set_bool, FIELD(salvage), .basic = true },
	{ "threads", 'j', "N", "answer up to N requests at a time, and read ahead on N threads "
	  "(default: one per usable CPU, at least 4)",
	  option_set_number, FIELD(threads), .least = 1, .most = THREADS_MAX },
	{ "foreground", 'f', NULL, "stay in the foreground until unmounted", option_set_bool,
	  FIELD(foreground), .basic = true },
	{ "options", 'o', "LIST", "mount options, such as -o allow_other", .set = add_fuse_options,
	  .basic = true },
	{ "quiet", 'q', NULL, "print only warnings and errors", option_set_bool, FIELD(quiet) },
	{ "verbose", 'v', NULL, "print more details", option_set_bool, FIELD(verbose) },
	OPTION_HELP,
	OPTION_VERSION,
};

static const struct option_table table = {
	.program = "nsplit-mount",
	.usage =
"Usage: nsplit-mount [OPTION]... MEMBER... MOUNTPOINT\n"
"Mount a captured core without restoring it: MOUNTPOINT/vmcore is the source, and\n"
"MOUNTPOINT/vmcore.kdump the same core as a kdump-compressed file.\n",
	.operands =
"MEMBERs may be given in any order.  Braces in a MEMBER, such as {0..7} or {a,b},\n"
"make several names of it.  \"fusermount3 -u MOUNTPOINT\" unmounts.\n",
	.entries = entries,
	.count = sizeof(entries) / sizeof(entries[0]),
	.examples =
"  nsplit-mount '/mnt/disk{0..7}/a' mnt\n"
"  nsplit-mount --salvage /mnt/a /mnt/b mnt\n"
"  fusermount3 -u mnt\n",
	.notes =
"Exit status: 0: mounted, and all data is present; 1: failure; 2: usage error;\n"
"3: mounted, but data is missing, and is listed.\n",
};

static enum status read_operands(struct mount_options *o, int argc, char **argv, struct error *e)
{
	struct stat st;

	if (optind == argc)
		return error_set(e, STATUS_USAGE, "no MEMBER given");
	if (optind + 1 == argc)
		return error_set(e, STATUS_USAGE, "no MOUNTPOINT given; it is the last operand");
	o->mountpoint = argv[argc - 1];
	if (stat(o->mountpoint, &st) == 0 && !S_ISDIR(st.st_mode))
		return error_set(e, STATUS_USAGE, "no MOUNTPOINT given: '%s' is a file; the last operand must be a directory, "
				 "such as mnt after 'mkdir mnt'", o->mountpoint);
	for (; optind < argc - 1; optind++)
		if (members_expand(&o->members, argv[optind], e))
			return error_prefix(e, "members: ");
	for (size_t i = 0; i < o->members.count; i++)
		if (members_is_stream(o->members.names[i]))
			return error_set(e, STATUS_USAGE, "%s: is a stream, which cannot be mounted; "
					 "store it in a file first",
					 o->members.names[i]);
	return STATUS_OK;
}

static int mount_options_read(struct mount_options *o, int argc, char **argv)
{
	const struct option_reader reader = { .each = option_set, .arg = o };
	enum status status;
	struct error e;

	/* At least four: threads that wait for a disk use no CPU. */
	*o = (struct mount_options){ .cache = CACHE_DEFAULT, .threads = (unsigned)max_u64(threads_default(), 4) };
	status = option_table_read(&table, argc, argv, &reader, &e);
	if (!status)
		status = read_operands(o, argc, argv, &e);
	return options_result(status, &e);
}

/* --- the program ------------------------------------------------------------------------ */

/* The state of the program.  main() has it and passes it to all functions. */
struct nsplit_mount {
	struct mount_options options;
	char *mountpoint;		/* absolute; owned */
	struct set set;
	struct set_absent absent;
	struct cache *cache;
	struct source_view source;
	struct kdump_view kdump;
	const struct view *views[VIEWS_MAX];	/* the files in the mount */
	unsigned views_count;
	struct fuse_session *session;
	bool has_handlers;		/* of signals */
	bool is_mounted;
	bool incomplete;		/* as known before mounting */
	bool background;		/* standard error is closed */
	struct message_list damage;	/* any thread adds to it */
};

/* --- what is missing, as known before anything is read --------------------------------- */

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

static const char *consequence(const struct mount_options *options)
{
	return options->zero_holes ? "reads there return zeros" : "reads there fail";
}

/* Returns whether anything is missing. */
static bool report_missing(const struct set *set, const struct set_absent *absent,
			   const struct mount_options *options)
{
	uint64_t bytes, offset = 0, length, unreadable = set_absent_unreadable(set, absent);
	bool holes = set_absent_next_missing(set, absent, &offset, &length);
	char text[SIZE_TEXT_LENGTH];

	/* First the members, since they can be looked for. */
	if (holes) {
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
	return holes || unreadable || set->stopped;
}

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
	if (!status && set_is_dump(&mount->set))
		status = error_set(e, STATUS_USAGE, "%s: is a dump, not a member of a capture; crash opens it as it is, and "
				   "njoin -o FILE makes one intact file of a split, flattened or damaged one",
				   mount->set.members->name);
	if (status)
		return status;
	members_report_in_use(&mount->set);
	if (o->verbose)
		members_report(&mount->set);
	return STATUS_OK;
}

static void report_captured(const struct nsplit_mount *mount)
{
	const struct layer_totals *totals = &mount->absent.contents.totals;
	char text[CLASS_AMOUNTS_LENGTH];

	if (!mount->options.quiet &&
	    class_amounts_format(totals->memory.left_out, 0, text))
		message("left out when captured: %s; %s", text, mount->options.zero_holes || !layer_totals_leave_out_more(totals) ?
			"zeros in vmcore, not in vmcore.kdump" :
			"reads there fail in vmcore; vmcore.kdump marks them");
}

/* Finds and reports data that is missing or was left out. */
static enum status find_missing(struct nsplit_mount *mount, struct error *e)
{
	const struct contents_watch watch = { .damaged = cache_report, .arg = mount->cache };

	if (set_absent_find(&mount->absent, &mount->set, &watch, e))
		return e->status;
	mount->incomplete = report_missing(&mount->set, &mount->absent, &mount->options) || mount->damage.count;
	if (set_has_layers(&mount->set))
		report_captured(mount);
	return STATUS_OK;
}

/* A source that is not a core is complete without this view; one that cannot be examined is not. */
static enum status open_kdump(struct nsplit_mount *mount, struct error *e)
{
	const struct mount_options *o = &mount->options;
	enum status status = kdump_view_open(&mount->kdump, &mount->source, &mount->absent, o->left_out.classes,
					     o->threads, e);

	if (!status) {
		mount->views[mount->views_count++] = &mount->kdump.view;
		left_out_report_kept(&mount->kdump.filter);
		if (!o->quiet)
			left_out_report(&mount->kdump.filter, mount->kdump.pages.page_size);
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
		/* Readers alternate between a few records.  One that did not stay would be read again for each page. */
		.limit = max_u64(mount->options.cache, CACHE_RECORDS * cache_record_max(&mount->set)),
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
		.zero_left_out = !layer_totals_leave_out_more(&mount->absent.contents.totals),
	};
	source_view_init(&mount->source);
	mount->views[mount->views_count++] = &mount->source.view;
	return open_kdump(mount, e);
}

/* --- what the kernel asks for -------------------------------------------- */

/* Inode 1 is the directory; the views follow. */
enum { VIEW_FIRST = FUSE_ROOT_ID + 1 };

/* Nothing here ever changes, so the kernel need not ask again. */
static const double valid_seconds = 86400;

static const struct view *view_of(const struct nsplit_mount *mount, fuse_ino_t inode)
{
	return inode >= VIEW_FIRST && inode - VIEW_FIRST < mount->views_count
		       ? mount->views[inode - VIEW_FIRST] : NULL;
}

static struct stat stat_of(const struct nsplit_mount *mount, fuse_ino_t inode)
{
	const struct view *view = view_of(mount, inode);
	struct stat st = {
		.st_ino = inode,
		/* A core contains everything that was in memory. */
		.st_mode = view ? S_IFREG | S_IRUSR : S_IFDIR | S_IRUSR | S_IXUSR,
		.st_nlink = view ? 1 : 2,
		.st_uid = getuid(),
		.st_gid = getgid(),
		.st_size = view ? (off_t)view->size : 0,
		.st_blksize = ALIGNMENT,
		.st_blocks = view ? (blkcnt_t)divide_up(view->size, 512) : 0,
	};

	st.st_mtime = st.st_ctime = st.st_atime = (time_t)mount->set.members[0].superblock.created;
	return st;
}

static void on_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	const struct nsplit_mount *mount = fuse_req_userdata(req);
	struct fuse_entry_param entry = {
		.attr_timeout = valid_seconds,
		.entry_timeout = valid_seconds,
	};

	for (unsigned i = 0; i < mount->views_count && parent == FUSE_ROOT_ID; i++)
		if (strcmp(name, mount->views[i]->name) == 0)
			entry.ino = VIEW_FIRST + i;
	if (!entry.ino) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	entry.attr = stat_of(mount, entry.ino);
	fuse_reply_entry(req, &entry);
}

static void on_getattr(fuse_req_t req, fuse_ino_t inode, struct fuse_file_info *fi)
{
	struct stat st = stat_of(fuse_req_userdata(req), inode);

	(void)fi;
	fuse_reply_attr(req, &st, valid_seconds);
}

/* The name of directory entry i; NULL after the last one. */
static const char *entry_name(const struct nsplit_mount *mount, size_t i)
{
	if (i < 2)
		return i ? ".." : ".";
	return i - 2 < mount->views_count ? mount->views[i - 2]->name : NULL;
}

static void on_readdir(fuse_req_t req, fuse_ino_t inode, size_t size, off_t from,
		       struct fuse_file_info *fi)
{
	const struct nsplit_mount *mount = fuse_req_userdata(req);
	char list[512];			/* large enough for all entries */
	size_t capacity = min_u64(size, sizeof(list)), used = 0;
	const char *name;

	(void)inode;
	(void)fi;
	for (size_t i = (size_t)from; (name = entry_name(mount, i)); i++) {
		struct stat st = stat_of(mount, i < 2 ? FUSE_ROOT_ID : VIEW_FIRST + i - 2);
		size_t need = fuse_add_direntry(req, list + used, capacity - used, name, &st,
						(off_t)i + 1);

		if (need > capacity - used)
			break;
		used += need;
	}
	fuse_reply_buf(req, list, used);
}

/* The mount is read-only, so the kernel refuses to open a file for writing. */
static void on_open(fuse_req_t req, fuse_ino_t inode, struct fuse_file_info *fi)
{
	if (!view_of(fuse_req_userdata(req), inode)) {
		fuse_reply_err(req, EISDIR);
		return;
	}
	/*
	 * The page cache stays valid for later opens.  It is also what lets crash map the file
	 * shared.
	 */
	fi->keep_cache = 1;
	fi->noflush = 1;
	fuse_reply_open(req, fi);
}

/*
 * The answer is complete or an error: the kernel takes a short one for the end of the file.  After
 * an error it repeats a readahead page by page.
 */
static void on_read(fuse_req_t req, fuse_ino_t inode, size_t size, off_t offset,
		    struct fuse_file_info *fi)
{
	const struct nsplit_mount *mount = fuse_req_userdata(req);
	const struct view *view = view_of(mount, inode);
	enum status status = STATUS_NO_MEMORY;
	struct buffers *buffers;
	uint8_t *bytes = NULL;
	struct error e;

	(void)fi;
	if (offset < 0 || (uint64_t)offset >= view->size) {
		fuse_reply_buf(req, NULL, 0);
		return;
	}
	size = min_u64(size, view->size - (uint64_t)offset);
	buffers = cache_take_buffers(mount->cache);
	if (buffers)
		bytes = buffers_answer(buffers, size);
	if (bytes)
		status = view->read(view, buffers, (uint64_t)offset, size, bytes, &e);
	if (status)
		fuse_reply_err(req, status == STATUS_NO_MEMORY ? ENOMEM : EIO);
	else
		fuse_reply_buf(req, (const char *)bytes, size);
	if (buffers)
		cache_return_buffers(mount->cache, buffers);
}

static const struct fuse_lowlevel_ops operations = {
	.lookup = on_lookup,
	.getattr = on_getattr,
	.readdir = on_readdir,
	.open = on_open,
	.read = on_read,
};

/* --- in the background ------------------------------------------------------------------- */

/*
 * The process that was started exits with the status that the one in the background sends when it is ready.  What takes
 * long was done before, so it does not react to signals meanwhile: the handlers are those of the mount, which is in the
 * other process.
 */
static void wait_for_child(int fd)
{
	unsigned char status;
	ssize_t got;

	do
		got = read(fd, &status, 1);
	while (got < 0 && errno == EINTR);
	_exit(got == 1 ? status : EXIT_FAILED);
}

/*
 * Returns only in the child, or in the parent if there is no child.  Call it before threads are
 * created; *ready is for daemon_ready().  If the child ends before that, it has reported an error,
 * and the parent ends with EXIT_FAILED.
 */
static enum status daemon_begin(int *ready, struct error *e)
{
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0 || (child = fork()) < 0)
		return error_system(e, errno, "cannot go into the background");
	if (child) {
		close(ends[1]);
		wait_for_child(ends[0]);
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

/* The parent exits with this status; the child leaves its terminal and directory.  False: the parent was killed. */
static bool daemon_ready(int ready, int exit_status)
{
	unsigned char status = (unsigned char)exit_status;
	bool sent;

	leave();
	sent = transfer_write(ready, &status, 1) == 1;
	close(ready);
	return sent;
}

/* --- mounting ------------------------------------------------------------------------ */

/* Its device does not show that: a subvolume of btrfs has one of its own. */
static bool is_mounted(const char *path)
{
	FILE *mounts = fopen("/proc/self/mounts", "re");
	struct mount_point mount;
	bool found;

	if (!mounts)
		return false;
	found = mount_point_in(mounts, path, &mount) && strcmp(mount.directory, path) == 0;
	fclose(mounts);
	return found;
}

/*
 * The absolute path of a directory, since the process in the background changes to the root
 * directory; the caller frees it.  Refuses a directory on which a file system is mounted: a second
 * one would hide it.
 */
static enum status mount_point_find(char **path, const char *name, struct error *e)
{
	struct stat st;
	int errnum = 0;

	*path = realpath(name, NULL);
	if (!*path || stat(*path, &st) < 0)
		errnum = errno;
	/* That of a FUSE file system whose program was killed. */
	if (errnum && errnum != ENOTCONN)
		return error_system(e, errnum, "%s", name);
	if (!errnum && !S_ISDIR(st.st_mode))
		return error_set(e, STATUS_USAGE, "%s: is not a directory", name);
	if (errnum || is_mounted(*path))
		return error_set(e, STATUS_USAGE, "%s: a file system is mounted there already; unmount "
				 "it, or use another directory", name);
	return STATUS_OK;
}

/* True if the directory holds anything, which a mount hides. */
static bool mount_point_hides(const char *path)
{
	DIR *directory = opendir(path);
	unsigned found = 0;

	if (!directory)
		return false;
	// cppcheck-suppress readdirCalled
	while (found < 3 && readdir(directory))
		found++;
	closedir(directory);
	return found > 2;	/* . and .. */
}

static __attribute__((format(printf, 2, 0))) void log_to_syslog(enum fuse_log_level level,
								const char *format, va_list ap)
{
	char line[LOG_LENGTH];

	vsnprintf(line, sizeof(line), format, ap);
	syslog((int)level, "%s", line);
}

/* Ours come last: whatever the user asks for, the mount is read-only. */
static bool add_options(struct fuse_args *args, const struct names *options)
{
	static const char ours[] = "-oro,default_permissions,fsname=nsplit,subtype=nsplit";
	bool added = fuse_opt_add_arg(args, "nsplit-mount") == 0;

	for (size_t i = 0; i < options->count && added; i++)
		added = fuse_opt_add_arg(args, "-o") == 0 &&
			fuse_opt_add_arg(args, options->names[i]) == 0;
	return added && fuse_opt_add_arg(args, ours) == 0;
}

static struct fuse_session *new_session(struct nsplit_mount *mount)
{
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	struct fuse_session *session = NULL;

	if (add_options(&args, &mount->options.fuse))
		session = fuse_session_new(&args, &operations, sizeof(operations), mount);
	fuse_opt_free_args(&args);
	return session;
}

/* Until it is in the background, libfuse prints its messages, which may be parts of a line, on standard error. */
static enum status mount_views(struct nsplit_mount *mount, struct error *e)
{
	mount->session = new_session(mount);
	if (!mount->session)
		return error_set(e, STATUS_USAGE, "FUSE rejected the mount options");
	/* Before the mount, so that a signal does not leave it behind. */
	mount->has_handlers = fuse_set_signal_handlers(mount->session) == 0;
	if (!mount->has_handlers)
		return error_system(e, errno, "signal handlers");
	mount->is_mounted = fuse_session_mount(mount->session, mount->mountpoint) == 0;
	if (!mount->is_mounted)
		return error_set(e, STATUS_SYSTEM, "%s: mounting failed", mount->mountpoint);
	return STATUS_OK;
}

/* Answers requests until the directory is unmounted or a signal asks to stop. */
static enum status answer_requests(struct fuse_session *session, unsigned threads, struct error *e)
{
	struct fuse_loop_config *config = fuse_loop_cfg_create();
	int result;

	if (!config)
		return error_system(e, ENOMEM, "%u threads", threads);
	fuse_loop_cfg_set_max_threads(config, threads);
	fuse_loop_cfg_set_idle_threads(config, threads);
	result = fuse_session_loop_mt(session, config);
	fuse_loop_cfg_destroy(config);
	/* A positive result is the signal that asked to stop. */
	return result < 0 ? error_system(e, -result, "FUSE requests") : STATUS_OK;
}

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
	if (fuse_session_exited(mount->session))
		return error_set(e, STATUS_STOPPED, "stopped before the mount was ready");
	openlog("nsplit-mount", LOG_PID, LOG_DAEMON);
	mount->background = true;
	fuse_set_log_func(log_to_syslog);
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
	return status ? status : answer_requests(mount->session, mount->options.threads, e);
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
	if (mount_point_hides(mount->mountpoint))
		message("warning: %s: is not empty; its files are hidden until it is unmounted",
			mount->options.mountpoint);
	status = mount_views(mount, e);
	return status ? status : serve(mount, e);
}

/* Unmounts first: after that, no request reads what is freed here. */
static void close_all(struct nsplit_mount *mount)
{
	if (mount->is_mounted)
		fuse_session_unmount(mount->session);
	if (mount->has_handlers)
		fuse_remove_signal_handlers(mount->session);
	if (mount->session)
		fuse_session_destroy(mount->session);
	kdump_view_close(&mount->kdump);
	set_absent_free(&mount->absent);
	cache_free(mount->cache);
	set_close(&mount->set);
	free(mount->mountpoint);
	names_free(&mount->options.fuse);
	names_free(&mount->options.members);
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
