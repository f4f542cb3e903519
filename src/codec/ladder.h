// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ladders: the ways to pack that a capture has, the fastest first.
 *
 * Each record names its own codec (doc/format.md, section 4), so a capture may go up and down:
 * that is what -C auto means.  The ladder of a codec that the user chose has one rung.
 */
#ifndef NSPLIT_CODEC_LADDER_H
#define NSPLIT_CODEC_LADDER_H

#include "codec/codec.h"

enum { RUNGS_MAX = 8 };

struct rung {
	const struct codec *codec;
	int level;
	/* Of auto, else 0: what it usually takes and leaves, in parts of what the second rung does. */
	double usual_cost, usual_left;
};

struct ladder {
	struct rung rungs[RUNGS_MAX];
	unsigned count;			/* at least 1 */
};

/*
 * Takes what codec_find() takes, or "auto": what this build has of the rungs that pay.
 * STATUS_USAGE as of codec_find().
 */
enum status ladder_find(const char *text, struct ladder *ladder, struct error *e);

/* The ladder of one codec. */
struct ladder ladder_of(const struct codec *codec, int level);

enum { RUNG_TEXT_LENGTH = 32 };
/* As codec_find() takes it, with its level if it has any.  Returns text. */
const char *rung_format(const struct rung *rung, char text[RUNG_TEXT_LENGTH]);

#endif
