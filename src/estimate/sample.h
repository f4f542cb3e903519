// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sample of pages, packed with each of several codecs as a capture packs them: pages of one content
 * follow each other in a block, also if they are not neighbours in memory.
 */
#ifndef NSPLIT_ESTIMATE_SAMPLE_H
#define NSPLIT_ESTIMATE_SAMPLE_H

#include "capture/fill/pack.h"
#include "estimate/content.h"

struct sample_settings {
	const struct preset *presets;
	unsigned count;			/* of them: up to CODECS_SHOWN */
	uint32_t page_size;
	/* Of PACKED_BY_PAGE and PACKED_BY_BLOCK: multiples of the page size, or divisors of it. */
	uint32_t block_size[PACKINGS];
	uint32_t map_row;		/* bytes of a struct page; 0: the map is packed like other pages */
	enum packing first;		/* that of the dump which is asked for */
};

struct sample {
	struct sample_settings settings;
	struct packer packers[CODECS_SHOWN];
	unsigned count;				/* of packers that are ready */
	uint8_t *waiting[CONTENTS];		/* pages for the next block; owned */
	uint32_t length[CONTENTS];		/* bytes of them */
	uint32_t capacity[CONTENTS];
	uint8_t *dst, *columns;			/* owned */
	double clock_cost;			/* clock_thread_cost() */
	/* By the first preset, in the first packing: all blocks. */
	struct packed whole[CONTENTS];
	/* By all presets and in all packings: some of them. */
	struct packed part[CONTENTS][PACKINGS][CODECS_SHOWN];
	uint64_t blocks[CONTENTS];
	uint64_t bytes;				/* of all pages that were packed */
};

enum { SAMPLE_MAP_BLOCK = 64 << 10 };

/* sample_end() in any case. */
enum status sample_begin(struct sample *s, const struct sample_settings *settings, struct error *e);
void sample_end(struct sample *s);

/* Where the next page of a content belongs; followed by sample_add() if it is there. */
uint8_t *sample_place(struct sample *s, enum content content);
void sample_add(struct sample *s, enum content content);

/* SAMPLE_MAP_BLOCK bytes that the next sample_add() may overwrite. */
uint8_t *sample_scratch(struct sample *s);

/* Packs what is left. */
void sample_finish(struct sample *s);

/*
 * Of all pages of a content, as far as their part is typical: how much more or less it takes with another
 * preset or packing.  After sample_finish(); bytes is 0 if there were no such pages.
 */
struct packed sample_packed(const struct sample *s, enum content content, enum packing packing, unsigned preset);

#endif
