// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Errors as values.
 *
 * A function that can fail returns a status and, if it has something to add
 * that only it knows, fills the struct error that its caller passed.  Nothing
 * below src/cmd prints or exits.  A text is one sentence without the program's
 * name and without a final newline: "/mnt/disk3/a: No space left on device".
 */
#ifndef NSPLIT_BASE_ERROR_H
#define NSPLIT_BASE_ERROR_H

enum status {
	STATUS_OK = 0,
	STATUS_SYSTEM,		/* a system call failed; errnum says how */
	STATUS_NO_MEMORY,
	STATUS_USAGE,		/* what was asked for makes no sense */
	STATUS_NOT_OURS,	/* the bytes carry no magic of ours */
	STATUS_DAMAGED,		/* ours, but a checksum or a limit is broken */
	STATUS_UNSUPPORTED,	/* ours and whole, but this build cannot read it */
	STATUS_FOREIGN,		/* ours and whole, but of another set */
	STATUS_CUT,		/* ends before it should */
	STATUS_MISSING,		/* part of what was asked for is not there */
	STATUS_END,		/* nothing more to come; not a failure */
	STATUS_STOPPED,		/* asked to stop before the end */
};

struct error {
	enum status status;
	int errnum;		/* errno of a STATUS_SYSTEM, else 0 */
	char text[768];		/* cut short, never overrun */
};

/* Both return the status that they store, so that `return error_set(...)` reads well. */
enum status error_set(struct error *e, enum status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* STATUS_SYSTEM, or STATUS_NO_MEMORY for ENOMEM; appends ": " and strerror(errnum). */
enum status error_system(struct error *e, int errnum, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts context in front of a text that is there already. */
enum status error_prefix(struct error *e, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Puts more behind it. */
enum status error_suffix(struct error *e, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
