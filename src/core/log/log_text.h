// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shared by the forms of the log: writing a record as text, counting lost records, and reading
 * variables.  For core/log/log*.c only.
 */
#ifndef NSPLIT_CORE_LOG_LOG_TEXT_H
#define NSPLIT_CORE_LOG_LOG_TEXT_H

#include "core/log/log.h"

enum { LOG_TEXT_MAX = UINT16_MAX };

struct log {
	const struct virt *virt;		/* borrowed */
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

/* Writes a record; its text is the first len bytes of log->text. */
enum status log_record(struct log *log, uint64_t nanoseconds, size_t len, struct error *e);

/* Writes bytes as they are. */
enum status log_bytes(struct log *log, const uint8_t *bytes, size_t len, struct error *e);

/* Outputs what is in line. */
enum status log_flush(struct log *log, struct error *e);

/* Counts a record that cannot be read.  Returns STATUS_OK, or a failure that must end the log. */
enum status log_lose(struct log *log, const struct error *why, struct error *e);

/*
 * Stores why the whole log is written instead of LOG_SINCE_CLEAR.  Returns STATUS_OK, or a failure
 * that must end the log.
 */
enum status log_use_whole(struct log *log, const struct error *why, struct error *e);

/* KIND(NAME) in VMCOREINFO.  STATUS_DAMAGED: it is missing, or greater than most. */
enum status log_key(const struct log *log, const char *kind, const char *name, uint64_t most,
		    uint64_t *value, struct error *e);

/* The kernel's variable of this name; len is its size, 4 or 8. */
enum status log_variable(const struct log *log, const char *name, size_t len, uint64_t *value,
			 struct error *e);

/* Two of the three forms; log.c has the oldest.  Each writes everything of log->part that it can read. */
enum status log_ring(struct log *log, struct error *e);
enum status log_records(struct log *log, struct error *e);

#endif
