// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The printk ring buffer: an array of descriptors, an array of infos (time, length), and a ring of
 * text. Record number id has index id % count in both arrays.  Its text is a block of the ring,
 * after 8 bytes that only the kernel uses.  A block that would not fit at the end of the ring is at
 * its beginning instead.
 *
 * The kernel may have crashed while it wrote a record, so a descriptor may have another id than its
 * index suggests.  This is not damage; there is no record then.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "core/log/log_text.h"
#include "core/window.h"

/*
 * Where the printk ring buffer was last cleared: the kernel's variable clear_seq.  Since Linux 5.13
 * it is a struct latched_seq (kernel/printk/printk.c): a counter and two copies of the number.  The
 * kernel makes the counter odd, writes the first copy, makes the counter even, and writes the
 * second.  If it crashed meanwhile, the lowest bit of the counter selects the copy that is intact.
 */

enum { VAL_MAX = 256 };		/* for the offset of the copies: 8, or more with lockdep */

/* The sequence number of the first record in the ring after the last clear. */
static enum status log_clear_seq(const struct log *log, uint64_t *seq, struct error *e)
{
	uint8_t raw[VAL_MAX + 16];
	uint64_t size, val, address;
	enum status status;

	if (!vmcoreinfo_get(log->virt->info, "SIZE", "latched_seq", &size))
		return log_variable(log, "clear_seq", 8, seq, e);
	status = log_key(log, "OFFSET", "latched_seq.val", VAL_MAX, &val, e);
	if (!status)
		status = log_key(log, "SYMBOL", "clear_seq", UINT64_MAX, &address, e);
	if (status)
		return status;
	status = virt_read(log->virt, address, val + 16, raw, e);
	if (status)
		return error_prefix(e, "kernel log: ");
	*seq = get_le64(raw + val + 8 * (raw[0] & 1));
	return STATUS_OK;
}

/*
 * The printk ring buffer: an array of descriptors, an array of infos (time, length), and a ring of
 * text. Record number id has index id % count in both arrays.  Its text is a block of the ring,
 * after 8 bytes that only the kernel uses.  A block that would not fit at the end of the ring is at
 * its beginning instead.
 *
 * The kernel may have crashed while it wrote a record, so a descriptor may have another id than its
 * index suggests.  This is not damage; there is no record then.
 */

/* The id in a descriptor's state_var; the upper 2 bits are the state. */
static const uint64_t ID_MASK = ((uint64_t)1 << 62) - 1;

enum {
	STATE_COMMITTED = 1,
	STATE_FINALIZED = 2,
	BLOCK_HEAD = 8,			/* the id before a text, and the alignment of blocks */
	STRUCT_MAX = 4096,		/* no struct of the kernel's log is larger */
	/* The largest: LOG_BUF_LEN_MAX, and one record for 32 bytes (PRB_AVGBITS). */
	SIZE_BITS_MIN = 6, SIZE_BITS_MAX = 31, COUNT_BITS_MAX = 26,
};

/* From VMCOREINFO; in the order of keys[]. */
struct layout {
	uint64_t rb_size, desc_ring, data_ring;
	uint64_t count_bits, descs, infos, head_id, tail_id;
	uint64_t size_bits, data;
	uint64_t desc_size, state_var, text_blk, begin, next;
	uint64_t info_size, ts_nsec, text_len;
	uint64_t counter;
};

struct ring {
	struct log *log;
	struct layout layout;
	uint64_t count, size;		/* records, bytes of text; powers of two */
	uint64_t head, tail;		/* ids */
	struct window descs, infos, data;
	uint64_t spent;			/* bytes of all blocks that were read */
};

struct key {
	const char *kind, *name;
	size_t field;
};

