/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parameters of the module, checked. */
#ifndef FAKEVMCORE_PARAMS_H
#define FAKEVMCORE_PARAMS_H

#include <linux/types.h>

#include "pattern.h"

struct settings {
	struct pattern pattern;
	u64 size;		/* bytes in the file */
	const char *bad;	/* passes bad_check(); valid as long as the module is loaded */
};

/* Returns 0, or -EINVAL after one line in the kernel log with the reason. */
int params_read(struct settings *settings);

#endif
