// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>
#include <string.h>

#include "capture/fill/fill.h"
#include "capture/engine/layers.h"

void layers_init(struct capture *c)
{
	c->layers.classes = c->policy->plan;
	/* There is nothing to decide. */
	c->layers.judged = c->policy->layers == 1;
}

/* Members stay open until classes are decided, so that footers record the decision. */
bool layers_undecided(const struct capture *c)
{
	if (c->layers.judged)
		return false;
	return c->layers.judging || (!c->stopping && engine_takers(c));
}

unsigned layers_whole_before_others(const struct capture *c)
{
	unsigned whole = ledger_passes_held(&c->ledger);

	return whole * c->ledger.units < c->ledger.end ? whole : 0;
}

struct member_layers layers_told(const struct capture *c)
{
	struct member_layers told = { .classes = c->layers.classes, .whole = ledger_passes_held(&c->ledger) };

	memcpy(told.reason, c->layers.reason, sizeof(told.reason));
	return told;
}

void layers_claim(struct capture *c, unsigned worker, struct chunk *chunk)
{
	struct filler *f = &c->fillers[worker];

	chunk->run = ledger_claim(&c->ledger);
	f->layer = (unsigned)(chunk->run.first / c->ledger.units) + 1;
	f->classes = c->layers.classes;
	c->layers.filling += f->layer == 1;
}

/* The classes that a layer stores, or may come to store. */
static uint16_t classes_of(const struct capture *c, unsigned layer)
{
	const struct class_table *table = &c->layers.classes;
	bool last = layer == c->policy->layers;
	uint16_t classes = 0;

	for (unsigned i = 0; i < CLASSES; i++)
		if (class_layer(table, i) == layer ||
		    (last && class_state(table, i) == CLASS_PLANNED_OUT))
			classes |= (uint16_t)(1u << i);
	return classes;
}

/* Of each layer but the first: whether it stores anything of these units. */
static void set_empty(struct capture *c, const struct chunk *chunk)
{
	for (unsigned n = 2; n <= c->policy->layers; n++) {
		uint16_t classes = classes_of(c, n);

		for (unsigned i = 0; i < unit_run_length(&chunk->run); i++)
			ledger_set_empty(&c->ledger, n - 1, chunk->run.first + i,
					 !(chunk->named[i] & classes));
	}
}

static bool any_after_all(const struct class_table *table)
{
	for (unsigned i = 0; i < CLASSES; i++)
		if (class_state(table, i) == CLASS_SAVED_AFTER_ALL)
			return true;
	return false;
}

static void drop_empty(struct capture *c, const struct chunk *chunk)
{
	const struct unit_run *run = &chunk->run;
	unsigned pass = chunk->record.layer - 1;

	ledger_drop(&c->ledger, run);
	for (unsigned i = 0; i < unit_run_length(run); i++)
		/* The others were empty when the run was claimed, and may not be any more. */
		if (run->units >> i & 1)
			ledger_set_empty(&c->ledger, pass, run->first + i - c->ledger.units * pass, true);
}

void layers_give_back(struct capture *c, const struct chunk *chunk)
{
	if (!chunk->rest.units)
		return;
	ledger_drop(&c->ledger, &chunk->rest);
	pthread_cond_broadcast(&c->can_fill);
}

bool layers_filled(struct capture *c, struct chunk *chunk)
{
	const struct record *r = &chunk->record;

	layers_give_back(c, chunk);
	if (r->layer == 1) {
		assert(c->layers.filling);
		c->layers.filling--;
		set_empty(c, chunk);
		return true;
	}
	if (r->stored_length || r->unreadable)
		return true;
	drop_empty(c, chunk);
	return false;
}

/*
 * A read of the source that hangs in pass 1 delays this, and so the later passes, as it delays the end of
 * any capture.  By then all else of pass 1, which is the kernel, has been captured; and after a request to
 * stop the policy is not asked any more, so the only delay is again that of the read itself.
 */
bool layers_can_judge(const struct capture *c)
{
	return layers_undecided(c) && !c->layers.judging && !c->layers.filling &&
	       !ledger_has_work(&c->ledger);
}

/* A capture that is being stopped captures nothing any more.  Without the lock. */
static void report_after_all(struct capture *c, const char *reason)
{
	bool stopping;

	pthread_mutex_lock(&c->lock);
	stopping = c->stopping;
	pthread_mutex_unlock(&c->lock);
	if (reason[0] && !stopping && c->watch->saved_after_all)
		c->watch->saved_after_all(c->watch->watch.arg, reason);
}

/* The policy returns soon when it was stopped. */
void layers_judge(struct capture *c, unsigned worker)
{
	const struct layer_policy *policy = c->policy;
	struct class_table classes = c->layers.classes;
	char reason[REASON_TEXT_LENGTH + 1] = "";

	/* All of the first layer is filled, and nobody has claimed anything of the others. */
	assert(!c->layers.judged && !c->layers.filling && c->ledger.next == c->ledger.units);
	c->layers.judging = true;
	pthread_mutex_unlock(&c->lock);
	policy->judge(policy->arg, worker, policy->layers, &classes, reason);
	report_after_all(c, reason);
	pthread_mutex_lock(&c->lock);
	c->layers.judged = true;
	c->layers.classes = classes;
	memcpy(c->layers.reason, reason, sizeof(reason));
	/* The last pass is for what is saved after all. */
	ledger_open(&c->ledger, policy->layers - !any_after_all(&classes));
	pthread_cond_broadcast(&c->can_fill);
}

/* Before it is decided what is left out, nothing is. */
unsigned layers_passes(const struct capture *c)
{
	if (c->policy->layers == 1)
		return 1;
	if (!c->layers.judged)
		return c->policy->layers;
	return (unsigned)(c->ledger.end / c->ledger.units);
}
