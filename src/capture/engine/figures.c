// SPDX-License-Identifier: GPL-2.0-or-later
/* The figures of a capture, and its result: what its outputs hold, what is missing, and what has become of the classes. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "capture/engine/engine.h"

double capture_ratio(const struct capture_progress *p)
{
	return p->member_bytes ? (double)p->stored_bytes / (double)p->member_bytes : 0;
}

struct class_amounts capture_class_amounts(const struct capture_progress *p)
{
	struct class_amounts amounts = { 0 };

	for (unsigned i = 0; i < CLASSES; i++) {
		uint64_t named = p->figures.named[i], later = p->figures.later[i];

		amounts.kept[i] = p->figures.first[i] + later;
		if (i == CLASS_SECOND)
			amounts.second = named - min_u64(p->beside, named);
		else if (class_state(&p->classes, i) == CLASS_LEFT_OUT)
			amounts.left_out[i] = named - min_u64(later, named);
		else
			amounts.missing[i] = named - min_u64(later, named);
	}
	return amounts;
}

uint64_t capture_missing_bytes(const struct capture_progress *p)
{
	struct class_amounts amounts = capture_class_amounts(p);
	uint64_t known = p->figures.unreadable + p->figures.named[CLASS_SECOND];

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

struct capture_progress capture_get_progress(struct capture *c)
{
	struct capture_progress p = { .source_size = SOURCE_SIZE_UNKNOWN };

	pthread_mutex_lock(&c->lock);
	if (!c->source->is_stream)
		p.source_size = c->source->size;
	for (unsigned i = 0; i < c->count; i++) {
		const struct sink_stats *stats = &c->outputs[i].stats;

		if (stats->state == SINK_DEAD)
			continue;
		p.stored_bytes += stats->source_bytes;
		p.member_bytes += stats->member_bytes;
		for (unsigned class = 0; class < CLASSES; class++) {
			p.figures.first[class] += stats->figures.first[class];
			p.figures.named[class] += stats->figures.named[class];
			p.figures.later[class] += stats->figures.later[class];
		}
		p.figures.unreadable += stats->figures.unreadable;
		p.later_unreadable += stats->later_unreadable;
		for (int kind = 0; kind < BLOCK_KINDS; kind++)
			p.blocks[kind] += stats->blocks[kind];
		for (unsigned preset = 0; preset < PRESETS_MAX; preset++)
			p.presets[preset] += stats->presets[preset];
	}
	p.limit = c->limit;
	p.syncing = count_syncing(c);
	p.ending = c->phase == PHASE_ENDING ? engine_commands_running(c) : 0;
	p.source_bytes = layers_done(c, &p.figures);
	if (!layer_policy_is_plain(c->policy)) {
		p.layers = c->policy->layers;
		p.whole = engine_whole(c, ledger_passes_held(&c->ledger));
		p.classes = c->layers.classes;
		memcpy(p.kept_because, c->layers.reason, sizeof(p.kept_because));
	}
	if (c->settings.dump)
		p.beside = c->settings.dump->beside;
	pthread_mutex_unlock(&c->lock);
	p.seconds = clock_seconds() - c->started;
	return p;
}

struct sink_stats capture_get_sink(struct capture *c, unsigned sink)
{
	struct sink_stats stats;

	pthread_mutex_lock(&c->lock);
	stats = c->outputs[sink].stats;
	stats.unfilled = c->outputs[sink].form->unfilled;
	pthread_mutex_unlock(&c->lock);
	return stats;
}

/* --- the result: whether anything is missing, and why ---------------------- */

bool capture_missing(struct capture *c, uint64_t *offset, uint64_t *length)
{
	uint64_t chunk_size = c->settings.chunk_size;
	uint64_t first = divide_up(*offset, chunk_size), end;
	unsigned passes = c->policy->layers;

	/* Before it is decided what is left out, nothing is. */
	if (passes > 1 && c->layers.judged)
		passes = c->layers.passes;
	if (!ledger_missing(&c->ledger, passes, &first, &end))
		return false;
	*offset = first * chunk_size;
	*length = min_u64(end * chunk_size, c->source->size) - *offset;
	return true;
}

/* An output that hangs cannot be read, but what it has was written. */
static bool is_kept(const struct capture *c, const struct output *o)
{
	bool written = c->settings.dump ? o->form->readable : o->stats.written && sink_rewinds(o->form->sink);

	return o->stats.salvageable || (o->stats.hung && written);
}

