// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cores in memory with a kernel log, in each of its two forms. They have only the kernel image,
 * which begins at MADE_LOG_BASE.
 */
#ifndef NSPLIT_TESTS_UNIT_MADE_LOG_H
#define NSPLIT_TESTS_UNIT_MADE_LOG_H

#include "made_core.h"

/* Physical addresses; the kernel's virtual addresses are MADE_LOG_MAP higher. */
enum {
	MADE_LOG_BASE = 0x100000,
	MADE_LOG_PAGES = 64,
	MADE_LOG_VARIABLES = MADE_LOG_BASE,	/* 8 bytes each */
	MADE_LOG_RING = MADE_LOG_BASE + 0x100,	/* struct printk_ringbuffer */
	MADE_LOG_DESCS = MADE_LOG_BASE + 0x1000,
	MADE_LOG_INFOS = MADE_LOG_BASE + 0x4000,
	MADE_LOG_TEXT = MADE_LOG_BASE + 0x10008,	/* as in kernels, not a multiple of a page */
};

#define MADE_LOG_MAP 0xffffffff80000000u

/* The sizes and offsets are those of Linux 6.1. */
enum { MADE_DESC = 24, MADE_INFO = 88 };

enum made_state { MADE_RESERVED, MADE_COMMITTED, MADE_FINALIZED, MADE_REUSABLE };

struct made_log {
	struct made_core core;
	struct segment segment;
	uint32_t count_bits, size_bits;
	uint64_t head, tail;		/* ids */
	uint64_t seq;			/* number of the next record, from 0 */
	uint64_t next, oldest;		/* logical positions in the text */
	bool fits;			/* a block may end at the end of the ring, as since 2025 */
};

/* A core with this VMCOREINFO, without a log. */
void made_log_init(struct made_log *m, uint16_t machine, const char *vmcoreinfo);
void made_log_free(struct made_log *m);

/* All addresses are physical; integers are little-endian. */
void made_log_poke(struct made_log *m, uint64_t paddr, const void *bytes, size_t len);
void made_log_poke16(struct made_log *m, uint64_t paddr, uint16_t value);
void made_log_poke32(struct made_log *m, uint64_t paddr, uint32_t value);
void made_log_poke64(struct made_log *m, uint64_t paddr, uint64_t value);
/* From now on, the page of a physical address cannot be read. */
void made_log_lose(struct made_log *m, uint64_t paddr);

/* The VMCOREINFO of a ring. */
extern const char made_ring_info[];

/*
 * Makes a ring of 2^count_bits records and 2^size_bits bytes of text; the first record will have id
 * first_id + 1.
 */
void made_ring_init(struct made_log *m, uint16_t machine, uint32_t count_bits, uint32_t size_bits,
		    uint64_t first_id);
/* The same for x86_64, with another VMCOREINFO; 16 records, 1 KiB of text, the first id is 1. */
void made_ring_init_as(struct made_log *m, const char *vmcoreinfo);
/* As dmesg -C since 5.13: the record with the number seq is the first that is not cleared. */
void made_ring_clear(struct made_log *m, uint64_t seq);
/*
 * Adds a record as printk() does: if there is no space, the oldest ones are dropped.  Returns the
 * id.
 */
uint64_t made_ring_add(struct made_log *m, uint64_t nanoseconds, const void *text, size_t len);
/* Adds a record without text. */
uint64_t made_ring_add_empty(struct made_log *m);
/* The addresses of the state of an id, and of the positions of its block. */
uint64_t made_ring_desc(const struct made_log *m, uint64_t id);
void made_ring_set_state(struct made_log *m, uint64_t id, enum made_state state);

/* The VMCOREINFO of the log of 3.5 to 5.9. */
extern const char made_records_info[];

enum { MADE_RECORD = 16 };	/* struct printk_log of 4.19 */

/*
 * The addresses of its variables, in the order of VMCOREINFO.  The clear_seq of the ring is at MADE_LOG_CLEAR, too.
 */
enum {
	MADE_LOG_BUF, MADE_LOG_BUF_LEN, MADE_LOG_FIRST, MADE_LOG_NEXT, MADE_LOG_CLEAR,
};

uint64_t made_variable(int which);

/*
 * Writes a record of len bytes in all at an offset of the buffer.  Returns the offset of the next
 * one.
 */
uint32_t made_record_put(struct made_log *m, uint32_t at, uint64_t nanoseconds, const char *text);

#endif
