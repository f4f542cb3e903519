// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/path.h"

bool path_directory(const char *path, char directory[PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) : 0;

	if (!slash) {
		strcpy(directory, ".");
		return true;
	}
	if (length >= PATH_MAX) {
		errno = ENAMETOOLONG;
		return false;
	}
	if (length == 0)
		length = 1;		/* the root directory */
	memcpy(directory, path, length);
	directory[length] = '\0';
	return true;
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool path_is_within(const char *path, const char *above)
{
	size_t length = strlen(above);

	if (length == 1)
		return true;		/* the root directory */
	return strncmp(path, above, length) == 0 && (path[length] == '/' || !path[length]);
}

bool path_would_be_device(const char *path)
{
	char directory[PATH_MAX];
	struct stat dir, dev, root;

	if (!path_directory(path, directory) || stat(directory, &dir) < 0 ||
	    stat("/dev", &dev) < 0 || stat("/", &root) < 0 || dir.st_dev != dev.st_dev)
		return false;
	return dir.st_ino == dev.st_ino || dev.st_dev != root.st_dev;
}

enum status path_creation_error(struct error *e, int errnum, const char *path)
{
	char directory[PATH_MAX];
	struct stat st;

	if (errnum != ENOENT || !path_directory(path, directory) || stat(directory, &st) == 0 ||
	    errno != ENOENT)
		return error_system(e, errnum, "%s", path);
	error_set(e, STATUS_SYSTEM, "%s: the directory %s does not exist", path, directory);
	e->errnum = errnum;
	return e->status;
}

enum status path_sync_directory(const char *path, struct error *e)
{
	char directory[PATH_MAX];
	int fd, failed;

	if (!path_directory(path, directory))
		return error_system(e, errno, "%s", path);
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* The directory may be writable but not readable; then it cannot be synced from here. */
	if (fd < 0 && errno == EACCES)
		return STATUS_OK;
	if (fd < 0)
		return error_system(e, errno, "%s", directory);
	failed = fsync(fd) < 0 ? errno : 0;
	close(fd);
	/* Some file systems neither support nor need fsync() of directories. */
	if (failed && failed != EINVAL && failed != ENOTSUP)
		return error_system(e, failed, "%s", directory);
	return STATUS_OK;
}
