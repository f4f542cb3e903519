// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/text.h"
#include "core/log.h"

/* --- what the forms of the log share ------------------------------------- */

enum { LOG_TEXT_MAX = UINT16_MAX };

struct log {
	const struct virt *virt;		/* with_pieces */
	struct virt with_pieces;		/* that of the caller, but it reads */
	struct core core;			/* that of the caller through */
	struct small_reads pieces;
	const struct log_output *output;	/* borrowed */
	enum log_part part;
	struct log_result *result;		/* borrowed */
	uint64_t count;				/* records written */
	uint64_t records_lost;
	struct error why;			/* why the first of these is lost */
	size_t used;				/* bytes of line that are still to be output */
	char line[4096];
	uint8_t text[LOG_TEXT_MAX];		/* buffer for the text of a record */
};

enum { PREFIX_LENGTH = 32 };	/* "[18446744073.709551] " and more */

/* Outputs what is in line. */
static enum status log_flush(struct log *log, struct error *e)
{
	size_t len = log->used;

	log->used = 0;
	return len ? log->output->write(log->output->arg, log->line, len, e) : STATUS_OK;
}

static enum status put(struct log *log, const char *text, size_t len, struct error *e)
{
	while (len) {
		size_t some = min_u64(len, sizeof(log->line) - log->used);

		memcpy(log->line + log->used, text, some);
		log->used += some;
		text += some;
		len -= some;
		if (log->used == sizeof(log->line)) {
			enum status status = log_flush(log, e);

			if (status)
				return status;
		}
	}
	return STATUS_OK;
}

/*
 * Other bytes are written as numbers, as makedumpfile does, but for a carriage return.  It passes a char to
 * printf(), which is signed on x86_64, and reads only dumps of its own architecture: so in a dump
 * of x86_64, a byte above 0x7f is written with 8 digits.
 */
static enum status put_byte(struct log *log, uint8_t byte, struct error *e)
{
	bool sign = byte >= 0x80 && log->virt->core->machine == EM_X86_64;
	char number[16];
	int len;

	if (text_byte_is_printable(byte))
		return put(log, (const char *)&byte, 1, e);
	len = snprintf(number, sizeof(number), "\\x%s%02x", sign ? "ffffff" : "", byte);
	return put(log, number, (size_t)len, e);
}

/* Writes a record; its text is the first len bytes of log->text. */
static enum status log_record(struct log *log, uint64_t nanoseconds, size_t len, struct error *e)
{
	char prefix[PREFIX_LENGTH], indent[PREFIX_LENGTH];
	size_t width = (size_t)snprintf(prefix, sizeof(prefix), "[%5" PRIu64 ".%06" PRIu64 "] ",
					nanoseconds / 1000000000, nanoseconds % 1000000000 / 1000);
	enum status status = put(log, prefix, width, e);

	/* Further lines of a text are indented. */
	memset(indent, ' ', sizeof(indent));
	for (size_t i = 0; i < len && !status; i++) {
		status = put_byte(log, log->text[i], e);
		if (!status && log->text[i] == '\n')
			status = put(log, indent, width, e);
	}
	log->count++;
	return status ? status : put(log, "\n", 1, e);
}

/* True: the failure must end the log, and is in *e. */
static bool ends(const struct error *why, struct error *e)
{
	if (core_bytes_end(why->status))
		*e = *why;
	return core_bytes_end(why->status);
}

/* Counts a record that cannot be read.  Returns STATUS_OK, or a failure that must end the log. */
static enum status log_lose(struct log *log, const struct error *why, struct error *e)
{
	if (ends(why, e))
		return e->status;
	if (!log->records_lost++)
		log->why = *why;
	return STATUS_OK;
}

/*
 * Stores why the whole log is written instead of LOG_SINCE_CLEAR.  Returns STATUS_OK, or a failure
 * that must end the log.
 */
static enum status log_use_whole(struct log *log, const struct error *why, struct error *e)
{
	if (ends(why, e))
		return e->status;
	log->result->whole = *why;
	error_suffix(&log->result->whole, "; the whole log is written");
	return STATUS_OK;
}

/* KIND(NAME) in VMCOREINFO.  STATUS_DAMAGED: it is missing, or greater than most. */
static enum status log_key(const struct log *log, const char *kind, const char *name, uint64_t most,
			   uint64_t *value, struct error *e)
{
	if (!vmcoreinfo_get(log->virt->info, kind, name, value))
		return error_set(e, STATUS_DAMAGED, "kernel log: VMCOREINFO has no %s(%s)", kind, name);
	if (*value > most)
		return error_set(e, STATUS_DAMAGED, "kernel log: VMCOREINFO has an invalid %s(%s): %"
				 PRIu64, kind, name, *value);
	return STATUS_OK;
}

