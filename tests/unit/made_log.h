// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cores made in memory with a kernel log in them, of each of its forms.  The kernel's image is all
 * there is, and lies from MADE_LOG_BASE on.
 */
#ifndef NSPLIT_TESTS_UNIT_MADE_LOG_H
#define NSPLIT_TESTS_UNIT_MADE_LOG_H

#include "made_core.h"

/* Physical; the kernel's own addresses are MADE_LOG_MAP higher. */
enum {
	MADE_LOG_BASE = 0x100000,
	MADE_LOG_PAGES = 64,
	MADE_LOG_VARIABLES = MADE_LOG_BASE,	/* 8 bytes each */
	MADE_LOG_RING = MADE_LOG_BASE + 0x100,	/* struct printk_ringbuffer */
	MADE_LOG_DESCS = MADE_LOG_BASE + 0x1000,
	MADE_LOG_INFOS = MADE_LOG_BASE + 0x4000,
	MADE_LOG_TEXT = MADE_LOG_BASE + 0x10008,	/* as in kernels, no multiple of a page */
};

#define MADE_LOG_MAP 0xffffffff80000000u

/* Strides and offsets are those of Linux 6.1. */
enum { MADE_DESC = 24, MADE_INFO = 88 };

enum made_state { MADE_RESERVED, MADE_COMMITTED, MADE_FINALIZED, MADE_REUSABLE };

struct made_log {
	struct made_core core;
	struct segment segment;
	uint32_t count_bits, size_bits;
	uint64_t head, tail;		/* ids */
	uint64_t next, oldest;		/* logical positions in the text */
	bool fits;			/* a block may end where the ring ends, as since 2025 */
};

/* A core of this VMCOREINFO, without a log. */
void made_log_init(struct made_log *m, uint16_t machine, const char *vmcoreinfo);
void made_log_free(struct made_log *m);

/* All at physical addresses, little-endian. */
void made_log_poke(struct made_log *m, uint64_t paddr, const void *bytes, size_t len);
void made_log_poke16(struct made_log *m, uint64_t paddr, uint16_t value);
void made_log_poke32(struct made_log *m, uint64_t paddr, uint32_t value);
void made_log_poke64(struct made_log *m, uint64_t paddr, uint64_t value);
/* From now on the page of a physical address cannot be read. */
void made_log_lose(struct made_log *m, uint64_t paddr);

/* VMCOREINFO of a ring. */
extern const char made_ring_info[];

/*
 * A ring of 2^count_bits records and 2^size_bits bytes of text; the first record will have
 * first_id + 1.
 */
void made_ring_init(struct made_log *m, uint16_t machine, uint32_t count_bits, uint32_t size_bits,
		    uint64_t first_id);
/* As printk() does: what is oldest goes, where there is no room.  Returns the id. */
uint64_t made_ring_add(struct made_log *m, uint64_t nanoseconds, const void *text, size_t len);
/* One without a text. */
uint64_t made_ring_add_empty(struct made_log *m);
/* Where the slot of an id has its state, and the ends of its block. */
uint64_t made_ring_desc(const struct made_log *m, uint64_t id);
void made_ring_set_state(struct made_log *m, uint64_t id, enum made_state state);

/* VMCOREINFO of the log of 3.5 to 5.9, and of the one before. */
extern const char made_records_info[], made_plain_info[];

enum { MADE_RECORD = 16 };	/* struct printk_log of 4.19 */

/* Variables of both of these: where they lie, in the order of VMCOREINFO. */
enum {
	MADE_LOG_BUF, MADE_LOG_BUF_LEN, MADE_LOG_FIRST, MADE_LOG_NEXT,
	MADE_LOG_END = MADE_LOG_FIRST,
};

uint64_t made_variable(int which);

/* A record at an offset of the buffer, of len bytes in all.  Returns where the next one begins. */
uint32_t made_record_put(struct made_log *m, uint32_t at, uint64_t nanoseconds, const char *text);

#endif
