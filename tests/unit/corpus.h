// SPDX-License-Identifier: GPL-2.0-or-later
/* Test data that resembles the memory of a machine. */
#ifndef NSPLIT_TESTS_UNIT_CORPUS_H
#define NSPLIT_TESTS_UNIT_CORPUS_H

#include <stddef.h>
#include <stdint.h>

enum corpus_kind {
	CORPUS_ZERO,		/* never written */
	CORPUS_SAME8,		/* one 8-byte value, not zero, over and over */
	CORPUS_TEXT,		/* lines of a log */
	CORPUS_RANDOM,		/* keys, packed files: gains nothing */
	CORPUS_POINTERS,	/* slab objects: kernel addresses, small numbers, zeros */
	CORPUS_HALF_RANDOM,	/* runs of random bytes and of zeros, in turn */
	CORPUS_RAMP,		/* 32-bit numbers that count up */
	CORPUS_KINDS
};

/*
 * Fills dst with len bytes.  The same kind and seed give the same bytes on
 * every machine, and a shorter len gives the beginning of a longer one.
 */
void corpus_fill(enum corpus_kind kind, uint64_t seed, void *dst, size_t len);

/* "zero", "same8", ...: for messages. */
const char *corpus_name(enum corpus_kind kind);

#endif