static const struct key keys[] = {
	{ "SIZE", "printk_ringbuffer", offsetof(struct layout, rb_size) },
	{ "OFFSET", "printk_ringbuffer.desc_ring", offsetof(struct layout, desc_ring) },
	{ "OFFSET", "printk_ringbuffer.text_data_ring", offsetof(struct layout, data_ring) },
	{ "OFFSET", "prb_desc_ring.count_bits", offsetof(struct layout, count_bits) },
	{ "OFFSET", "prb_desc_ring.descs", offsetof(struct layout, descs) },
	{ "OFFSET", "prb_desc_ring.infos", offsetof(struct layout, infos) },
	{ "OFFSET", "prb_desc_ring.head_id", offsetof(struct layout, head_id) },
	{ "OFFSET", "prb_desc_ring.tail_id", offsetof(struct layout, tail_id) },
	{ "OFFSET", "prb_data_ring.size_bits", offsetof(struct layout, size_bits) },
	{ "OFFSET", "prb_data_ring.data", offsetof(struct layout, data) },
	{ "SIZE", "prb_desc", offsetof(struct layout, desc_size) },
	{ "OFFSET", "prb_desc.state_var", offsetof(struct layout, state_var) },
	{ "OFFSET", "prb_desc.text_blk_lpos", offsetof(struct layout, text_blk) },
	{ "OFFSET", "prb_data_blk_lpos.begin", offsetof(struct layout, begin) },
	{ "OFFSET", "prb_data_blk_lpos.next", offsetof(struct layout, next) },
	{ "SIZE", "printk_info", offsetof(struct layout, info_size) },
	{ "OFFSET", "printk_info.ts_nsec", offsetof(struct layout, ts_nsec) },
	{ "OFFSET", "printk_info.text_len", offsetof(struct layout, text_len) },
	{ "OFFSET", "atomic_long_t.counter", offsetof(struct layout, counter) },
};

/* All fields must be within their structs.  No sum overflows, because of STRUCT_MAX. */
static bool is_possible(const struct layout *l)
{
	uint64_t descs_end = max_u64(l->count_bits + 4, max_u64(l->descs, l->infos) + 8);
	uint64_t ids_end = max_u64(l->head_id, l->tail_id) + l->counter + 8;
	uint64_t data_end = max_u64(l->size_bits + 4, l->data + 8);
	uint64_t blk_end = max_u64(l->begin, l->next) + 8;

	return l->desc_ring + max_u64(descs_end, ids_end) <= l->rb_size &&
	       l->data_ring + data_end <= l->rb_size &&
	       max_u64(l->state_var + l->counter + 8, l->text_blk + blk_end) <= l->desc_size &&
	       max_u64(l->ts_nsec + 8, l->text_len + 2) <= l->info_size;
}

static enum status read_layout(struct ring *r, struct error *e)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		uint64_t *field = (uint64_t *)((char *)&r->layout + keys[i].field);
		enum status status = log_key(r->log, keys[i].kind, keys[i].name, STRUCT_MAX, field, e);

		if (status)
			return status;
	}
	if (!is_possible(&r->layout))
		return error_set(e, STATUS_DAMAGED, "kernel log: VMCOREINFO has offsets outside of "
				 "their structs");
	return STATUS_OK;
}

/* Reads the description of the ring, and checks it against what a kernel can create. */
static enum status read_ring(struct ring *r, struct error *e)
{
	const struct layout *l = &r->layout;
	uint8_t raw[STRUCT_MAX];
	const uint8_t *descs = raw + l->desc_ring, *data = raw + l->data_ring;
	uint32_t count_bits, size_bits;
	uint64_t address;
	enum status status = log_variable(r->log, "prb", 8, &address, e);

	if (status)
		return status;
	status = virt_read(r->log->virt, address, l->rb_size, raw, e);
	if (status)
		return error_prefix(e, "kernel log: ");
	count_bits = get_le32(descs + l->count_bits);
	size_bits = get_le32(data + l->size_bits);
	if (count_bits > COUNT_BITS_MAX || size_bits < SIZE_BITS_MIN || size_bits > SIZE_BITS_MAX)
		return error_set(e, STATUS_DAMAGED, "kernel log: invalid ring: 2^%" PRIu32
				 " records in 2^%" PRIu32 " bytes", count_bits, size_bits);
	r->count = (uint64_t)1 << count_bits;
	r->size = (uint64_t)1 << size_bits;
	r->head = get_le64(descs + l->head_id + l->counter) & ID_MASK;
	r->tail = get_le64(descs + l->tail_id + l->counter) & ID_MASK;
	status = window_init(&r->descs, r->log->virt, get_le64(descs + l->descs),
			     r->count * l->desc_size, e);
	if (!status)
		status = window_init(&r->infos, r->log->virt, get_le64(descs + l->infos),
				     r->count * l->info_size, e);
	if (!status)
		status = window_init(&r->data, r->log->virt, get_le64(data + l->data), r->size, e);
	return status ? error_prefix(e, "kernel log: ") : STATUS_OK;
}

/* A record without text, which was empty or did not fit.  Only then both positions are odd. */
static bool is_empty(uint64_t begin, uint64_t next)
{
	return begin == next || (begin & next & 1);
}

