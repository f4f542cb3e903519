// SPDX-License-Identifier: GPL-2.0-or-later
/* The steps of a worker: see engine.h.  Called with the lock held; filling releases it. */
#ifndef NSPLIT_CAPTURE_WORKERS_H
#define NSPLIT_CAPTURE_WORKERS_H

#include "capture/engine.h"

/* Can a worker fill a chunk now? */
bool worker_can_fill(const struct capture *c);
void worker_fill(struct capture *c, unsigned worker);

#endif
