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

/* The first letter of a word such as "-cd31" that has a value; NULL: none.  See src/cmd/makedumpfile/options.c. */
static const char *letter_with_value(const char *word)
{
	const char *letter;

	if (word[0] != '-' || word[1] == '-')
		return NULL;
	letter = word + 1 + strcspn(word + 1, "bdgiLx \t");
	return *letter && !strchr(blanks, *letter) ? letter : NULL;
}

static const char *next_word(const char *word)
{
	word += strcspn(word, blanks);
	return word + strspn(word, blanks);
}

/* The word behind this one, or, if the value of this one is a word, behind that, even if that begins with a dash. */
static const char *next_option(const char *word)
{
	const char *letter = letter_with_value(word);

	if (letter && (!letter[1] || strchr(blanks, letter[1])))
		word = next_word(word);
	return next_word(word);
}

/* How many letters of a word such as "-cld31" have no value; they begin at word + 1. */
static size_t letters_of(const char *word)
{
	const char *end = letter_with_value(word);

	if (word[0] != '-' || word[1] == '-')
		return 0;
	return end ? (size_t)(end - word - 1) : strcspn(word + 1, blanks);
}

const char *kdump_level_in(const char *options)
{
	const char *level = NULL;

	for (const char *word = options + strspn(options, blanks); *word; word = next_option(word)) {
		const char *letter = letter_with_value(word);

		if (letter && *letter == 'd')
			level = letter[1] && !strchr(blanks, letter[1]) ? letter + 1 : next_word(word);
	}
	return level;
}

static bool is_mode(const char *word)
{
	static const char *const modes[] = { "--help", "--version", "--check-params", "--dry-run", "--mem-usage", "--dump-dmesg" };
	size_t length = strcspn(word, " \t="), letters = letters_of(word);

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strlen(modes[i]) == length && strncmp(word, modes[i], length) == 0)
			return true;
	return letters && (memchr(word + 1, 'h', letters) || memchr(word + 1, 'v', letters));
}

const char *kdump_mode_in(const char *options)
{
	for (const char *word = options + strspn(options, blanks); *word; word = next_option(word))
		if (is_mode(word))
			return word;
	return NULL;
}

static const char *codec_of_letter(char letter)
{
	switch (letter) {
	case 'c':
		return "zlib";
	case 'l':
		return "lzo";
	case 'p':
		return "snappy";
	case 'z':
		return "zstd";
	default:
		return NULL;
	}
}

const char *kdump_codec_name(const char *options)
{
	const char *name = "raw";

	for (const char *word = options + strspn(options, blanks); *word; word = next_option(word))
		for (size_t i = 1; i <= letters_of(word); i++)
			if (codec_of_letter(word[i]))
				name = codec_of_letter(word[i]);
	return name;
}

const char *kdump_origin(const struct kdump_system *kdump)
{
	return kdump->config ? kdump->config : kdump->name;
}
