// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>

#include "capture/engine/checks.h"
#include "capture/engine/checkpoints.h"
#include "capture/engine/fail_output.h"
#include "capture/engine/layers.h"
#include "capture/engine/phases.h"
#include "capture/engine/read_back.h"

static bool all_synced(const struct capture *c)
{
	for (unsigned i = 0; i < c->count; i++)
		if (engine_is_open(&c->outputs[i]) && !c->outputs[i].synced)
			return false;
	return true;
}

static bool all_sealed(const struct capture *c)
{
	for (unsigned i = 0; i < c->count; i++)
		if (engine_is_open(&c->outputs[i]) && !c->outputs[i].sealed)
			return false;
	return true;
}

/* No output is left to write these. */
static void drop_ready(struct capture *c)
{
	while (c->ready.first) {
		struct chunk *chunk = chunk_list_remove(&c->ready, &c->ready.first);

		engine_drop_chunk(c, chunk);
		engine_free_chunk(c, chunk);
	}
}

static enum phase next_phase(const struct capture *c)
{
	if (c->phase == PHASE_DONE)
		return PHASE_DONE;
	if (engine_has_work(c) || c->ledger.in_flight || layers_undecided(c))
		return PHASE_CAPTURING;
	if (c->phase == PHASE_CAPTURING)
		return PHASE_SYNCING;
	/* A full member may have to give up records even for its footer. */
	if (!all_synced(c))
		return PHASE_SYNCING;
	if (c->phase == PHASE_SYNCING)
		return PHASE_ENDING;
	if (c->phase == PHASE_ENDING && !engine_commands_running(c))
		return PHASE_SEALING;
	/* A fallback command was activated for an empty source, which leaves no work. */
	if (c->phase == PHASE_SEALING && engine_commands_running(c))
		return PHASE_ENDING;
	if (c->phase == PHASE_SEALING && all_sealed(c))
		return PHASE_DONE;
	return c->phase;
}

static void enter(struct capture *c, enum phase phase)
{
	assert(phase == PHASE_CAPTURING ||
	       (!c->ledger.in_flight && !c->ready.first && !c->given_up));
	/* No file has a footer before all data is safe. */
	assert(phase < PHASE_ENDING || all_synced(c));
	assert(phase < PHASE_SEALING || !engine_commands_running(c));
	assert(phase != PHASE_DONE || all_sealed(c));
	c->phase = phase;
	pthread_cond_broadcast(&c->needed);
	pthread_cond_broadcast(&c->can_fill);
	pthread_cond_broadcast(&c->can_write);
}

void phases_advance(struct capture *c)
{
	enum phase phase;

	assert(engine_is_locked(c));
	checkpoints_wake(c);
	if (!engine_takers(c)) {
		drop_ready(c);
		read_back_drop_all(c);
	}
	while ((phase = next_phase(c)) != c->phase)
		enter(c, phase);
#ifdef NSPLIT_CHECKS
	assert(!engine_check(c));
#endif
	fail_report(c);
}