/* The kernel's variable of this name; len is its size, 4 or 8. */
static enum status log_variable(const struct log *log, const char *name, size_t len, uint64_t *value,
				struct error *e)
{
	uint8_t raw[8] = { 0 };
	uint64_t address;
	enum status status = log_key(log, "SYMBOL", name, UINT64_MAX, &address, e);

	if (status)
		return status;
	status = virt_read(log->virt, address, len, raw, e);
	if (status)
		return error_prefix(e, "kernel log: ");
	*value = get_le64(raw);
	return STATUS_OK;
}

/* An array in the memory of the kernel. */
struct array {
	uint64_t base, size;		/* kernel address, and bytes */
	struct virt_linear near;	/* see virt_read_near() */
};

/*
 * Page tables can map the same few pages again and again, so that an array seems to have any size; all of it would be
 * read.
 */
static enum status open_array(const struct log *log, struct array *a, uint64_t base, uint64_t size, struct error *e)
{
	uint64_t most = log->core.bytes.size;

	*a = (struct array){ base, size, { 0 } };
	if (!size || base > UINT64_MAX - size)
		return error_set(e, STATUS_DAMAGED, "kernel log: an array of %" PRIu64 " bytes at kernel address "
				 "%#" PRIx64 " is invalid", size, base);
	if (size > most)
		return error_set(e, STATUS_DAMAGED, "kernel log: an array of %" PRIu64 " bytes at kernel address "
				 "%#" PRIx64 " is larger than the core (%" PRIu64 " bytes)", size, base, most);
	return STATUS_OK;
}

/* Reads len bytes at an offset, which are within the array.  Returns as virt_read(). */
static enum status read_array(const struct log *log, struct array *a, uint64_t at, size_t len, uint8_t *dst,
			      struct error *e)
{
	return virt_read_near(log->virt, &a->near, a->base + at, len, dst, e);
}

/* --- Linux 5.10 and later ------------------------------------------------ */

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
	struct array descs, infos, data;
	uint64_t spent;			/* bytes of all blocks that were read */
	uint64_t clear;			/* the first sequence number that is wanted; 0: all are */
	/* If not: where it is in an info, and what the next record would have; 0: not known yet. */
	uint64_t seq, next_seq;
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
	status = open_array(r->log, &r->descs, get_le64(descs + l->descs), r->count * l->desc_size, e);
	if (!status)
		status = open_array(r->log, &r->infos, get_le64(descs + l->infos), r->count * l->info_size, e);
	return status ? status : open_array(r->log, &r->data, get_le64(data + l->data), r->size, e);
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
	enum status status = read_array(r->log, &r->infos, info + r->layout.ts_nsec, 8, time, e);

	if (!status)
		status = read_array(r->log, &r->infos, info + r->layout.text_len, 2, text_len, e);
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
	return read_array(r->log, &r->data, at, text->len, r->log->text, e);
}

/* Does this descriptor have the complete record with this id? */
static bool has_record(const struct layout *l, const uint8_t *desc, uint64_t id)
{
	uint64_t state = get_le64(desc + l->state_var + l->counter);

	return (state & ID_MASK) == id &&
	       (state >> 62 == STATE_COMMITTED || state >> 62 == STATE_FINALIZED);
}

/*
 * Is the record before the last clear?  Ids and sequence numbers both increase by 1 with each record, so each one says
 * which number the next record would have.
 */
static enum status is_cleared(struct ring *r, uint64_t id, bool *cleared, struct error *e)
{
	uint8_t raw[8];
	enum status status;

	*cleared = false;
	if (!r->clear)
		return STATUS_OK;
	status = read_array(r->log, &r->infos, (id & (r->count - 1)) * r->layout.info_size + r->seq, sizeof(raw), raw, e);
	if (status)
		return status;
	*cleared = get_le64(raw) < r->clear;
	r->next_seq = get_le64(raw) + ((r->head - id) & ID_MASK) + 1;
	return STATUS_OK;
}

static enum status print_id(struct ring *r, uint64_t id, struct error *e)
{
	const struct layout *l = &r->layout;
	uint64_t index = id & (r->count - 1), begin, next;
	uint8_t raw[STRUCT_MAX];
	const uint8_t *block = raw + l->text_blk;
	struct text text = { 0 };
	bool cleared;
	struct error why;

