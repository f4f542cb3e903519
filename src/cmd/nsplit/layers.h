// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Leaves pages out, and stores the kernel image once: connects the filter, which knows the crashed kernel,
 * with the engine, which does not.  If anything here fails, everything is captured; if something was to
 * be left out, a message says why it is not.
 */
#ifndef NSPLIT_CMD_NSPLIT_LAYERS_H
#define NSPLIT_CMD_NSPLIT_LAYERS_H

#include "capture/engine/capture.h"
#include "filter/filter.h"

struct nsplit_layers {
	bool wanted;
	unsigned classes;		/* of dump levels, to be left out; 0: none */
	struct source *source;		/* borrowed */
	struct filter *filter;		/* NULL: there are no layers */
	struct layer_policy policy;		/* of this filter */
	struct error why;		/* why nothing is left out, if classes is not 0 */
};

/* STATUS_USAGE, with a sentence that says why nothing can be left out of a stream. */
enum status nsplit_layers_refuse_stream(const struct source *source, struct error *e);
/*
 * Opens the filter of a positioned source.  Returns the policy for the engine; NULL: there can be no
 * layers.  *l, which is all zero if this is not called, must not be moved afterwards.
 */
const struct layer_policy *nsplit_layers_open(struct nsplit_layers *l, struct source *source,
				       unsigned classes);
/* The same for a source that need not exist yet.  The policy is good for capture_plan() only. */
const struct layer_policy *nsplit_layers_expect(struct nsplit_layers *l, struct source *source,
					 unsigned classes);
/* Everything is captured after all, without layers, for this reason. */
void nsplit_layers_give_up(struct nsplit_layers *l, const char *why);
void nsplit_layers_close(struct nsplit_layers *l);

#endif
