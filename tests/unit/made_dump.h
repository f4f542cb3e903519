// SPDX-License-Identifier: GPL-2.0-or-later
/* Kdump-compressed dumps in memory, made without any code of the writer, which tests change and read. */
#ifndef NSPLIT_TESTS_UNIT_MADE_DUMP_H
#define NSPLIT_TESTS_UNIT_MADE_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codec/codec.h"

enum { MADE_DUMP_PAGE = 4096, MADE_DUMP_LEVEL = 31 };

struct made_dump_settings {
	/*
	 * A character for each page frame: '.' is no memory; of memory, '-' is not in the dump, '0' is
	 * zeros, 't' and 'p' (pointers) can be packed, and 'r' is random bytes.
	 */
	const char *map;
	const struct codec *codec;	/* NULL: pages are not packed */
	uint32_t version;		/* 0: 6 */
	bool split;			/* the file has the pages from first to end - 1 */
	uint64_t first, end;
	/* NULL: no notes.  Before version 4, only the text is in the dump. */
	const char *vmcoreinfo;
};

struct made_dump {
	uint8_t *bytes;			/* owned */
	size_t size;
	uint64_t bitmap1, bitmap2, descriptors, data;	/* offsets */
	uint64_t pages;			/* in all of the dump */
};

void made_dump_init(struct made_dump *m, const struct made_dump_settings *s);
void made_dump_free(struct made_dump *m);

/* The page that the map describes with this character. */
void made_dump_page(const char *map, uint64_t pfn, uint8_t page[MADE_DUMP_PAGE]);

/*
 * Flattens bytes: pieces of so many bytes, the last one first if reversed, then the mark of the end.
 * Returns the size; *flat is to be freed.
 */
size_t made_dump_flatten(const uint8_t *bytes, size_t size, size_t piece, bool reversed, uint8_t **flat);

#endif
