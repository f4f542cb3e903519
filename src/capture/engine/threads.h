// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs a capture on its threads: see engine.h. */
#ifndef NSPLIT_CAPTURE_ENGINE_THREADS_H
#define NSPLIT_CAPTURE_ENGINE_THREADS_H

#include "capture/engine/engine.h"

/*
 * Returns when the phase is DONE.  If the system refuses threads, continues with fewer workers, or
 * in one thread as serial_run() does.
 */
void threads_run(struct capture *c);

#endif
