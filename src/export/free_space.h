// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether an output has enough space. */
#ifndef NSPLIT_EXPORT_FREE_SPACE_H
#define NSPLIT_EXPORT_FREE_SPACE_H

#include "export/output_file.h"
#include "io/space.h"

/* The output must be open.  False: it is a stream, or its space is unknown. */
bool free_space_of(const struct output_file *o, struct space *space);

/*
 * STATUS_SYSTEM: this number of bytes certainly does not fit.  STATUS_OK: it fits, or may fit; in
 * the second case, warn() is called unless it is NULL.
 */
enum status free_space_check(const struct output_file *o, uint64_t bytes,
			     void (*warn)(void *arg, const struct error *e), void *arg,
			     struct error *e);

#endif
