// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "change.h"
#include "format/superblock.h"
#include "format/record.h"

const char *const change_names[CHANGE_KINDS] = {
	[CHANGE_NONE] = "none",
	[CHANGE_FLIP] = "flip",
	[CHANGE_CUT] = "cut",
	[CHANGE_CUT_UNIT] = "cut-unit",
	[CHANGE_SWAP] = "swap",
	[CHANGE_FOREIGN] = "foreign",
	[CHANGE_REPEAT] = "repeat",
	[CHANGE_LIMIT] = "limit",
};

static const uint64_t limits[] = {
	0, 1, 4095, 4096, 8192, 1 << 20, 1 << 26, (1 << 26) + 4096, INT32_MAX,
	(uint64_t)1 << 31, UINT32_MAX, (uint64_t)1 << 32, (uint64_t)INT64_MAX - 4095, INT64_MAX,
	(uint64_t)1 << 63, UINT64_MAX - 4095, UINT64_MAX,
};

enum { VALUES = sizeof(limits) / sizeof(limits[0]), FIELDS = 120, REPEATS = 3 };

/* --- pieces -------------------------------------------------------------- */

static size_t piece_length(const uint8_t *bytes, size_t available)
{
	struct index_header header;
	struct record record;
	size_t length = ALIGNMENT;

	if (record_decode(&record, bytes, CHUNK_SIZE_MAX) == STATUS_OK)
		length = record_length(&record);
	else if (index_header_decode(&header, bytes) == STATUS_OK)
		length = header.length;
	return min_u64(length, available);
}

void changes_init(struct changes *c, struct trial_set *set)
{
	*c = (struct changes){ .set = set };
	for (unsigned i = 0; i < set->count; i++) {
		const struct trial_file *m = &set->members[i];
		size_t length = ALIGNMENT;

		for (size_t at = 0; at + ALIGNMENT <= m->length && c->count < PIECES; at += length) {
			length = piece_length(m->bytes + at, m->length - at);
			if (piece_kind(m->bytes + at) != PIECE_NONE)
				c->pieces[c->count++] = (struct piece_place){
					i, at, length, piece_kind(m->bytes + at),
				};
		}
	}
}

static uint8_t *bytes_of(const struct changes *c, const struct piece_place *p)
{
	return c->set->members[p->member].bytes + p->at;
}

/* The nth pair of pieces that can be swapped; false if there are fewer. */
static bool find_pair(const struct changes *c, uint64_t n, const struct piece_place **a,
		      const struct piece_place **b)
{
	for (unsigned i = 0; i < c->count; i++)
		for (unsigned k = i + 1; k < c->count; k++) {
			*a = &c->pieces[i];
			*b = &c->pieces[k];
			if ((*a)->kind == (*b)->kind && (*a)->length == (*b)->length && n-- == 0)
				return true;
		}
	return false;
}

/* The position of a byte, counted through all members. */
static unsigned member_at(const struct trial_set *set, uint64_t *at)
{
	unsigned member = 0;

	while (*at >= set->members[member].length)
		*at -= set->members[member++].length;
	return member;
}

uint64_t changes_count(const struct changes *c, enum change_kind kind)
{
	const struct piece_place *a, *b;
	uint64_t bytes = 0, pairs = 0;

	for (unsigned i = 0; i < c->set->count; i++)
		bytes += c->set->members[i].length;
	switch (kind) {
	case CHANGE_FLIP:
		return 8 * bytes;
	case CHANGE_CUT:
		return bytes;
	case CHANGE_CUT_UNIT:
		return bytes / ALIGNMENT;
	case CHANGE_SWAP:
		while (find_pair(c, pairs, &a, &b))
			pairs++;
		return pairs;
	case CHANGE_FOREIGN:
		return c->count;
	case CHANGE_REPEAT:
		return c->set->count < TRIAL_MEMBERS ? REPEATS * c->set->count : 0;
	case CHANGE_LIMIT:
		return (uint64_t)c->count * FIELDS * VALUES * 2;
	default:
		return 1;
	}
}

/* --- making them --------------------------------------------------------- */

static enum trial_verdict judge(struct changes *c, enum trial_demand demand, uint64_t turn,
				char *why)
{
	return trial_judge(c->set, NULL, 0, demand, (unsigned)turn, why);
}

/* Overwrites a piece with other bytes, and restores it. */
static enum trial_verdict judge_piece(struct changes *c, const struct piece_place *p,
				      const uint8_t *bytes, enum trial_demand demand,
				      uint64_t turn, char *why)
{
	enum trial_verdict verdict;

	trial_poke(c->set, p->member, p->at, bytes, p->length);
	verdict = judge(c, demand, turn, why);
	trial_poke(c->set, p->member, p->at, bytes_of(c, p), p->length);
	return verdict;
}

static enum trial_verdict flip(struct changes *c, uint64_t number, char *why)
{
	uint64_t at = number / 8;
	unsigned member = member_at(c->set, &at);
	const uint8_t *byte = &c->set->members[member].bytes[at];
	uint8_t flipped = (uint8_t)(*byte ^ 1u << number % 8);
	enum trial_verdict verdict;

	trial_poke(c->set, member, at, &flipped, 1);
	verdict = judge(c, TRIAL_NAMED, number, why);
	trial_poke(c->set, member, at, byte, 1);
	return verdict;
}

/* At a superseded footer, the member seems complete, and the records behind it are missing. */
static enum trial_verdict cut(struct changes *c, uint64_t at, char *why)
{
	unsigned member = member_at(c->set, &at);
	const struct trial_file *m = &c->set->members[member];
	enum trial_verdict verdict;

