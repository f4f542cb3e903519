// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *	block_sizes CORE CODEC[:LEVEL]
 *
 * Packs the two classes that a capture at dump level 31 keeps, in blocks of several sizes, in one thread and in memory:
 * pages of the kernel, and its memory map, which is also put into columns.  Each line says how many bytes there are, how
 * many their blocks take, and how many seconds it takes to pack and to unpack them.  Blocks that repeat 8 bytes are not
 * packed.  Exit status 2: there are no figures.
 */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "capture/fill/pack.h"
#include "codec/codec.h"
#include "die.h"
#include "filter/filter.h"
#include "format/format.h"
#include "format/record.h"
#include "io/source.h"

enum { UNIT_SIZE = 1 << 20, BLOCK_MAX = 64 << 10, ROUNDS = 3 };

static const uint32_t SIZES[] = { 4 << 10, 16 << 10, 64 << 10 };

static void *memory(size_t size)
{
	void *p = calloc(1, size);

	if (!p)
		die("memory", "there is not enough");
	return p;
}

/* --- the pages of a class ------------------------------------------------------------- */

struct pages {
	uint8_t *bytes;
	size_t size;
};

static void take_page(struct pages *pages, const struct source *source, uint64_t offset)
{
	if (pread(source->fd, pages->bytes + pages->size, GRANULE, (off_t)offset) != GRANULE)
		die("the core", "it cannot be read");
	pages->size += GRANULE;
}

static struct pages pages_of(struct filter *filter, const struct source *source, unsigned class)
{
	struct pages pages = { .bytes = memory(source->size + GRANULE) };
	struct value_run list[UNIT_SIZE / GRANULE] = { { 0 } };

	for (uint64_t offset = 0, at = 0; offset < source->size; offset += UNIT_SIZE) {
		struct runs classes = { .list = list };

		filter_classify(filter, 0, offset, (uint32_t)(min_u64(UNIT_SIZE, source->size - offset) / GRANULE), &classes);
		for (uint32_t i = 0; i < classes.count; i++)
			for (uint32_t n = 0; n < list[i].count; n++, at += GRANULE)
				if (list[i].value == class)
					take_page(&pages, source, at);
	}
	return pages;
}

/* --- packed, and unpacked -------------------------------------------------------------- */

struct trial {
	const struct codec *codec;
	void *packer, *unpacker;
	uint32_t block_size;
	uint32_t row;			/* of columns; 0: none */
	uint8_t *packed, *block, *plain;
	uint32_t *lengths;		/* of each packed block; 0: it was not packed */
	uint64_t total;			/* bytes of all blocks, packed or not */
};

/* Blocks that do not become smaller take their own length in a member, but nothing in packed. */
static void pack_all(struct trial *t, const struct pages *pages)
{
	uint8_t *to = t->packed;

	t->total = 0;
	for (size_t at = 0, i = 0; at < pages->size; at += t->block_size, i++) {
		size_t len = min_u64(t->block_size, pages->size - at), packed;
		const uint8_t *data = pages->bytes + at;

		t->lengths[i] = 0;
		if (pack_same_filled(data, len))
			continue;
		if (t->row)
			columns_split(data, len, t->row, t->block);
		packed = t->codec->pack(t->packer, t->row ? t->block : data, len, to);
		if (packed && packed < len)
			t->lengths[i] = (uint32_t)packed;
		t->total += t->lengths[i] ? packed : len;
		to += t->lengths[i];
	}
}

/* check: what is unpacked must be what was packed. */
static void unpack_all(struct trial *t, const struct pages *pages, bool check)
{
	const uint8_t *from = t->packed;

	for (size_t at = 0, i = 0; at < pages->size; at += t->block_size, i++) {
		size_t len = min_u64(t->block_size, pages->size - at);

		if (!t->lengths[i])
			continue;
		if (!t->codec->unpack(t->unpacker, from, t->lengths[i], t->row ? t->block : t->plain, len))
			die("a block", "it cannot be unpacked");
		if (t->row)
			columns_join(t->block, len, t->row, t->plain);
		if (check && memcmp(t->plain, pages->bytes + at, len) != 0)
			die("a block", "other bytes were unpacked");
		from += t->lengths[i];
	}
}

static void shortest(double *least, double seconds)
{
	if (!*least || seconds < *least)
		*least = seconds;
}

static void run_trial(struct trial *t, const char *class, const struct pages *pages, int level)
{
	double pack = 0, unpack = 0;

	t->packer = t->codec->packer_new ? t->codec->packer_new(level, t->block_size) : NULL;
	if (t->codec->packer_new && !t->packer)
		die("memory", "there is not enough");
	for (int i = 0; i < ROUNDS; i++) {
		double began = clock_seconds();

		pack_all(t, pages);
		shortest(&pack, clock_seconds() - began);
		began = clock_seconds();
		unpack_all(t, pages, false);
		shortest(&unpack, clock_seconds() - began);
	}
	unpack_all(t, pages, true);
	printf("%s %" PRIu32 " %s: %zu %" PRIu64 " %.6f %.6f\n", class, t->block_size, t->row ? "columns" : "plain",
	       pages->size, t->total, pack, unpack);
	if (t->packer)
		t->codec->packer_free(t->packer);
}

/* --------------------------------------------------------------------------------------- */

static void run_trials(const struct codec *codec, int level, const struct pages *kernel, const struct pages *map,
		       uint32_t row)
{
	size_t most = max_u64(kernel->size, map->size);
	struct trial t = {
		.codec = codec,
		.unpacker = codec->unpacker_new ? codec->unpacker_new() : NULL,
		.packed = memory(most + codec->bound(BLOCK_MAX)),
		.block = memory(BLOCK_MAX), .plain = memory(BLOCK_MAX),
		.lengths = memory((most / GRANULE + 1) * sizeof(uint32_t)),
	};

	for (size_t i = 0; i < sizeof(SIZES) / sizeof(*SIZES); i++) {
		t.block_size = SIZES[i];
		t.row = 0;
		run_trial(&t, "kernel", kernel, level);
		run_trial(&t, "map", map, level);
		t.row = row;
		run_trial(&t, "map", map, level);
	}
	if (t.unpacker)
		codec->unpacker_free(t.unpacker);
	free(t.packed);
	free(t.block);
	free(t.plain);
	free(t.lengths);
}

int main(int argc, char **argv)
{
	struct pages kernel, map;
	const struct codec *codec;
	struct source *source;
	struct filter *filter;
	struct error e;
	uint32_t row;
	int level;

	if (argc != 3)
		die("usage", "block_sizes CORE CODEC[:LEVEL]");
	if (codec_find(argv[2], &codec, &level, &e))
		die("the codec", e.text);
	if (source_open(&source, argv[1], MMAP_NEVER, &e))
		die("the core", e.text);
	if (filter_open(&filter, source, &(struct filter_wishes){ 0 }, &e) || filter_start(filter, 1, UNIT_SIZE, true, &e))
		die("its pages have no classes", e.text);
	row = filter_map_row(filter);
	if (!row)
		die("its memory map", "it cannot be put into columns");
	kernel = pages_of(filter, source, CLASS_KERNEL);
	map = pages_of(filter, source, CLASS_MAP);
	run_trials(codec, level, &kernel, &map, row);
	free(kernel.bytes);
	free(map.bytes);
	filter_close(filter);
	source_close(source);
	return 0;
}
