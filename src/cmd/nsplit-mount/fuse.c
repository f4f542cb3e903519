// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#define FUSE_USE_VERSION 312

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "cmd/nsplit-mount/fuse.h"
#include "io/mount_point.h"

struct mount_session {
	struct fuse_session *fuse;
	struct mount_requests requests;
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

static struct fuse_session *new_fuse(struct mount_session *m, const struct names *options)
{
	struct fuse_args args = FUSE_ARGS_INIT(0, NULL);
	struct fuse_session *session = NULL;

	if (add_options(&args, options))
		session = fuse_session_new(&args, &mount_operations, sizeof(mount_operations),
					   &m->requests);
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
	mount_requests_init(&m->requests, tree);
	m->fuse = new_fuse(m, options);
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
	mount_requests_free(&m->requests);
	free(m);
}
