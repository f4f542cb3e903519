// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "capture/fill/incompressible.h"

bool incompressible_skips(struct incompressible *i, size_t len)
{
	if (i->skip < len)
		return false;
	i->skip -= len;
	i->bytes += len;
	return true;
}

size_t incompressible_tried(struct incompressible *i, size_t len, size_t packed)
{
	if (packed && packed < len) {
		i->bytes = i->skip = 0;
		return packed;
	}
	i->bytes += len;
	if (!i->tries_all)
		i->skip = min_u64(i->bytes / INCOMPRESSIBLE_PART, INCOMPRESSIBLE_SKIP_MAX);
	return 0;
}
