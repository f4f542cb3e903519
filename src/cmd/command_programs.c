// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "cmd/command_programs.h"

/* After these, what a word means depends on more than the text. */
static const char *const unclear[] = {
	"!", ".", "[[", "alias", "case", "cd", "eval", "export", "for", "function", "if", "set",
	"source", "unset", "until", "while", "{",
};

static bool is_unclear(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(unclear) / sizeof(*unclear); i++)
		if (strlen(unclear[i]) == length && strncmp(unclear[i], word, length) == 0)
			return true;
	if (length >= 5 && strncmp(word, "PATH=", 5) == 0)
		return true;
	/* The descriptor of a redirection before the program: "2> log ssh host". */
	return strspn(word, "0123456789") == length;
}

static bool is_assignment(const char *word, size_t length)
{
	size_t name = 0;

	while (name < length && (isalnum((unsigned char)word[name]) || word[name] == '_'))
		name++;
	return name > 0 && name < length && word[name] == '=' && !isdigit((unsigned char)*word);
}

/* No quotes, patterns or substitutions, and no option. */
static bool is_plain(const char *word, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)word[i]) && !strchr("_-+./:@", word[i]))
			return false;
	return length > 0 && length < PROGRAM_LENGTH && *word != '-' && *word != '+';
}

/* Behind the quoted string, or the quoted character, that begins here. */
static const char *skip_quoted(const char *p)
{
	const char *end = p + 1;

	if (*p == '\\')
		return *end ? end + 1 : end;
	while (*end && *end != *p)
		end += *p == '"' && *end == '\\' && end[1] ? 2 : 1;
	return *end ? end + 1 : end;
}

static const char *skip_word(const char *p)
{
	while (*p && !strchr(" \t\n|&;<>()", *p))
		p = strchr("\"'\\", *p) ? skip_quoted(p) : p + 1;
	return p;
}

/* Behind a redirection such as "2>&1" or "> file", from its < or >. */
static const char *skip_redirection(const char *p)
{
	p += strspn(p, "<>&|");
	p += strspn(p, " \t");
	return skip_word(p);
}

/* The separator behind a command, or what is not clear. */
static const char *skip_command(const char *p)
{
	while (*p && !strchr("|&;\n()#", *p)) {
		if (*p == '<' || *p == '>')
			p = skip_redirection(p);
		else if (*p == ' ' || *p == '\t')
			p++;
		else
			p = skip_word(p);
	}
	return p;
}

/*
 * True if the list that continues at p is the end of the text.  If it is not, its exit status is not
 * that of the command, and && often asks for a program that may be missing.
 */
static bool is_last_list(const char *p)
{
	for (;;) {
		p = skip_command(p);
		if (strncmp(p, "&&", 2) == 0)
			p += 2;
		else if (*p == '|')
			p++;
		else
			break;
		p += strspn(p, "& \t\n");
	}
	p += strspn(p, "; \t\n");
	return *p == '#' ? !strchr(p, '\n') : !*p;
}

/* Substitutions may contain commands; || has alternatives, of which one may be missing. */
static bool is_clear(const char *text)
{
	return !strstr(text, "||") && !strstr(text, "$(") && !strchr(text, '`') &&
	       !strstr(text, "<<");
}

bool command_next_program(const char **rest, char program[PROGRAM_LENGTH])
{
	const char *p = is_clear(*rest) ? *rest : "";

	*rest = "";
	while (*p) {
		const char *word = p + strspn(p, " \t\n");
		size_t length = (size_t)(skip_word(word) - word);

		if (!length || is_unclear(word, length))
			return false;
		p = word + length;
		if (is_assignment(word, length))
			continue;
		p = skip_command(p);
		/* A function, or the end of a subshell or of a pattern. */
		if (*p == '(' || *p == ')')
			return false;
		if (*p == '#' || (strncmp(p, "&&", 2) == 0 && !is_last_list(p)))
			p = "";
		else
			p += strspn(p, "|&;\n \t");
		if (is_plain(word, length)) {
			memcpy(program, word, length);
			program[length] = '\0';
			*rest = p;
			return true;
		}
	}
	return false;
}
