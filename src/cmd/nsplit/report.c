// SPDX-License-Identifier: GPL-2.0-or-later
/* The plan of a capture as text, and --stats: its figures as JSON (nsplit-check(1), JSON OBJECTS). */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "cmd/common/message.h"
#include "cmd/nsplit/nsplit.h"
#include "cmd/nsplit/probe.h"
#include "core/kinds/page_class.h"

void report_plan(FILE *file, const struct nsplit *nsplit, const struct memory_plan *plan)
{
	const struct nsplit_options *o = &nsplit->options;
	const struct capture_settings *c = &o->capture;
	const struct source *source = nsplit->source;
	const struct sink *sinks = nsplit->sinks;
	unsigned count = nsplit->count;
	char text[SIZE_TEXT_LENGTH], classes[CLASS_LIST_LENGTH], space[SPACE_TEXT_LENGTH];
	struct error ignored;

	if (o->config)
		fprintf(file, "configuration: %s\n", o->config);
	fprintf(file, "source: %s, %s\n", source->name,
	       source->is_stream ? "a stream of unknown length" : size_format(source->size, text));
	fprintf(file, "codec: %s, blocks of %" PRIu32 " bytes, chunks of %" PRIu32 "\n", c->codec_text,
	       c->block_size, c->chunk_size);
	if (c->dump)
		fprintf(file, "form: %s\n", c->dump->elf ? "ELF core" : "kdump-compressed");
	if (c->serial)
		fprintf(file, "threads: none\n");
	else
		fprintf(file, "threads: %u\n", c->threads);
	for (unsigned i = 0; i < count; i++)
		fprintf(file, "output %u: %s, %s%s%s\n", i, sinks[i].name, nsplit_sink_kind(&sinks[i]),
		       sinks[i].kind == SINK_FILE && sinks[i].identity.type ? ", overwritten" : "",
		       i + c->fallbacks >= count ? ", fallback" : "");
	if (o->left_out.classes)
		fprintf(file, "left out: %s\n", c->policy && c->policy->layers > 1 ?
			class_list_format(o->left_out.classes, classes) : "nothing, although asked for");
	nsplit_space_check(o, source, sinks, space, &ignored);
	if (*space)
		fprintf(file, "space: %s\n", space);
	fprintf(file, "memory: %s", size_format(plan->total, text));
	fprintf(file, " = %u chunk%s x %s", plan->chunks, plural(plan->chunks),
		size_format(plan->chunk, text));
	fprintf(file, " + %u thread%s x %s", capture_workers(c), plural(capture_workers(c)),
		size_format(plan->worker, text));
	fprintf(file, " + %u output%s x %s", count, plural(count),
		size_format(plan->sink, text));
	if (plan->pipes)
		fprintf(file, " + %s pipes", size_format(plan->pipes, text));
	fprintf(file, " + %s list of chunks", size_format(plan->ledger, text));
	if (plan->headers)
		fprintf(file, " + %s program headers", size_format(plan->headers, text));
	fprintf(file, " + %s program\n", size_format(plan->program, text));
}

void report_plan_as_message(const struct nsplit *nsplit, const struct memory_plan *plan)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return;
	report_plan(file, nsplit, plan);
	if (fclose(file) == 0)
		message_lines(text);
	free(text);
}

const char *nsplit_sink_kind(const struct sink *sink)
{
	switch (sink->kind) {
	case SINK_FILE:
		return "file";
	case SINK_BLOCK_DEVICE:
		return "block device";
	case SINK_NULL:
		return "null";
	case SINK_COMMAND:
		return "command";
	default:
		return "stream";
	}
}

static const char *state_name(enum sink_state state)
{
	switch (state) {
	case SINK_TAKING:
	case SINK_ENDED:
		return "whole";
	case SINK_FULL:
		return "full";
	case SINK_RESERVED:
		return "unused";
	default:
		return "failed";
	}
}

static void write_blocks(struct json *json, const uint64_t blocks[BLOCK_KINDS], uint64_t unreadable)
{
	json_object(json, "blocks");
	for (int kind = 0; kind < BLOCK_KINDS; kind++)
		json_number(json, block_kind_name(kind), blocks[kind]);
	json_number(json, "unreadable", divide_up(unreadable, GRANULE));
	json_close_object(json);
}

static void write_presets(struct json *json, const struct presets *presets,
			const uint64_t source_bytes[PRESETS_MAX])
{
	char name[PRESET_TEXT_LENGTH];

	json_array(json, "rungs");
	for (unsigned i = 0; i < presets->count; i++) {
		json_object(json, NULL);
		json_text(json, "codec", preset_format(&presets->list[i], name));
		json_number(json, "source_bytes", source_bytes[i]);
		json_close_object(json);
	}
	json_close_array(json);
}

