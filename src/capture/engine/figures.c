// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "capture/engine/engine.h"
#include "capture/engine/figures.h"
#include "capture/engine/layers.h"

static void count(uint64_t *figure, uint64_t amount, bool subtract)
{
	*figure += subtract ? -amount : amount;
}

/* The same for sums that stand for granules (chunk.h). */
static void add_sum(uint32_t *sum, uint32_t more, bool subtract)
{
	*sum += subtract ? -more : more;
}

void figures_count(const struct capture *c, struct sink_stats *stats, unsigned layer,
		   const struct layer_amounts *amounts, bool subtract)
{
	struct layer_figures *figures = &stats->figures;

	for (unsigned i = 0; i < CLASSES; i++) {
		uint64_t *figure = &figures->later[i];

		add_sum(&stats->planned_out[i], amounts->planned_out[i], subtract);
		if (layer == 1)
			figure = class_layer(&c->policy->plan, i) == 1 ? &figures->first[i] :
										&figures->named[i];
		count(figure, amounts->of_class[i], subtract);
	}
	count(&figures->unreadable, amounts->unreadable, subtract);
	add_sum(&stats->unmatched, amounts->left_to_layers, subtract != (layer > 1));
	if (layer > 1)
		count(&stats->later_unreadable, amounts->unreadable, subtract);
}

double capture_ratio(const struct capture_progress *p)
{
	return p->member_bytes ? (double)p->stored_bytes / (double)p->member_bytes : 0;
}

void capture_class_amounts(const struct capture_progress *p, struct class_amounts *amounts)
{
	memset(amounts, 0, sizeof(*amounts));
	for (unsigned i = 0; i < CLASSES; i++) {
		uint64_t named = p->figures.named[i], later = p->figures.later[i];

		amounts->kept[i] = p->figures.first[i] + later;
		if (i == CLASS_SECOND)
			amounts->second = named - min_u64(p->beside, named);
		else if (class_state(&p->classes, i) == CLASS_LEFT_OUT)
			amounts->left_out[i] = named - min_u64(later, named);
		else
			amounts->missing[i] = named - min_u64(later, named);
	}
}

uint64_t capture_missing_bytes(const struct capture_progress *p)
{
	struct class_amounts amounts;
	uint64_t known;

	capture_class_amounts(p, &amounts);
	known = p->figures.unreadable + p->figures.named[CLASS_SECOND];
	for (unsigned i = 0; i < CLASSES; i++)
		known += amounts.kept[i] + amounts.left_out[i];
	return p->source_size - min_u64(known, p->source_size);
}

/* The bytes of the source whose fate the figures tell: what is stored, and what is to be left out. */
static uint64_t layers_done(const struct capture *c, const struct layer_figures *figures)
{
	uint64_t done = figures->unreadable;

	for (unsigned i = 0; i < CLASSES; i++) {
		done += figures->first[i] + figures->later[i];
		/* Until it is decided, what is planned counts. */
		if (!class_layer(&c->layers.classes, i))
			done += figures->named[i];
	}
	return done;
}

static void add_figures(struct layer_figures *sum, const struct layer_figures *figures)
{
	for (unsigned i = 0; i < CLASSES; i++) {
		sum->first[i] += figures->first[i];
		sum->named[i] += figures->named[i];
		sum->later[i] += figures->later[i];
	}
	sum->unreadable += figures->unreadable;
}

/* Granules that were to be left out, but were captured. */
static uint32_t left_to_layers_after_all(const struct capture *c, const struct sink_stats *stats)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < CLASSES; i++)
		if (i != CLASS_SECOND && class_state(&c->layers.classes, i) != CLASS_LEFT_OUT)
			sum += stats->planned_out[i];
	return sum;
}

/*
 * A footer is synced like the data before it.  While commands end, the other outputs only wait for
 * them.
 */
static unsigned count_syncing(const struct capture *c)
{
	unsigned syncing = 0;

	if (c->phase == PHASE_CAPTURING || c->phase == PHASE_ENDING)
		return 0;
	for (unsigned i = 0; i < c->count; i++) {
		const struct output *o = &c->outputs[i];

		syncing += engine_is_open(o) && !(c->phase == PHASE_SYNCING ? o->synced : o->sealed);
	}
	return syncing;
}

void capture_get_progress(struct capture *c, struct capture_progress *p)
{
	*p = (struct capture_progress){ .source_size = SOURCE_SIZE_UNKNOWN };
	pthread_mutex_lock(&c->lock);
	if (!c->source->is_stream)
		p->source_size = c->source->size;
	for (unsigned i = 0; i < c->count; i++) {
		const struct sink_stats *stats = &c->outputs[i].stats;

		if (stats->state == SINK_DEAD)
			continue;
		p->stored_bytes += stats->source_bytes;
		p->member_bytes += stats->member_bytes;
		add_figures(&p->figures, &stats->figures);
		p->later_unreadable += stats->later_unreadable;
		p->unmatched += stats->unmatched + left_to_layers_after_all(c, stats);
		for (int kind = 0; kind < BLOCK_KINDS; kind++)
			p->blocks[kind] += stats->blocks[kind];
		for (unsigned preset = 0; preset < PRESETS_MAX; preset++)
			p->presets[preset] += stats->presets[preset];
	}
	p->syncing = count_syncing(c);
	p->ending = c->phase == PHASE_ENDING ? engine_commands_running(c) : 0;
	p->source_bytes = layers_done(c, &p->figures);
	if (!layer_policy_is_plain(c->policy)) {
		p->layers = c->policy->layers;
		p->whole = ledger_passes_held(&c->ledger);
		p->classes = c->layers.classes;
		memcpy(p->kept_because, c->layers.reason, sizeof(p->kept_because));
	}
	if (c->settings.dump)
		p->beside = c->settings.dump->beside;
	pthread_mutex_unlock(&c->lock);
	p->seconds = clock_seconds() - c->started;
}

void capture_get_sink(struct capture *c, unsigned sink, struct sink_stats *stats)
{
	pthread_mutex_lock(&c->lock);
	*stats = c->outputs[sink].stats;
	stats->unfilled = c->outputs[sink].form->unfilled;
	pthread_mutex_unlock(&c->lock);
}
