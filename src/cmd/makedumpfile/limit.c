// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "cmd/common/message.h"
#include "cmd/makedumpfile/limit.h"

void limit_size(const struct makedumpfile_options *o)
{
	struct rlimit limit = { .rlim_cur = (rlim_t)o->limit, .rlim_max = RLIM_INFINITY };
	struct rlimit now;

	if (!o->limit)
		return;
	if (getrlimit(RLIMIT_FSIZE, &now) == 0)
		limit.rlim_max = now.rlim_max;
	if (setrlimit(RLIMIT_FSIZE, &limit) < 0)
		message("-L: the size cannot be limited: %s", strerror(errno));
}
