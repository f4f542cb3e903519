// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What becomes of an output that fails: see engine.h.  All functions are called with the lock held.
 * phases_advance() is to be called after them.
 */
#ifndef NSPLIT_CAPTURE_ENGINE_FAIL_OUTPUT_H
#define NSPLIT_CAPTURE_ENGINE_FAIL_OUTPUT_H

#include "capture/engine/engine.h"

/*
 * The output is dead: the chunks that it held become unassigned, and a fallback is activated if one
 * is needed.
 */
void fail_output(struct capture *c, unsigned output, const struct error *why);

/*
 * A call failed with *e.  If the output is only full, this makes space for what closes the member,
 * if necessary in place of its last records, and what it still holds counts; if it was closed
 * before, it is restored as it was then; otherwise it is dead.  Releases the lock during calls.
 */
void fail_call(struct capture *c, unsigned output, struct error *e);

/*
 * After a call that syncs or closes an output, and returned this: takes the lock, and what is stored counts.  False: the
 * output was given up meanwhile, or the call failed, and fail_call() was called.
 */
bool fail_leave_call(struct capture *c, unsigned output, enum status status, struct error *e);

/* Reports the outputs that have failed since the last time.  Releases the lock meanwhile. */
void fail_report(struct capture *c);

#endif
