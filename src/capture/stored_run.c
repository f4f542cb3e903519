// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "capture/stored_run.h"

bool stored_run_skips(struct stored_run *run, size_t len)
{
	if (run->skip < len)
		return false;
	run->skip -= len;
	run->bytes += len;
	return true;
}

size_t stored_run_tried(struct stored_run *run, size_t len, size_t packed)
{
	if (packed && packed < len) {
		run->bytes = run->skip = 0;
		return packed;
	}
	run->bytes += len;
	if (!run->tries_all)
		run->skip = min_u64(run->bytes / STORED_RUN_PART, STORED_RUN_SKIP_MAX);
	return 0;
}
