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

/*
 * Checkpoints in the members of a capture with layers (doc/format.md, section 9).
 *
 * When outputs hold layers 1 to n completely and more follow, each output is synced, if all of them
 * can confirm what they hold of these layers; and when all have, files and devices get a checkpoint.
 * Each writer takes these two steps for its own output, before the next chunk, and waits for no
 * other.  Which step is due follows from the ledger and from two fields of struct output:
 *
 *	unsafe		the first layer of which the output has taken a record since it last
 *			confirmed.  No output gets a checkpoint of this layer or a later one.
 *	checkpoint	the checkpoint of the output, if there is one, covers layers 1 to this one.
 *			A record of an earlier layer behind it, because another output failed,
 *			lowers it.
 *
 * An output that fails needs no treatment here: what it held becomes unassigned, so these layers
 * are not complete any more.
 *
 * All functions are called with the lock held; the last one releases it during calls.
 */

/* The output has taken a record of a layer. */
void checkpoints_count(struct output *o, unsigned layer);
/* Is one of the steps due for the output? */
bool checkpoints_due(const struct capture *c, unsigned output);
/* Takes the step. */
void checkpoints_take_step(struct capture *c, unsigned output);

/*
 * The invariants of the engine that take longer to check than the steps that have to keep them;
 * the others are asserted where they matter.  Unit tests check them at each tick, and builds with
 * -DNSPLIT_CHECKS (HACKING.md) after each step.
 */

/* With the lock held.  NULL: all hold; otherwise which one is violated. */
const char *engine_check(const struct capture *c);
const char *ledger_check(const struct ledger *l);

#endif
