// SPDX-License-Identifier: GPL-2.0-or-later
/* The result of a capture: whether anything is missing, and why. */
#ifndef NSPLIT_CAPTURE_ENGINE_OUTCOME_H
#define NSPLIT_CAPTURE_ENGINE_OUTCOME_H

#include "base/error.h"

struct capture;

/* After the run: what capture_run() returns. */
enum status capture_outcome(struct capture *c, struct error *e);

#endif
