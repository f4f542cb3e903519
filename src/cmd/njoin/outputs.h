// SPDX-License-Identifier: GPL-2.0-or-later
/* The outputs of njoin: one, or the files of a split kdump-compressed core. */
#ifndef NSPLIT_CMD_NJOIN_OUTPUTS_H
#define NSPLIT_CMD_NJOIN_OUTPUTS_H

#include "cmd/njoin/options.h"
#include "export/output_file.h"
#include "set/set.h"

/* All zero at first. */
struct njoin_outputs {
	struct output_file *files;	/* those that were probed; owned */
	size_t count;
};

/*
 * Examines the outputs without changing anything.  STATUS_USAGE as for output_file_probe(), and for
 * an output that is a member, is named twice, shares storage with a member or another output, or is
 * a stream although the format requires random access.  set may be empty.
 */
enum status njoin_probe_outputs(struct njoin_outputs *outputs, const struct njoin_options *o,
				const struct set *set, struct error *e);
enum status njoin_open_outputs(const struct njoin_outputs *outputs, struct error *e);

/* True if all outputs can be written in any order; true without outputs. */
bool njoin_seekable(const struct njoin_outputs *outputs);

/* output_file_abandon() and output_file_free() for all outputs. */
void njoin_abandon_outputs(const struct njoin_outputs *outputs);
void njoin_free_outputs(struct njoin_outputs *outputs);

#endif