	if (read_array(r->log, &r->descs, index * l->desc_size, l->desc_size, raw, &why))
		return log_lose(r->log, &why, e);
	if (!has_record(l, raw, id))
		return STATUS_OK;
	if (is_cleared(r, id, &cleared, &why))
		return log_lose(r->log, &why, e);
	if (cleared)
		return STATUS_OK;
	begin = get_le64(block + l->begin);
	next = get_le64(block + l->next);
	/* A record without text, which was empty or did not fit.  Only then both positions are odd. */
	if (begin == next || (begin & next & 1))
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

/* Reads where the part that is wanted begins; r->clear stays 0 for the whole log. */
static enum status find_clear(struct ring *r, struct error *e)
{
	struct error why;
	enum status status;

	if (r->log->part == LOG_WHOLE)
		return STATUS_OK;
	status = log_key(r->log, "OFFSET", "printk_info.seq", r->layout.info_size - 8, &r->seq, &why);
	if (!status)
		status = log_clear_seq(r->log, &r->clear, &why);
	if (!status)
		return STATUS_OK;
	r->clear = 0;
	return log_use_whole(r->log, &why, e);
}

/* The same descriptors once more: unreadable ones are counted again. */
static enum status print_again(struct ring *r, uint64_t first, uint64_t count, struct error *e)
{
	r->log->records_lost = 0;
	r->spent = 0;
	return print_ids(r, first, count, e);
}

/*
 * makedumpfile takes the ids and the sequence number of the clear modulo the size of the ring.  Therefore it omits
 * records if the clear was in another pass through the ring than the head, and does not end if no record follows it.
 */
static enum status print_intact(struct ring *r, uint64_t count, struct error *e)
{
	enum status status = print_ids(r, r->tail, count, e);
	struct error why;

	if (status || r->log->count || !r->next_seq || r->clear <= r->next_seq)
		return status;
	error_set(&why, STATUS_DAMAGED, "kernel log: it was last cleared before sequence number %" PRIu64
		  ", but its last record has %" PRIu64, r->clear, r->next_seq - 1);
	r->clear = 0;
	status = log_use_whole(r->log, &why, e);
	return status ? status : print_again(r, r->tail, count, e);
}

/* One of both ends is wrong.  Records are searched from the first, then from the last. */
static enum status print_damaged(struct ring *r, struct error *e)
{
	enum status status;

	error_set(&r->log->result->lost, STATUS_DAMAGED, "kernel log: its first record, number %" PRIu64 ", and "
		  "its last, number %" PRIu64 ", cannot both be in a ring of %" PRIu64 " records; some "
		  "may be lost",
		  r->tail, r->head, r->count);
	status = print_ids(r, r->tail, r->count, e);
	return status || r->log->count ? status : print_again(r, r->head - (r->count - 1), r->count, e);
}

static enum status log_ring(struct log *log, struct error *e)
{
	struct ring r = { .log = log };
	enum status status = read_layout(&r, e);
	uint64_t beyond;

	if (!status)
		status = read_ring(&r, e);
	if (!status)
		status = find_clear(&r, e);
	if (status)
		return status;
	beyond = (r.head - r.tail) & ID_MASK;
	return beyond < r.count ? print_intact(&r, beyond + 1, e) : print_damaged(&r, e);
}

/* --- Linux 3.5 to 5.9 ---------------------------------------------------- */

/*
 * The log of Linux 3.5 to 5.9: consecutive records of different lengths in a buffer.  Each begins
 * with a struct, called log up to 3.10 and printk_log later, that has its length.  A record that
 * would not fit at the end of the buffer is at its beginning instead; then a length of 0 marks the
 * end of the record before it.  After a record that cannot be read, all others up to that mark are
 * lost, since only its length says where the next one begins.
 */

enum { HEADER_MAX = 256 };

struct records {
	struct log *log;
	uint64_t header;		/* size of that struct, */
	uint64_t ts_nsec, len, text_len;	/* and the offsets of its fields */
	uint64_t size;			/* bytes of the buffer */
	uint64_t first, next;		/* offsets of the oldest record, and of the next to come */
	struct array buffer;
};

static enum status records_layout(struct records *r, struct error *e)
{
	const struct log *log = r->log;
	bool early = !vmcoreinfo_get(log->virt->info, "SIZE", "printk_log", &r->header) &&
		     vmcoreinfo_get(log->virt->info, "SIZE", "log", &r->header);
	enum status status = log_key(log, "SIZE", early ? "log" : "printk_log", HEADER_MAX,
				     &r->header, e);

