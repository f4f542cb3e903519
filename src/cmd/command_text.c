// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "cmd/command_text.h"

static const char *const filters[] = {
	"age", "base64", "brotli", "bzip2", "cat", "dd", "gpg", "gzip", "lz4", "lzop", "mbuffer",
	"openssl", "pigz", "pv", "tee", "xz", "zstd", "zstdmt",
};

/* Options with which these programs name their output. */
static const char *const outputs[] = { " -o", " --output", " -out", " of=" };

static bool is_filter(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++)
		if (strlen(filters[i]) == length && strncmp(filters[i], word, length) == 0)
			return true;
	return false;
}

bool command_text_prints(const char *text)
{
	const char *last = strrchr(text, '|');
	size_t length;

	if (strchr(text, '>'))
		return false;
	last = last ? last + 1 : text;
	last += strspn(last, " \t\n");
	for (size_t i = 0; i < sizeof(outputs) / sizeof(*outputs); i++)
		if (strstr(last, outputs[i]))
			return false;
	length = strcspn(last, " \t\n;&");
	for (size_t i = length; i > 0; i--)
		if (last[i - 1] == '/')
			return is_filter(last + i, length - i);
	return is_filter(last, length);
}
