// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A whole fake vmcore: pattern.h with elfhead.h over its first pages.
 */
#ifndef FAKEVMCORE_CORE_H
#define FAKEVMCORE_CORE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "fakevmcore/pattern.h"

/* The unit of making: whole blocks of any size that there is. */
#define CORE_PIECE PATTERN_BLOCK_MAX

struct core {
	struct pattern pattern;	/* without a pattern_problem() */
	uint64_t size;		/* bytes, without an elfhead_problem() */
};

/* Mixed, in blocks of 4 KiB from a pool of 64 MiB; the size is the caller's. */
struct core core_default(void);

/* The kind that is called so; STATUS_USAGE for any other name.  what names it in the error. */
enum status core_pattern(const char *text, const char *what, enum pattern_kind *kind,
			 struct error *e);

/* What is wrong with settings that are each right by itself: STATUS_USAGE. */
enum status core_check(const struct core *core, struct error *e);

/*
 * Makes the piece that starts at offset, a multiple of CORE_PIECE, and returns
 * how much of it the file has.  The block that the file ends in is made whole.
 */
size_t core_make(const struct core *core, uint64_t offset, uint8_t *piece);

#endif
