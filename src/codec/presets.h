// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ladders: the ways to pack that a capture has, the fastest first.
 *
 * Each record names its own codec (doc/format.md, section 4), so a capture may go up and down:
 * that is what -C auto means.  The ladder of a codec that the user chose has one rung.
 */
#ifndef NSPLIT_CODEC_PRESETS_H
#define NSPLIT_CODEC_PRESETS_H

#include "codec/codec.h"

enum { PRESETS_MAX = 8 };

struct preset {
	const struct codec *codec;
	int level;
	/* Of auto, else 0: what it usually takes and leaves, in parts of what the second rung does. */
	double usual_cost, usual_left;
};

struct presets {
	struct preset list[PRESETS_MAX];	/* the fastest first */
	unsigned count;			/* at least 1 */
};

/*
 * Takes what codec_find() takes, or "auto": what this build has of the rungs that pay.
 * STATUS_USAGE as of codec_find().
 */
enum status presets_find(const char *text, struct presets *presets, struct error *e);

/* The ladder of one codec. */
struct presets presets_of(const struct codec *codec, int level);

enum { PRESET_TEXT_LENGTH = 32 };
/* As codec_find() takes it, with its level if it has any.  Returns text. */
const char *preset_format(const struct preset *preset, char text[PRESET_TEXT_LENGTH]);

#endif
