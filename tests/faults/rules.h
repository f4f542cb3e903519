// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The schedule of the fault injector: which call fails, and how.
 *
 * INJECT holds rules with spaces between them, each CALL:NAME:WHEN:WHAT.
 *	CALL	open read pread write pwrite fsync fdatasync close fallocate ftruncate mmap
 *		rename
 *	NAME	the last component of the file's path, or the beginning of it and *
 *	WHEN	N, the N-th such call; N-M; N-, for ever; or @A-B, each call on a part of
 *		the bytes A to B (excluded) of the file: pread, pwrite, mmap
 *	WHAT	a name such as EIO	the call fails with it
 *		short, short=BYTES	half of the transfer, or that many bytes at most
 *		slow=MILLISECONDS	the call comes late
 *		bus			mmap: a page of the mapping, or those of A to B,
 *					raises SIGBUS
 *		memory-limit, memory-limit=BYTES
 *					from now on the process gets no more memory, or
 *					BYTES more at most (memory_limit.h)
 *		hang			the call never returns
 *		SIGTERM, SIGINT, SIGHUP, SIGKILL
 *					the process gets the signal, and the call is made
 * INJECT_LOG names a file that gets the line "ready", and one for each fault, or for each
 * call that blocks and was made with a lock held (locks.h).  INJECT_ALONE: not for programs
 * that this one starts.
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
	EFFECT_SIGNAL,
};

struct fault {
	enum effect effect;
	uint64_t number;	/* the errno, or the bytes at most (0: none at all) */
	uint64_t from, to;	/* EFFECT_BUS: bytes of the file; none: a page of the middle */
};

const char *rules_call_name(enum call call);

/* Reads INJECT and INJECT_LOG; a rule that is none ends the process with status 120. */
void rules_init(void);
/*
 * A call on a descriptor, of so many bytes from an offset (both 0: without a position):
 * counts it, and says what is to become of it.  A fault is logged; one that is
 * only slow has slept already.
 */
struct fault rules_ask(enum call call, int fd, uint64_t offset, uint64_t length);
/* A call on a name: open, or rename from it. */
struct fault rules_ask_name(enum call call, const char *path);

/* Is it open on a file that has a path? */
bool rules_has_path(int fd);
/* A lock was held over this call; the log gets at most LOCKS_TOLD such lines. */
void rules_log_lock(const char *call, int fd);
enum { LOCKS_TOLD = 20 };

#endif
