// SPDX-License-Identifier: GPL-2.0-or-later
/* Writing the source, or a range of it, to one output. */
#ifndef NSPLIT_EXPORT_COPY_H
#define NSPLIT_EXPORT_COPY_H

#include "export/output_file.h"
#include "set/read/walk.h"

struct copy {
	struct output_file *output;	/* borrowed */
	uint64_t from;			/* the offset in the source of the output's first byte */
};

/* The deliver callback of a walk; arg is the struct copy. */
enum status copy_deliver(void *arg, const struct delivery *delivery, struct error *e);

#endif
