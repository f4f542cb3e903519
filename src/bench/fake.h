// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * fake:SIZE[,pattern=NAME][,compressible=PERCENT][,seed=NUMBER][,pool=SIZE]
 *
 * A source in memory with the bytes that mkfakevmcore writes for the same settings.  It takes the memory
 * of its pool only: what comes again is shown again.
 */
#ifndef NSPLIT_BENCH_FAKE_H
#define NSPLIT_BENCH_FAKE_H

#include <stdbool.h>

#include "io/source.h"

/* Is the name of a source one of these? */
bool fake_named(const char *name);

/* STATUS_USAGE: the name does not make sense. */
enum status fake_open(struct source **source, const char *name, struct error *e);

#endif
