// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bytes.h"
#include "bench/fake.h"
#include "capture/memory/crash_kernel.h"
#include "cmd/nsplit/crash_machine.h"
#include "cmd/nsplit/drill/source.h"
#include "cmd/nsplit/estimate/estimate.h"
#include "cmd/nsplit/space.h"

enum { UNIT = 1 << 20, NAME_LENGTH = 60 };

uint64_t drill_expected_size(const struct nsplit_options *o)
{
	uint64_t kept = nsplit_estimate_kept(o);

	if (!kept)
		kept = nsplit_space_kept(o, crash_kernel_source(crash_machine_root()));
	return max_u64(round_down(kept, UNIT), DRILL_SMALL);
}

enum status drill_make_core(struct source **source, uint64_t size, struct error *e)
{
	char name[NAME_LENGTH];

	/* Compresses to between a quarter and a half, and takes the time for it, as the memory of most machines does. */
	snprintf(name, sizeof(name), "fake:%" PRIu64 ",pattern=text", size);
	return fake_open(source, name, e);
}

bool drill_open_module(struct source **source, enum mmap_mode mmap)
{
	struct error ignored;

	return !source_open(source, "/proc/fakevmcore", mmap, &ignored);
}
