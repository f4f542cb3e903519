// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A source in memory with the bytes that mkfakevmcore writes for the same settings.  It takes only
 * the memory of its pool, which is repeated.
 *
 *	fake:SIZE[,pattern=NAME][,compressible=PERCENT][,seed=NUMBER][,pool=SIZE]
 */
#ifndef NSPLIT_BENCH_FAKE_H
#define NSPLIT_BENCH_FAKE_H

#include <stdbool.h>

#include "io/source.h"

/* True if the name of a source has this form. */
bool fake_named(const char *name);

/*
 * For the name of a source that is no file, with an error about it: appends the name that is meant
 * if only "fake:" is missing or misspelt, as in "64M" and "fak:64M".  Returns the status of the
 * error.
 */
enum status fake_suggest(const char *name, struct error *e);

/* STATUS_USAGE: a setting is invalid. */
enum status fake_open(struct source **source, const char *name, struct error *e);

#endif
