// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the forms of the log share: how a record looks as text, what is lost, and how VMCOREINFO
 * is asked.  For core/log*.c alone.
 */
#ifndef NSPLIT_CORE_LOG_TEXT_H
#define NSPLIT_CORE_LOG_TEXT_H

#include "core/log.h"

enum { LOG_TEXT_MAX = UINT16_MAX };

struct log {
	const struct virt *virt;		/* these two borrowed */
	const struct log_output *output;
	struct error *lost;			/* borrowed; the sentence, when one is due */
	uint64_t count;				/* of records written */
	uint64_t records_lost;
	struct error why;			/* the first of them is */
	size_t used;				/* bytes of line that were not given to output yet */
	char line[4096];
	uint8_t text[LOG_TEXT_MAX];		/* room for a record's text, before it is written */
};

/* Writes a record of the first len bytes of log->text. */
enum status log_record(struct log *log, uint64_t nanoseconds, size_t len, struct error *e);

/* Writes bytes as they are. */
enum status log_bytes(struct log *log, const uint8_t *bytes, size_t len, struct error *e);

/* Gives output what it has not been given. */
enum status log_flush(struct log *log, struct error *e);

/*
 * A record cannot be had: it is counted.  Returns STATUS_OK, or what must end the log all the
 * same.
 */
enum status log_lose(struct log *log, const struct error *why, struct error *e);

/* KIND(NAME) of VMCOREINFO.  STATUS_DAMAGED: it is not said, or is more than most. */
enum status log_key(const struct log *log, const char *kind, const char *name, uint64_t most,
		    uint64_t *value, struct error *e);

/* The kernel's variable of this name, of so many bytes, 4 or 8. */
enum status log_variable(const struct log *log, const char *name, size_t len, uint64_t *value,
			 struct error *e);

/* The forms.  Each writes what it can. */
enum status log_ring(struct log *log, struct error *e);
enum status log_records(struct log *log, struct error *e);
enum status log_plain(struct log *log, struct error *e);

#endif
