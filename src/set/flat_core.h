// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A flattened ELF core (set/dump_file.h), as makedumpfile -F -E and nsplit --format=elf write it to a pipe, in place of
 * a plain core: the same set, whose source is read through the list of pieces.
 */
#ifndef NSPLIT_SET_FLAT_CORE_H
#define NSPLIT_SET_FLAT_CORE_H

#include "set/dump_file.h"
#include "set/set.h"

/* Does the dump in the pieces begin as an ELF file? */
bool flat_core_recognise(const struct dump_file *f);

/* Takes over the file, even after a failure.  set_close() must be called in any case. */
enum status flat_core_open(struct set *set, struct dump_file *f, struct error *e);

/* The file of a set of this kind; NULL: it is of another one. */
const struct dump_file *set_flat_core(const struct set *set);

#endif
