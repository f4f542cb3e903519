// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs a capture in one thread. */
#ifndef NSPLIT_CAPTURE_ENGINE_SERIAL_H
#define NSPLIT_CAPTURE_ENGINE_SERIAL_H

#include "capture/engine/engine.h"

/* Returns when the phase is DONE. */
void serial_run(struct capture *c);

#endif
