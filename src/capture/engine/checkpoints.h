// SPDX-License-Identifier: GPL-2.0-or-later
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
#ifndef NSPLIT_CAPTURE_ENGINE_CHECKPOINTS_H
#define NSPLIT_CAPTURE_ENGINE_CHECKPOINTS_H

#include "capture/engine/engine.h"

/* The output has taken a record of a layer. */
void checkpoints_count(struct output *o, unsigned layer);
/* Is one of the steps due for the output? */
bool checkpoints_due(const struct capture *c, unsigned output);
/* Wakes the writers of outputs for which one is. */
void checkpoints_wake(struct capture *c);
/* Takes the step. */
void checkpoints_take_step(struct capture *c, unsigned output);

#endif
