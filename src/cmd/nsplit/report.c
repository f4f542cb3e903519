// SPDX-License-Identifier: GPL-2.0-or-later
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
#include "cmd/nsplit/probe.h"
#include "cmd/nsplit/report.h"
#include "core/kinds/page_class.h"

enum { NEXT_STEP_LENGTH = 400, NEXT_STEP_REST = 60 };

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
		fprintf(file, "left out: %s\n", c->policy ? class_list_format(o->left_out.classes, classes) :
								"nothing, although asked for");
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

static void report_sink(const struct sink *sink, const struct sink_stats *stats,
			uint64_t member_bytes)
{
	char size[SIZE_TEXT_LENGTH], speed[SIZE_TEXT_LENGTH];
	double share = member_bytes ? (double)stats->member_bytes / (double)member_bytes : 0;

	if (stats->state == SINK_DEAD) {
		message("  %s: failed, not counted", sink->name);
		return;
	}
	if (stats->state == SINK_RESERVED) {
		message("  %s: fallback, not needed", sink->name);
		return;
	}
	/* Not "null::". */
	message("  %s: %s, %.0f %%, %s/s%s%s", sink->kind == SINK_NULL ? "null" : sink->name,
		size_format(stats->member_bytes, size),
		100 * share,
		rate_format(stats->member_bytes, stats->seconds, speed),
		stats->state == SINK_FULL ? ", full" : "",
		sink->kind == SINK_NULL || identity_keeps_nothing(&sink->identity) ? ", not stored" : "");
}

/* With -C auto: which presets compressed how much of what is stored. */
static void report_presets(const struct presets *presets, const struct capture_progress *p)
{
	char list[PRESETS_MAX * (PRESET_TEXT_LENGTH + 16)] = "", name[PRESET_TEXT_LENGTH];

	if (presets->count == 1 || !p->stored_bytes)
		return;
	for (unsigned i = 0; i < presets->count; i++)
		if (p->presets[i])
			text_append(list, sizeof(list), "%s%s %.0f %%", *list ? ", " : "",
				    preset_format(&presets->list[i], name),
				    100 * (double)p->presets[i] / (double)p->stored_bytes);
	message("  chosen: %s", list);
}

/* With layers: how much of the source was kept, and how much was left out. */
static void report_classes(const struct capture_progress *p)
{
	uint64_t missing = capture_missing_bytes(p), known = 0;
	char text[CLASS_AMOUNTS_LENGTH], size[SIZE_TEXT_LENGTH];
	struct class_amounts amounts;

	if (!p->layers)
		return;
	capture_class_amounts(p, &amounts);
	if (amounts.second)
		message("  second places: %s that the source has twice, counted once", size_format(amounts.second, size));
	/* With one layer, classes are not looked for. */
	if (p->layers == 1)
		return;
	class_amounts_format(amounts.kept, text);
	message("  kept: %s", text);
	if (class_amounts_format(amounts.left_out, text))
		message("  left out: %s", text);
	for (unsigned i = 0; i < CLASSES; i++)
		known += amounts.missing[i];
	/* Pages that were not read have no class yet. */
	if (class_amounts_format_missing(amounts.missing, missing - min_u64(known, missing), text))
		message("  missing by class: %s", text);
}

void report_kept_after_all(struct capture *c)
{
	struct capture_progress p;

	capture_get_progress(c, &p);
	if (p.kept_because[0] && p.whole == p.layers)
		message("warning: pages that were to be left out were captured after all: %s",
			p.kept_because);
	else if (p.kept_because[0])
		message("warning: pages that were to be left out are missing unless they were captured: %s",
			p.kept_because);
}

void report_summary(const struct nsplit *nsplit)
{
	char done[SIZE_TEXT_LENGTH], stored[SIZE_TEXT_LENGTH], written[SIZE_TEXT_LENGTH], speed[SIZE_TEXT_LENGTH];
	struct capture_progress p;

	capture_get_progress(nsplit->capture, &p);
	/* The ratio is that of the last two sizes; what was left out counts for the first only. */
	message("%s captured in %.2f s, %s/s; %s stored in %s, ratio %.2f",
		size_format(p.source_bytes, done), p.seconds,
		rate_format(p.source_bytes, p.seconds, speed),
		size_format(p.stored_bytes, stored),
		size_format(p.member_bytes, written),
		capture_ratio(&p));
	report_presets(&nsplit->options.capture.presets, &p);
	report_classes(&p);
	for (unsigned i = 0; i < nsplit->count; i++) {
		const struct nsplit_digest *digest = nsplit->digests ? &nsplit->digests[i] : NULL;
		char text[DIGEST_TEXT_LENGTH + 1];
		struct sink_stats stats;

		capture_get_sink(nsplit->capture, i, &stats);
		report_sink(&nsplit->sinks[i], &stats, p.member_bytes);
		if (!digest || !digest->known)
			continue;
		hex_format(digest->sum, DIGEST_LENGTH, text);
		message("    %s %s", digest->is_root ? "root" : "SHA-256", text);
	}
}

