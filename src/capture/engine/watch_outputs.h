// SPDX-License-Identifier: GPL-2.0-or-later
/* Abandoning outputs that hang: see engine.h.  For the watching thread, without the lock. */
#ifndef NSPLIT_CAPTURE_ENGINE_WATCH_OUTPUTS_H
#define NSPLIT_CAPTURE_ENGINE_WATCH_OUTPUTS_H

#include "capture/engine/engine.h"

/* Before the first look; sets watch_interval. */
void watch_begin(struct capture *c);
/* Every watch_interval seconds. */
void watch_outputs(struct capture *c);

#endif