static enum status nothing_closed(struct capture *c, struct error *e)
{
	unsigned kept = 0, sent = 0;

	for (unsigned i = 0; i < c->count; i++) {
		const struct output *o = &c->outputs[i];

		kept += is_kept(c, o);
		/* Of a dump in a pipe, the reader may have a part. */
		sent += c->settings.dump && !sink_rewinds(o->form->sink) && o->form->readable;
	}
	if (sent && kept <= sent)
		return error_set(e, kept ? STATUS_MISSING : STATUS_SYSTEM,
				 "the dump is cut off; njoin makes a dump of what was sent");
	if (!kept && c->limit && capture_limit_error(&c->settings.limits, c->limit, e)) {
		e->status = STATUS_SYSTEM;
		return error_prefix(e, "nothing was captured: ");
	}
	if (!kept)
		return error_set(e, STATUS_SYSTEM, "nothing was captured: every output failed");
	if (c->settings.dump)
		return error_set(e, STATUS_MISSING, "no output could be closed; what is in the dump can be read as it "
				 "is");
	return error_set(e, STATUS_MISSING, "no output could be closed; %u of them hold%s records "
			 "that njoin --salvage can read", kept, kept == 1 ? "s" : "");
}

/*
 * A page may be of another class when its pass comes: a device still writes to its struct page, or
 * that cannot be read any more.  Then no pass stores it.  Returns the bytes that are lost so, but for those of
 * pages that a later pass stored although the first one had stored them, too.
 */
static uint64_t changed_bytes(struct capture *c)
{
	struct capture_progress progress;
	uint64_t left = 0, found = 0, offset = 0, length;

	if (c->policy->layers == 1 || capture_missing(c, &offset, &length))
		return 0;
	progress = capture_get_progress(c);
	for (unsigned i = 0; i < CLASSES; i++) {
		if (i == CLASS_SECOND || class_state(&progress.classes, i) == CLASS_LEFT_OUT)
			continue;
		left += progress.figures.named[i];
		found += progress.figures.later[i];
	}
	/* Unreadable pages are reported by themselves. */
	return left - min_u64(left, found + progress.later_unreadable);
}

bool capture_changed(struct capture *c, struct error *e)
{
	uint64_t bytes = changed_bytes(c);

	if (bytes)
		error_set(e, STATUS_MISSING, "%" PRIu64 " bytes are missing: pages whose use has changed "
			  "during the capture, or could not be read again; njoin --verify lists them", bytes);
	return bytes;
}

struct capture_losses capture_get_losses(struct capture *c)
{
	struct capture_progress p = capture_get_progress(c);
	struct capture_losses losses = { .unreadable = p.figures.unreadable, .changed = changed_bytes(c) };

	p.source_size = c->source->size;	/* also of a stream */
	losses.missing = capture_missing_bytes(&p);
	losses.missing -= min_u64(losses.missing, losses.changed);
	return losses;
}

/* The size of a stream that was not read to its end, because no output was left, is not known. */
static enum status not_written(struct capture *c, struct error *e)
{
	uint64_t offset = 0, length;

	if (c->source->is_stream && (c->source_stopped || ledger_has_work(&c->ledger)))
		return error_set(e, STATUS_MISSING, "part of the source was not written to any output; it "
				 "was read only up to byte %" PRIu64, c->source->size);
	if (capture_missing(c, &offset, &length))
		return error_set(e, STATUS_MISSING, "part of the source was not written to any output");
	return capture_changed(c, e) ? STATUS_MISSING : STATUS_OK;
}

bool capture_written(struct capture *c)
{
	struct error e;

	/* With layers, it may not have been decided what is left out. */
	return capture_closed_any(c) && !c->source_failed &&
	       c->layers.judged && !not_written(c, &e);
}

bool capture_unreadable(struct capture *c)
{
	for (unsigned i = 0; i < c->count; i++)
		if (c->outputs[i].stats.state != SINK_DEAD &&
		    c->outputs[i].stats.figures.unreadable)
			return true;
	return false;
}

enum status capture_outcome(struct capture *c, struct error *e)
{
	if (!capture_closed_any(c))
		return nothing_closed(c, e);
	if (c->source_failed) {
		*e = c->source_error;
		return STATUS_MISSING;
	}
	if (c->stopping)
		return error_set(e, STATUS_STOPPED, "stopped");
	if (not_written(c, e))
		return STATUS_MISSING;
	if (capture_unreadable(c))
		return error_set(e, STATUS_MISSING, "part of the source could not be read");
	return STATUS_OK;
}
