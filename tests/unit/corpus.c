// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "corpus.h"

static const char *const names[CORPUS_KINDS] = {
	[CORPUS_ZERO] = "zero",
	[CORPUS_SAME8] = "same8",
	[CORPUS_TEXT] = "text",
	[CORPUS_RANDOM] = "random",
	[CORPUS_POINTERS] = "pointers",
	[CORPUS_HALF_RANDOM] = "half-random",
	[CORPUS_RAMP] = "ramp",
};

const char *corpus_name(enum corpus_kind kind)
{
	return names[kind];
}

/* splitmix64: any seed is good, and the sequence does not end. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Little endian, so that all machines get the same bytes. */
static void put_word(unsigned char *dst, size_t len, uint64_t word)
{
	size_t i;

	for (i = 0; i < len && i < 8; i++)
		dst[i] = (unsigned char)(word >> 8 * i);
}

static uint64_t pointers_word(uint64_t *state)
{
	uint64_t r = next_random(state);

	switch (r & 7) {
	case 0:
	case 1:
		return 0;
	case 2:
		return r >> 56;
	case 3:
		return 0xffffffff81000000u + (r >> 44 & 0xffff0);
	default:
		return 0xffff888000000000u + (r >> 32 & 0xfff) * 64;
	}
}

/* The word at offset, for the kinds that are made of words. */
static uint64_t corpus_word(enum corpus_kind kind, uint64_t seed, uint64_t *state,
			    size_t offset)
{
	uint64_t count = seed + offset / 4;

	switch (kind) {
	case CORPUS_SAME8:
		return (seed + 1) * 0x0123456789abcdefu | 1;
	case CORPUS_RANDOM:
		return next_random(state);
	case CORPUS_POINTERS:
		return pointers_word(state);
	case CORPUS_HALF_RANDOM:
		return offset / 256 % 2 ? 0 : next_random(state);
	case CORPUS_RAMP:
		return (count & 0xffffffff) | (count + 1) << 32;
	default:
		return 0;
	}
}

static void fill_text(uint64_t seed, char *dst, size_t len)
{
	static const char *const words[] = {
		"usb 1-1:", "new high-speed device", "eth0: link is up",
		"systemd[1]:", "Started", "Journal Service.", "audit:", "pid=",
		"EXT4-fs (sda1):", "mounted filesystem", "with ordered data mode",
		"failed with error", "-110", "retrying", "kernel:", "irq",
	};
	uint64_t state = seed;
	uint64_t time = seed % 100000;
	char line[256];
	size_t used, at, i;

	for (at = 0; at < len; at += used) {
		time += next_random(&state) % 5000000;
		used = (size_t)snprintf(line, sizeof(line),
					"[%5" PRIu64 ".%06" PRIu64 "]",
					time / 1000000, time % 1000000);
		for (i = 0; i < 5; i++)
			used += (size_t)snprintf(line + used, sizeof(line) - used, " %s",
						 words[next_random(&state) % 16]);
		line[used++] = '\n';
		memcpy(dst + at, line, used < len - at ? used : len - at);
	}
}

void corpus_fill(enum corpus_kind kind, uint64_t seed, void *dst, size_t len)
{
	unsigned char *bytes = dst;
	uint64_t state = seed;
	size_t at;

	if (kind == CORPUS_TEXT) {
		fill_text(seed, dst, len);
		return;
	}
	for (at = 0; at < len; at += 8)
		put_word(bytes + at, len - at, corpus_word(kind, seed, &state, at));
}
