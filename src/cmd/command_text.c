// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "cmd/command_text.h"

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

bool command_text_prints(const char *text)
{
	const char *pipe = strrchr(text, '|'), *word, *name;
	size_t length;

	if (strchr(text, '>'))
		return false;
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
