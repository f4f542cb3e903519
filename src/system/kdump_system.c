// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "system/kdump_find.h"

/* Those of kdump-tools are directories in a setting, those of an initramfs lines in a file. */
static bool has_more_disks(const char *root, const struct kdump_system *kdump)
{
	char value[SETTING_LENGTH];

	if (kdump->caller != KDUMP_CALLS_NSPLIT)
		return false;
	if (kdump->from_initramfs)
		return rooted_exists(root, "/etc/nsplit-disks.conf");
	return setting_of_shell(root, "/etc/default/nsplit-kdump", "NSPLIT_DIRECTORIES", value) && *value;
}

void kdump_system_find(const char *root, struct kdump_system *kdump)
{
	struct rooted found;

	if (rooted_exists(root, "/usr/sbin/kdump-config"))
		kdump_find_tools(root, kdump);
	else if (kdump_find_program(root, "kdumpctl", &found))
		kdump_find_utils(root, kdump);
	else if (kdump_find_program(root, "mkdumprd", &found))
		kdump_find_suse(root, kdump);
	else if (kdump_captures_in_initramfs(root))
		kdump_find_initramfs(root, kdump);
	else
		*kdump = (struct kdump_system){ .name = "none", .cpus = 1 };
	kdump->more_disks = has_more_disks(root, kdump);
}

bool kdump_has_options_of_nsplit(const struct kdump_system *kdump)
{
	return kdump->caller == KDUMP_CALLS_NSPLIT &&
	       (kdump->kind == KDUMP_UTILS || kdump->kind == KDUMP_SUSE);
}

static const char blanks[] = " \t";

/* The first letter of a word such as "-cd31" that has a value; NULL: none.  See src/cmd/makedumpfile/table.c. */
static const char *letter_with_value(const char *word)
{
	const char *letter;

	if (word[0] != '-' || word[1] == '-')
		return NULL;
	letter = word + 1 + strcspn(word + 1, "bdgiLx \t");
	return *letter && !strchr(blanks, *letter) ? letter : NULL;
}

/* Among its letters before the one that has a value; NULL: none is a codec. */
static const char *codec_of_word(const char *word)
{
	static const struct { char letter; const char *name; } codecs[] = {
		{ 'c', "zlib" }, { 'l', "lzo" }, { 'p', "snappy" }, { 'z', "zstd" },
	};
	const char *name = NULL, *end = letter_with_value(word);

	if (word[0] != '-' || word[1] == '-')
		return NULL;
	if (!end)
		end = word + strcspn(word, blanks);
	for (const char *letter = word + 1; letter < end; letter++)
		for (size_t i = 0; i < sizeof(codecs) / sizeof(codecs[0]); i++)
			if (*letter == codecs[i].letter)
				name = codecs[i].name;
	return name;
}

static const char *next_word(const char *word)
{
	word += strcspn(word, blanks);
	return word + strspn(word, blanks);
}

const char *kdump_level_in(const char *options)
{
	const char *level = NULL;

	for (const char *word = options + strspn(options, blanks); *word; word = next_word(word)) {
		const char *letter = letter_with_value(word), *value;

		if (!letter)
			continue;
		value = letter + 1;
		/* The value is the next word, even if that begins with a dash. */
		if (!*value || strchr(blanks, *value))
			value = word = next_word(word);
		if (*letter == 'd')
			level = value;
	}
	return level;
}

static bool is_mode(const char *word)
{
	static const char *const modes[] = { "--help", "--version", "--check-params", "--dry-run", "--mem-usage", "--dump-dmesg" };
	const char *end = letter_with_value(word);
	size_t length = strcspn(word, " \t=");

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strlen(modes[i]) == length && strncmp(word, modes[i], length) == 0)
			return true;
	if (word[0] != '-' || word[1] == '-')
		return false;
	length = end ? (size_t)(end - word) : length;
	return memchr(word, 'h', length) || memchr(word, 'v', length);
}

/* The word behind this one, or, if the value of this one is a word, behind that, even if that begins with a dash. */
static const char *next_option(const char *word)
{
	const char *letter = letter_with_value(word);

	if (letter && (!letter[1] || strchr(blanks, letter[1])))
		word = next_word(word);
	return next_word(word);
}

const char *kdump_mode_in(const char *options)
{
	for (const char *word = options + strspn(options, blanks); *word; word = next_option(word))
		if (is_mode(word))
			return word;
	return NULL;
}

const char *kdump_codec_name(const char *options)
{
	const char *name = "raw";

	for (const char *word = options + strspn(options, blanks); *word; word = next_option(word)) {
		const char *found = codec_of_word(word);

		if (found)
			name = found;
	}
	return name;
}