/* For the shell.  False: there is no room for it. */
static bool append_word(char text[NEXT_STEP_LENGTH], const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._+-:@%,";
	bool is_plain = !word[strspn(word, plain)];

	/* "'\\''" for each character, and what follows. */
	if (strlen(text) + 4 * strlen(word) + NEXT_STEP_REST > NEXT_STEP_LENGTH)
		return false;
	text_append(text, NEXT_STEP_LENGTH, "%s", is_plain ? " " : " '");
	for (; *word; word++)
		text_append(text, NEXT_STEP_LENGTH, "%s%c%s", *word == '\'' ? "'\\" : "", *word,
			    *word == '\'' ? "'" : "");
	text_append(text, NEXT_STEP_LENGTH, "%s", is_plain ? "" : "'");
	return true;
}

/* All files and devices that hold something.  False: there are other outputs that do, too many, or none. */
static bool append_stored(const struct nsplit *nsplit, char text[NEXT_STEP_LENGTH])
{
	bool any = false;

	for (unsigned i = 0; i < nsplit->count; i++) {
		const struct sink *sink = &nsplit->sinks[i];
		struct sink_stats stats;

		capture_get_sink(nsplit->capture, i, &stats);
		if (!stats.records || stats.state == SINK_DEAD)
			continue;
		if ((sink->kind != SINK_FILE && sink->kind != SINK_BLOCK_DEVICE) || sink->moved ||
		    !append_word(text, sink->name))
			return false;
		any = true;
	}
	return any;
}

void report_next_step(const struct nsplit *nsplit)
{
	const struct nsplit_options *o = &nsplit->options;
	bool dump = o->capture.dump, discarded = nsplit->sinks->kind == SINK_NULL;
	char names[NEXT_STEP_LENGTH] = "";
	bool stored = append_stored(nsplit, names);

	/* Under the name makedumpfile, the reader of the dump is known; a filter may have stored anything. */
	if (nsplit->all_or_failed || o->drill || o->filter || discarded || (dump && !stored))
		return;
	if (dump)
		message("to open it: crash VMLINUX%s", names);
	else
		message("to open it: nsplit-mount%s DIR && crash VMLINUX DIR/vmcore.kdump", stored ? names : " MEMBER...");
}

/*
 * With layers, the ranges are of units that a pass did not read: some of their pages may have been kept,
 * or left out, and pages elsewhere may be missing since their use has changed.
 */
static void report_missing_total(struct capture *c, bool listed, uint64_t bytes)
{
	struct capture_progress p;
	char text[SIZE_TEXT_LENGTH];

	capture_get_progress(c, &p);
	if (p.layers)
		message("missing: %s in total; complete layers: %u%s", size_format(capture_missing_bytes(&p), text),
			p.whole, listed ? "; njoin --verify lists the pages" : "");
	else
		message("missing: %s in total", size_format(bytes, text));
}

void report_missing(struct capture *c, const struct source *source, bool listed)
{
	struct message_ranges ranges;
	uint64_t offset = 0, length, at;

	message_ranges_begin(&ranges, RANGES_LISTED);
	for (; capture_missing(c, &offset, &length); offset += length) {
		at = source_original(source, offset, &length);
		if (at != UINT64_MAX)
			message_range(&ranges, at, length);
	}
	message_ranges_end(&ranges);
	if (ranges.list.count)
		report_missing_total(c, listed, ranges.bytes);
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

/* A key of its own for each, since the two are compared with different things. */
static void write_digest(struct json *json, const struct nsplit_digest *digest)
{
	char text[DIGEST_TEXT_LENGTH + 1];

	if (!digest->known)
		return;
	hex_format(digest->sum, DIGEST_LENGTH, text);
	json_text(json, digest->is_root ? "root" : "sha256", text);
}

static void write_sinks(struct json *json, const struct nsplit *nsplit)
{
	const struct sink *sinks = nsplit->sinks;

	json_array(json, "sinks");
	for (unsigned i = 0; i < nsplit->count; i++) {
		struct sink_stats stats;

		capture_get_sink(nsplit->capture, i, &stats);
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
		if (nsplit->digests)
			write_digest(json, &nsplit->digests[i]);
		json_real(json, "seconds", stats.seconds);
		json_close_object(json);
	}
	json_close_array(json);
}

/* Only of a capture that was to have layers. */
static void write_classes(struct json *json, const struct page_policy *layers,
			  const struct capture_progress *p)
{
	struct class_amounts amounts;

	if (!layers->wanted)
		return;
	json_number(json, "dump_level", dump_level_of_classes(layers->classes));
	json_bool(json, "layers", p->layers);
	if (layers->why.status || p->kept_because[0])
		json_text(json, "kept_after_all", layers->why.status ? layers->why.text : p->kept_because);
	if (!p->layers)
		return;
	capture_class_amounts(p, &amounts);
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
	struct capture_losses losses;
	struct capture_progress p;
	struct json json;

	capture_get_progress(nsplit->capture, &p);
	capture_get_losses(nsplit->capture, &losses);
	uuid_format(&settings->id.uuid, uuid);
	json_begin(&json, file);
	json_text(&json, "version", PACKAGE_VERSION);
	json_text(&json, "outcome", outcome_name(outcome));
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
	write_classes(&json, &nsplit->layers, &p);
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
