// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A complete fake vmcore: the pattern (pattern.h), with its first two pages replaced by the ELF
 * headers (elfhead.h).
 */
#ifndef FAKEVMCORE_CORE_H
#define FAKEVMCORE_CORE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "fakevmcore/pattern.h"

/* Unit in which a core is generated: a multiple of any block size. */
#define CORE_PIECE PATTERN_BLOCK_MAX

struct core {
	struct pattern pattern;	/* valid: no pattern_problem() */
	uint64_t size;		/* bytes; valid: no elfhead_problem() */
};

/* Pattern mixed, blocks of 4 KiB, a pool of 64 MiB; the caller sets the size. */
struct core core_default(void);

/* Looks up a pattern by name; STATUS_USAGE if unknown.  what names the setting in the error. */
enum status core_pattern(const char *text, const char *what, enum pattern_kind *kind,
			 struct error *e);

/* Checks the settings together: STATUS_USAGE if they are invalid. */
enum status core_check(const struct core *core, struct error *e);

/*
 * Generates the piece at offset, a multiple of CORE_PIECE, and returns how many bytes of it are
 * in the file.  If the file ends inside a block, this block is still generated in full, so piece
 * needs CORE_PIECE bytes.
 */
size_t core_make(const struct core *core, uint64_t offset, uint8_t *piece);

#endif
