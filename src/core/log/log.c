// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/text.h"
#include "core/log/log_text.h"
#include "core/window.h"

/*
 * The log before Linux 3.5: text in a ring of bytes, and the number of all bytes ever written to
 * it.  The text is written unchanged, with the levels ("<6>") at the beginning of lines.
 */

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

/* Writes everything of log->part that it can read. */
static enum status log_plain(struct log *log, struct error *e)
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
	if (has_symbol(log->virt, "log_end"))
		return log_plain(log, e);
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
	log->virt = virt;
	log->part = part;
	log->output = output;
	log->result = result;
	status = print(log, e);
	if (!status)
		status = log_flush(log, e);
	if (log->records_lost)
		report_lost(log);
	free(log);
	return status;
}
