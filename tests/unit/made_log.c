// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "helper.h"
#include "made_log.h"

static const uint64_t ID_MASK = ((uint64_t)1 << 62) - 1;

const char made_ring_info[] =
	"OSRELEASE=6.1.0-made\nPAGESIZE=4096\nNUMBER(phys_base)=0\nCRASHTIME=1000000000\n"
	"SYMBOL(prb)=ffffffff80100000\nSIZE(printk_ringbuffer)=88\n"
	"OFFSET(printk_ringbuffer.desc_ring)=0\nOFFSET(printk_ringbuffer.text_data_ring)=48\n"
	"OFFSET(prb_desc_ring.count_bits)=0\nOFFSET(prb_desc_ring.descs)=8\n"
	"OFFSET(prb_desc_ring.infos)=16\nOFFSET(prb_desc_ring.head_id)=24\n"
	"OFFSET(prb_desc_ring.tail_id)=32\nSIZE(prb_desc)=24\nOFFSET(prb_desc.state_var)=0\n"
	"OFFSET(prb_desc.text_blk_lpos)=8\nOFFSET(prb_data_blk_lpos.begin)=0\n"
	"OFFSET(prb_data_blk_lpos.next)=8\nSIZE(printk_info)=88\nOFFSET(printk_info.seq)=0\n"
	"OFFSET(printk_info.ts_nsec)=8\n"
	"OFFSET(printk_info.text_len)=16\nOFFSET(prb_data_ring.size_bits)=0\n"
	"OFFSET(prb_data_ring.data)=8\nOFFSET(atomic_long_t.counter)=0\n"
	"SYMBOL(clear_seq)=ffffffff80100020\nSIZE(latched_seq)=24\nOFFSET(latched_seq.val)=8\n";

const char made_records_info[] =
	"OSRELEASE=4.19.0-made\nPAGESIZE=4096\nNUMBER(phys_base)=0\n"
	"SYMBOL(log_buf)=ffffffff80100000\nSYMBOL(log_buf_len)=ffffffff80100008\n"
	"SYMBOL(log_first_idx)=ffffffff80100010\nSYMBOL(log_next_idx)=ffffffff80100018\n"
	"SYMBOL(clear_idx)=ffffffff80100020\n"
	"SIZE(printk_log)=16\nOFFSET(printk_log.ts_nsec)=0\nOFFSET(printk_log.len)=8\n"
	"OFFSET(printk_log.text_len)=10\nOFFSET(printk_log.dict_len)=12\n";

void made_log_init(struct made_log *m, uint16_t machine, const char *vmcoreinfo)
{
	*m = (struct made_log){
		.segment = {
			.paddr = MADE_LOG_BASE,
			.vaddr = MADE_LOG_MAP + MADE_LOG_BASE,
			.filesz = MADE_LOG_PAGES * 4096,
			.memsz = MADE_LOG_PAGES * 4096,
		},
	};
	made_core_init(&m->core, &m->segment, 1, machine, vmcoreinfo, false);
}

void made_log_free(struct made_log *m)
{
	made_core_free(&m->core);
}

void made_log_poke(struct made_log *m, uint64_t paddr, const void *bytes, size_t len)
{
	made_core_poke(&m->core, &m->segment, 1, paddr, bytes, len);
}

void made_log_poke16(struct made_log *m, uint64_t paddr, uint16_t value)
{
	value = htole16(value);
	made_log_poke(m, paddr, &value, sizeof(value));
}

void made_log_poke32(struct made_log *m, uint64_t paddr, uint32_t value)
{
	value = htole32(value);
	made_log_poke(m, paddr, &value, sizeof(value));
}

void made_log_poke64(struct made_log *m, uint64_t paddr, uint64_t value)
{
	value = htole64(value);
	made_log_poke(m, paddr, &value, sizeof(value));
}

static uint64_t peek64(const struct made_log *m, uint64_t paddr)
{
	return get_le64(m->core.bytes + m->segment.offset + (paddr - m->segment.paddr));
}

void made_log_lose(struct made_log *m, uint64_t paddr)
{
	m->core.missing = m->segment.offset + round_down(paddr, 4096) - m->segment.paddr;
	m->core.missing_length = 4096;
}

/* --- the ring -------------------------------------------------------------------- */

static void poke_ends(struct made_log *m)
{
	made_log_poke64(m, MADE_LOG_RING + 24, m->head);
	made_log_poke64(m, MADE_LOG_RING + 32, m->tail);
}

uint64_t made_ring_desc(const struct made_log *m, uint64_t id)
{
	return MADE_LOG_DESCS + (id & (((uint64_t)1 << m->count_bits) - 1)) * MADE_DESC;
}

void made_ring_set_state(struct made_log *m, uint64_t id, enum made_state state)
{
	made_log_poke64(m, made_ring_desc(m, id), (uint64_t)state << 62 | id);
}

void made_ring_clear(struct made_log *m, uint64_t seq)
{
	const uint64_t at = made_variable(MADE_LOG_CLEAR);

	/* A write changes the counter before each of the values. */
	made_log_poke32(m, at, 2);
	made_log_poke64(m, at + 8, seq);
	made_log_poke64(m, at + 16, seq);
}

