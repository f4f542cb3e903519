// SPDX-License-Identifier: GPL-2.0-or-later
/* Parses and formats sizes, numbers and times for people. */
#ifndef NSPLIT_BASE_SIZE_H
#define NSPLIT_BASE_SIZE_H

#include <stdint.h>

#include "base/error.h"

/*
 * A whole number of bytes with an optional suffix: K, M, G, T, P, E or KiB, MiB, ... (powers of
 * 1024), kB, MB, ... (powers of 1000), B.  Capitals make no difference, since people write 4k for 4K
 * and 1gb for 1GB.  STATUS_USAGE: the message quotes the text and lists the suffixes.
 */
enum status size_parse(const char *text, uint64_t *bytes, struct error *e);

/* A whole number from least to most.  what: the name of the value in messages. */
enum status number_parse(const char *text, const char *what, uint64_t least, uint64_t most,
			 uint64_t *number, struct error *e);

enum { SIZE_TEXT_LENGTH = 32 };

/* "41.2 GiB", "4095 B"; returns text. */
const char *size_format(uint64_t bytes, char text[SIZE_TEXT_LENGTH]);

/* The bytes in each second, as size_format(); "0 B" if no time has passed. */
const char *rate_format(uint64_t bytes, double seconds, char text[SIZE_TEXT_LENGTH]);

/* "0:41", "1:02:03"; returns text. */
const char *duration_format(double seconds, char text[SIZE_TEXT_LENGTH]);

enum { TIME_TEXT_LENGTH = 32 };

/* Seconds since 1970 as "2001-09-09T01:46:40Z"; returns text. */
const char *time_format(int64_t seconds, char text[TIME_TEXT_LENGTH]);

#endif
