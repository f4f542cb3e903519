// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An LD_PRELOAD in which LZO sleeps instead of computing, SLEEPY nanoseconds for each block of 4 KiB, on average.
 *
 * A thread that sleeps takes no CPU, so a machine with few CPUs shows how many threads the engine can keep
 * busy.  The times vary as those of LZO do on the memory of a kernel: of the chunks of a core of Linux 6.1
 * with 289 MB, 40 % took a thirtieth of the mean, because most of their blocks were zeros, and the others up to
 * 3.6 times the mean (a loop over its blocks with lzo1x_1_compress(), 2026-11-25).  Its output has
 * a third of the length of the block and cannot be unpacked.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	BLOCK = 4096,
	GROUP = 1 << 20,		/* bytes that have a time in common: a chunk, by default */
	PACKED_PART = 3,
	SLEEP_BLOCKS = 64,
};

/*
 * A thread sleeps once so much is owed: shorter sleeps cost CPU, and take longer than they should.  What a
 * sleep takes too long is deducted from the next.
 */
static const double SLEEP_LEAST = 400e-6;	/* seconds */

/*
 * Multiples of the golden ratio are spread evenly from the first few on, so that all threads have the same
 * average; each begins elsewhere.
 */
static const double GOLDEN = 0.6180339887498949;

static double per_block;		/* seconds; of the whole process */

struct sleeper {
	double group;			/* seconds for a block of this group */
	double x;			/* 0 to 1: which group this is */
	size_t left;			/* bytes of it */
	double owed;			/* seconds to sleep; negative: slept too long */
};

static _Thread_local struct sleeper sleeper;

__attribute__((constructor)) static void begin(void)
{
	const char *nanoseconds = getenv("SLEEPY");

	per_block = nanoseconds ? strtod(nanoseconds, NULL) / 1e9 : 0;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Of the mean: 2 of 5 a thirtieth, the others evenly from 0.145 to 3.145. */
static double group_factor(double x)
{
	return x < 0.4 ? 1 / 30.0 : 0.145 + 3 * (x - 0.4) / 0.6;
}

static void begin_group(struct sleeper *s)
{
	if (s->x <= 0)
		s->x = (double)((uint64_t)(uintptr_t)s * 0x9e3779b97f4a7c15 >> 32) / 4294967296.0;
	s->x += s->x + GOLDEN < 1 ? GOLDEN : GOLDEN - 1;
	s->group = per_block * group_factor(s->x);
	s->left = GROUP;
}

static void sleep_off(struct sleeper *s)
{
	double began = seconds();
	struct timespec time = { .tv_sec = (time_t)s->owed, .tv_nsec = (long)((s->owed - (double)(time_t)s->owed) * 1e9) };

	while (nanosleep(&time, &time) < 0 && errno == EINTR)
		continue;
	s->owed -= seconds() - began;
}

/* In place of the function of the library that nsplit calls (src/codec/lzo.c). */
int lzo1x_1_12_compress(const unsigned char *src, unsigned long len, unsigned char *dst, unsigned long *packed, void *memory);

int lzo1x_1_12_compress(const unsigned char *src, unsigned long len, unsigned char *dst, unsigned long *packed, void *memory)
{
	struct sleeper *s = &sleeper;

	(void)src, (void)memory;
	if (!s->left)
		begin_group(s);
	s->left -= len < s->left ? len : s->left;
	s->owed += s->group * (double)len / BLOCK;
	if (s->owed > SLEEP_LEAST && s->owed > SLEEP_BLOCKS * per_block)
		sleep_off(s);
	*packed = len / PACKED_PART;
	memset(dst, 0, *packed);
	return 0;
}
