/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Little-endian stores for hosts of any byte order; dst needs no alignment.  They store byte by
 * byte because the kernel and userspace share no such function; compilers combine the bytes into
 * one store where the host allows it.
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
	dst[0] = (uint8_t)(value & 0xff);
	dst[1] = (uint8_t)(value >> 8 & 0xff);
}

static inline void le_put32(uint8_t *dst, uint32_t value)
{
	dst[0] = (uint8_t)(value & 0xff);
	dst[1] = (uint8_t)(value >> 8 & 0xff);
	dst[2] = (uint8_t)(value >> 16 & 0xff);
	dst[3] = (uint8_t)(value >> 24 & 0xff);
}

static inline void le_put64(uint8_t *dst, uint64_t value)
{
	dst[0] = (uint8_t)(value & 0xff);
	dst[1] = (uint8_t)(value >> 8 & 0xff);
	dst[2] = (uint8_t)(value >> 16 & 0xff);
	dst[3] = (uint8_t)(value >> 24 & 0xff);
	dst[4] = (uint8_t)(value >> 32 & 0xff);
	dst[5] = (uint8_t)(value >> 40 & 0xff);
	dst[6] = (uint8_t)(value >> 48 & 0xff);
	dst[7] = (uint8_t)(value >> 56 & 0xff);
}

#endif
