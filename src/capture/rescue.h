// SPDX-License-Identifier: GPL-2.0-or-later
/* Keeps the valid records of an output whose call failed: see engine.h, full outputs. */
#ifndef NSPLIT_CAPTURE_RESCUE_H
#define NSPLIT_CAPTURE_RESCUE_H

#include "capture/engine.h"

enum rescue {
	RESCUE_HUNG,		/* the output was abandoned meanwhile */
	RESCUE_FULL,		/* what it still holds counts */
	RESCUE_DEAD,		/* nothing that it holds counts */
};

/*
 * A call failed with *e.  If the output is only full, makes space for what closes the member, if
 * necessary in place of its last records; if it was closed before, restores it as it was then.
 * After RESCUE_DEAD, *e says why.  Called with the lock held; releases it during calls.
 */
enum rescue rescue_output(struct capture *c, unsigned output, struct error *e);

#endif