	if (!status)
		status = log_key(log, "OFFSET", early ? "log.ts_nsec" : "printk_log.ts_nsec",
				 HEADER_MAX, &r->ts_nsec, e);
	if (!status)
		status = log_key(log, "OFFSET", early ? "log.len" : "printk_log.len", HEADER_MAX,
				 &r->len, e);
	if (!status)
		status = log_key(log, "OFFSET", early ? "log.text_len" : "printk_log.text_len",
				 HEADER_MAX, &r->text_len, e);
	if (!status && max_u64(r->ts_nsec + 8, max_u64(r->len, r->text_len) + 2) > r->header)
		return error_set(e, STATUS_DAMAGED, "kernel log: VMCOREINFO has offsets outside of "
				 "their structs");
	return status;
}

/* CONFIG_LOG_BUF_SHIFT is at least 12, and log_buf_len= at most LOG_BUF_LEN_MAX. */
enum { BUFFER_MIN = 1 << 12 };
static const uint64_t BUFFER_MAX = (uint64_t)1 << 31;

static enum status open_buffer(const struct log *log, struct array *buffer, uint64_t *size, struct error *e)
{
	uint64_t address;
	enum status status = log_variable(log, "log_buf", 8, &address, e);

	if (!status)
		status = log_variable(log, "log_buf_len", 4, size, e);
	if (status)
		return status;
	if (*size < BUFFER_MIN || *size > BUFFER_MAX)
		return error_set(e, STATUS_DAMAGED, "kernel log: invalid buffer size: %" PRIu64 " bytes", *size);
	return open_array(log, buffer, address, *size, e);
}

/* Reports the first record after which others are lost. */
static enum status lose_rest(struct records *r, uint64_t at, const struct error *why, struct error *e)
{
	struct error *lost = &r->log->result->lost;

	if (ends(why, e))
		return e->status;
	if (!lost->status)
		error_set(lost, STATUS_MISSING, "kernel log: the records from byte %" PRIu64
			  " of its buffer are lost: %s", at, why->text);
	return STATUS_OK;
}

struct header {
	uint64_t nanoseconds;
	size_t len;			/* of the whole record; 0: the mark */
	size_t text_len;
};

/* The header of the record at an offset; the record must not extend beyond end. */
static enum status read_header(struct records *r, uint64_t at, uint64_t end, struct header *h,
			       struct error *e)
{
	uint8_t raw[HEADER_MAX];
	enum status status;

	if (at > end || end - at < r->header)
		return error_set(e, STATUS_DAMAGED, "no record fits there");
	status = read_array(r->log, &r->buffer, at, r->header, raw, e);
	if (status)
		return status;
	*h = (struct header){
		.nanoseconds = get_le64(raw + r->ts_nsec),
		.len = get_le16(raw + r->len),
		.text_len = get_le16(raw + r->text_len),
	};
	if (h->len && (h->len < r->header + h->text_len || h->len > end - at))
		return error_set(e, STATUS_DAMAGED, "the record there has an invalid length");
	return STATUS_OK;
}

/* The records from at up to end; marked: up to the mark, which is there or earlier. */
static enum status records_print_from(struct records *r, uint64_t at, uint64_t end, bool marked,
			      struct error *e)
{
	enum status status = STATUS_OK;

	while (at != end && !status) {
		struct header h = { 0 };
		struct error why;

		if (read_header(r, at, end, &h, &why))
			return lose_rest(r, at, &why, e);
		if (!h.len && marked)
			return STATUS_OK;
		if (!h.len) {
			error_set(&why, STATUS_DAMAGED, "unexpected end mark");
			return lose_rest(r, at, &why, e);
		}
		if (read_array(r->log, &r->buffer, at + r->header, h.text_len, r->log->text, &why))
			status = log_lose(r->log, &why, e);
		else
			status = log_record(r->log, h.nanoseconds, h.text_len, e);
		at += h.len;
	}
	return status;
}

static enum status records_print(struct records *r, struct error *e)
{
	enum status status;