	trial_put(c->set, member, m->bytes, at);
	verdict = judge(c, TRIAL_MISSING, at, why);
	trial_put(c->set, member, m->bytes, m->length);
	return verdict;
}

static enum trial_verdict swap(struct changes *c, uint64_t number, char *why)
{
	const struct piece_place *a, *b;
	enum trial_verdict verdict;

	if (!find_pair(c, number, &a, &b))
		abort();
	trial_poke(c->set, a->member, a->at, bytes_of(c, b), a->length);
	verdict = judge_piece(c, b, bytes_of(c, a), TRIAL_NAMED, number, why);
	trial_poke(c->set, a->member, a->at, bytes_of(c, a), a->length);
	return verdict;
}

/* A run list has a checksum of its own, and is covered by that of the body. */
static void seal_list(uint8_t *piece, size_t length)
{
	uint64_t runs = (uint64_t)RUN_LENGTH * get_le32(piece + 60), list = RECORD_HEADER_LENGTH + runs;
	uint64_t end = (uint64_t)get_le32(piece + 44) + get_le32(piece + 48);

	if (list > length || end > length || end < RECORD_HEADER_LENGTH)
		return;
	if (runs)
		put_le64(piece + 96, format_checksum(piece + RECORD_HEADER_LENGTH, runs));
	put_le64(piece + 112, format_checksum(piece + RECORD_HEADER_LENGTH,
					      end - RECORD_HEADER_LENGTH));
}

static void seal(uint8_t *piece, int kind)
{
	switch (kind) {
	case PIECE_RECORD:
		put_le64(piece + 120, format_checksum(piece, 120));
		break;
	case PIECE_INDEX:
		put_le64(piece + 56, format_checksum(piece, 56));
		break;
	default:
		put_le64(piece + ALIGNMENT - 8, format_checksum(piece, ALIGNMENT - 8));
	}
}

static uint8_t *copy_of(const struct changes *c, const struct piece_place *p)
{
	uint8_t *copy = malloc(p->length);

	if (!copy)
		abort();
	memcpy(copy, bytes_of(c, p), p->length);
	return copy;
}

static enum trial_verdict make_foreign(struct changes *c, uint64_t number, char *why)
{
	const struct piece_place *p = &c->pieces[number];
	bool of_set = p->kind == PIECE_SUPERBLOCK || p->kind == PIECE_FOOTER;
	uint8_t *piece = copy_of(c, p);
	enum trial_verdict verdict;

	piece[(of_set ? 24 : 8) + 3] ^= 1;
	seal(piece, p->kind);
	verdict = judge_piece(c, p, piece, TRIAL_NAMED, number, why);
	free(piece);
	return verdict;
}

/*
 * The last name is the same file as another one, a copy of it, or another member with its number.
 */
static enum trial_verdict repeat(struct changes *c, uint64_t number, char *why)
{
	unsigned again = (unsigned)(number / REPEATS), way = number % REPEATS;
	unsigned last = c->set->count, names[TRIAL_MEMBERS];
	const struct trial_file *m = &c->set->members[again];
	uint8_t unit[ALIGNMENT];

	for (unsigned i = 0; i < last; i++)
		names[i] = i;
	names[last] = way == 0 ? again : last;
	trial_put(c->set, last, m->bytes, m->length);
	if (way == 2) {
		/* Created at another time: not a copy, but a member with the same number. */
		memcpy(unit, m->bytes, ALIGNMENT);
		unit[64] ^= 1;
		seal(unit, PIECE_SUPERBLOCK);
		trial_poke(c->set, last, 0, unit, ALIGNMENT);
	}
	return trial_judge(c->set, names, last + 1, TRIAL_NAMED, 0, why);
}

static enum trial_verdict limit(struct changes *c, uint64_t number, char *why)
{
	bool wide = number % 2;
	uint64_t value = limits[number / 2 % VALUES];
	size_t field = 8 + number / 2 / VALUES % FIELDS * 4;
	const struct piece_place *p = &c->pieces[number / 2 / VALUES / FIELDS];
	uint8_t *piece = copy_of(c, p);
	enum trial_verdict verdict;

	if (wide)
		put_le64(piece + field, value);
	else
		put_le32(piece + field, (uint32_t)value);
	if (p->kind == PIECE_INDEX && get_le32(piece + 32) <= index_segment_capacity(ALIGNMENT))
		put_le64(piece + 40, format_checksum(piece + INDEX_HEADER_LENGTH,
						     (size_t)INDEX_ENTRY_LENGTH *
						     get_le32(piece + 32)));
	if (p->kind == PIECE_RECORD)
		seal_list(piece, p->length);
	seal(piece, p->kind);
	verdict = judge_piece(c, p, piece, TRIAL_ANY, number, why);
	free(piece);
	return verdict;
}

enum trial_verdict changes_try(struct changes *c, enum change_kind kind, uint64_t number,
			       char why[TRIAL_TEXT])
{
	switch (kind) {
	case CHANGE_FLIP:
		return flip(c, number, why);
	case CHANGE_CUT:
		return cut(c, number, why);
	case CHANGE_CUT_UNIT:
		return cut(c, number * ALIGNMENT, why);
	case CHANGE_SWAP:
		return swap(c, number, why);
	case CHANGE_FOREIGN:
		return make_foreign(c, number, why);
	case CHANGE_REPEAT:
		return repeat(c, number, why);
	case CHANGE_LIMIT:
		return limit(c, number, why);
	default:
		return judge(c, TRIAL_WHOLE, 0, why);
	}
}
