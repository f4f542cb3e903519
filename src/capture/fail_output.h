// SPDX-License-Identifier: GPL-2.0-or-later
/* Handles a failed output: its chunks become unassigned, and the others continue. */
#ifndef NSPLIT_CAPTURE_FAIL_OUTPUT_H
#define NSPLIT_CAPTURE_FAIL_OUTPUT_H

#include "capture/engine.h"

/*
 * The output takes no more chunks.  If it is full, what it holds counts; otherwise the chunks that
 * it held become unassigned.  Activates a fallback if needed, advances the phase and reports the
 * failure.  Called with the lock held, which it releases while it reports.
 */
void fail_output(struct capture *c, unsigned output, bool full, const struct error *why);

#endif
