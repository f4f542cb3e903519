// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "system/rooted.h"
#include "system/setting.h"

static const char blanks[] = " \t";

static bool take(const char *begin, size_t length, char value[SETTING_LENGTH])
{
	if (length >= SETTING_LENGTH)
		return false;
	memcpy(value, begin, length);
	value[length] = '\0';
	return true;
}

/* What follows the key and one of the separators, or NULL. */
static const char *after_key(const char *line, const char *key, const char *separators)
{
	size_t length = strlen(key);

	if (strncmp(line, key, length) != 0 || !line[length] || !strchr(separators, line[length]))
		return NULL;
	return line + length + 1;
}

/* Is what follows an assignment a command?  Then the shell sets the variable for that only. */
static bool runs_command(const char *rest)
{
	size_t word;

	rest += strspn(rest, blanks);
	word = strcspn(rest, " \t;");
	return word && *rest != '#' && !memchr(rest, '=', word);
}

/* One word, of which a part may be in quotes. */
static bool take_shell(const char *line, const char *key, char value[SETTING_LENGTH])
{
	const char *text;
	size_t length = 0;
	char quote = '\0';
	bool exported;

	line += strspn(line, blanks);
	exported = strncmp(line, "export ", 7) == 0;
	if (exported)
		line += 7 + strspn(line + 7, blanks);
	text = after_key(line, key, "=");
	if (!text)
		return false;
	for (; *text && (quote || !strchr(" \t;", *text)); text++) {
		if (quote ? *text == quote : *text == '"' || *text == '\'') {
			quote = quote ? '\0' : *text;
			continue;
		}
		if (*text == '\\' && quote != '\'' && text[1])
			text++;
		if (length == SETTING_LENGTH - 1)
			return false;
		value[length++] = *text;
	}
	value[length] = '\0';
	return exported || !runs_command(text);
}

static bool take_kdump(const char *line, const char *key, char value[SETTING_LENGTH])
{
	const char *text = after_key(line + strspn(line, blanks), key, blanks);
	size_t length;

	if (!text)
		return false;
	text += strspn(text, blanks);
	length = strcspn(text, "#");
	while (length && strchr(blanks, text[length - 1]))
		length--;
	if (length >= 2 && text[0] == '"' && text[length - 1] == '"') {
		text++;
		length -= 2;
	}
	return take(text, length, value);
}

static bool read_file(const char *root, const char *file, const char *key, char value[SETTING_LENGTH],
		      bool (*take_line)(const char *line, const char *key, char value[SETTING_LENGTH]))
{
	FILE *lines = rooted_open(root, file);
	char *line = NULL, last[SETTING_LENGTH];
	size_t size = 0;
	bool found = false;

	if (!lines)
		return false;
	while (getline(&line, &size, lines) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!take_line(line, key, last))
			continue;
		memcpy(value, last, strlen(last) + 1);
		found = true;
	}
	free(line);
	fclose(lines);
	return found;
}

bool setting_of_shell(const char *root, const char *file, const char *key, char value[SETTING_LENGTH])
{
	return read_file(root, file, key, value, take_shell);
}

bool setting_of_kdump(const char *root, const char *file, const char *key, char value[SETTING_LENGTH])
{
	return read_file(root, file, key, value, take_kdump);
}
