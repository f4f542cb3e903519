// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "bench/sleep_codec.h"

enum {
	BLOCK = 4096,			/* bytes, of which the level is the time */
	GROUP = 1 << 20,		/* bytes that have a time in common: a chunk, by default */
	NANOSECONDS_MAX = 1000000,	/* so that one sleep, which cannot be interrupted, is short */
	NANOSECONDS_DEFAULT = 100000,
	PACKED_PART = 3,
};

/*
 * A thread sleeps once so much is owed: shorter sleeps cost CPU, and take longer than they should.  What a
 * sleep takes too long is deducted from the next.
 */
static const double SLEEP_LEAST = 400e-6;	/* seconds */
enum { SLEEP_BLOCKS = 64 };

struct sleeper {
	double block;			/* seconds for BLOCK bytes, on average */
	double group;			/* the same in this group */
	double x;			/* 0 to 1: which group this is */
	size_t left;			/* bytes of it */
	double owed;			/* seconds to sleep; negative: slept too long */
};

/*
 * Multiples of the golden ratio are spread evenly from the first few on, so that all threads have the same
 * average; each begins elsewhere.
 */
static const double GOLDEN = 0.6180339887498949;

static void *sleep_packer_new(int level, size_t block_size)
{
	struct sleeper *s = calloc(1, sizeof(*s));

	(void)block_size;
	if (!s)
		return NULL;
	s->block = level / 1e9;
	/* Differs from packer to packer, and from run to run. */
	s->x = (double)((uint64_t)(uintptr_t)s * 0x9e3779b97f4a7c15 >> 32) / 4294967296.0;
	return s;
}

static size_t sleep_packer_memory(const void *packer)
{
	(void)packer;
	return sizeof(struct sleeper);
}

static size_t sleep_bound(size_t len)
{
	return len;
}

/* Of the mean: 2 of 5 a thirtieth, the others evenly from 0.145 to 3.145. */
static double group_factor(double x)
{
	return x < 0.4 ? 1 / 30.0 : 0.145 + 3 * (x - 0.4) / 0.6;
}

static void sleep_off(struct sleeper *s)
{
	double began = clock_seconds();

	clock_sleep_until(began + s->owed);
	s->owed -= clock_seconds() - began;
}

static void begin_group(struct sleeper *s)
{
	s->x += s->x + GOLDEN < 1 ? GOLDEN : GOLDEN - 1;
	s->group = s->block * group_factor(s->x);
	s->left = GROUP;
}

static size_t sleep_pack(void *packer, const void *src, size_t len, void *dst)
{
	struct sleeper *s = packer;

	(void)src;
	if (!s->left)
		begin_group(s);
	s->left -= min_u64(len, s->left);
	s->owed += s->group * (double)len / BLOCK;
	if (s->owed > SLEEP_LEAST && s->owed > SLEEP_BLOCKS * s->block)
		sleep_off(s);
	memset(dst, 0, len / PACKED_PART);
	return len / PACKED_PART;
}

const struct codec codec_sleep = {
	.name = "sleep",
	.id = CODEC_RAW,		/* in which a packed block is an error */
	.has_levels = true,
	.level_min = 1,
	.level_max = NANOSECONDS_MAX,
	.level_default = NANOSECONDS_DEFAULT,
	.bound = sleep_bound,
	.packer_new = sleep_packer_new,
	.packer_free = free,
	.packer_memory = sleep_packer_memory,
	.pack = sleep_pack,
};

bool sleep_codec_named(const char *text)
{
	size_t len = strlen(codec_sleep.name);

	return strncmp(text, codec_sleep.name, len) == 0 && (!text[len] || text[len] == ':');
}

enum status sleep_codec_find(const char *text, struct presets *presets, struct error *e)
{
	const char *colon = strchr(text, ':');
	int level = codec_sleep.level_default;
	enum status status = colon ? codec_level(&codec_sleep, colon + 1, &level, e) : STATUS_OK;

	*presets = presets_of(&codec_sleep, level);
	return status;
}
