// SPDX-License-Identifier: GPL-2.0-or-later
/* What makedumpfile prints, word for word, since programs read it. */
#ifndef NSPLIT_CMD_MAKEDUMPFILE_SAY_H
#define NSPLIT_CMD_MAKEDUMPFILE_SAY_H

#include "cmd/makedumpfile/options.h"
#include "core/elf.h"

/* On standard output; with -F, which needs that for the dump, on standard error.  Without the program's name. */
void say(const struct makedumpfile_options *o, unsigned bit, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Names the options that are ignored. */
void say_ignored(const struct makedumpfile_options *o);

/*
 * The lines at the end; saved, such as "dumpfile is", is what was written to file; NULL: nothing to name.  If standard
 * output does not take them, says so, and goes on: what was saved is as good as before.
 */
/* The operand as it was given: "-" is "./-" for nsplit and njoin. */
const char *say_name(const char *operand);

void say_end(const struct makedumpfile_options *o, bool good, const char *saved, const char *file);

/* With -D: what the kernel says of itself; SUSE's kdump looks for OSRELEASE and CRASHTIME. */
void say_vmcoreinfo(const struct makedumpfile_options *o, const struct vmcoreinfo *info);

/* -L: the limit for the size of DUMPFILE. */

/* With -L, no file may grow beyond it; write() then fails with EFBIG. */
void limit_size(const struct makedumpfile_options *o);

#endif
