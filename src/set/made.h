// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets whose records are not stored, but made when they are loaded: of plain cores and of dumps. */
#ifndef NSPLIT_SET_MADE_H
#define NSPLIT_SET_MADE_H

#include "set/set.h"

/*
 * Begins a set of one member.  The caller then opens what the records are made of, sets size and
 * identity of the member, and calls made_end().  set_close() must be called even after a failure.
 */
enum status made_begin(struct set *set, const char *name, struct error *e);
/* Adds the records of the member, which have blocks of this size. */
enum status made_end(struct set *set, uint32_t block_size, struct error *e);

/* STATUS_USAGE: a source of this size is larger than a set can be. */
enum status made_check_size(const char *name, uint64_t size, struct error *e);

/* The header of the record at a location, if all of it is stored. */
struct record made_head(const struct set *set, const struct location *location);

#endif
