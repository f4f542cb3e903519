// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fitting a capture into the memory that there is, before it starts: with too little the kernel
 * would kill it, and a dump by one thread is better than none.
 *
 * Settings give way in this order, each as far as it is needed: chunks that only wait between
 * threads; threads; chunks down to one; the size of chunks; and last the codec, to one that needs
 * nearly no memory.  What does not fit even then is tried all the same.
 */
#ifndef NSPLIT_CAPTURE_FIT_H
#define NSPLIT_CAPTURE_FIT_H

#include "capture/capture.h"
#include "capture/limits.h"

enum fit_outcome {
	FIT_AS_WANTED,
	FIT_WITH_LESS,			/* than the settings asked for */
	FIT_NOT,			/* not even the least does, and that is tried */
};

struct fit_note {
	enum fit_outcome outcome;
	struct error text;		/* unless FIT_AS_WANTED: what gave way, and why */
};

/*
 * capture_plan(), and if the plan does not fit into the limits, other settings and a plan that
 * does.  Without settings->memory_limit some of what is available is left free.
 */
enum status capture_fit(struct capture_settings *settings, const struct source *source,
			const struct sink *sinks, unsigned count, const struct limits *limits,
			struct memory_plan *plan, struct fit_note *note, struct error *e);

/*
 * When capture_new() did not get the memory for a plan: makes do with three quarters of that.
 * False: it could not be made smaller.
 */
bool capture_fit_again(struct capture_settings *settings, const struct source *source,
		       const struct sink *sinks, unsigned count, struct memory_plan *plan,
		       struct fit_note *note);

#endif
