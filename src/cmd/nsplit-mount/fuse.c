// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#define FUSE_USE_VERSION 312

#include <dirent.h>
#include <errno.h>
#include <fuse_lowlevel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "base/bytes.h"
#include "cmd/nsplit-mount/fuse.h"
#include "io/path.h"

/* --- what the kernel asks for -------------------------------------------- */

/* Inode 1 is the directory; the views follow. */
enum { VIEW_FIRST = FUSE_ROOT_ID + 1 };

/* Nothing here ever changes, so the kernel need not ask again. */
static const double valid_seconds = 86400;

static const struct file_tree *tree_of(fuse_req_t req)
{
	return fuse_req_userdata(req);
}

static const struct view *view_of(const struct file_tree *tree, fuse_ino_t inode)
{
	return inode >= VIEW_FIRST && inode - VIEW_FIRST < tree->count
		       ? tree->views[inode - VIEW_FIRST] : NULL;
}

static struct stat stat_of(const struct file_tree *tree, fuse_ino_t inode)
{
	const struct view *view = view_of(tree, inode);
	mode_t enter = tree->mode >> 2;	/* x where r is */
	struct stat st = {
		.st_ino = inode,
		.st_mode = view ? S_IFREG | tree->mode : S_IFDIR | tree->mode | enter,
		.st_nlink = view ? 1 : 2,
		.st_uid = tree->uid,
		.st_gid = tree->gid,
		.st_size = view ? (off_t)view->size : 0,
		.st_blksize = ALIGNMENT,
		.st_blocks = view ? (blkcnt_t)divide_up(view->size, 512) : 0,
	};

	st.st_mtime = st.st_ctime = st.st_atime = (time_t)tree->time;
	return st;
}

static void on_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	const struct file_tree *tree = tree_of(req);
	struct fuse_entry_param entry = {
		.attr_timeout = valid_seconds,
		.entry_timeout = valid_seconds,
	};

	for (unsigned i = 0; i < tree->count && parent == FUSE_ROOT_ID; i++)
		if (strcmp(name, tree->views[i]->name) == 0)
			entry.ino = VIEW_FIRST + i;
	if (!entry.ino) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	entry.attr = stat_of(tree, entry.ino);
	fuse_reply_entry(req, &entry);
}

static void on_getattr(fuse_req_t req, fuse_ino_t inode, struct fuse_file_info *fi)
{
	struct stat st = stat_of(tree_of(req), inode);

	(void)fi;
	fuse_reply_attr(req, &st, valid_seconds);
}

/* The name of directory entry i; NULL after the last one. */
static const char *entry_name(const struct file_tree *tree, size_t i)
{
	if (i < 2)
		return i ? ".." : ".";
	return i - 2 < tree->count ? tree->views[i - 2]->name : NULL;
}

static void on_readdir(fuse_req_t req, fuse_ino_t inode, size_t size, off_t from,
		       struct fuse_file_info *fi)
{
	const struct file_tree *tree = tree_of(req);
	char list[512];			/* large enough for all entries */
	size_t capacity = min_u64(size, sizeof(list)), used = 0;
	const char *name;

