// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "format/record.h"
#include "helper.h"
#include "recipe_change.h"

/* The n'th piece of a kind. */
static size_t find_piece(const uint8_t *bytes, size_t length, enum piece_kind kind, unsigned n)
{
	for (size_t at = 0; at + ALIGNMENT <= length; at += ALIGNMENT)
		if (piece_kind(bytes + at) == kind && n-- == 0)
			return at;
	ck_abort_msg("there is no such piece");
	return 0;
}

static const struct {
	const char *name;
	enum piece_kind kind;
} pieces[] = {
	{ "superblock", PIECE_SUPERBLOCK },
	{ "record", PIECE_RECORD },
	{ "index", PIECE_INDEX },
	{ "footer", PIECE_FOOTER },
};

/* Reads an AT that is followed by at least needed bytes of the member; moves *text past it. */
static size_t read_at(const char **text, const uint8_t *bytes, size_t length, size_t needed)
{
	char *end = (char *)*text;
	size_t at = 0;

	for (size_t i = 0; i < LENGTH(pieces); i++) {
		size_t len = strlen(pieces[i].name);

		if (strncmp(*text, pieces[i].name, len) == 0)
			at = find_piece(bytes, length, pieces[i].kind,
					(unsigned)strtoul(*text + len, &end, 10));
	}
	if (!strncmp(*text, "last", 4)) {
		at = length - ALIGNMENT;
		end += 4;
	}
	if (end == *text || *end == '+')
		at += strtoul(*end == '+' ? end + 1 : end, &end, 10);
	*text = end + (*end == '/' || *end == ':');
	ck_assert_msg(at + needed <= length, "byte %zu is beyond the end of the member", at);
	return at;
}

static uint8_t *place(struct maker *m, const char **text, size_t needed)
{
	return m->bytes + read_at(text, m->bytes, m->length, needed);
}

static void add_hex(struct maker *m, const char *hex)
{
	unsigned byte;

	for (; sscanf(hex, "%2x", &byte) == 1; hex += 2) {
		uint8_t b = (uint8_t)byte;

		maker_add_bytes(m, &b, 1);
	}
}

static void swap_units(uint8_t *a, uint8_t *b)
{
	uint8_t unit[ALIGNMENT];

	memcpy(unit, a, ALIGNMENT);
	memcpy(a, b, ALIGNMENT);
	memcpy(b, unit, ALIGNMENT);
}

static void paste(const struct recipe *r, struct maker *m, const char *text)
{
	uint8_t *to = place(m, &text, ALIGNMENT);
	unsigned long of = strtoul(text, (char **)&text, 10);

	ck_assert_uint_le(of, r->count);
	text++;
	if (of == r->count)
		memmove(to, place(m, &text, ALIGNMENT), ALIGNMENT);
	else
		memcpy(to, r->members[of].bytes + read_at(&text, r->members[of].bytes,
							  r->members[of].length, ALIGNMENT), ALIGNMENT);
}

static void reseal_body(uint8_t *record, size_t available)
{
	size_t end = (size_t)get_le32(record + 44) + get_le32(record + 48);

	ck_assert(end >= RECORD_HEADER_LENGTH && end <= available);
	put_le64(record + 112, format_checksum(record + RECORD_HEADER_LENGTH,
					       end - RECORD_HEADER_LENGTH));
	maker_reseal(record);
}

static void reseal_list(uint8_t *record, size_t available)
{
	size_t length = (size_t)RUN_LENGTH * get_le32(record + 60);

	ck_assert(RECORD_HEADER_LENGTH + length <= available);
	put_le64(record + 96, format_checksum(record + RECORD_HEADER_LENGTH, length));
	reseal_body(record, available);
}

static void repeat_footer(struct maker *m, size_t length)
{
	size_t footer = m->length - ALIGNMENT;

	ck_assert_uint_gt(length, m->length);
	maker_add_bytes(m, NULL, length - m->length);
	memcpy(m->bytes + round_down(length, ALIGNMENT) - ALIGNMENT, m->bytes + footer, ALIGNMENT);
}

/* The bytes of the earlier member follow those of this one; the last unit is of this one. */
static void put_onto(struct recipe *r, struct maker *m)
{
	struct recipe_member *old = &r->members[r->count - 1];
	size_t length = m->length;

	ck_assert_uint_ge(r->count, 1);
	ck_assert_uint_gt(old->length, length);
	repeat_footer(m, old->length);
	memcpy(m->bytes + length, old->bytes + length, old->length - ALIGNMENT - length);
}

static void forget(struct recipe *r)
{
	while (r->count)
		free(r->members[--r->count].bytes);
}

static bool change_length(struct maker *m, const char *step)
{
	const char *text = strchr(step, '=') + 1;
	size_t at, lost;

	if (!strncmp(step, "drop=", 5)) {
		at = read_at(&text, m->bytes, m->length, 0);
		memmove(m->bytes, m->bytes + at, m->length - at);
		m->length -= at;
	} else if (!strncmp(step, "lose=", 5)) {
		at = read_at(&text, m->bytes, m->length, 0);
		lost = strtoul(text, NULL, 10);
		ck_assert_uint_le(at + lost, m->length);
		memmove(m->bytes + at, m->bytes + at + lost, m->length - at - lost);
		m->length -= lost;
	} else if (!strncmp(step, "cut=", 4)) {
		m->length = read_at(&text, m->bytes, m->length, 0);
	} else if (!strncmp(step, "zeros=", 6)) {
		maker_add_bytes(m, NULL, strtoul(text, NULL, 10));
	} else if (!strncmp(step, "bytes=", 6)) {
		add_hex(m, text);
	} else if (!strncmp(step, "device=", 7)) {
		repeat_footer(m, strtoul(text, NULL, 10));
	} else {
		return false;
	}
	return true;
}

bool recipe_change(struct recipe *r, struct maker *m, const char *step)
{
	const char *text = strchr(step, '=');
	uint8_t *at;

	if (!strcmp(step, "onto") || !strcmp(step, "alone")) {
		if (*step == 'o')
			put_onto(r, m);
		forget(r);
		return true;
	}
	if (!text || change_length(m, step))
		return text;
	text++;
	if (!strncmp(step, "put32=", 6)) {
		at = place(m, &text, 4);
		put_le32(at, (uint32_t)strtoll(text, NULL, 10));
	} else if (!strncmp(step, "put64=", 6)) {
		at = place(m, &text, 8);
		put_le64(at, (uint64_t)strtoll(text, NULL, 10));
	} else if (!strncmp(step, "flip=", 5)) {
		*place(m, &text, 1) ^= 1;
	} else if (!strncmp(step, "swap=", 5)) {
		at = place(m, &text, ALIGNMENT);
		swap_units(at, place(m, &text, ALIGNMENT));
	} else if (!strncmp(step, "paste=", 6)) {
		paste(r, m, text);
	} else if (!strncmp(step, "reseal=", 7)) {
		maker_reseal(place(m, &text, ALIGNMENT));
	} else if (!strncmp(step, "relist=", 7)) {
		at = place(m, &text, ALIGNMENT);
		reseal_list(at, m->length - (size_t)(at - m->bytes));
	} else if (!strncmp(step, "rebody=", 7)) {
		at = place(m, &text, ALIGNMENT);
		reseal_body(at, m->length - (size_t)(at - m->bytes));
	} else {
		return false;
	}
	return true;
}
