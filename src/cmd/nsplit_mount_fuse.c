// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#define FUSE_USE_VERSION 312

#include <errno.h>
#include <fuse_lowlevel.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>

#include "base/bytes.h"
#include "cmd/nsplit_mount_fuse.h"

/* Inode 1 is the directory, and those behind it are the views. */
enum { VIEW_FIRST = FUSE_ROOT_ID + 1 };

/* Nothing here ever changes, so the kernel need not ask again. */
static const double valid_seconds = 86400;

/* A file that somebody has open.  Who has it open still when it ends is never told to close it. */
struct opened {
	struct sequence sequence;
	struct opened *next, *previous;
};

struct mounted {
	struct fuse_session *session;
	const struct shown *shown;	/* borrowed */
	bool signals;			/* handlers are there */
	bool stands;			/* it is mounted */
	pthread_mutex_t lock;
	struct opened *opened;		/* all of them; under the lock; owned */
};

/* --- requests, from any thread ---------------------------------------------------- */

static const struct shown *shown_by(fuse_req_t req)
{
	const struct mounted *m = fuse_req_userdata(req);

	return m->shown;
}

static const struct view *view_of(const struct shown *shown, fuse_ino_t inode)
{
	return inode >= VIEW_FIRST && inode - VIEW_FIRST < shown->count
		       ? shown->views[inode - VIEW_FIRST] : NULL;
}

static struct stat stat_of(const struct shown *shown, fuse_ino_t inode)
{
	const struct view *view = view_of(shown, inode);
	mode_t enter = shown->mode >> 2;	/* x where r is */
	struct stat st = {
		.st_ino = inode,
		.st_mode = view ? S_IFREG | shown->mode : S_IFDIR | shown->mode | enter,
		.st_nlink = view ? 1 : 2,
		.st_uid = shown->uid,
		.st_gid = shown->gid,
		.st_size = view ? (off_t)view->size : 0,
		.st_blksize = UNIT,
		.st_blocks = view ? (blkcnt_t)divide_up(view->size, 512) : 0,
	};

	st.st_mtime = st.st_ctime = st.st_atime = (time_t)shown->time;
	return st;
}

static void on_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	const struct shown *shown = shown_by(req);
	struct fuse_entry_param entry = {
		.attr_timeout = valid_seconds,
		.entry_timeout = valid_seconds,
	};

	for (unsigned i = 0; i < shown->count && parent == FUSE_ROOT_ID; i++)
		if (strcmp(name, shown->views[i]->name) == 0)
			entry.ino = VIEW_FIRST + i;
	if (!entry.ino) {
		fuse_reply_err(req, ENOENT);
		return;
	}
	entry.attr = stat_of(shown, entry.ino);
	fuse_reply_entry(req, &entry);
}

static void on_getattr(fuse_req_t req, fuse_ino_t inode, struct fuse_file_info *fi)
{
	struct stat st = stat_of(shown_by(req), inode);

	(void)fi;
	fuse_reply_attr(req, &st, valid_seconds);
}

/* Entry number i of the directory; NULL: there is none. */
static const char *entry_name(const struct shown *shown, size_t i)
{
	if (i < 2)
		return i ? ".." : ".";
	return i - 2 < shown->count ? shown->views[i - 2]->name : NULL;
}

static void on_readdir(fuse_req_t req, fuse_ino_t inode, size_t size, off_t from,
		       struct fuse_file_info *fi)
{
	const struct shown *shown = shown_by(req);
	char list[512];			/* all of it fits in */
	size_t room = min_u64(size, sizeof(list)), used = 0;
	const char *name;

	(void)inode;
	(void)fi;
	for (size_t i = (size_t)from; (name = entry_name(shown, i)); i++) {
		struct stat st = stat_of(shown, i < 2 ? FUSE_ROOT_ID : VIEW_FIRST + i - 2);
		size_t need = fuse_add_direntry(req, list + used, room - used, name, &st,
						(off_t)i + 1);

		if (need > room - used)
			break;
		used += need;
	}
	fuse_reply_buf(req, list, used);
}

static struct opened *add_opened(struct mounted *m)
{
	struct opened *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	sequence_init(&o->sequence);
	pthread_mutex_lock(&m->lock);
	o->next = m->opened;
	if (o->next)
		o->next->previous = o;
	m->opened = o;
	pthread_mutex_unlock(&m->lock);
	return o;
}

static void remove_opened(struct mounted *m, struct opened *o)
{
	pthread_mutex_lock(&m->lock);
	*(o->previous ? &o->previous->next : &m->opened) = o->next;
	if (o->next)
		o->next->previous = o->previous;
	pthread_mutex_unlock(&m->lock);
	sequence_free(&o->sequence);
	free(o);
}

static struct opened *opened_by(const struct fuse_file_info *fi)
{
	return (struct opened *)(uintptr_t)fi->fh;
}

/* The mount is read-only, so the kernel has refused whoever wants to write. */
static void on_open(fuse_req_t req, fuse_ino_t inode, struct fuse_file_info *fi)
{
	struct opened *o;

	if (!view_of(shown_by(req), inode)) {
		fuse_reply_err(req, EISDIR);
		return;
	}
	o = add_opened(fuse_req_userdata(req));
	if (!o) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	fi->fh = (uintptr_t)o;
	/* What was read once the kernel has, for all that open the file.  crash maps it shared. */
	fi->keep_cache = 1;
	fi->noflush = 1;
	/* Who was interrupted while it waited has no file. */
	if (fuse_reply_open(req, fi) == -ENOENT)
		remove_opened(fuse_req_userdata(req), o);
}

