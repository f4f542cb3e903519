// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Second places: ranges of the source that hold the same memory as ranges elsewhere in it, and are not
 * stored (doc/format.md, section 4).  /proc/vmcore has one for the kernel image.
 */
#ifndef NSPLIT_FORMAT_SECOND_PLACES_H
#define NSPLIT_FORMAT_SECOND_PLACES_H

#include <stdbool.h>
#include <stdint.h>

enum { SECOND_PLACES_MAX = 64, SECOND_PLACES_LENGTH = 24 * SECOND_PLACES_MAX };

/* Bytes of the source, all multiples of 4096. */
struct second_place {
	uint64_t offset, length;
	uint64_t target;		/* where the first place begins */
};

struct second_places {
	uint32_t count;
	struct second_place list[SECOND_PLACES_MAX];	/* by offset, without overlaps */
};

/* Writes and reads the SECOND_PLACES_LENGTH bytes of the table; count is stored elsewhere. */
void second_places_encode(const struct second_places *places, uint8_t *raw);
void second_places_decode(struct second_places *places, uint32_t count, const uint8_t *raw);

/* Is each within the source and in order, and no target within a second place? */
bool second_places_valid(const struct second_places *places, uint64_t source_size);

bool second_places_equal(const struct second_places *a, const struct second_places *b);

/*
 * If the byte at *offset is in a second place, sets *offset to where it is stored, and returns true.
 * Reduces *length to the bytes from there on of which the same is true.
 */
bool second_places_follow(const struct second_places *places, uint64_t *offset, uint64_t *length);

#endif