static void init(struct made_log *m, uint16_t machine, const char *vmcoreinfo, uint32_t count_bits,
		 uint32_t size_bits, uint64_t first_id)
{
	made_log_init(m, machine, vmcoreinfo);
	m->count_bits = count_bits;
	m->size_bits = size_bits;
	m->head = m->tail = first_id & ID_MASK;
	/* The values of the kernel: the first pass ends soon, and overflows become visible. */
	m->next = m->oldest = -((uint64_t)1 << size_bits);
	made_log_poke64(m, MADE_LOG_VARIABLES, MADE_LOG_MAP + MADE_LOG_RING);
	made_log_poke32(m, MADE_LOG_RING, count_bits);
	made_log_poke64(m, MADE_LOG_RING + 8, MADE_LOG_MAP + MADE_LOG_DESCS);
	made_log_poke64(m, MADE_LOG_RING + 16, MADE_LOG_MAP + MADE_LOG_INFOS);
	made_log_poke32(m, MADE_LOG_RING + 48, size_bits);
	made_log_poke64(m, MADE_LOG_RING + 56, MADE_LOG_MAP + MADE_LOG_TEXT);
	made_ring_set_state(m, m->head, MADE_REUSABLE);
	poke_ends(m);
	made_ring_clear(m, 0);
}

void made_ring_init(struct made_log *m, uint16_t machine, uint32_t count_bits, uint32_t size_bits,
		    uint64_t first_id)
{
	init(m, machine, made_ring_info, count_bits, size_bits, first_id);
}

void made_ring_init_as(struct made_log *m, const char *vmcoreinfo)
{
	init(m, EM_X86_64, vmcoreinfo, 4, 10, 0);
}

/* Drops the oldest record. */
static void drop_oldest(struct made_log *m)
{
	made_ring_set_state(m, m->tail, MADE_REUSABLE);
	m->tail = (m->tail + 1) & ID_MASK;
}

static uint64_t add(struct made_log *m, uint64_t nanoseconds, uint64_t begin, uint64_t next,
		    size_t len)
{
	uint64_t count = (uint64_t)1 << m->count_bits, id = (m->head + 1) & ID_MASK, slot;

	if (((id - m->tail) & ID_MASK) == count)
		drop_oldest(m);
	m->head = id;
	slot = id & (count - 1);
	made_ring_set_state(m, id, MADE_FINALIZED);
	made_log_poke64(m, made_ring_desc(m, id) + 8, begin);
	made_log_poke64(m, made_ring_desc(m, id) + 16, next);
	made_log_poke64(m, MADE_LOG_INFOS + slot * MADE_INFO, m->seq++);
	made_log_poke64(m, MADE_LOG_INFOS + slot * MADE_INFO + 8, nanoseconds);
	made_log_poke16(m, MADE_LOG_INFOS + slot * MADE_INFO + 16, (uint16_t)len);
	poke_ends(m);
	return id;
}

/* Records whose text would be overwritten are dropped first. */
static void make_room(struct made_log *m, uint64_t next)
{
	uint64_t size = (uint64_t)1 << m->size_bits;

	while (next - m->oldest > size) {
		uint64_t end = peek64(m, made_ring_desc(m, m->tail) + 16);

		if (peek64(m, made_ring_desc(m, m->tail)) >> 62 == MADE_FINALIZED && !(end & 1))
			m->oldest = end;
		drop_oldest(m);
	}
}

uint64_t made_ring_add(struct made_log *m, uint64_t nanoseconds, const void *text, size_t len)
{
	uint64_t size = (uint64_t)1 << m->size_bits, block = round_up(8 + len, 8);
	uint64_t begin = m->next, next = begin + block, at = begin % size, id;

	if (begin / size != (m->fits ? next - 1 : next) / size) {
		next = round_up(begin + 1, size) + block;
		at = 0;
	}
	make_room(m, next);
	id = add(m, nanoseconds, begin, next, len);
	made_log_poke64(m, MADE_LOG_TEXT + at, id);
	made_log_poke(m, MADE_LOG_TEXT + at + 8, text, len);
	m->next = next;
	return id;
}

uint64_t made_ring_add_empty(struct made_log *m)
{
	return add(m, 0, 3, 3, 0);
}

/* --- older ones -------------------------------------------------------------------- */

uint64_t made_variable(int which)
{
	return MADE_LOG_VARIABLES + 8 * (uint64_t)which;
}

uint32_t made_record_put(struct made_log *m, uint32_t at, uint64_t nanoseconds, const char *text)
{
	uint32_t len = (uint32_t)round_up(MADE_RECORD + strlen(text), 4);

	made_log_poke64(m, MADE_LOG_TEXT + at, nanoseconds);
	made_log_poke16(m, MADE_LOG_TEXT + at + 8, (uint16_t)len);
	made_log_poke16(m, MADE_LOG_TEXT + at + 10, (uint16_t)strlen(text));
	made_log_poke(m, MADE_LOG_TEXT + at + MADE_RECORD, text, strlen(text));
	return at + len;
}
