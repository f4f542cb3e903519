// SPDX-License-Identifier: GPL-2.0-or-later
/* Shared by many unit tests: a directory for files, complete files, sinks, and a main(). */
#ifndef NSPLIT_TESTS_UNIT_HELPER_H
#define NSPLIT_TESTS_UNIT_HELPER_H

#include <check.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sink;

/* The number of codecs, in this build or not: entries of codec_entries(). */
enum { CODECS = 8 };

/* The end of the message about a value that is not a size. */
#define SIZE_RULE "; use a whole number, alone or with K, M, G, T or KiB, MiB, GiB, TiB (powers " \
	"of 1024) or kB, MB, GB, TB (of 1000)"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Runs the suite and frees it; returns the exit status for main(). */
int helper_run(Suite *suite);
/* The same with a suite of this name that has one case. */
int helper_run_case(const char *name, TCase *tcase);

/* Says why nothing is tested; returns the exit status for main(). */
int helper_skip(const char *why);

/*
 * Runs every test of the case in a new directory.  The process that forks the tests removes all of
 * these directories after the last test, even if tests failed.
 */
void helper_use_directory(TCase *tcase);

/* Both fail the test after an error. */
void helper_write_file(const char *name, const void *bytes, size_t len);
uint8_t *helper_read_file(const char *name, size_t *len);	/* to be freed */

/* The file contains exactly these bytes. */
void helper_assert_file(const char *name, const uint8_t *bytes, size_t len);

/* The size of a file; -1: it does not exist. */
long helper_file_size(const char *name);

/* Zeroed memory, aligned and rounded up to 4096 bytes; the caller frees it. */
uint8_t *helper_pages(size_t len);
/* The same, filled with pseudo-random bytes that depend only on the length. */
uint8_t *helper_noise(size_t len);

/* Calls on sinks that are expected to succeed; a failure fails the test. */
void helper_open_sink(struct sink *s, const char *name, bool force);
void helper_append(struct sink *s, const uint8_t *bytes, size_t len);
void helper_close_sink(struct sink *s);

#endif
