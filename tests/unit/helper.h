// SPDX-License-Identifier: GPL-2.0-or-later
/* What many unit tests need: a place for files, whole files, sinks, and a main(). */
#ifndef NSPLIT_TESTS_UNIT_HELPER_H
#define NSPLIT_TESTS_UNIT_HELPER_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sink;

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Runs the suite, and frees it; returns what main() returns. */
int helper_run(Suite *suite);

/*
 * Gives every test of the case a fresh directory to stand in.  All of them go away after the
 * last one, whatever became of the tests: they are removed by the process that
 * the tests are forked from.
 */
void helper_use_directory(TCase *tcase);

/* Both fail the test if they cannot. */
void helper_write_file(const char *name, const void *bytes, size_t len);
uint8_t *helper_read_file(const char *name, size_t *len);	/* to be freed */

/* The file holds these bytes and no more. */
void helper_assert_file(const char *name, const uint8_t *bytes, size_t len);

/* Bytes of a file, and its permissions; -1: there is no such file. */
long helper_file_size(const char *name);
int helper_file_mode(const char *name);

/* Zeroed memory at a multiple of 4096, a multiple of it long; to be freed. */
uint8_t *helper_pages(size_t len);
/* The same, full of noise: always the same for the same length. */
uint8_t *helper_noise(size_t len);

/* Sinks that do as they should: whatever fails fails the test. */
void helper_open_sink(struct sink *s, const char *name, bool force);
void helper_append(struct sink *s, const uint8_t *bytes, size_t len);
void helper_close_sink(struct sink *s);

#endif
