// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Little-endian stores, the same on any host; dst needs no alignment.
 * Written as bytes, because compilers make one plain store of them where the
 * host allows it, and because the kernel and userspace share no such function.
 */
#ifndef FAKEVMCORE_LE_H
#define FAKEVMCORE_LE_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

static inline void le_put16(uint8_t *dst, uint16_t value)
{
	dst[0] = (uint8_t)value;
	dst[1] = (uint8_t)(value >> 8);
}

static inline void le_put32(uint8_t *dst, uint32_t value)
{
	dst[0] = (uint8_t)value;
	dst[1] = (uint8_t)(value >> 8);
	dst[2] = (uint8_t)(value >> 16);
	dst[3] = (uint8_t)(value >> 24);
}

static inline void le_put64(uint8_t *dst, uint64_t value)
{
	dst[0] = (uint8_t)value;
	dst[1] = (uint8_t)(value >> 8);
	dst[2] = (uint8_t)(value >> 16);
	dst[3] = (uint8_t)(value >> 24);
	dst[4] = (uint8_t)(value >> 32);
	dst[5] = (uint8_t)(value >> 40);
	dst[6] = (uint8_t)(value >> 48);
	dst[7] = (uint8_t)(value >> 56);
}

#endif
