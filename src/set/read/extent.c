// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>

#include "set/read/extent.h"

enum status extent_error(const struct extent *x, struct error *e)
{
	if (x->kind == EXTENT_UNREADABLE)
		return error_set(e, STATUS_MISSING, "byte %" PRIu64 " could not be read during the capture",
				 x->offset);
	return error_set(e, STATUS_MISSING, "byte %" PRIu64 " is not in any member", x->offset);
}
