// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Presets: the codecs, each with a level, that a capture may use; the fastest first.
 *
 * Each record names its own codec (doc/format.md, section 5), so a capture can change the codec at
 * any chunk, as -C auto does.  A codec that the user chose is a single preset.
 */
#ifndef NSPLIT_CODEC_PRESETS_H
#define NSPLIT_CODEC_PRESETS_H

#include "codec/codec.h"

enum { PRESETS_MAX = 8 };

/* Presets of auto; their rows in presets.c do not move. */
enum {
	PRESET_STANDARD = 1,	/* the fastest one that compresses (LZ4): others are compared with it */
	PRESET_FIRST = 3,	/* until costs are known; see first_preset() in capture */
};

struct preset {
	const struct codec *codec;
	int level;
};

struct presets {
	struct preset list[PRESETS_MAX];	/* the fastest first */
	unsigned count;			/* at least 1 */
};

/*
 * Accepts what codec_find() accepts, or "auto", for all worthwhile presets that this build has.
 * STATUS_USAGE as from codec_find().
 */
enum status presets_find(const char *text, struct presets *presets, struct error *e);

/* A single preset. */
struct presets presets_of(const struct codec *codec, int level);
/* The codec of a single preset.  NULL: there are several presets, as with auto. */
const struct codec *presets_single(const struct presets *presets);

enum { PRESET_TEXT_LENGTH = 32 };
/* Formats it as codec_find() accepts it, with its level if it has one.  Returns text. */
const char *preset_format(const struct preset *preset, char text[PRESET_TEXT_LENGTH]);

#endif
