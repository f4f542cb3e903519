// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"
#include "cmd/nsplit/check/command.h"

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

/* These end a word; the last ones are of a command in parentheses or quotes. */
static const char word_ends[] = " \t\n;&|)'\"";

/* They run the command that follows their options; openssl has several programs. */
static const char *const wrappers[] = {
	"bash", "busybox", "chrt", "command", "dash", "env", "exec", "ionice", "nice", "nohup", "openssl", "sh", "stdbuf",
	"sudo", "taskset", "time", "timeout", NULL,
};

/* They write to standard output only. */
static const char *const printers[] = {
	"b2sum", "cat", "cksum", "cut", "grep", "head", "hexdump", "md5sum", "od", "sha1sum",
	"sha256sum", "sha512sum", "strings", "sum", "tac", "tail", "tr", "wc", NULL,
};

/* They write to standard output unless another output is named. */
static const char *const filters[] = {
	"age", "base32", "base64", "brotli", "bzip2", "compress", "dd", "dgst", "enc", "gpg", "gzip", "lbzip2",
	"lz4", "lzma", "lzop", "mbuffer", "pbzip2", "pigz", "pv", "tee", "xxd", "xz", "zstd", "zstdmt", NULL,
};

/* Options with which these programs name their output. */
static const char *const outputs[] = { "-o", "-O", "--output", NULL };

/* Files that store nothing. */
static const char *const nowhere[] = {
	"/dev/null", "/dev/stdout", "/dev/fd/1", "/dev/stderr", "/dev/fd/2", "/dev/tty", NULL,
};

static bool is_one_of(const char *const *list, const char *word, size_t length)
{
	while (*list && (strlen(*list) != length || strncmp(*list, word, length) != 0))
		list++;
	return *list;
}

static bool is_program(const char *const *list, const char *word, size_t length)
{
	const char *slash = memrchr(word, '/', length), *name = slash ? slash + 1 : word;

	return is_one_of(list, name, length - (size_t)(name - word));
}

/* To the program that is run in the end: behind assignments, parentheses, wrappers and their options and numbers. */
static const char *skip_wrappers(const char *word)
{
	bool wrapped = false;

	for (;;) {
		size_t length;

		word += strspn(word, " \t\n({'\"");
		length = strcspn(word, word_ends);
		if (is_program(wrappers, word, length))
			wrapped = true;
		else if (!length || (!memchr(word, '=', length) && !(wrapped && strchr("-0123456789", *word))))
			return word;
		word += length;
	}
}

/* True if a word may name an output.  "-" is standard input; dd(1) has operands such as bs=1M, and head(1) numbers. */
static bool may_be_output(const char *word, size_t length)
{
	size_t digits = strspn(word, "0123456789");

	if (strncmp(word, "of=", 3) == 0)
		return !is_one_of(nowhere, word + 3, length - 3);
	for (size_t i = 0; outputs[i]; i++)
		if (strncmp(word, outputs[i], strlen(outputs[i])) == 0)
			return true;
	return *word != '-' && !memchr(word, '=', length) && !is_one_of(nowhere, word, length) &&
	       !(digits && digits + 2 >= length);
}

/*
 * Does the text redirect standard output to something that may store it?  Other redirections are replaced by
 * spaces: that of standard error, and those to nowhere and to another descriptor.
 */
static bool is_redirected(char *text)
{
	for (char *sign = text; (sign = strchr(sign, '>'));) {
		char *begin = sign, *target = sign + 1;
		size_t length;
		bool lost;

		/* The number of a descriptor is a word of its own: not in "gzip -2>FILE". */
		if (begin > text && strchr("12&", begin[-1]) &&
		    (begin - 1 == text || strchr(" \t\n;&|(", begin[-2])))
			begin--;
		target += strspn(target, ">|");
		lost = *target == '&';
		target += strspn(target, "& \t");
		length = strcspn(target, word_ends);
		lost |= is_one_of(nowhere, target, length);
		if (*begin != '2' && !lost)
			return true;
		sign = target + length;
		memset(begin, ' ', (size_t)(sign - begin));
	}
	return false;
}

static bool last_prints(const char *text)
{
	const char *pipe = strrchr(text, '|'), *word = skip_wrappers(pipe ? pipe + 1 : text);
	size_t length = strcspn(word, word_ends);

	if (is_program(printers, word, length))
		return true;
	if (!is_program(filters, word, length))
		return false;
	for (;;) {
		word += length;
		word += strspn(word, " \t");
		length = strcspn(word, word_ends);
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
