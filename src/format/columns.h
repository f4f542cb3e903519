// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Columns: a block of rows that resemble each other, such as the entries of the kernel's memory map, as it is before it
 * is packed.  doc/format.md, section 5, block kind 5.
 */
#ifndef NSPLIT_FORMAT_COLUMNS_H
#define NSPLIT_FORMAT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A row has a multiple of COLUMN_ROW_UNIT bytes, at most COLUMN_ROW_MAX: seven bits of the block table. */
enum { COLUMN_ROW_UNIT = 8, COLUMN_ROW_MAX = 127 * COLUMN_ROW_UNIT };

bool column_row_valid(uint64_t row);

/*
 * Writes len bytes to dst, which src must not overlap.  row: bytes, valid.  src is aligned to four bytes, and may change
 * meanwhile: each of its words is read once, so that columns_join() gives what columns_split()
 * has read.
 */
void columns_split(const uint8_t *src, size_t len, uint32_t row, uint8_t *dst);
/* The inverse, of bytes that do not change. */
void columns_join(const uint8_t *src, size_t len, uint32_t row, uint8_t *dst);

#endif
