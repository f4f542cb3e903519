// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The plain way back: the bytes of the source, or a range of them, as they were.
 */
#ifndef NSPLIT_EXPORT_COPY_H
#define NSPLIT_EXPORT_COPY_H

#include "export/output_file.h"
#include "set/walk.h"

struct copy {
	struct output_file *output;	/* borrowed */
	uint64_t from;		/* first byte of the source that is written, at offset 0 */
};

/* A walk's deliver; arg is the struct copy. */
enum status copy_deliver(void *arg, const struct delivery *delivery, struct error *e);

#endif