/*
 * Converts the block from begin to next, both within the ring, to the offset and length of its
 * text. Since 2025, kernels may end a block at the end of the ring; then next is 0.  Older ones
 * wrap such a block.  makedumpfile does not find these blocks, nor those that wrap and end where
 * they began.
 */
static bool find_block(const struct ring *r, uint64_t begin, uint64_t next, uint64_t *at,
		       uint64_t *length)
{
	if ((begin | next) % BLOCK_HEAD)
		return false;
	if (next == 0)
		next = r->size;
	if (begin >= next)
		begin = 0;
	*at = begin + BLOCK_HEAD;
	*length = next - *at;
	return true;
}

struct text {
	uint64_t nanoseconds;
	size_t len;			/* of log->text */
};

/* Reads the record at an index of the arrays; its block is from begin to next. */
static enum status read_record(struct ring *r, uint64_t index, uint64_t begin, uint64_t next,
			       struct text *text, struct error *e)
{
	uint64_t info = index * r->layout.info_size, at, length;
	uint8_t time[8], text_len[2];
	enum status status = window_read(&r->infos, info + r->layout.ts_nsec, 8, time, e);

	if (!status)
		status = window_read(&r->infos, info + r->layout.text_len, 2, text_len, e);
	if (status)
		return status;
	if (!find_block(r, begin, next, &at, &length))
		return error_set(e, STATUS_DAMAGED, "its text has an invalid position, from byte %"
				 PRIu64 " to %" PRIu64 " of the ring", begin, next);
	*text = (struct text){
		.nanoseconds = get_le64(time),
		.len = min_u64(get_le16(text_len), length),
	};
	r->spent += BLOCK_HEAD + length;
	return window_read(&r->data, at, text->len, r->log->text, e);
}

/* Does this descriptor have the complete record with this id? */
static bool has_record(const struct layout *l, const uint8_t *desc, uint64_t id)
{
	uint64_t state = get_le64(desc + l->state_var + l->counter);

	return (state & ID_MASK) == id &&
	       (state >> 62 == STATE_COMMITTED || state >> 62 == STATE_FINALIZED);
}

static enum status print_id(struct ring *r, uint64_t id, struct error *e)
{
	const struct layout *l = &r->layout;
	uint64_t index = id & (r->count - 1), begin, next;
	uint8_t raw[STRUCT_MAX];
	const uint8_t *block = raw + l->text_blk;
	struct text text = { 0 };
	struct error why;

	if (window_read(&r->descs, index * l->desc_size, l->desc_size, raw, &why))
		return log_lose(r->log, &why, e);
	if (!has_record(l, raw, id))
		return STATUS_OK;
	begin = get_le64(block + l->begin);
	next = get_le64(block + l->next);
	if (is_empty(begin, next))
		return STATUS_OK;
	if (read_record(r, index, begin & (r->size - 1), next & (r->size - 1), &text, &why))
		return log_lose(r->log, &why, e);
	return log_record(r->log, text.nanoseconds, text.len, e);
}

static void report_overlap(struct error *lost)
{
	if (lost->status)
		error_suffix(lost, "; it ends early because it is damaged: the texts of its records "
			     "overlap");
	else
		error_set(lost, STATUS_DAMAGED, "kernel log: it ends early because it is damaged: the "
			  "texts of its records overlap");
}

/* Blocks of an intact ring do not overlap.  The output of a damaged one must be limited, too. */
static enum status print_ids(struct ring *r, uint64_t first, uint64_t count, struct error *e)
{
	enum status status = STATUS_OK;

	for (uint64_t i = 0; i < count && !status; i++) {
		status = print_id(r, (first + i) & ID_MASK, e);
		if (r->spent > r->size && !status && i + 1 < count) {
			report_overlap(&r->log->result->lost);
			break;
		}
	}
	return status;
}

/*
 * A record whose sequence number is known.  Ids and sequence numbers both increase by 1 with each
 * record, so those of all other records follow from it, even if these cannot be read.
 */
struct numbered {
	bool found;
	uint64_t place;			/* its id minus that of the tail */
	uint64_t seq;
};

