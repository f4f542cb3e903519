// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading a kdump-compressed file in tests, with the offsets in makedumpfile's diskdump_mod.h and
 * without any code of the writer.
 */
#ifndef NSPLIT_TESTS_UNIT_KDUMP_OPENED_H
#define NSPLIT_TESTS_UNIT_KDUMP_OPENED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kdump_opened {
	uint8_t *bytes;			/* owned */
	size_t size;
	uint32_t status, block_size, dump_level;
	uint64_t max_mapnr;
	uint64_t start, end;		/* page frames of this file */
	bool split;
	const uint8_t *bitmap1, *bitmap2;
	uint64_t descriptors;
};

/* Opens a file and checks everything that does not depend on the core. */
void kdump_opened_open(struct kdump_opened *v, const char *name);
void kdump_opened_close(struct kdump_opened *v);

bool kdump_opened_is_ram(const struct kdump_opened *v, uint64_t pfn);
bool kdump_opened_has(const struct kdump_opened *v, uint64_t pfn);
/* Of a page that has a bit: does its descriptor say that it is absent? */
bool kdump_opened_is_absent(const struct kdump_opened *v, uint64_t pfn);

struct kdump_opened_page {
	uint64_t offset;
	uint32_t size, flags;
};

/* Decompresses a page of the file, which has block_size bytes. */
struct kdump_opened_page kdump_opened_read(const struct kdump_opened *v, uint64_t pfn, uint8_t *dst);

#endif