	(void)inode;
	(void)fi;
	for (size_t i = (size_t)from; (name = entry_name(tree, i)); i++) {
		struct stat st = stat_of(tree, i < 2 ? FUSE_ROOT_ID : VIEW_FIRST + i - 2);
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
	if (!view_of(tree_of(req), inode)) {
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
	const struct file_tree *tree = tree_of(req);
	const struct view *view = view_of(tree, inode);
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
	buffers = cache_take_buffers(tree->cache);
	if (buffers)
		bytes = buffers_answer(buffers, size);
	if (bytes)
		status = view->read(view, buffers, (uint64_t)offset, size, bytes, &e);
	if (status)
		fuse_reply_err(req, status == STATUS_NO_MEMORY ? ENOMEM : EIO);
	else
		fuse_reply_buf(req, (const char *)bytes, size);
	if (buffers)
		cache_return_buffers(tree->cache, buffers);
}

static const struct fuse_lowlevel_ops operations = {
	.lookup = on_lookup,
	.getattr = on_getattr,
	.readdir = on_readdir,
	.open = on_open,
	.read = on_read,
};

/* --- the session --------------------------------------------------------- */

struct mount_session {
	struct fuse_session *fuse;
	bool has_handlers;		/* of signals */
	bool is_mounted;
};

enum { LOG_LENGTH = 512 };

/* Its device does not show that: a subvolume of btrfs has one of its own. */
static bool is_mounted(const char *path)
{
	FILE *table = fopen("/proc/self/mounts", "re");
	struct mount_point mount;
	bool found;

	if (!table)
		return false;
	found = mount_point_in(table, path, &mount) && strcmp(mount.directory, path) == 0;
	fclose(table);
	return found;
}

enum status mount_point_find(char **path, const char *name, struct error *e)
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

bool mount_point_hides(const char *path)
{
	DIR *directory = opendir(path);
	unsigned entries = 0;

	if (!directory)
		return false;
	// cppcheck-suppress readdirCalled
	while (entries < 3 && readdir(directory))
		entries++;
	closedir(directory);
	return entries > 2;	/* . and .. */
}

static __attribute__((format(printf, 2, 0))) void log_to_syslog(enum fuse_log_level level,
								const char *format, va_list ap)
{
	char line[LOG_LENGTH];

	vsnprintf(line, sizeof(line), format, ap);
	syslog((int)level, "%s", line);
}

void mount_session_use_syslog(void)
{
	fuse_set_log_func(log_to_syslog);
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

static struct fuse_session *new_fuse(const struct file_tree *tree, const struct names *options)
{
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	struct fuse_session *session = NULL;

	if (add_options(&args, options))
		session = fuse_session_new(&args, &operations, sizeof(operations), (void *)tree);
	fuse_opt_free_args(&args);
	return session;
}

enum status mount_session_new(struct mount_session **session, const struct file_tree *tree,
			      const char *mountpoint, const struct names *options, struct error *e)
{
	struct mount_session *m = calloc(1, sizeof(*m));

	*session = m;
	if (!m)
		return error_system(e, ENOMEM, "%s", mountpoint);
	m->fuse = new_fuse(tree, options);
	if (!m->fuse)
		return error_set(e, STATUS_USAGE, "FUSE rejected the mount options");
	/* Before the mount, so that a signal does not leave it behind. */
	m->has_handlers = fuse_set_signal_handlers(m->fuse) == 0;
	if (!m->has_handlers)
		return error_system(e, errno, "signal handlers");
	m->is_mounted = fuse_session_mount(m->fuse, mountpoint) == 0;
	if (!m->is_mounted)
		return error_set(e, STATUS_SYSTEM, "%s: mounting failed", mountpoint);
	return STATUS_OK;
}

bool mount_session_stopped(const struct mount_session *m)
{
	return fuse_session_exited(m->fuse);
}

enum status mount_session_serve(struct mount_session *m, unsigned threads, struct error *e)
{
	struct fuse_loop_config *config = fuse_loop_cfg_create();
	int result;

	if (!config)
		return error_system(e, ENOMEM, "%u threads", threads);
	fuse_loop_cfg_set_max_threads(config, threads);
	fuse_loop_cfg_set_idle_threads(config, threads);
	result = fuse_session_loop_mt(m->fuse, config);
	fuse_loop_cfg_destroy(config);
	/* A positive result is the signal that asked to stop. */
	return result < 0 ? error_system(e, -result, "FUSE requests") : STATUS_OK;
}

void mount_session_free(struct mount_session *m)
{
	if (!m)
		return;
	if (m->is_mounted)
		fuse_session_unmount(m->fuse);
	if (m->has_handlers)
		fuse_remove_signal_handlers(m->fuse);
	if (m->fuse)
		fuse_session_destroy(m->fuse);
	free(m);
}
