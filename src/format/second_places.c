// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "base/alignment.h"
#include "format/second_places.h"

enum { PLACE_LENGTH = SECOND_PLACES_LENGTH / SECOND_PLACES_MAX };

void second_places_encode(const struct second_places *places, uint8_t *raw)
{
	memset(raw, 0, SECOND_PLACES_LENGTH);
	for (uint32_t i = 0; i < places->count; i++, raw += PLACE_LENGTH) {
		put_le64(raw, places->list[i].offset);
		put_le64(raw + 8, places->list[i].length);
		put_le64(raw + 16, places->list[i].target);
	}
}

void second_places_decode(struct second_places *places, uint32_t count, const uint8_t *raw)
{
	*places = (struct second_places){ .count = (uint32_t)min_u64(count, SECOND_PLACES_MAX) };
	for (uint32_t i = 0; i < places->count; i++, raw += PLACE_LENGTH)
		places->list[i] = (struct second_place){
			.offset = get_le64(raw),
			.length = get_le64(raw + 8),
			.target = get_le64(raw + 16),
		};
}

static bool is_aligned(const struct second_place *p)
{
	return p->offset % ALIGNMENT == 0 && p->length % ALIGNMENT == 0 && p->target % ALIGNMENT == 0 && p->length;
}

static bool is_within(uint64_t offset, uint64_t length, uint64_t size)
{
	return offset <= size && length <= size - offset;
}

static bool holds_target(const struct second_places *places, const struct second_place *p)
{
	for (uint32_t i = 0; i < places->count; i++) {
		const struct second_place *other = &places->list[i];

		if (p->target < other->offset + other->length && other->offset < p->target + p->length)
			return true;
	}
	return false;
}

bool second_places_valid(const struct second_places *places, uint64_t source_size)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < places->count; i++) {
		const struct second_place *p = &places->list[i];

		if (!is_aligned(p) || p->offset < end || !is_within(p->offset, p->length, source_size) ||
		    !is_within(p->target, p->length, source_size))
			return false;
		end = p->offset + p->length;
	}
	for (uint32_t i = 0; i < places->count; i++)
		if (holds_target(places, &places->list[i]))
			return false;
	return true;
}

bool second_places_equal(const struct second_places *a, const struct second_places *b)
{
	return a->count == b->count && !memcmp(a->list, b->list, a->count * sizeof(a->list[0]));
}

bool second_places_follow(const struct second_places *places, uint64_t *offset, uint64_t *length)
{
	for (uint32_t i = 0; i < places->count; i++) {
		const struct second_place *p = &places->list[i];

		if (*offset < p->offset) {
			*length = min_u64(*length, p->offset - *offset);
			return false;
		}
		if (*offset - p->offset < p->length) {
			*length = min_u64(*length, p->length - (*offset - p->offset));
			*offset = p->target + (*offset - p->offset);
			return true;
		}
	}
	return false;
}
