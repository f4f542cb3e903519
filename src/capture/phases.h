// SPDX-License-Identifier: GPL-2.0-or-later
/* The phases of a capture: see engine.h. */
#ifndef NSPLIT_CAPTURE_PHASES_H
#define NSPLIT_CAPTURE_PHASES_H

#include "capture/engine.h"

/*
 * Advances the phase as far as possible, or returns it to CAPTURING, and wakes all threads when it
 * changes, and writers for which a mark is due.  To be called under the lock after anything that a
 * phase or a mark depends on has changed.
 */
void phases_advance(struct capture *c);

#endif
