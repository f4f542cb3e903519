// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fake:SIZE[,pattern=NAME][,compressible=PERCENT][,seed=NUMBER][,pool=SIZE]
 *
 * A source in memory with the bytes that mkfakevmcore writes for the same settings.  It takes only
 * the memory of its pool, which is repeated.
 */
#ifndef NSPLIT_BENCH_FAKE_H
#define NSPLIT_BENCH_FAKE_H

#include <stdbool.h>

#include "io/source.h"

/* Whether the name of a source has this form. */
bool fake_named(const char *name);

/* STATUS_USAGE: a setting is invalid. */
enum status fake_open(struct source **source, const char *name, struct error *e);

#endif
