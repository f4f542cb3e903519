// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/nsplit/check/command.h"
#include "cmd/common/shell.h"

/* sh -n reads a command without running it and prints its errors. */
static enum status check_syntax(const char *name, const char *command, struct error *e)
{
	const char *const argv[] = { "sh", "-n", "-c", "--", command, NULL };
	enum status status;
	bool good;

	status = shell_run(name, argv, &good, e);
	if (!status && !good)
		return error_set(e, STATUS_USAGE, "%s: syntax error in the shell command", name);
	return status;
}

/* Copies a word that the shell takes as it is; false if it does not, or the word does not fit. */
static bool take_word(const char *word, char copy[COMMAND_WORD_LENGTH])
{
	size_t length = strcspn(word, " \t\n|&;");

	if (!length || length >= COMMAND_WORD_LENGTH || strcspn(word, "\"'\\`$(){}[]<>=*?#~!") < length)
		return false;
	memcpy(copy, word, length);
	copy[length] = '\0';
	return true;
}

bool command_program(const char *command, char program[COMMAND_WORD_LENGTH])
{
	const char *word = command + strspn(command, " \t\n");

	return *word && !strchr("-+", *word) && !strstr(command, "||") && take_word(word, program);
}

bool command_key(const char *command, char key[COMMAND_WORD_LENGTH])
{
	const char *option = strstr(command, " -i ");

	if (!option)
		return false;
	option += strlen(" -i ");
	option += strspn(option, " ");
	return *option == '/' && take_word(option, key);
}

static enum status check_program(const char *name, const char *program, struct error *e)
{
	bool found;
	enum status status = shell_finds(name, program, &found, e);

	if (!status && !found)
		return error_set(e, STATUS_SYSTEM, "%s: the program %s is not installed, or not in "
				 "a directory of PATH", name, program);
	return status;
}

static enum status check_key(const char *name, const char *command, struct error *e)
{
	char key[COMMAND_WORD_LENGTH];

	if (!command_key(command, key) || access(key, R_OK) == 0)
		return STATUS_OK;
	return error_system(e, errno, "%s: %s", name, key);
}

bool nsplit_check_command(struct findings *found, const char *name, const char *command)
{
	char program[COMMAND_WORD_LENGTH];
	struct error e;

	if (!found_no_error(found, FINDING_COMMAND_WRONG, check_syntax(name, command, &e), &e))
		return false;
	if (!found_no_error(found, FINDING_COMMAND_WRONG, check_key(name, command, &e), &e))
		return false;
	if (!command_program(command, program))
		return true;
	if (!found_no_error(found, FINDING_COMMAND_WRONG, check_program(name, program, &e), &e))
		return false;
	found_good(found, "%s: the program %s exists", name, program);
	return true;
}

/* --- a warning ----------------------------------------------------------------- */

static const char *const filters[] = {
	"age", "base64", "brotli", "bzip2", "cat", "dd", "gpg", "gzip", "lz4", "lzop", "mbuffer",
	"pigz", "pv", "xz", "zstd", "zstdmt",
};

/* Options with which these programs name their output. */
static const char *const outputs[] = { "-o", "-O", "--output", "of=" };

static bool is_filter(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++)
		if (strlen(filters[i]) == length && strncmp(filters[i], word, length) == 0)
			return true;
	return false;
}

/* True if a word may name an output.  "-" is standard input; dd(1) has operands such as bs=1M. */
static bool may_be_output(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(outputs) / sizeof(*outputs); i++)
		if (strncmp(word, outputs[i], strlen(outputs[i])) == 0)
			return true;
	return *word != '-' && !memchr(word, '=', length);
}

/*
 * Does the text redirect standard output to something that may store it?  Other redirections are replaced by
 * spaces: that of standard error, and those to /dev/null and to another descriptor.
 */
static bool is_redirected(char *text)
{
	for (char *sign = text; (sign = strchr(sign, '>'));) {
		char *begin = sign, *target = sign + 1;
		size_t length;
		bool nowhere;

		/* The number of a descriptor is a word of its own: not in "gzip -2>FILE". */
		if (begin > text && strchr("12&", begin[-1]) &&
		    (begin - 1 == text || strchr(" \t\n;&|(", begin[-2])))
			begin--;
		target += strspn(target, ">|");
		nowhere = *target == '&';
		target += strspn(target, "& \t");
		length = strcspn(target, " \t\n;&|)");
		nowhere |= length == strlen("/dev/null") && strncmp(target, "/dev/null", length) == 0;
		if (*begin != '2' && !nowhere)
			return true;
		sign = target + length;
		memset(begin, ' ', (size_t)(sign - begin));
	}
	return false;
}

static bool last_prints(const char *text)
{
	const char *pipe = strrchr(text, '|'), *word, *name;
	size_t length;

	word = pipe ? pipe + 1 : text;
	word += strspn(word, " \t\n");
	length = strcspn(word, " \t\n;&");
	name = memrchr(word, '/', length);
	name = name ? name + 1 : word;
	if (!is_filter(name, length - (size_t)(name - word)))
		return false;
	for (;;) {
		word += length;
		word += strspn(word, " \t");
		length = strcspn(word, " \t\n;&");
		if (!length)
			return true;
		if (may_be_output(word, length))
			return false;
	}
}

bool command_text_prints(const char *text)
{
	char *copy = strdup(text);
	bool prints = copy && !is_redirected(copy) && last_prints(copy);

	free(copy);
	return prints;
}
