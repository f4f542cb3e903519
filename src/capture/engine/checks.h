// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The invariants of the engine that take longer to check than the steps that have to keep them;
 * the others are asserted where they matter.  Unit tests check them at each tick, and builds with
 * -DNSPLIT_CHECKS (HACKING.md) after each step.
 */
#ifndef NSPLIT_CAPTURE_ENGINE_CHECKS_H
#define NSPLIT_CAPTURE_ENGINE_CHECKS_H

#include "capture/engine/engine.h"

/* With the lock held.  NULL: all hold; otherwise which one is violated. */
const char *engine_check(const struct capture *c);
const char *ledger_check(const struct ledger *l);

#endif
