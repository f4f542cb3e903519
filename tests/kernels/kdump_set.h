// SPDX-License-Identifier: GPL-2.0-or-later
/* Which pages a kdump-compressed file has, by its second bitmap. */
#ifndef NSPLIT_TESTS_KDUMP_SET_H
#define NSPLIT_TESTS_KDUMP_SET_H

#include "page_core.h"

struct kdump_set {
	struct file file;
	uint64_t end;			/* of the page frames in it */
	const uint8_t *bitmap;
	uint32_t level;			/* in its header */
	bool incomplete;
};

/* Exits with status 2 if it is no such file. */
struct kdump_set kdump_set_open(const char *name);

bool kdump_set_has(const struct kdump_set *set, uint64_t pfn);

#endif
