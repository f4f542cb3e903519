// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The log of Linux 3.5 to 5.9: consecutive records of different lengths in a buffer.  Each begins
 * with a struct, called log up to 3.10 and printk_log later, that has its length.  A record that
 * would not fit at the end of the buffer is at its beginning instead; then a length of 0 marks the
 * end of the record before it.  After a record that cannot be read, all others up to that mark are
 * lost, since only its length says where the next one begins.
 */
#include "config.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "core/log/log_text.h"
#include "core/window.h"

enum {
	HEADER_MAX = 256,
	/* CONFIG_LOG_BUF_SHIFT is at least 12, and log_buf_len= at most LOG_BUF_LEN_MAX. */
	BUFFER_MIN = 1 << 12,
};

static const uint64_t BUFFER_MAX = (uint64_t)1 << 31;

struct records {
	struct log *log;
	uint64_t header;		/* size of that struct, */
	uint64_t ts_nsec, len, text_len;	/* and the offsets of its fields */
	uint64_t size;			/* bytes of the buffer */
	uint64_t first, next;		/* offsets of the oldest record, and of the next to come */
	struct window buffer;
};

static enum status read_layout(struct records *r, struct error *e)
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

static enum status read_variables(struct records *r, struct error *e)
{
	uint64_t buffer;
	enum status status = log_variable(r->log, "log_buf", 8, &buffer, e);

	if (!status)
		status = log_variable(r->log, "log_buf_len", 4, &r->size, e);
	if (!status)
		status = log_variable(r->log, "log_first_idx", 4, &r->first, e);
	if (!status)
		status = log_variable(r->log, "log_next_idx", 4, &r->next, e);
	if (status)
		return status;
	if (r->size < BUFFER_MIN || r->size > BUFFER_MAX)
		return error_set(e, STATUS_DAMAGED, "kernel log: invalid buffer size: %" PRIu64
				 " bytes", r->size);
	status = window_init(&r->buffer, r->log->virt, buffer, r->size, e);
	return status ? error_prefix(e, "kernel log: ") : STATUS_OK;
}

/* Reports the first record after which others are lost. */
static enum status lose_rest(struct records *r, uint64_t at, const struct error *why, struct error *e)
{
	struct error *lost = &r->log->result->lost;

	if (core_bytes_end(why->status)) {
		*e = *why;
		return e->status;
	}
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
	status = window_read(&r->buffer, at, r->header, raw, e);
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
static enum status print_from(struct records *r, uint64_t at, uint64_t end, bool marked,
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
		if (window_read(&r->buffer, at + r->header, h.text_len, r->log->text, &why))
			status = log_lose(r->log, &why, e);
		else
			status = log_record(r->log, h.nanoseconds, h.text_len, e);
		at += h.len;
	}
	return status;
}

static enum status print_all(struct records *r, struct error *e)
{
	enum status status;

	if (r->first <= r->next)
		return print_from(r, r->first, r->next, false, e);
	status = print_from(r, r->first, r->size, true, e);
	return status ? status : print_from(r, 0, r->next, false, e);
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
static enum status choose_part(struct records *r, struct error *e)
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

enum status log_records(struct log *log, struct error *e)
{
	struct records r = { .log = log };
	enum status status = read_layout(&r, e);

	if (!status)
		status = read_variables(&r, e);
	if (!status && max_u64(r.first, r.next) > r.size)
		status = error_set(e, STATUS_DAMAGED, "kernel log: its records are from byte %" PRIu64
				   " to %" PRIu64 " of a buffer of %" PRIu64 " bytes", r.first,
				   r.next, r.size);
	if (!status)
		status = choose_part(&r, e);
	if (!status)
		status = print_all(&r, e);
	window_free(&r.buffer);
	return status;
}
