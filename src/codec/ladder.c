// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "codec/ladder.h"

/*
 * Measured on the memory of a kernel, 4 KiB blocks: nsplit-bench -j2 --write-only core null:, on
 * 2026-11-22.  What is left out saves less than two thousandths more than one of these, for twice
 * its work.
 */
static const struct {
	const char *text;
	double cost, left;		/* in parts of LZ4's */
} paying[] = {
	{ "raw", 0.05, 1.61 },
	{ "lz4", 1, 1 },
	{ "lzo", 1.15, 0.975 },
	{ "zstd:1", 2.6, 0.83 },
	{ "zstd:3", 3.5, 0.82 },
	{ "zstd:4", 4.7, 0.814 },
	{ "zstd:12", 38, 0.783 },
};

struct ladder ladder_of(const struct codec *codec, int level)
{
	return (struct ladder){ .rungs = { { .codec = codec, .level = level } }, .count = 1 };
}

static struct ladder ladder_of_paying(void)
{
	struct ladder ladder = { .count = 0 };
	struct error left_out;
	struct rung second;

	for (size_t i = 0; i < sizeof(paying) / sizeof(*paying); i++) {
		struct rung *rung = &ladder.rungs[ladder.count];

		if (codec_find(paying[i].text, &rung->codec, &rung->level, &left_out))
			continue;
		rung->usual_cost = paying[i].cost;
		rung->usual_left = paying[i].left;
		ladder.count++;
	}
	/* Where LZ4 was left out, in parts of what is second then: there is always LZO. */
	second = ladder.rungs[1];
	for (unsigned i = 0; i < ladder.count; i++) {
		ladder.rungs[i].usual_cost /= second.usual_cost;
		ladder.rungs[i].usual_left /= second.usual_left;
	}
	return ladder;
}

enum status ladder_find(const char *text, struct ladder *ladder, struct error *e)
{
	const struct codec *codec;
	enum status status;
	int level;

	if (strcmp(text, "auto") == 0) {
		*ladder = ladder_of_paying();
		return STATUS_OK;
	}
	status = codec_find(text, &codec, &level, e);
	if (!status)
		*ladder = ladder_of(codec, level);
	return status;
}

const char *rung_format(const struct rung *rung, char text[RUNG_TEXT_LENGTH])
{
	if (rung->codec->has_levels)
		snprintf(text, RUNG_TEXT_LENGTH, "%s:%d", rung->codec->name, rung->level);
	else
		snprintf(text, RUNG_TEXT_LENGTH, "%s", rung->codec->name);
	return text;
}
