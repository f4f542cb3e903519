// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fits a capture to the memory available, before it starts: with too little memory the kernel would
 * kill it, and a dump by one thread is better than none.
 *
 * The chunks with which a stream waits for its turn take a quarter of what is available at most, which is not
 * reported.  Settings are reduced in this order, each as far as necessary: chunks that only wait between
 * threads; threads; chunks, down to one; the size of chunks; and last the codec, to one that needs
 * hardly any memory.  If even that does not fit, it is tried anyway.  Values that the user chose
 * are reduced like defaults: -j64 becomes 30 threads in 60 MiB.  Only --mem-limit is kept.
 *
 * Measured in cgroups of 40, 50, 60, 100 and 200 MiB with 1, 8 and 64 threads, 1 and 8 outputs, and
 * the codecs lzo, zstd:19 and auto: no capture was killed, and the highest peak was 83 % of the
 * limit.
 */
#ifndef NSPLIT_CAPTURE_MEMORY_MEMORY_FIT_H
#define NSPLIT_CAPTURE_MEMORY_MEMORY_FIT_H

#include "capture/engine/capture.h"
#include "capture/memory/memory_limits.h"

/*
 * Bytes of the available memory that a capture may plan for.  The rest stays free for the page
 * cache, for other programs, and for what the plan does not count.
 */
uint64_t fit_usable(uint64_t available);

enum fit_outcome {
	FIT_AS_WANTED,
	FIT_WITH_LESS,			/* less than the settings asked for */
	FIT_NOT,			/* not even the least fits, and that is tried */
};

struct fit_note {
	enum fit_outcome outcome;
	struct error text;		/* unless FIT_AS_WANTED: what was reduced, and why */
};

/*
 * Calls capture_plan(), and if the plan does not fit the limits, changes the settings and the plan
 * so that they do.  Without settings->memory_limit some of the available memory is left free.
 */
enum status capture_fit(struct capture_settings *settings, const struct source *source,
			const struct sink *sinks, unsigned count, const struct limits *limits,
			struct memory_plan *plan, struct fit_note *note, struct error *e);

/*
 * When capture_new() did not get the memory for a plan: reduces it to three quarters.  False: it
 * could not be made smaller.
 */
bool capture_fit_again(struct capture_settings *settings, const struct source *source,
		       const struct sink *sinks, unsigned count, struct memory_plan *plan,
		       struct fit_note *note);

#endif
