// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "estimate/content.h"

enum content content_of(enum layer_class class)
{
	switch (class) {
	case CLASS_MAP:
		return CONTENT_MAP;
	case CLASS_PRIVATE:
	case CLASS_DIRTY:
	case CLASS_CLEAN:
		return CONTENT_CACHE;
	case CLASS_ANONYMOUS:
	case CLASS_HUGETLB:
		return CONTENT_USER;
	case CLASS_FREE:
	case CLASS_UNACCEPTED:
		return CONTENT_FREE;
	default:
		return CONTENT_KERNEL;
	}
}

double packed_share(const struct packed *packed)
{
	return packed->bytes ? (double)packed->stored / (double)packed->bytes : 1;
}
