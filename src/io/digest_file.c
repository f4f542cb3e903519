// SPDX-License-Identifier: GPL-2.0-or-later
/* FILE.sha256 beside a dump: a line of sha256sum. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "io/existing.h"
#include "io/path.h"
#include "io/transfer.h"

/* A digest, two spaces, a name in which each byte may take two, and what encloses it. */
enum { LINE_LENGTH = DIGEST_TEXT_LENGTH + 2 * NAME_MAX + 8, DIGEST_MODE = 0600 };

static bool name_digest_file(const char *file, char name[PATH_MAX])
{
	int len = snprintf(name, PATH_MAX, "%s.sha256", file);

	return len >= 0 && len < PATH_MAX;
}

/* Of a name with a newline or backslash, these are escaped, and a backslash begins the line.  Returns the length. */
static size_t make_line(const char *file, const uint8_t sum[DIGEST_LENGTH], char line[LINE_LENGTH])
{
	const char *name = path_base(file);
	bool escaped = strpbrk(name, "\\\n");
	size_t at = 0;

	if (escaped)
		line[at++] = '\\';
	hex_format(sum, DIGEST_LENGTH, line + at);
	at += DIGEST_TEXT_LENGTH;
	line[at++] = ' ';
	line[at++] = ' ';
	for (; *name && at + 3 < LINE_LENGTH; name++) {
		if (*name == '\\' || *name == '\n')
			line[at++] = '\\';
		line[at++] = *name == '\n' ? 'n' : *name;
	}
	line[at++] = '\n';
	return at;
}

static enum status write_line(int fd, const char *name, const char *line, size_t len, struct error *e)
{
	int errnum = 0;

	if (transfer_write(fd, line, len) != len || fsync(fd) < 0)
		errnum = errno;
	if (close(fd) < 0 && !errnum)
		errnum = errno;
	return errnum ? error_system(e, errnum, "%s", name) : path_sync_directory(name, e);
}

/* A line of sha256sum, and nothing else; or a symbolic link, of which only itself is removed. */
static bool is_ours(const char *name)
{
	char line[LINE_LENGTH], target[1];
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	size_t length = fd < 0 ? 0 : transfer_pread(fd, line, sizeof(line), 0), at = 0;

	if (fd >= 0)
		close(fd);
	if (readlink(name, target, sizeof(target)) > 0)
		return true;
	at += length && line[0] == '\\';
	for (size_t i = 0; i < DIGEST_TEXT_LENGTH; i++, at++)
		if (at >= length || !strchr("0123456789abcdef", line[at]) || !line[at])
			return fd >= 0 && !length;	/* of a disk that was full */
	return at + 2 < length && line[at] == ' ' && line[at + 1] == ' ' && line[length - 1] == '\n' &&
	       memchr(line, '\n', length) == line + length - 1;
}

enum status digest_file_write(const char *file, const uint8_t sum[DIGEST_LENGTH], struct error *e)
{
	char name[PATH_MAX], line[LINE_LENGTH];
	size_t len = make_line(file, sum, line);
	enum status status;
	int fd;

	if (!name_digest_file(file, name))
		return error_system(e, ENAMETOOLONG, "%s.sha256", file);
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, DIGEST_MODE);
	if (fd < 0 && errno != EEXIST)
		return path_creation_error(e, errno, name);
	if (fd < 0 && !is_ours(name))
		return error_set(e, STATUS_USAGE, "%s: is another file; only a file that --digest has written is replaced",
				 name);
	if (fd < 0)
		return error_set(e, STATUS_USAGE, "%s: already exists; use -f to overwrite it", name);
	status = write_line(fd, name, line, len, e);
	if (status)
		unlink(name);
	return status;
}

void digest_file_remove(const char *file)
{
	char name[PATH_MAX];

	if (name_digest_file(file, name) && is_ours(name))
		unlink(name);
}
