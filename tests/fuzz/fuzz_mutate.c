// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A mutator that knows the pieces of a member.
 *
 * Nearly all random changes of a member result in a wrong checksum, and readers do not look beyond
 * that. So after most changes, the checksums of all pieces are corrected. In addition to the
 * changes of libFuzzer, there are changes of header fields (to values around the limits) and of
 * whole units. Inputs are plain bytes: a reproducer of the target `member` is a member, and can be
 * given to njoin.
 */
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "format/record.h"
#include "fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static uint32_t next_random(uint32_t *state)
{
	uint32_t x = *state;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return *state = x;
}

/* --- checksums ----------------------------------------------------------- */

/* The run list has a checksum, too. */
static void seal_record(uint8_t *piece, size_t available)
{
	uint64_t runs = (uint64_t)RUN_LENGTH * get_le32(piece + 60);
	uint64_t end = (uint64_t)get_le32(piece + 44) + get_le32(piece + 48);

	if (runs <= available - RECORD_HEADER_LENGTH)
		put_le64(piece + 96, runs ? format_checksum(piece + RECORD_HEADER_LENGTH, runs) : 0);
	if (end >= RECORD_HEADER_LENGTH && end <= available)
		put_le64(piece + 112, format_checksum(piece + RECORD_HEADER_LENGTH,
						      end - RECORD_HEADER_LENGTH));
	put_le64(piece + 120, format_checksum(piece, 120));
}

static void seal_index(uint8_t *piece, size_t available)
{
	uint64_t entries = (uint64_t)INDEX_ENTRY_LENGTH * get_le32(piece + 32);

	if (entries <= available - INDEX_HEADER_LENGTH)
		put_le64(piece + 40, format_checksum(piece + INDEX_HEADER_LENGTH, entries));
	put_le64(piece + 56, format_checksum(piece, 56));
}

/* available: the number of bytes up to the end of the input, at least a record header. */
static void seal(uint8_t *piece, size_t available)
{
	switch (piece_kind(piece)) {
	case PIECE_RECORD:
		seal_record(piece, available);
		break;
	case PIECE_INDEX:
		seal_index(piece, available);
		break;
	case PIECE_SUPERBLOCK:
	case PIECE_FOOTER:
		if (available >= ALIGNMENT)
			put_le64(piece + ALIGNMENT - 8, format_checksum(piece, ALIGNMENT - 8));
		break;
	default:
		break;
	}
}

static void seal_all(uint8_t *data, size_t size)
{
	for (size_t at = fuzz_prefix; at + RECORD_HEADER_LENGTH <= size; at += ALIGNMENT)
		seal(data + at, size - at);
}

/* --- changes ------------------------------------------------------------- */

/* A random unit that begins with a magic, unless there are few. */
static uint8_t *some_piece(uint8_t *data, size_t size, uint32_t *state)
{
	size_t units = size < fuzz_prefix ? 0 : (size - fuzz_prefix) / ALIGNMENT;

	for (int tries = 0; units && tries < 8; tries++) {
		uint8_t *unit = data + fuzz_prefix + next_random(state) % units * ALIGNMENT;

		if (piece_kind(unit) != PIECE_NONE)
			return unit;
	}
	return NULL;
}

static void change_field(uint8_t *piece, uint32_t *state)
{
	static const uint64_t values[] = {
		0, 1, 2, 7, 8, 127, 128, 132, 254, 255, 4095, 4096, 4097, 8192, 12288, 16384,
		32766, 32767, 1 << 20, (1 << 20) + 4096, 1 << 26, (1 << 26) + 4096, 1 << 28,
		INT32_MAX, UINT32_MAX, UINT32_MAX - 4095, (uint64_t)1 << 32, INT64_MAX,
		INT64_MAX - 4095, (uint64_t)1 << 63, UINT64_MAX, UINT64_MAX - 4095,
	};
	uint64_t value = values[next_random(state) % (sizeof(values) / sizeof(values[0]))];
	enum piece_kind kind = piece_kind(piece);
	size_t length = kind == PIECE_FOOTER || kind == PIECE_SUPERBLOCK ? 512 : 192;
	uint8_t *field = piece + 8 + next_random(state) % (length - 16) / 4 * 4;

	if (next_random(state) % 4 == 0)
		value = get_le64(field) + next_random(state) % 3 * ALIGNMENT - ALIGNMENT;
	if (next_random(state) % 2)
		put_le32(field, (uint32_t)value);
	else
		put_le64(field, value);
}

/* Changes some bytes of a header or table, without moving any. */
static void change_window(uint8_t *piece, uint32_t *state)
{
	uint8_t window[64];
	uint8_t *at = piece + 8 + next_random(state) % 512;

	memcpy(window, at, sizeof(window));
	LLVMFuzzerMutate(window, sizeof(window), sizeof(window));
	memcpy(at, window, sizeof(window));
}

/* Changes the bytes that say how the input is read; libFuzzer alone would rarely do so. */
static void change_head(uint8_t *data, uint32_t *state)
{
	uint32_t at = next_random(state) % (uint32_t)fuzz_prefix;

	data[at] ^= (uint8_t)(next_random(state) % 2 ? 1u << next_random(state) % 8
						     : next_random(state));
}

/* Copies a unit over another one or to the end, or removes it. */
static size_t change_units(uint8_t *data, size_t size, size_t max_size, uint32_t *state)
{
	size_t units = (size - fuzz_prefix) / ALIGNMENT;
	uint8_t *first = data + fuzz_prefix;
	uint8_t *from = first + next_random(state) % units * ALIGNMENT;
	uint8_t *to = first + next_random(state) % units * ALIGNMENT;

	switch (next_random(state) % 4) {
	case 0:
		memmove(to, from, ALIGNMENT);
		return size;
	case 1:
		if (size + ALIGNMENT > max_size)
			return size;
		memmove(to + ALIGNMENT, to, (size_t)(data + size - to));
		if (from >= to)
			from += ALIGNMENT;
		memcpy(to, from, ALIGNMENT);
		return size + ALIGNMENT;
	case 2:
		memmove(from, from + ALIGNMENT, (size_t)(data + size - from) - ALIGNMENT);
		return size - ALIGNMENT;
	default:
		return (size_t)(from - data) + ALIGNMENT;
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	uint32_t state = seed | 1;
	uint8_t *piece = some_piece(data, size, &state);
	unsigned way = next_random(&state) % 16;

	if (fuzz_prefix && size >= fuzz_prefix && next_random(&state) % 4 == 0)
		change_head(data, &state);
	else if (!piece || way < 4)
		size = LLVMFuzzerMutate(data, size, max_size);
	else if (way < 9)
		change_field(piece, &state);
	else if (way < 13)
		change_window(piece, &state);
	else
		size = change_units(data, size, max_size, &state);
	if (next_random(&state) % 16)
		seal_all(data, size);
	return size;
}
