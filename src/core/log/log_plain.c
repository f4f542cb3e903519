// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The log before Linux 3.5: text in a ring of bytes, and the number of all bytes ever written to
 * it.  The text is written unchanged, with the levels ("<6>") at the beginning of lines.
 */
#include "config.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "base/text.h"
#include "core/log/log_text.h"
#include "core/window.h"

enum { PAGE = 4096, BUFFER_MIN = 1 << 12 };

static const uint64_t BUFFER_MAX = (uint64_t)1 << 31;

struct plain {
	struct log *log;
	uint64_t size, end;
	struct window buffer;
	uint64_t bytes_lost;
	struct error why;	/* why the first of these are lost */
};

static enum status read_variables(struct plain *p, struct error *e)
{
	uint64_t buffer;
	enum status status = log_variable(p->log, "log_buf", 8, &buffer, e);

	if (!status)
		status = log_variable(p->log, "log_buf_len", 4, &p->size, e);
	/* It has 4 bytes since 2.6.25, and had 8 before; the lower 4 are enough. */
	if (!status)
		status = log_variable(p->log, "log_end", 4, &p->end, e);
	if (status)
		return status;
	if (p->size < BUFFER_MIN || p->size > BUFFER_MAX || !is_power_of_two(p->size))
		return error_set(e, STATUS_DAMAGED, "kernel log: invalid buffer size: %" PRIu64
				 " bytes", p->size);
	status = window_init(&p->buffer, p->log->virt, buffer, p->size, e);
	return status ? error_prefix(e, "kernel log: ") : STATUS_OK;
}

/* Page by page, so that no more than the unreadable pages is lost. */
static enum status print_bytes(struct plain *p, uint64_t from, uint64_t to, struct error *e)
{
	enum status status = STATUS_OK;

	while (from < to && !status) {
		uint64_t some = min_u64(to - from, PAGE - (p->buffer.base + from) % PAGE);
		struct error why;

		if (!window_read(&p->buffer, from, some, p->log->text, &why)) {
			status = log_bytes(p->log, p->log->text, some, e);
		} else if (core_bytes_end(why.status)) {
			*e = why;
			status = e->status;
		} else {
			if (!p->bytes_lost)
				p->why = why;
			p->bytes_lost += some;
		}
		from += some;
	}
	return status;
}

static enum status print_all(struct plain *p, struct error *e)
{
	uint64_t oldest = p->end & (p->size - 1);
	enum status status;

	if (p->end < p->size)
		return print_bytes(p, 0, p->end, e);
	status = print_bytes(p, oldest, p->size, e);
	return status ? status : print_bytes(p, 0, oldest, e);
}

static enum status choose_part(struct log *log, struct error *e)
{
	struct error why;

	if (log->part == LOG_WHOLE)
		return STATUS_OK;
	error_set(&why, STATUS_UNSUPPORTED, "kernel log: the part since it was last cleared is not "
		  "supported for kernels before 3.5");
	return log_use_whole(log, &why, e);
}

enum status log_plain(struct log *log, struct error *e)
{
	struct plain p = { .log = log };
	enum status status = read_variables(&p, e);

	if (!status)
		status = choose_part(log, e);
	if (!status)
		status = print_all(&p, e);
	if (!status && p.bytes_lost)
		error_set(&log->result->lost, STATUS_MISSING, "kernel log: %" PRIu64 " byte%s could not "
			  "be read: %s", p.bytes_lost, plural(p.bytes_lost), p.why.text);
	window_free(&p.buffer);
	return status;
}
