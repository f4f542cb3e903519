// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/nsplit/digest_file.h"
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
	digest_format(sum, line + at);
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

enum status digest_file_write(const char *file, const uint8_t sum[DIGEST_LENGTH], struct error *e)
{
	char name[PATH_MAX], line[LINE_LENGTH];
	size_t len = make_line(file, sum, line);
	enum status status;
	int fd;

	if (!name_digest_file(file, name))
		return error_system(e, ENAMETOOLONG, "%s.sha256", file);
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, DIGEST_MODE);
	if (fd < 0 && errno == EEXIST)
		return error_set(e, STATUS_USAGE, "%s: already exists; use -f to overwrite it", name);
	if (fd < 0)
		return path_creation_error(e, errno, name);
	status = write_line(fd, name, line, len, e);
	if (status)
		unlink(name);
	return status;
}

void digest_file_remove(const char *file)
{
	char name[PATH_MAX];

	if (name_digest_file(file, name))
		unlink(name);
}
