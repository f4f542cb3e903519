// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "codec/codec.h"

/*
 * raw: no block is packed, so a raw record has only stored and same-filled blocks.  raw_pack()
 * accesses neither src nor dst, so src may already be in the record (capture/fill/fill.c).
 */
static size_t raw_bound(size_t len)
{
	return len;
}

static size_t raw_pack(void *packer, const void *src, size_t len, void *dst)
{
	(void)packer;
	(void)src;
	(void)len;
	(void)dst;
	return 0;
}

static bool raw_unpack(void *unpacker, const void *src, size_t len,
		       void *dst, size_t dst_len)
{
	(void)unpacker;
	(void)src;
	(void)len;
	(void)dst;
	(void)dst_len;
	return false;
}

const struct codec codec_raw = {
	.name = "raw",
	.id = CODEC_RAW,
	.bound = raw_bound,
	.pack = raw_pack,
	.unpack = raw_unpack,
};

/* The only list of the codecs in this build. */
static const struct codec_entry entries[] = {
	{ "raw", CODEC_RAW, &codec_raw },
	{ "lzo", CODEC_LZO, &codec_lzo },
	{ "lzohc", CODEC_LZO, &codec_lzohc },
#ifdef HAVE_SNAPPY
	{ "snappy", CODEC_SNAPPY, &codec_snappy },
#else
	{ "snappy", CODEC_SNAPPY, NULL },
#endif
#ifdef HAVE_LZ4
	{ "lz4", CODEC_LZ4, &codec_lz4 },
	{ "lz4hc", CODEC_LZ4, &codec_lz4hc },
#else
	{ "lz4", CODEC_LZ4, NULL },
	{ "lz4hc", CODEC_LZ4, NULL },
#endif
#ifdef HAVE_ZSTD
	{ "zstd", CODEC_ZSTD, &codec_zstd },
#else
	{ "zstd", CODEC_ZSTD, NULL },
#endif
#ifdef HAVE_ZLIB
	{ "zlib", CODEC_ZLIB, &codec_zlib },
#else
	{ "zlib", CODEC_ZLIB, NULL },
#endif
	{ NULL, CODEC_RAW, NULL },
};

const struct codec_entry *codec_entries(void)
{
	return entries;
}

/* name is not terminated: a level may follow it. */
static const struct codec_entry *entry_by_name(const char *name, size_t len)
{
	const struct codec_entry *entry;

	for (entry = entries; entry->name; entry++)
		if (strlen(entry->name) == len && !memcmp(entry->name, name, len))
			return entry;
	return NULL;
}

enum status codec_level(const struct codec *codec, const char *text, int *level, struct error *e)
{
	const char *digits = text + (*text == '-');
	long value;

	if (!codec->has_levels)
		return error_set(e, STATUS_USAGE, "codec '%s' takes no level",
				 codec->name);
	/* Stricter than strtol(), which accepts leading blanks and a plus sign. */
	if (!*digits || digits[strspn(digits, "0123456789")])
		return error_set(e, STATUS_USAGE, "%s: level '%s' is not a number",
				 codec->name, text);
	/*
	 * If the number does not fit, strtol() returns LONG_MIN or LONG_MAX, which is out of range.
	 */
	value = strtol(text, NULL, 10);
	if (value < codec->level_min || value > codec->level_max)
		return error_set(e, STATUS_USAGE,
				 "%s: level %s is out of range; use %d to %d",
				 codec->name, text, codec->level_min, codec->level_max);
	*level = (int)value;
	return STATUS_OK;
}

enum { NAME_LENGTH = 64 };

/* other: a further name that would have been accepted, or NULL. */
static enum status refuse_unknown(const char *text, size_t len, const char *other, struct error *e)
{
	struct nearest nearest;
	char name[NAME_LENGTH];

	snprintf(name, sizeof(name), "%.*s", (int)len, text);
	nearest_begin(&nearest, name);
	for (const struct codec_entry *entry = entries; entry->name; entry++)
		if (entry->codec)
			nearest_offer(&nearest, entry->name);
	if (other)
		nearest_offer(&nearest, other);
	if (nearest.best)
		return error_set(e, STATUS_USAGE, "unknown codec '%s'; do you mean '%s'? "
				 "--list-codecs lists all", name, nearest.best);
	return error_set(e, STATUS_USAGE, "unknown codec '%s'; --list-codecs lists them", name);
}

/* codec_find() where another name is accepted, too, so that it can be suggested; NULL: none. */
static enum status codec_find_or(const char *text, const char *other, const struct codec **codec,
				 int *level, struct error *e)
{
	size_t len = strcspn(text, ":");
	const struct codec_entry *entry = entry_by_name(text, len);

	if (!entry)
		return refuse_unknown(text, len, other, e);
	if (!entry->codec)
		return error_set(e, STATUS_USAGE, "codec '%s' was left out of this build",
				 entry->name);
	*codec = entry->codec;
	*level = entry->codec->level_default;
	if (text[len] == '\0')
		return STATUS_OK;
	return codec_level(entry->codec, text + len + 1, level, e);
}

enum status codec_find(const char *text, const struct codec **codec, int *level,
		       struct error *e)
{
	return codec_find_or(text, NULL, codec, level, e);
}

/* If two codecs share a format, the first one is returned. */
static const struct codec_entry *entry_by_id(unsigned id)
{
	const struct codec_entry *entry;

	for (entry = entries; entry->name; entry++)
		if (entry->id == id)
			return entry;
	return NULL;
}

const struct codec *codec_by_id(unsigned id)
{
	const struct codec_entry *entry = entry_by_id(id);

	return entry ? entry->codec : NULL;
}

const char *codec_id_name(unsigned id)
{
	const struct codec_entry *entry = entry_by_id(id);

	return entry ? entry->name : NULL;
}

/* --- presets --------------------------------------------------------------- */

/*
 * Measured on the pages that -d 31 keeps of a core of Linux 6.1, in blocks of 4 KiB, on 2026-11-29.  Their costs,
 * relative to LZO, were 0.05, 1, 1.5, 4.3, 5.4, 7.4 and 60; they left 2.3, 1, 0.90, 0.67, 0.65, 0.64 and 0.59.  LZ4
 * (1.5 and 0.95) and other levels save less than one of these, or hardly more for twice the time.
 */
static const char *const paying[] = {
	"raw", [PRESET_STANDARD] = "lzo", "lzohc", [PRESET_FIRST] = "zstd:1", "zstd:3", "zstd:4", "zstd:12",
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

static const char name_of_auto[] = "auto";

enum status presets_find(const char *text, struct presets *presets, struct error *e)
{
	const struct codec *codec;
	enum status status;
	int level;

	if (strcmp(text, name_of_auto) == 0) {
		presets->count = 0;
		for (size_t i = 0; i < sizeof(paying) / sizeof(*paying); i++) {
			struct preset *preset = &presets->list[presets->count];
			struct error left_out;

			presets->count += !codec_find(paying[i], &preset->codec, &preset->level, &left_out);
		}
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
