// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shared by the fuzz targets. Each target is one file with a LLVMFuzzerTestOneInput().
 * fuzz_mutate.c provides a mutator that knows the pieces of a member, so that most inputs have
 * correct checksums.
 */
#ifndef NSPLIT_TESTS_FUZZ_FUZZ_H
#define NSPLIT_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export/output_file.h"
#include "set/read/reader.h"

/* Called by libFuzzer. */
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* The bytes of an input before its first piece; each target defines it. */
extern const size_t fuzz_prefix;

/* Ends the run and reports a finding. */
void fuzz_require(bool good, const char *what);

/*
 * Allocates exactly size bytes, so that an access beyond them is detected; the caller frees them.
 */
uint8_t *fuzz_memory(size_t size);
uint8_t *fuzz_copy(const uint8_t *bytes, size_t size);
/* Copies length bytes; a short input is extended with zeros. */
uint8_t *fuzz_copy_padded(const uint8_t *bytes, size_t size, size_t length);

enum { FUZZ_FILES = 3, FUZZ_NAME = 32, FUZZ_INPUT_MAX = 256 * 1024 };

/*
 * Writes the bytes to a file in memory. n, below FUZZ_FILES, selects the file; each has its own
 * inode. The name is valid until the next call with the same n.
 */
void fuzz_file(unsigned n, const uint8_t *bytes, size_t size, char name[FUZZ_NAME]);
/* The same as a pipe whose sender has ended; returns the descriptor to close afterwards. */
int fuzz_pipe(const uint8_t *bytes, size_t size, char name[FUZZ_NAME]);

/* As output_file_open() prepares a device; *kept: another descriptor of it, which stays open. */
struct output_file fuzz_output(int *kept);

/* Unpacks the record into a buffer of exactly its length. */
void fuzz_unpack_record(struct record_reader *r);

#endif
