// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "codec/presets.h"

/*
 * Measured on the memory of a kernel in blocks of 4 KiB: nsplit-bench -j2 --write-only core null:,
 * on 2026-11-22.  Their costs, relative to LZ4, were 0.05, 1, 1.15, 2.6, 3.5, 4.7 and 38; they left
 * 1.61, 1, 0.975, 0.83, 0.82, 0.814 and 0.783.  Other levels save less than 0.2 % more than one of
 * these, for twice the time.
 */
static const char *const paying[] = {
	"raw", [PRESET_STANDARD] = "lz4", "lzo", [PRESET_FIRST] = "zstd:1", "zstd:3", "zstd:4", "zstd:12",
};
_Static_assert(sizeof(paying) / sizeof(*paying) <= PRESETS_MAX, "presets.list holds the table");

struct presets presets_of(const struct codec *codec, int level)
{
	return (struct presets){ .list = { { .codec = codec, .level = level } }, .count = 1 };
}

const struct codec *presets_single(const struct presets *presets)
{
	return presets->count == 1 ? presets->list[0].codec : NULL;
}

static struct presets presets_of_auto(void)
{
	struct presets presets = { .count = 0 };
	struct error left_out;

	for (size_t i = 0; i < sizeof(paying) / sizeof(*paying); i++) {
		struct preset *preset = &presets.list[presets.count];

		presets.count += !codec_find(paying[i], &preset->codec, &preset->level, &left_out);
	}
	return presets;
}

static const char name_of_auto[] = "auto";

enum status presets_find(const char *text, struct presets *presets, struct error *e)
{
	const struct codec *codec;
	enum status status;
	int level;

	if (strcmp(text, name_of_auto) == 0) {
		*presets = presets_of_auto();
		return STATUS_OK;
	}
	if (strncmp(text, "auto:", strlen("auto:")) == 0)
		return error_set(e, STATUS_USAGE, "codec '%s' takes no level", name_of_auto);
	status = codec_find_or(text, name_of_auto, &codec, &level, e);
	if (!status)
		*presets = presets_of(codec, level);
	return status;
}

const char *preset_format(const struct preset *preset, char text[PRESET_TEXT_LENGTH])
{
	if (preset->codec->has_levels)
		snprintf(text, PRESET_TEXT_LENGTH, "%s:%d", preset->codec->name, preset->level);
	else
		snprintf(text, PRESET_TEXT_LENGTH, "%s", preset->codec->name);
	return text;
}
