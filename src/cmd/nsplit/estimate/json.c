// SPDX-License-Identifier: GPL-2.0-or-later
/* An estimate as a JSON object. */
#include "config.h"

#include "base/json.h"
#include "base/memory.h"
#include "cmd/nsplit/estimate/estimate.h"
#include "cmd/nsplit/stats.h"
#include "core/kinds/page_class.h"

static void write_classes(struct json *json, const struct nsplit_estimate *n)
{
	json_array(json, "classes");
	for (unsigned i = 0; i < CLASSES; i++) {
		const struct estimate_class *c = &n->pages.of[i];

		if (!c->pages && !c->margin)
			continue;
		json_object(json, NULL);
		json_text(json, "name", layer_class_name(i));
		json_number(json, "pages", c->pages);
		json_number(json, "error_pages", c->margin);
		json_number(json, "bytes", c->pages * n->pages.page_size);
		json_bool(json, "kept", estimate_keeps(i, n->level));
		json_close_object(json);
	}
	json_close_array(json);
}

static void write_sizes(struct json *json, const struct nsplit_estimate *n)
{
	char name[PRESET_TEXT_LENGTH];
	unsigned level;

	json_array(json, "sizes");
	for (unsigned k = 0; nsplit_estimate_level(n, k, &level); k++)
		for (unsigned i = 0; i < n->pages.settings.presets_count; i++) {
			json_object(json, NULL);
			json_number(json, "dump_level", level);
			json_text(json, "codec", nsplit_estimate_preset(n, i, name));
			json_number(json, "bytes", estimate_bytes(&n->pages, level, i));
			json_close_object(json);
		}
	json_close_array(json);
}

/* What is not known has no key. */
static void write_memory(struct json *json, const struct nsplit_estimate *n)
{
	json_object(json, "memory");
	json_number(json, "needed_bytes", n->plan.total);
	if (n->kernel.reserved_known)
		json_number(json, "reserved_bytes", n->kernel.reserved);
	if (n->limits.memory.bytes != UINT64_MAX)
		json_number(json, "available_bytes", n->limits.memory.bytes);
	if (n->crashkernel)
		json_number(json, "crashkernel_bytes", n->crashkernel);
	if (n->limits.memory.bytes != UINT64_MAX)
		json_bool(json, "fits", n->fit.outcome == FIT_AS_WANTED);
	json_number(json, "threads", capture_workers(&n->fitted));
	json_close_object(json);
}

static void write_outputs(struct json *json, const struct nsplit_estimate *n)
{
	json_array(json, "outputs");
	for (unsigned i = 0; i < n->room.count; i++) {
		const struct room_output *o = &n->room.of[i];

		json_object(json, NULL);
		json_text(json, "name", n->options->outputs.names[i]);
		json_text(json, "kind", nsplit_sink_kind(&n->sinks[i]));
		if (o->space_known) {
			json_number(json, "space_bytes", o->space.bytes);
			json_number(json, "dumps", room_dumps_of(o, n->bytes));
		}
		json_bool(json, "tried", o->tried);
		if (o->tried)
			json_number(json, "bytes_per_second", (uint64_t)((double)o->trial.bytes / o->trial.seconds));
		else
			json_text(json, "not_tried", o->why.text);
		json_close_object(json);
	}
	json_close_array(json);
}

/* The program that estimates. */
static void write_own(struct json *json, const struct nsplit_estimate *n)
{
	json_object(json, "own");
	json_real(json, "seconds", n->own.real);
	json_real(json, "cpu_seconds", n->own.cpu);
	json_number(json, "peak_memory", memory_peak());
	json_close_object(json);
}

static void write_origin(struct json *json, const struct estimate *est)
{
	json_number(json, "page_size", est->page_size);
	json_number(json, "pages", est->pages);
	json_number(json, "pages_looked_at", est->pages_seen);
	json_text(json, "pages_from", est->kinds_counted ? "/proc/kpageflags" : "/proc/meminfo");
	if (!est->kinds_counted)
		json_text(json, "pages_why", est->kinds_why.text);
	json_text(json, "ratio_from", est->contents_read ? "/proc/kcore" : "usual machines");
	if (!est->contents_read)
		json_text(json, "ratio_why", est->contents_why.text);
	json_number(json, "sample_bytes", est->sample_bytes);
}

void nsplit_estimate_json(const struct nsplit_estimate *n, const char *advice)
{
	struct json json;

	json_begin(&json, stdout);
	json_text(&json, "version", PACKAGE_VERSION);
	json_text(&json, "advice", advice);
	json_number(&json, "dump_level", n->level);
	json_text(&json, "codec", n->options->codec_text);
	json_number(&json, "threads", capture_workers(&n->options->capture));
	json_number(&json, "bytes", n->bytes);
	json_number(&json, "error_bytes", estimate_margin(&n->pages, n->level, 0));
	json_real(&json, "seconds", n->seconds);
	json_bool(&json, "seconds_at_least", n->at_least);
	if (n->room.space_known)
		json_number(&json, "dumps", room_dumps(&n->room, n->bytes));
	write_origin(&json, &n->pages);
	write_memory(&json, n);
	write_classes(&json, n);
	write_sizes(&json, n);
	write_outputs(&json, n);
	write_own(&json, n);
	json_end(&json);
}
