// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The core that a set is of, read where it lies.
 */
#ifndef NSPLIT_EXPORT_SET_CORE_H
#define NSPLIT_EXPORT_SET_CORE_H

#include "core/elf.h"
#include "set/range.h"

/* Belongs to one thread, and stays where it is: core.bytes points back to it. */
struct set_core {
	struct range_reader reader;
	struct core core;
};

/* As core_open() returns.  The set, without streams, is borrowed; set_core_close() is due in any case. */
enum status set_core_open(struct set_core *s, const struct set *set, struct error *e);
void set_core_close(struct set_core *s);

/* What it was read with goes, which is room for a record: core.bytes must not be used any more. */
void set_core_rest(struct set_core *s);

#endif