static const char *outcome_name(enum status outcome)
{
	switch (outcome) {
	case STATUS_OK:
		return "perfect";
	case STATUS_MISSING:
		return "incomplete";
	case STATUS_STOPPED:
		return "stopped";
	default:
		return "failed";
	}
}

static void write_sinks(struct json *json, const struct nsplit *nsplit)
{
	const struct sink *sinks = nsplit->sinks;

	json_array(json, "sinks");
	for (unsigned i = 0; i < nsplit->count; i++) {
		struct sink_stats stats = capture_get_sink(nsplit->capture, i);

		json_object(json, NULL);
		json_text(json, "name", sinks[i].name);
		json_text(json, "kind", nsplit_sink_kind(&sinks[i]));
		json_text(json, "state", state_name(stats.state));
		if (stats.state == SINK_FULL || stats.state == SINK_DEAD)
			json_text(json, "reason", stats.why.text);
		json_bool(json, "direct", sinks[i].direct);
		json_number(json, "records", stats.records);
		json_number(json, "source_bytes", stats.source_bytes);
		json_number(json, "bytes", stats.member_bytes);
		/* A key of its own for each, since the two are compared with different things. */
		if (nsplit->digests && *nsplit->digests[i])
			json_text(json, nsplit->options.capture.dump ? "sha256" : "root", nsplit->digests[i]);
		json_real(json, "seconds", stats.seconds);
		json_close_object(json);
	}
	json_close_array(json);
}

/* Only of a capture that was to have layers. */
static void write_classes(struct json *json, const struct page_policy *page_policy,
			  const struct capture_progress *p)
{
	struct class_amounts amounts;

	if (!page_policy->wanted)
		return;
	json_number(json, "dump_level", dump_level_of_classes(page_policy->wishes.classes));
	json_bool(json, "layers", p->layers);
	if (page_policy->why.status || p->kept_because[0])
		json_text(json, "kept_after_all", page_policy->why.status ? page_policy->why.text : p->kept_because);
	if (!p->layers)
		return;
	amounts = capture_class_amounts(p);
	json_number(json, "second_place_bytes", amounts.second);
	json_array(json, "classes");
	for (unsigned i = 0; i < CLASSES; i++) {
		if (!amounts.kept[i] && !amounts.left_out[i] && !amounts.missing[i])
			continue;
		json_object(json, NULL);
		json_text(json, "name", layer_class_name(i));
		json_number(json, "kept", amounts.kept[i]);
		json_number(json, "left_out", amounts.left_out[i]);
		json_number(json, "missing", amounts.missing[i]);
		json_close_object(json);
	}
	json_close_array(json);
}

static void write_stats(FILE *file, const struct nsplit *nsplit, enum status outcome)
{
	const struct capture_settings *settings = &nsplit->options.capture;
	char uuid[UUID_TEXT_LENGTH + 1];
	struct capture_losses losses = capture_get_losses(nsplit->capture);
	struct capture_progress p = capture_get_progress(nsplit->capture);
	struct json json;

	uuid_format(&settings->id.uuid, uuid);
	json_begin(&json, file);
	json_text(&json, "version", PACKAGE_VERSION);
	json_text(&json, "outcome", outcome_name(outcome));
	if (outcome == STATUS_MISSING && (p.limit || nsplit->dump.dropped))
		json_text(&json, "limit", p.limit <= LIMIT_SIZE ? "size" : p.limit == LIMIT_FREE ? "free" : "time");
	json_text(&json, "uuid", uuid);
	json_text(&json, "source", nsplit->source->name);
	json_number(&json, "source_size", nsplit->source->size);
	json_text(&json, "codec", settings->codec_text);
	json_number(&json, "threads", settings->serial ? 0 : settings->threads);
	json_number(&json, "block_size", settings->block_size);
	json_number(&json, "chunk_size", settings->chunk_size);
	json_number(&json, "source_bytes", p.source_bytes);
	json_number(&json, "bytes", p.member_bytes);
	json_real(&json, "ratio", capture_ratio(&p));
	json_number(&json, "unreadable_bytes", losses.unreadable);
	json_number(&json, "changed_bytes", losses.changed);
	json_number(&json, "missing_bytes", losses.missing);
	write_blocks(&json, p.blocks, p.figures.unreadable);
	write_presets(&json, &settings->presets, p.presets);
	write_classes(&json, &nsplit->page_policy, &p);
	json_real(&json, "seconds", p.seconds);
	json_number(&json, "peak_memory", memory_peak());
	write_sinks(&json, nsplit);
	json_end(&json);
}

enum status nsplit_stats_write(const struct nsplit *nsplit, enum status outcome, struct error *e)
{
	const struct side_file side = nsplit_stats_file(&nsplit->options);
	bool failed;
	FILE *file;

	if (side_file_open(&side, &file, e))
		return e->status;
	write_stats(file, nsplit, outcome);
	failed = ferror(file);
	if (fclose(file) != 0 || failed)
		return error_system(e, errno, "%s", side.name);
	return STATUS_OK;
}
