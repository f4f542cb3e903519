// SPDX-License-Identifier: GPL-2.0-or-later
/* The phases of a capture: see engine.h. */
#ifndef NSPLIT_CAPTURE_ENGINE_PHASES_H
#define NSPLIT_CAPTURE_ENGINE_PHASES_H

#include "capture/engine/engine.h"

/*
 * To be called at the end of each step of a thread, with the lock held: advances the phase as far as
 * possible, or returns it to CAPTURING.  Wakes all threads when it changes, and writers for which a
 * checkpoint is due.  Reports outputs that have failed, and releases the lock meanwhile.
 */
void phases_advance(struct capture *c);

#endif
