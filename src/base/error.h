// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Errors as values.
 *
 * A function that can fail returns a status.  If it has an argument struct error *e, it also stores
 * the status and a message there; functions without one leave the message to their caller.  Only
 * src/cmd prints messages and exits.  A message is one sentence, without the program's name and
 * without a final newline: "/mnt/disk3/a: No space left on device".
 */
#ifndef NSPLIT_BASE_ERROR_H
#define NSPLIT_BASE_ERROR_H

enum status {
	STATUS_OK = 0,
	STATUS_SYSTEM,		/* a system call failed; see errnum */
	STATUS_NO_MEMORY,
	STATUS_USAGE,		/* wrong arguments, or a request that is refused */
	STATUS_NOT_OURS,	/* not an nsplit file: wrong magic number */
	STATUS_DAMAGED,		/* a checksum is wrong, or a value out of range */
	STATUS_UNSUPPORTED,	/* intact, but this build cannot read it */
	STATUS_FOREIGN,		/* intact, but of another set */
	STATUS_CUT,		/* ends before it should */
	STATUS_MISSING,		/* part of the requested data does not exist */
	STATUS_END,		/* no more data; not a failure */
	STATUS_STOPPED,		/* stopped by request before the end */
};

struct error {
	enum status status;
	int errnum;		/* errno if error_system() was called, else 0 */
	char text[768];		/* truncated if too long */
};

/* These functions return the status that they store, for "return error_set(...)". */
enum status error_set(struct error *e, enum status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* STATUS_SYSTEM, or STATUS_NO_MEMORY for ENOMEM; appends ": " and strerror(errnum). */
enum status error_system(struct error *e, int errnum, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Inserts context before the existing text. */
enum status error_prefix(struct error *e, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Appends to the existing text. */
enum status error_suffix(struct error *e, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