static void on_release(fuse_req_t req, fuse_ino_t inode, struct fuse_file_info *fi)
{
	(void)inode;
	remove_opened(fuse_req_userdata(req), opened_by(fi));
	fuse_reply_err(req, 0);
}

/*
 * Part of a request cannot be given: to the kernel a short answer is the end of the file.  When one
 * that read ahead fails, it asks again page by page.
 */
static void read_view(fuse_req_t req, const struct view *view, struct buffers *buffers,
		      struct sequence *sequence, uint64_t offset, size_t len)
{
	uint8_t *bytes = buffers_answer(buffers, len);
	enum status status = STATUS_NO_MEMORY;
	struct error e;

	if (bytes)
		status = view->read(view, buffers, sequence, offset, len, bytes, &e);
	if (status)
		fuse_reply_err(req, status == STATUS_NO_MEMORY ? ENOMEM : EIO);
	else
		fuse_reply_buf(req, (const char *)bytes, len);
}

static void on_read(fuse_req_t req, fuse_ino_t inode, size_t size, off_t offset,
		    struct fuse_file_info *fi)
{
	const struct shown *shown = shown_by(req);
	const struct view *view = view_of(shown, inode);
	struct buffers *buffers;

	if (offset < 0 || (uint64_t)offset >= view->size) {
		fuse_reply_buf(req, NULL, 0);
		return;
	}
	buffers = buffer_pool_take(shown->pool);
	if (!buffers) {
		fuse_reply_err(req, ENOMEM);
		return;
	}
	read_view(req, view, buffers, &opened_by(fi)->sequence, (uint64_t)offset,
		  min_u64(size, view->size - (uint64_t)offset));
	buffer_pool_return(shown->pool, buffers);
}

static const struct fuse_lowlevel_ops operations = {
	.lookup = on_lookup,
	.getattr = on_getattr,
	.readdir = on_readdir,
	.open = on_open,
	.release = on_release,
	.read = on_read,
};

/* --- mounting ---------------------------------------------------------------------- */

enum { LOG_LENGTH = 512 };

static __attribute__((format(printf, 2, 0))) void log_to_syslog(enum fuse_log_level level,
								const char *format, va_list ap)
{
	char line[LOG_LENGTH];

	vsnprintf(line, sizeof(line), format, ap);
	syslog((int)level, "%s", line);
}

void mounted_use_syslog(void)
{
	fuse_set_log_func(log_to_syslog);
}

/* Ours last: whatever was asked for, it is read-only. */
static bool add_options(struct fuse_args *args, const struct names *options)
{
	static const char ours[] = "-oro,default_permissions,fsname=nsplit,subtype=nsplit";
	bool added = fuse_opt_add_arg(args, "nsplit-mount") == 0;

	for (size_t i = 0; i < options->count && added; i++)
		added = fuse_opt_add_arg(args, "-o") == 0 &&
			fuse_opt_add_arg(args, options->names[i]) == 0;
	return added && fuse_opt_add_arg(args, ours) == 0;
}

static struct fuse_session *new_session(struct mounted *m, const struct names *options)
{
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	struct fuse_session *session = NULL;

	if (add_options(&args, options))
		session = fuse_session_new(&args, &operations, sizeof(operations), m);
	fuse_opt_free_args(&args);
	return session;
}

enum status mounted_new(struct mounted **mounted, const struct shown *shown,
			const char *mountpoint, const struct names *options, struct error *e)
{
	struct mounted *m = calloc(1, sizeof(*m));

	*mounted = m;
	if (!m)
		return error_system(e, ENOMEM, "%s", mountpoint);
	m->shown = shown;
	pthread_mutex_init(&m->lock, NULL);
	m->session = new_session(m, options);
	if (!m->session)
		return error_set(e, STATUS_USAGE, "FUSE rejected the mount options");
	/* Before it is mounted: a signal that comes then must not leave it behind. */
	m->signals = fuse_set_signal_handlers(m->session) == 0;
	if (!m->signals)
		return error_system(e, errno, "signal handlers");
	m->stands = fuse_session_mount(m->session, mountpoint) == 0;
	if (!m->stands)
		return error_set(e, STATUS_SYSTEM, "%s: mounting failed", mountpoint);
	return STATUS_OK;
}

bool mounted_stopped(const struct mounted *m)
{
	return fuse_session_exited(m->session);
}

enum status mounted_serve(struct mounted *m, unsigned threads, struct error *e)
{
	struct fuse_loop_config *config = fuse_loop_cfg_create();
	int result;

	if (!config)
		return error_system(e, ENOMEM, "%u threads", threads);
	fuse_loop_cfg_set_max_threads(config, threads);
	fuse_loop_cfg_set_idle_threads(config, threads);
	result = fuse_session_loop_mt(m->session, config);
	fuse_loop_cfg_destroy(config);
	/* Above 0: the signal that asked to stop, which is as good an end as any. */
	return result < 0 ? error_system(e, -result, "FUSE requests") : STATUS_OK;
}

void mounted_free(struct mounted *m)
{
	if (!m)
		return;
	if (m->stands)
		fuse_session_unmount(m->session);
	if (m->signals)
		fuse_remove_signal_handlers(m->session);
	if (m->session)
		fuse_session_destroy(m->session);
	while (m->opened)
		remove_opened(m, m->opened);
	pthread_mutex_destroy(&m->lock);
	free(m);
}
