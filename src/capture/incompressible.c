// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "capture/incompressible.h"

bool incompressible_skips(struct incompressible *run, size_t len)
{
	if (run->skip < len)
		return false;
	run->skip -= len;
	run->bytes += len;
	return true;
}

size_t incompressible_tried(struct incompressible *run, size_t len, size_t packed)
{
	if (packed && packed < len) {
		run->bytes = run->skip = 0;
		return packed;
	}
	run->bytes += len;
	if (!run->tries_all)
		run->skip = min_u64(run->bytes / INCOMPRESSIBLE_PART, INCOMPRESSIBLE_SKIP_MAX);
	return 0;
}
