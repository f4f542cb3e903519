// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes as hexadecimal digits, two for each byte. */
#ifndef NSPLIT_BASE_HEX_H
#define NSPLIT_BASE_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes 2 * count digits, in lower case, and a null byte. */
void hex_format(const uint8_t *bytes, size_t count, char *text);

/*
 * Reads the first 2 * count characters of a text, in either case.  False: they are not all digits, or the text
 * is shorter; some of the bytes may have been set.
 */
bool hex_parse(const char *text, uint8_t *bytes, size_t count);

#endif
