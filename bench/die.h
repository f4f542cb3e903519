// SPDX-License-Identifier: GPL-2.0-or-later
/* How the programs of make bench end when something fails. */
#ifndef NSPLIT_BENCH_DIE_H
#define NSPLIT_BENCH_DIE_H

/* "scatter: the core: No such file or directory" on standard error; exit status 2. */
void die(const char *what, const char *why) __attribute__((noreturn));

#endif
