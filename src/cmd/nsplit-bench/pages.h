// SPDX-License-Identifier: GPL-2.0-or-later
/* Leaves pages out of the captures of a benchmark, as nsplit does. */
#ifndef NSPLIT_CMD_NSPLIT_BENCH_PAGES_H
#define NSPLIT_CMD_NSPLIT_BENCH_PAGES_H

#include "bench/settings.h"
#include "cmd/common/page_policy.h"

struct pages_left_out {
	unsigned classes;		/* of dump levels */
	struct page_policy policy;	/* of the running capture; otherwise closed */
};

/* For the settings of a benchmark.  *p is borrowed, and must not be moved until the benchmark is freed. */
struct bench_pages bench_pages_of(struct pages_left_out *p, unsigned classes);

#endif
