// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "cmd/nsplit/check/command.h"
#include "cmd/nsplit/load_config.h"
#include "cmd/nsplit/setting_values.h"
#include "cmd/nsplit/settings.h"
#include "io/existing.h"
#include "io/transfer.h"

/*
 * Files of "key = value" lines.  White space around the key and the value is ignored.  A line whose
 * first character is # is a comment; a # later in a line is part of the value, which may be a
 * command or a name.  Empty lines are ignored.
 */

struct config_reader {
	/* Called for each line until one fails.  key and value are parts of *text of config_read(). */
	enum status (*line)(void *arg, unsigned number, const char *key, const char *value,
			    struct error *e);
	/* NULL, or called for each line with STATUS_USAGE, which is then skipped. */
	void (*skipped)(void *arg, struct error *e);
	void *arg;
};

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

/*
 * Reads a regular file of at most 64 KiB.  *text takes its contents, which the caller frees, even
 * after an error; NULL: nothing was read.  The error names the file and, if a line is wrong, its
 * number: "FILE:7: ...", STATUS_USAGE.  STATUS_SYSTEM: the file cannot be read; errnum is ENOENT if
 * it does not exist.
 */
static enum status config_read(const char *file, const struct config_reader *reader, char **text, struct error *e)
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

static const char default_file[] = "/etc/nsplit.conf";

struct lines_read {
	struct nsplit_options *options;
	const struct mistake_reporter *reporter;
	unsigned line_of[OPTIONS_MAX];	/* by the number of the entry; 0: not set so far */
};

static enum status refuse_unknown(const struct option_table *table, const char *key,
				  struct error *e)
{
	struct nearest nearest;

	nearest_begin(&nearest, key);
	for (size_t i = 0; i < table->count; i++)
		if (table->entries[i].key || table->entries[i].key_only)
			nearest_offer(&nearest, table->entries[i].name);
	if (nearest.best)
		return error_set(e, STATUS_USAGE, "unknown key '%s'; do you mean '%s'? "
				 "nsplit.conf(5) lists all", key, nearest.best);
	return error_set(e, STATUS_USAGE, "unknown key '%.100s'; see nsplit.conf(5)", key);
}

static bool has_command(const struct option_call *call)
{
	return call->entry->set == setting_set_filter || call->entry->set == setting_add_commands ||
	       (call->entry->set == setting_add_outputs && *call->text == '|');
}

/* A command of which others may write the program is not run either; its directory of PATH is trusted. */
static enum status refuse_program(const struct option_call *call, struct error *e)
{
	char program[COMMAND_WORD_LENGTH];

	if (!command_program(call->text + (*call->text == '|'), program) || !strchr(program, '/') || access(program, F_OK))
		return STATUS_OK;
	if (writers_refuse(program, e))
		error_prefix(e, "%s: ", call->called);
	return e->status;
}

static enum status take_line(void *arg, unsigned number, const char *key, const char *value,
			     struct error *e)
{
	const struct option_table *table = &nsplit_option_table;
	const struct option_call call = {
		.table = table, .entry = option_table_key(table, key),
		.called = key, .text = value,
	};
	struct lines_read *read = arg;
	enum status status;
	unsigned *line;

	if (!call.entry)
		return refuse_unknown(table, key, e);
	line = &read->line_of[option_table_number(table, call.entry)];
	/* Refused, because it is unclear which of the two lines is meant. */
	if (*line && !setting_is_list(call.entry))
		return error_set(e, STATUS_USAGE, "key '%s' is already set in line %u", key, *line);
	if (has_command(&call) && read->options->config_unsafe.status) {
		read->options->config_commands = true;
		read->options->config_filter |= call.entry->set == setting_set_filter;
		return STATUS_OK;
	}
	status = has_command(&call) ? refuse_program(&call, e) : STATUS_OK;
	if (!status)
		status = option_set(read->options, &call, e);
	if (!status)
		*line = number;
	return status;
}

static void skip_line(void *arg, struct error *e)
{
	const struct lines_read *read = arg;

	read->reporter->report(read->reporter->arg, e);
}

/* NULL: none. */
static const char *file_to_read(const struct config_choice *choice)
{
	const char *file = choice->file;

	if (choice->none)
		return NULL;
	if (!file)
		file = getenv("NSPLIT_CONFIG");
	if (!file)
		return default_file;
	return *file ? file : NULL;
}

enum status nsplit_config_read(struct nsplit_options *o, const struct mistake_reporter *reporter, struct error *e)
{
	struct lines_read read = { .options = o, .reporter = reporter };
	const struct config_reader reader = {
		.line = take_line, .skipped = reporter ? skip_line : NULL, .arg = &read,
	};
	enum status status;

	o->config = file_to_read(&o->config_choice);
	if (!o->config)
		return STATUS_OK;
	if (access(o->config, F_OK) == 0)
		writers_refuse(o->config, &o->config_unsafe);
	status = config_read(o->config, &reader, &o->config_text, e);
	if (status == STATUS_SYSTEM && e->errnum == ENOENT && o->config == default_file) {
		o->config = NULL;
		return STATUS_OK;
	}
	if (!status || status == STATUS_NO_MEMORY || !reporter)
		return status;
	skip_line(&read, e);
	return STATUS_OK;
}
