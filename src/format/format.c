// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "base/bytes.h"
#include "format/format.h"

static const char magics[][FORMAT_MAGIC_LENGTH + 1] = {
	[PIECE_SUPERBLOCK] = "nsplitSB",
	[PIECE_RECORD] = "nsplitRC",
	[PIECE_INDEX] = "nsplitIX",
	[PIECE_FOOTER] = "nsplitFT",
};

bool uuid_equal(const struct uuid *a, const struct uuid *b)
{
	return memcmp(a->bytes, b->bytes, UUID_LENGTH) == 0;
}

bool capture_id_equal(const struct capture_id *a, const struct capture_id *b)
{
	return uuid_equal(&a->uuid, &b->uuid) && a->tag == b->tag;
}

void uuid_format(const struct uuid *uuid, char text[UUID_TEXT_LENGTH + 1])
{
	char *p = text;

	for (int i = 0; i < UUID_LENGTH; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*p++ = '-';
		p += sprintf(p, "%02x", uuid->bytes[i]);
	}
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool uuid_parse(const char *text, struct uuid *uuid)
{
	if (strlen(text) != UUID_TEXT_LENGTH)
		return false;
	for (int i = 0; i < UUID_LENGTH; i++) {
		int high, low;

		if ((i == 4 || i == 6 || i == 8 || i == 10) && *text++ != '-')
			return false;
		high = hex_digit(*text++);
		low = hex_digit(*text++);
		if (high < 0 || low < 0)
			return false;
		uuid->bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

void uuid_from_random(struct uuid *uuid)
{
	uuid->bytes[6] = (uint8_t)((uuid->bytes[6] & 0x0f) | 0x40);
	uuid->bytes[8] = (uint8_t)((uuid->bytes[8] & 0x3f) | 0x80);
}

enum piece_kind piece_kind(const uint8_t *bytes)
{
	for (int kind = PIECE_SUPERBLOCK; kind <= PIECE_FOOTER; kind++)
		if (memcmp(bytes, magics[kind], FORMAT_MAGIC_LENGTH) == 0)
			return kind;
	return PIECE_NONE;
}

const char *piece_magic(enum piece_kind kind)
{
	return magics[kind];
}

uint64_t format_checksum(const void *bytes, size_t len)
{
	return XXH3_64bits(bytes, len);
}

bool block_size_valid(uint64_t size)
{
	return is_power_of_two(size) && size >= BLOCK_SIZE_MIN && size <= BLOCK_SIZE_MAX;
}

bool chunk_size_valid(uint64_t size, uint32_t block_size)
{
	return size >= block_size && size <= CHUNK_SIZE_MAX && size % block_size == 0;
}

bool cell_size_valid(uint64_t size, uint32_t chunk_size)
{
	return size >= chunk_size && size <= CELL_SIZE_MAX && size % chunk_size == 0;
}
