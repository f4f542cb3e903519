// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/nsplit/config_file.h"
#include "io/transfer.h"

/* Bytes in a file.  A larger file is not a configuration file. */
enum { CONFIG_MAX = 64 * 1024 };

static const char white[] = " \t\r\f\v";

/* Without the white space at both ends; cut in place. */
static char *trimmed(char *text)
{
	size_t length;

	text += strspn(text, white);
	for (length = strlen(text); length && strchr(white, text[length - 1]); length--)
		continue;
	text[length] = '\0';
	return text;
}

static enum status read_line(char *line, size_t length, unsigned number,
			     const struct config_reader *reader, struct error *e)
{
	char *equals;

	if (memchr(line, '\0', length))
		return error_set(e, STATUS_USAGE, "contains a NUL byte");
	line = trimmed(line);
	if (!*line || *line == '#')
		return STATUS_OK;
	equals = strchr(line, '=');
	if (!equals || equals == line)
		return error_set(e, STATUS_USAGE, "'%.100s' is not of the form 'key = value'", line);
	*equals = '\0';
	return reader->line(reader->arg, number, trimmed(line), trimmed(equals + 1), e);
}

/* text[length] is overwritten. */
static enum status read_lines(char *text, size_t length, const char *file,
			      const struct config_reader *reader, struct error *e)
{
	char *end = text + length;

	for (unsigned number = 1; text < end; number++) {
		char *newline = memchr(text, '\n', (size_t)(end - text));

		if (!newline)
			newline = end;
		*newline = '\0';
		if (read_line(text, (size_t)(newline - text), number, reader, e)) {
			error_prefix(e, "%s:%u: ", file, number);
			if (e->status != STATUS_USAGE || !reader->skipped)
				return e->status;
			reader->skipped(reader->arg, e);
		}
		text = newline + 1;
	}
	return STATUS_OK;
}

static enum status check_kind(int fd, const char *file, struct error *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return error_system(e, errno, "%s", file);
	if (!S_ISREG(st.st_mode))
		return error_set(e, STATUS_USAGE, "%s: is not a regular file", file);
	return STATUS_OK;
}

static enum status read_fd(int fd, const char *file, const struct config_reader *reader,
			   char **text, struct error *e)
{
	enum status status = check_kind(fd, file, e);
	size_t length;

	if (status)
		return status;
	*text = malloc(CONFIG_MAX + 1);
	if (!*text)
		return error_system(e, ENOMEM, "%s", file);
	errno = 0;
	length = transfer_pread(fd, *text, CONFIG_MAX + 1, 0);
	if (length > CONFIG_MAX)
		return error_set(e, STATUS_USAGE, "%s: is longer than %d bytes", file, CONFIG_MAX);
	if (errno)
		return error_system(e, errno, "%s", file);
	return read_lines(*text, length, file, reader, e);
}

enum status config_read(const char *file, const struct config_reader *reader, char **text,
			struct error *e)
{
	/* O_NONBLOCK: open() would wait for the writer of a pipe, which is refused. */
	int fd = open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	enum status status;

	*text = NULL;
	if (fd < 0)
		return error_system(e, errno, "%s", file);
	status = read_fd(fd, file, reader, text, e);
	close(fd);
	return status;
}
