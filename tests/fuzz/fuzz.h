// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the fuzz targets share.  Each target is one file with a
 * LLVMFuzzerTestOneInput(); fuzz_mutate.c gives all of them a mutator that knows
 * what a piece is, so that most of what they are given has its checksums right.
 */
#ifndef NSPLIT_TESTS_FUZZ_FUZZ_H
#define NSPLIT_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "set/reader.h"

/* Called by libFuzzer. */
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* Bytes of an input before its first piece; each target says. */
extern const size_t fuzz_prefix;

/* Ends the run with a finding. */
void fuzz_require(bool good, const char *what);

/* Of exactly size bytes, so that a byte too far is seen; to be freed. */
uint8_t *fuzz_memory(size_t size);
uint8_t *fuzz_copy(const uint8_t *bytes, size_t size);
/* Length bytes of them, with zeros behind a short input. */
uint8_t *fuzz_copy_padded(const uint8_t *bytes, size_t size, size_t length);

enum { FUZZ_FILES = 3, FUZZ_NAME = 32, FUZZ_INPUT_MAX = 256 * 1024 };

/*
 * The bytes as a file in memory; n below FUZZ_FILES says which, and they differ in
 * their inodes.  The name stays good until the next call with the same n.
 */
void fuzz_file(unsigned n, const uint8_t *bytes, size_t size, char name[FUZZ_NAME]);
/* The same as a pipe whose sender is gone; returns what to close in the end. */
int fuzz_pipe(const uint8_t *bytes, size_t size, char name[FUZZ_NAME]);

/* Unpacks the reader's record into memory that is no longer than it; zeros stay untouched. */
void fuzz_unpack_record(struct record_reader *r);

#endif
