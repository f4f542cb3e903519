// SPDX-License-Identifier: GPL-2.0-or-later
/* The steps of a worker: see engine.h.  Called with the lock held; filling releases it. */
#ifndef NSPLIT_CAPTURE_ENGINE_WORKERS_H
#define NSPLIT_CAPTURE_ENGINE_WORKERS_H

#include "capture/engine/engine.h"

/* Fills a chunk, or asks the policy.  False: there is nothing that a worker can do now. */
bool worker_step(struct capture *c, unsigned worker);

#endif