/* Reads the sequence number of the record at a place, if there is one; field: its offset in infos. */
static enum status read_seq(struct ring *r, uint64_t place, uint64_t field, struct numbered *n,
			    struct error *e)
{
	const struct layout *l = &r->layout;
	uint64_t id = (r->tail + place) & ID_MASK, index = id & (r->count - 1);
	uint8_t desc[STRUCT_MAX], seq[8];
	enum status status = window_read(&r->descs, index * l->desc_size, l->desc_size, desc, e);

	if (!status && !has_record(l, desc, id))
		return STATUS_OK;
	if (!status)
		status = window_read(&r->infos, index * l->info_size + field, sizeof(seq), seq, e);
	if (status)
		return error_prefix(e, "kernel log: ");
	*n = (struct numbered){ .found = true, .place = place, .seq = get_le64(seq) };
	return STATUS_OK;
}

/* Finds the latest of count records from the tail whose sequence number can be read, if any. */
static enum status find_numbered(struct ring *r, uint64_t count, struct numbered *n,
				 struct error *e)
{
	uint64_t field;
	enum status failed = log_key(r->log, "OFFSET", "printk_info.seq", r->layout.info_size - 8,
				     &field, e);

	if (failed)
		return failed;
	for (uint64_t place = count; place && !n->found && !core_bytes_end(failed); ) {
		enum status status = read_seq(r, --place, field, n, e);

		if (status)
			failed = status;
	}
	return n->found ? STATUS_OK : failed;
}

/*
 * How many of count records from the tail are before the last clear?  makedumpfile takes the ids and
 * the sequence number modulo the size of the ring.  Therefore it omits records if the clear was in
 * another pass through the ring than the head, and does not end if no record follows the clear.
 */
static enum status count_cleared(struct ring *r, uint64_t count, uint64_t *cleared, struct error *e)
{
	struct numbered n = { 0 };
	uint64_t clear;
	enum status status = log_clear_seq(r->log, &clear, e);

	*cleared = 0;
	if (!status)
		status = find_numbered(r, count, &n, e);
	if (status || !n.found)
		return status;
	if (clear > n.seq && clear - n.seq > count - n.place)
		return error_set(e, STATUS_DAMAGED, "kernel log: it was last cleared before sequence "
				 "number %" PRIu64 ", but its last record has %" PRIu64, clear,
				 n.seq + (count - 1 - n.place));
	if (clear > n.seq)
		*cleared = n.place + (clear - n.seq);
	else if (n.seq - clear < n.place)
		*cleared = n.place - (n.seq - clear);
	return STATUS_OK;
}

/* Prints log->part of the count records from the tail. */
static enum status print_part(struct ring *r, uint64_t count, struct error *e)
{
	enum status status = STATUS_OK;
	uint64_t cleared = 0;
	struct error why;

	if (r->log->part == LOG_SINCE_CLEAR && count_cleared(r, count, &cleared, &why))
		status = log_use_whole(r->log, &why, e);
	return status ? status : print_ids(r, r->tail + cleared, count - cleared, e);
}

/* One of both ends is wrong.  Records are searched from the first, then from the last. */
static enum status print_damaged(struct ring *r, struct error *e)
{
	struct error *lost = &r->log->result->lost, why;
	enum status status = STATUS_OK;

	error_set(lost, STATUS_DAMAGED, "kernel log: its first record, number %" PRIu64 ", and "
		  "its last, number %" PRIu64 ", cannot both be in a ring of %" PRIu64 " records; some "
		  "may be lost",
		  r->tail, r->head, r->count);
	error_set(&why, STATUS_DAMAGED, "kernel log: the order of its records is unknown");
	if (r->log->part == LOG_SINCE_CLEAR)
		status = log_use_whole(r->log, &why, e);
	if (!status)
		status = print_ids(r, r->tail, r->count, e);
	if (status || r->log->count)
		return status;
	/* These are the same descriptors, so unreadable ones are counted again. */
	r->log->records_lost = 0;
	r->spent = 0;
	return print_ids(r, r->head - (r->count - 1), r->count, e);
}

static enum status print_ring(struct ring *r, struct error *e)
{
	uint64_t beyond = (r->head - r->tail) & ID_MASK;

	return beyond < r->count ? print_part(r, beyond + 1, e) : print_damaged(r, e);
}

enum status log_ring(struct log *log, struct error *e)
{
	struct ring r = { .log = log };
	enum status status = read_layout(&r, e);

	if (!status)
		status = read_ring(&r, e);
	if (!status)
		status = print_ring(&r, e);
	window_free(&r.descs);
	window_free(&r.infos);
	window_free(&r.data);
	return status;
}