	if (r->first <= r->next)
		return records_print_from(r, r->first, r->next, false, e);
	status = records_print_from(r, r->first, r->size, true, e);
	return status ? status : records_print_from(r, 0, r->next, false, e);
}

/*
 * STATUS_DAMAGED: no record begins at this offset, and it is not the end of the last one.  Follows
 * the lengths of the records before it.  If one of these is lost, the offset is taken as valid, since
 * the records there can be found only with it.
 */
static enum status check_clear(struct records *r, uint64_t clear, struct error *e)
{
	bool wrapped = r->first > r->next, at_beginning = wrapped && clear < r->first;
	uint64_t at = at_beginning ? 0 : r->first;
	uint64_t end = wrapped && !at_beginning ? r->size : r->next;

	while (at < clear && clear <= end) {
		struct header h = { 0 };

		if (read_header(r, at, end, &h, e))
			return core_bytes_end(e->status) ? e->status : STATUS_OK;
		if (!h.len)
			break;
		at += h.len;
	}
	if (at == clear)
		return STATUS_OK;
	return error_set(e, STATUS_DAMAGED, "kernel log: it was last cleared at byte %" PRIu64 " of its "
			 "buffer, where no record begins", clear);
}

/*
 * The kernel moves clear_idx forward together with log_first_idx (log_make_free_space()), so it is
 * always the offset of a record that exists, or of the next one.
 */
static enum status records_choose(struct records *r, struct error *e)
{
	uint64_t clear;
	struct error why;

	if (r->log->part == LOG_WHOLE)
		return STATUS_OK;
	if (log_variable(r->log, "clear_idx", 4, &clear, &why) || check_clear(r, clear, &why))
		return log_use_whole(r->log, &why, e);
	r->first = clear;
	return STATUS_OK;
}

static enum status log_records(struct log *log, struct error *e)
{
	struct records r = { .log = log };
	enum status status = records_layout(&r, e);

	if (!status)
		status = open_buffer(log, &r.buffer, &r.size, e);
	if (!status)
		status = log_variable(log, "log_first_idx", 4, &r.first, e);
	if (!status)
		status = log_variable(log, "log_next_idx", 4, &r.next, e);
	if (!status && max_u64(r.first, r.next) > r.size)
		status = error_set(e, STATUS_DAMAGED, "kernel log: its records are from byte %" PRIu64
				   " to %" PRIu64 " of a buffer of %" PRIu64 " bytes", r.first,
				   r.next, r.size);
	if (!status)
		status = records_choose(&r, e);
	if (!status)
		status = records_print(&r, e);
	return status;
}

static bool has_symbol(const struct virt *virt, const char *name)
{
	uint64_t ignored;

	return vmcoreinfo_get(virt->info, "SYMBOL", name, &ignored);
}

/* By the symbols in VMCOREINFO, not by the version: distributors backport changes. */
static enum status print(struct log *log, struct error *e)
{
	if (has_symbol(log->virt, "prb"))
		return log_ring(log, e);
	if (has_symbol(log->virt, "log_first_idx"))
		return log_records(log, e);
	return error_set(e, STATUS_USAGE, "kernel log: not found with VMCOREINFO; the kernel was built "
			 "without it, or its form is not supported");
}

/* If the log ended early, lost already says so. */
static void report_lost(const struct log *log)
{
	struct error *lost = &log->result->lost;

	if (lost->status)
		error_suffix(lost, "; %" PRIu64 " record%s could not be read: %s",
			     log->records_lost, plural(log->records_lost), log->why.text);
	else
		error_set(lost, STATUS_MISSING, "kernel log: %" PRIu64 " record%s could not be "
			  "read: %s", log->records_lost, plural(log->records_lost),
			  log->why.text);
}

enum status log_print(const struct virt *virt, enum log_part part, const struct log_output *output,
		      struct log_result *result, struct error *e)
{
	struct log *log = calloc(1, sizeof(*log));
	enum status status;

	*result = (struct log_result){ 0 };
	if (!log)
		return error_system(e, ENOMEM, "buffer of the log");
	log->core = *virt->core;
	log->with_pieces = *virt;
	log->with_pieces.core = &log->core;
	log->virt = &log->with_pieces;
	log->part = part;
	log->output = output;
	log->result = result;
	status = output->exact ? STATUS_OK :
		 small_reads_open(&log->pieces, &virt->core->bytes, LARGE_READS_PIECE, &log->core.bytes, e);
	if (!status)
		status = print(log, e);
	if (!status)
		status = log_flush(log, e);
	if (log->records_lost)
		report_lost(log);
	small_reads_close(&log->pieces);
	free(log);
	return status;
}
