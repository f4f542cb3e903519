// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "capture/engine/engine.h"
#include "capture/engine/layers.h"
#include "capture/engine/outcome.h"

bool capture_closed_any(struct capture *c)
{
	return engine_any_good(c);
}

bool capture_missing(struct capture *c, uint64_t *offset, uint64_t *length)
{
	uint64_t chunk_size = c->settings.chunk_size;
	uint64_t first = divide_up(*offset, chunk_size), end;

	if (!ledger_missing(&c->ledger, layers_passes(c), &first, &end))
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
 * that cannot be read any more.  Then no pass stores it.  False: no page is.  *bytes is 0 if as many pages
 * have become of such classes as were before.
 */
static bool find_changed(struct capture *c, uint64_t *bytes)
{
	struct capture_progress progress;
	uint64_t left = 0, found = 0, offset = 0, length;

	*bytes = 0;
	if (c->policy->layers == 1 || capture_missing(c, &offset, &length))
		return false;
	capture_get_progress(c, &progress);
	if (!progress.unmatched)
		return false;
	for (unsigned i = 0; i < CLASSES; i++) {
		if (i == CLASS_SECOND || class_state(&progress.classes, i) == CLASS_LEFT_OUT)
			continue;
		left += progress.figures.named[i];
		found += progress.figures.later[i];
	}
	/* Unreadable pages are reported by themselves. */
	*bytes = left - min_u64(left, found + progress.later_unreadable);
	return true;
}

bool capture_changed(struct capture *c, struct error *e)
{
	uint64_t bytes;

	if (!find_changed(c, &bytes))
		return false;
	if (!bytes)
		error_set(e, STATUS_MISSING, "pages whose use has changed during the capture, or that could not "
			  "be read again, may be missing; njoin --verify lists them");
	else
		error_set(e, STATUS_MISSING, "%" PRIu64 " bytes are missing: pages whose use has changed "
			  "during the capture, or could not be read again; njoin --verify lists them", bytes);
	return true;
}

void capture_get_losses(struct capture *c, struct capture_losses *losses)
{
	struct capture_progress p;

	capture_get_progress(c, &p);
	*losses = (struct capture_losses){
		.unreadable = p.figures.unreadable,
	};
	find_changed(c, &losses->changed);
	p.source_size = c->source->size;	/* also of a stream */
	losses->missing = capture_missing_bytes(&p);
	losses->missing -= min_u64(losses->missing, losses->changed);
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
	return engine_any_good(c) && !c->source_failed &&
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
	if (!engine_any_good(c))
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
