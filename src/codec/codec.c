// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "codec/codec.h"

/* The only list of the codecs in this build. */
static const struct codec_entry entries[] = {
	{ "raw", CODEC_RAW, &codec_raw },
	{ "lzo", CODEC_LZO, &codec_lzo },
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

/* Stricter than strtol(), which accepts leading blanks and a plus sign. */
static bool is_number(const char *text)
{
	const char *digits = text + (*text == '-');

	return *digits && digits[strspn(digits, "0123456789")] == '\0';
}

enum status codec_level(const struct codec *codec, const char *text, int *level, struct error *e)
{
	long value;

	if (!codec->has_levels)
		return error_set(e, STATUS_USAGE, "codec '%s' takes no level",
				 codec->name);
	if (!is_number(text))
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

/* What other programs call codecs of this list. */
static const struct {
	const char *name, *codec;
} other_names[] = {
	{ "deflate", "zlib" }, { "gz", "zlib" }, { "gzip", "zlib" }, { "lzo1x", "lzo" },
};

enum { NAME_LENGTH = 64 };

/* A level without the colon: "zstd19".  One that is out of range is not suggested. */
static bool suggest_level(const char *name, char meant[NAME_LENGTH])
{
	for (const struct codec_entry *entry = codec_entries(); entry->name; entry++) {
		size_t len = strlen(entry->name);
		struct error e;
		int level;

		if (!entry->codec || strncmp(name, entry->name, len) != 0 || name[len] == '-' ||
		    codec_level(entry->codec, name + len, &level, &e))
			continue;
		snprintf(meant, NAME_LENGTH, "%s:%s", entry->name, name + len);
		return true;
	}
	return false;
}

static bool is_built(const char *name)
{
	return entry_by_name(name, strlen(name))->codec;
}

/* The name that is meant, or "".  other: a further one that would have been accepted, or NULL. */
static void suggest(const char *name, const char *other, char meant[NAME_LENGTH])
{
	struct nearest nearest;

	if (suggest_level(name, meant))
		return;
	nearest_begin(&nearest, name);
	for (const struct codec_entry *entry = codec_entries(); entry->name; entry++)
		if (entry->codec)
			nearest_offer(&nearest, entry->name);
	if (other)
		nearest_offer(&nearest, other);
	for (size_t i = 0; i < sizeof(other_names) / sizeof(*other_names); i++)
		if (strcmp(other_names[i].name, name) == 0 && is_built(other_names[i].codec))
			nearest.best = other_names[i].codec;
	snprintf(meant, NAME_LENGTH, "%s", nearest.best ? nearest.best : "");
}

static enum status refuse_unknown(const char *text, size_t len, const char *other,
				  struct error *e)
{
	char name[NAME_LENGTH], meant[NAME_LENGTH];

	snprintf(name, sizeof(name), "%.*s", (int)len, text);
	suggest(name, other, meant);
	if (*meant)
		return error_set(e, STATUS_USAGE, "unknown codec '%s'; do you mean '%s'? "
				 "--list-codecs lists all", name, meant);
	return error_set(e, STATUS_USAGE, "unknown codec '%s'; --list-codecs lists them", name);
}

enum status codec_find_or(const char *text, const char *other, const struct codec **codec,
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
