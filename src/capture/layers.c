// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "capture/gather.h"
#include "capture/layers.h"
#include "capture/phases.h"

void layers_init(struct capture *c)
{
	const struct guide *guide = c->settings.guide;

	if (!guide)
		return;
	c->layers.classes = guide->plan;
	ledger_open(&c->ledger, 1);
}

/*
 * While the guide is being asked, no member is closed: its footer would not say what was decided, but
 * afterwards all else would follow from it.
 */
bool layers_undecided(const struct capture *c)
{
	if (!c->settings.guide || c->layers.judged)
		return false;
	return c->layers.judging || (!c->stopping && engine_takers(c));
}

unsigned layers_whole(const struct capture *c)
{
	const struct ledger *l = &c->ledger;
	unsigned opened = (unsigned)(l->end / l->units), whole = 0;

	while (whole < opened && !l->left[whole])
		whole++;
	return whole;
}

unsigned layers_whole_before_others(const struct capture *c)
{
	unsigned whole = layers_whole(c);

	return whole * c->ledger.units < c->ledger.end ? whole : 0;
}

struct member_layers layers_told(const struct capture *c)
{
	struct member_layers told = { .classes = c->layers.classes, .whole = layers_whole(c) };

	memcpy(told.reason, c->layers.reason, sizeof(told.reason));
	return told;
}

void layers_claim(struct capture *c, unsigned worker, struct chunk *chunk)
{
	struct gatherer *g = c->fillers[worker].gatherer;

	chunk->layer.run = ledger_claim_run(&c->ledger);
	g->layer = (unsigned)(chunk->layer.run.first / c->ledger.units) + 1;
	g->classes = c->layers.classes;
	c->layers.filling += g->layer == 1;
}

/* The classes that a layer stores, or may come to store. */
static uint16_t classes_of(const struct capture *c, unsigned layer)
{
	const struct class_table *table = &c->layers.classes;
	bool last = layer == c->settings.guide->layers;
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
	const struct chunk_layer *layer = &chunk->layer;

	for (unsigned n = 2; n <= c->settings.guide->layers; n++) {
		uint16_t classes = classes_of(c, n);

		for (unsigned i = 0; i < unit_run_length(&layer->run); i++)
			ledger_set_empty(&c->ledger, n - 1, layer->run.first + i,
					 !(layer->named[i] & classes));
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
	const struct unit_run *run = &chunk->layer.run;
	unsigned pass = chunk->record.gathered.layer - 1;

	ledger_drop_run(&c->ledger, run);
	for (unsigned i = 0; i < unit_run_length(run); i++)
		/* The others were empty when the run was claimed, and may not be any more. */
		if (run->units >> i & 1)
			ledger_set_empty(&c->ledger, pass, run->first + i - c->ledger.units * pass, true);
}

void layers_give_back(struct capture *c, const struct chunk *chunk)
{
	if (!chunk->layer.rest.units)
		return;
	ledger_drop_run(&c->ledger, &chunk->layer.rest);
	pthread_cond_broadcast(&c->can_fill);
}

bool layers_filled(struct capture *c, struct chunk *chunk)
{
	const struct record *r = &chunk->record;

	layers_give_back(c, chunk);
	if (r->gathered.layer == 1) {
		c->layers.filling--;
		set_empty(c, chunk);
		return true;
	}
	if (r->gathered.stored_length || r->unreadable)
		return true;
	drop_empty(c, chunk);
	return false;
}

bool layers_can_judge(const struct capture *c)
{
	return layers_undecided(c) && !c->layers.judging && !c->layers.filling &&
	       !ledger_has_work(&c->ledger);
}

void layers_judge(struct capture *c, unsigned worker)
{
	const struct guide *guide = c->settings.guide;
	struct class_table classes = c->layers.classes;
	char reason[REASON_TEXT_LENGTH + 1] = "";

	c->layers.judging = true;
	pthread_mutex_unlock(&c->lock);
	guide->judge(guide->arg, worker, guide->layers, &classes, reason);
	if (reason[0] && c->watch->saved_after_all)
		c->watch->saved_after_all(c->watch->watch.arg, reason);
	pthread_mutex_lock(&c->lock);
	c->layers.judged = true;
	c->layers.classes = classes;
	memcpy(c->layers.reason, reason, sizeof(reason));
	/* The last pass is for what is saved after all. */
	ledger_open(&c->ledger, guide->layers - !any_after_all(&classes));
	pthread_cond_broadcast(&c->can_fill);
	phases_advance(c);
}

/* Before it is decided what is left out, nothing is. */
unsigned layers_passes(const struct capture *c)
{
	if (!c->layers.judged)
		return c->settings.guide->layers;
	return (unsigned)(c->ledger.end / c->ledger.units);
}

/* --- figures --------------------------------------------------------------- */

static void count(uint64_t *figure, uint64_t amount, bool subtract)
{
	*figure += subtract ? -amount : amount;
}

void layers_count(const struct capture *c, struct sink_stats *stats, unsigned layer,
		  const struct layer_amounts *amounts, bool subtract)
{
	struct layer_figures *figures = &stats->figures;

	for (unsigned i = 0; i < CLASSES; i++) {
		uint64_t *figure = &figures->later[i];

		if (layer == 1)
			figure = class_layer(&c->settings.guide->plan, i) == 1 ? &figures->first[i] :
										&figures->named[i];
		count(figure, amounts->of_class[i], subtract);
	}
	count(&figures->aliased, amounts->aliased, subtract);
	count(&figures->unreadable, amounts->unreadable, subtract);
	count(&stats->unmatched, layer == 1 ? amounts->left_to_layers : -amounts->left_to_layers, subtract);
	if (layer > 1)
		count(&stats->later_unreadable, amounts->unreadable, subtract);
}

void capture_class_amounts(const struct capture_progress *p, struct class_amounts *amounts)
{
	memset(amounts, 0, sizeof(*amounts));
	for (unsigned i = 0; i < CLASSES; i++) {
		uint64_t named = p->figures.named[i], later = p->figures.later[i];

		amounts->kept[i] = p->figures.first[i] + later;
		if (class_state(&p->classes, i) == CLASS_LEFT_OUT)
			amounts->left_out[i] = named - min_u64(later, named);
		else
			amounts->missing[i] = named - min_u64(later, named);
	}
	/* Only the first layer has aliases, and almost all are of the kernel image. */
	amounts->kept[CLASS_KERNEL] += p->figures.aliased;
}

uint64_t layers_done(const struct capture *c, const struct layer_figures *figures)
{
	uint64_t done = figures->aliased + figures->unreadable;

	for (unsigned i = 0; i < CLASSES; i++) {
		done += figures->first[i] + figures->later[i];
		/* Until it is decided, what is planned counts. */
		if (!class_layer(&c->layers.classes, i))
			done += figures->named[i];
	}
	return done;
}
