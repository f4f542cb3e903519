// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rules of the fault injector: which call fails, and how.
 *
 * INJECT contains rules, separated by spaces, of the form CALL:NAME:WHEN:WHAT.
 *	CALL	open read pread write pwrite fsync fdatasync close fallocate ftruncate mmap
 *		rename lock
 *	NAME	the last component of the file's path, or a prefix of it and *
 *	WHEN	N, the N-th such call; N-M; N-, all from the N-th on; or @A-B, each call that
 *		concerns bytes A to B (excluded) of the file: pread, pwrite, mmap
 *	WHAT	an error such as EIO	the call fails with it
 *		short, short=BYTES	half of the data is transferred, or at most BYTES
 *		slow=MILLISECONDS	the call is delayed
 *		bus			mmap: a page of the mapping, or the pages of A to B,
 *					raise SIGBUS
 *		memory-limit, memory-limit=BYTES
 *					from now on the process gets no more memory, or
 *					BYTES more at most (memory_limit.h)
 *		hang			the call never returns
 *		note=MILLISECONDS	the call is delayed; after a successful fsync or fdatasync,
 *					the log gets the line "synced NAME LENGTH" with the length
 *					of the file
 *		change			nothing fails, but a file has changed since the call before:
 *					change.h
 *		SIGTERM, SIGINT, SIGHUP, SIGKILL
 *					the process gets the signal, then the call is made
 * INJECT_LOG names a file to which the line "ready" is written, and a line for each fault and for
 * each call that can block while a lock is held (locks.h).  If INJECT_ALONE is set, programs that
 * this one starts are not affected.
 */
#ifndef NSPLIT_TESTS_FAULTS_RULES_H
#define NSPLIT_TESTS_FAULTS_RULES_H

#include <stdbool.h>
#include <stdint.h>

enum call {
	CALL_OPEN,
	CALL_READ,
	CALL_PREAD,
	CALL_WRITE,
	CALL_PWRITE,
	CALL_FSYNC,
	CALL_FDATASYNC,
	CALL_CLOSE,
	CALL_FALLOCATE,
	CALL_FTRUNCATE,
	CALL_MMAP,
	CALL_RENAME,
	CALL_LOCK,
	CALLS
};

enum effect {
	EFFECT_NONE,
	EFFECT_ERRNO,
	EFFECT_SHORT,
	EFFECT_SLOW,
	EFFECT_BUS,
	EFFECT_MEMORY_LIMIT,
	EFFECT_HANG,
	EFFECT_NOTE,
	EFFECT_CHANGE,
	EFFECT_SIGNAL,
};

struct fault {
	enum effect effect;
	uint64_t number;	/* the errno, or the most bytes (0: none) */
	uint64_t from, to;	/* EFFECT_BUS: bytes of the file; 0, 0: a page in the middle */
};

const char *rules_call_name(enum call call);

/* Reads INJECT and INJECT_LOG; an invalid rule ends the process with status 120. */
void rules_init(void);
/*
 * Counts a call on a descriptor, of length bytes at offset (both 0: a call without a position), and
 * returns its fault.  The fault has been logged, and a delay has passed.
 */
struct fault rules_ask(enum call call, int fd, uint64_t offset, uint64_t length);
/* The same for a call on a name: open, or rename of it. */
struct fault rules_ask_name(enum call call, const char *path);

/* True if the descriptor is of a file with a path. */
bool rules_has_path(int fd);
/* Logs that the file was synced at this length. */
void rules_log_synced(int fd, uint64_t length);
/* Logs that a lock is held during this call, for the first LOCKS_LOGGED of them. */
void rules_log_lock(const char *call, int fd);
enum { LOCKS_LOGGED = 20 };

#endif
