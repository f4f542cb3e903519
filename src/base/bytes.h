// SPDX-License-Identifier: GPL-2.0-or-later
/* Little-endian integers in byte buffers, all-zero buffers, rounding, minimum and maximum, alignment. */
#ifndef NSPLIT_BASE_BYTES_H
#define NSPLIT_BASE_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t get_le16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return le16toh(v);
}

static inline uint32_t get_le32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static inline uint64_t get_le64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

static inline void put_le16(uint8_t *p, uint16_t v)
{
	v = htole16(v);
	memcpy(p, &v, sizeof(v));
}

static inline void put_le32(uint8_t *p, uint32_t v)
{
	v = htole32(v);
	memcpy(p, &v, sizeof(v));
}

static inline void put_le64(uint8_t *p, uint64_t v)
{
	v = htole64(v);
	memcpy(p, &v, sizeof(v));
}

static inline bool is_power_of_two(uint64_t v)
{
	return v && !(v & (v - 1));
}

/* unit is a power of two, and v + unit does not overflow. */
static inline uint64_t round_up(uint64_t v, uint64_t unit)
{
	return (v + unit - 1) & ~(unit - 1);
}

static inline uint64_t round_down(uint64_t v, uint64_t unit)
{
	return v & ~(unit - 1);
}

static inline uint64_t divide_up(uint64_t v, uint64_t by)
{
	return v / by + (v % by != 0);
}

/* True if all bytes are zero.  len is at least 1. */
static inline bool bytes_are_zero(const uint8_t *bytes, size_t len)
{
	return !bytes[0] && memcmp(bytes, bytes + 1, len - 1) == 0;
}

/* How many bytes are equal to the first one before one that is not.  len is at least 1. */
static inline size_t bytes_repeated(const uint8_t *bytes, size_t len)
{
	uint64_t word = bytes[0] * (uint64_t)0x0101010101010101;
	size_t n = 1;

	while (n + 8 <= len && get_le64(bytes + n) == word)
		n += 8;
	while (n < len && bytes[n] == bytes[0])
		n++;
	return n;
}

static inline uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline double min_double(double a, double b)
{
	return a < b ? a : b;
}

static inline double max_double(double a, double b)
{
	return a > b ? a : b;
}

/* --- alignment ----------------------------------------------------------- */

/*
 * The alignment of everything that is read or written: offsets in members, addresses and lengths of
 * buffers are multiples of it, as direct I/O requires.
 */

/* Sizes of memory and of parts of a dump are computed in size_t; see configure.ac. */
_Static_assert(sizeof(size_t) >= 8, "nsplit needs a system with a 64-bit size_t");

enum { ALIGNMENT = 4096 };

/* The largest offset or size: that of off_t. */
#define OFFSET_MAX ((uint64_t)INT64_MAX)

#endif
