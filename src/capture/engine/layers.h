// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The passes of a capture with layers.
 *
 * The source is passed over several times, and what a pass takes is a layer.  The first layer is
 * whatever is not known to be of a class that another layer stores or that is to be left out.  Its
 * records name the classes of all other granules.  So the first pass sees the whole memory map, and
 * leaves out nothing that could be wanted later.  When all of it is filled, one worker asks the policy
 * which classes can be believed, while the others wait; then the other passes begin.  A class that is
 * not believed is stored by the last one.
 *
 * Passes are not separated otherwise.  Units are claimed in the order of the ledger, so those that an
 * output loses in any pass are claimed first.
 *
 * All functions are called with the lock held and return with it held.
 */
#ifndef NSPLIT_CAPTURE_ENGINE_LAYERS_H
#define NSPLIT_CAPTURE_ENGINE_LAYERS_H

#include "capture/engine/engine.h"

/* Sets c->layers at the start. */
void layers_init(struct capture *c);
/* Will the policy be asked, so that there may be more to capture? */
bool layers_undecided(const struct capture *c);
/* How many passes, from the first on, are held by outputs completely, if others follow; otherwise 0. */
unsigned layers_whole_before_others(const struct capture *c);
/* The layers as a footer that is written now describes them. */
struct member_layers layers_told(const struct capture *c);

/* Claims units for a chunk, which the worker is to fill. */
void layers_claim(struct capture *c, unsigned worker, struct chunk *chunk);
/* Gives back the units that do not fit the chunk. */
void layers_give_back(struct capture *c, const struct chunk *chunk);
/*
 * The worker has filled it.  False: the layer stores nothing of these units, so that there is nothing
 * to write.
 */
bool layers_filled(struct capture *c, struct chunk *chunk);
/* Is it time to ask the policy, which nobody does yet?  And does so. */
bool layers_can_judge(const struct capture *c);
void layers_judge(struct capture *c, unsigned worker);

/* The passes whose units count as missing unless an output holds them. */
unsigned layers_passes(const struct capture *c);

#endif
