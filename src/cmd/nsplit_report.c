// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/size.h"
#include "cmd/message.h"
#include "cmd/nsplit_report.h"
#include "cmd/nsplit_space.h"

static const char *sink_kind_name(const struct sink *sink)
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

void report_plan(FILE *file, const struct nsplit_options *o, const struct source *source,
		 const struct sink *sinks, const struct memory_plan *plan)
{
	const struct capture_settings *c = &o->capture;
	unsigned count = (unsigned)o->outputs.count;
	char text[SIZE_TEXT_LENGTH];

	if (o->config)
		fprintf(file, "configuration: %s\n", o->config);
	fprintf(file, "source: %s, %s\n", source->name,
	       source->is_stream ? "a stream of unknown length" : size_format(source->size, text));
	fprintf(file, "codec: %s, blocks of %" PRIu32 " bytes, chunks of %" PRIu32 "\n", c->codec_text,
	       c->block_size, c->chunk_size);
	if (c->serial)
		fprintf(file, "threads: none\n");
	else
		fprintf(file, "threads: %u\n", c->threads);
	for (unsigned i = 0; i < count; i++)
		fprintf(file, "output %u: %s, %s%s%s\n", i, sinks[i].name, sink_kind_name(&sinks[i]),
		       sinks[i].kind == SINK_FILE && sinks[i].identity.type ? ", overwritten" : "",
		       i + c->fallbacks >= count ? ", fallback" : "");
	nsplit_space_report(file, o, source, sinks);
	fprintf(file, "memory: %s", size_format(plan->total, text));
	fprintf(file, " = %u chunks x %s", plan->chunks, size_format(plan->chunk, text));
	fprintf(file, " + %u threads x %s", capture_workers(c), size_format(plan->worker, text));
	fprintf(file, " + %u outputs x %s", count, size_format(plan->sink, text));
	if (plan->pipes)
		fprintf(file, " + %s pipes", size_format(plan->pipes, text));
	fprintf(file, " + %s ledger", size_format(plan->ledger, text));
	fprintf(file, " + %s program\n", size_format(plan->program, text));
}

void report_plan_as_message(const struct nsplit_options *o, const struct source *source,
			    const struct sink *sinks, const struct memory_plan *plan)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return;
	report_plan(file, o, source, sinks, plan);
	if (fclose(file) == 0)
		message_lines(text);
	free(text);
}

static double rate(uint64_t bytes, double seconds)
{
	return seconds > 0 ? (double)bytes / seconds : 0;
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
	message("  %s: %s, %.0f %%, %s/s%s", sink->name, size_format(stats->member_bytes, size),
		100 * share,
		size_format((uint64_t)rate(stats->member_bytes, stats->seconds), speed),
		stats->state == SINK_FULL ? ", full" : "");
}

/* With -C auto: which presets compressed how much of the source. */
static void report_presets(const struct presets *presets, const struct capture_progress *p)
{
	char list[PRESETS_MAX * (PRESET_TEXT_LENGTH + 16)], name[PRESET_TEXT_LENGTH];
	int length = 0;

	if (presets->count == 1 || !p->source_bytes)
		return;
	for (unsigned i = 0; i < presets->count; i++)
		if (p->presets[i])
			length += snprintf(list + length, sizeof(list) - (size_t)length, "%s%s %.0f %%",
					   length ? ", " : "",
					   preset_format(&presets->list[i], name),
					   100 * (double)p->presets[i] / (double)p->source_bytes);
	message("  chosen: %s", list);
}

void report_summary(const struct presets *presets, struct capture *c, const struct sink *sinks,
		    unsigned count)
{
	char done[SIZE_TEXT_LENGTH], written[SIZE_TEXT_LENGTH], speed[SIZE_TEXT_LENGTH];
	struct capture_progress p;

	capture_get_progress(c, &p);
	message("%s captured in %.2f s, %s/s; %s written, ratio %.2f",
		size_format(p.source_bytes, done), p.seconds,
		size_format((uint64_t)rate(p.source_bytes, p.seconds), speed),
		size_format(p.member_bytes, written),
		p.member_bytes ? (double)p.source_bytes / (double)p.member_bytes : 0);
	report_presets(presets, &p);
	for (unsigned i = 0; i < count; i++) {
		struct sink_stats stats;

		capture_get_sink(c, i, &stats);
		report_sink(&sinks[i], &stats, p.member_bytes);
	}
}

void report_missing(struct capture *c)
{
	struct message_ranges ranges;
	char text[SIZE_TEXT_LENGTH];
	uint64_t offset = 0, length;

	message_ranges_begin(&ranges, false);
	for (; capture_missing(c, &offset, &length); offset += length)
		message_range(&ranges, offset, length);
	message_ranges_end(&ranges);
	if (ranges.list.count)
		message("missing: %s in total", size_format(ranges.bytes, text));
}

static void write_blocks(struct json *json, const uint64_t blocks[BLOCK_KINDS])
{
	json_object(json, "blocks");
	for (int kind = 0; kind < BLOCK_KINDS; kind++)
		json_number(json, block_kind_name(kind), blocks[kind]);
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

static void write_sinks(struct json *json, struct capture *c, const struct sink *sinks,
			unsigned count)
{
	json_array(json, "sinks");
	for (unsigned i = 0; i < count; i++) {
		struct sink_stats stats;

		capture_get_sink(c, i, &stats);
		json_object(json, NULL);
		json_text(json, "name", sinks[i].name);
		json_text(json, "kind", sink_kind_name(&sinks[i]));
		json_text(json, "state", state_name(stats.state));
		if (stats.state == SINK_FULL || stats.state == SINK_DEAD)
			json_text(json, "reason", stats.why.text);
		json_bool(json, "direct", sinks[i].direct);
		json_number(json, "records", stats.records);
		json_number(json, "source_bytes", stats.source_bytes);
		json_number(json, "bytes", stats.member_bytes);
		json_real(json, "seconds", stats.seconds);
		json_close_object(json);
	}
	json_close_array(json);
}

/*
 * The most memory that was resident, in bytes; 0 if unknown.  getrusage() would include the shell
 * that this process was before exec.
 */
static uint64_t peak_memory(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	uint64_t kilobytes = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmHWM: %" SCNu64, &kilobytes) == 1)
			break;
	if (file)
		fclose(file);
	return kilobytes * 1024;
}

static void write_stats(FILE *file, const struct nsplit_options *o, struct capture *c,
			const struct source *source, const struct sink *sinks,
			enum status outcome)
{
	const struct capture_settings *settings = &o->capture;
	char uuid[UUID_TEXT_LENGTH + 1];
	struct capture_progress p;
	struct json json;

	capture_get_progress(c, &p);
	uuid_format(&settings->id.uuid, uuid);
	json_begin(&json, file);
	json_text(&json, "version", PACKAGE_VERSION);
	json_text(&json, "outcome", outcome_name(outcome));
	json_text(&json, "uuid", uuid);
	json_text(&json, "source", source->name);
	json_number(&json, "source_size", source->size);
	json_text(&json, "codec", settings->codec_text);
	json_number(&json, "threads", settings->serial ? 0 : settings->threads);
	json_number(&json, "block_size", settings->block_size);
	json_number(&json, "chunk_size", settings->chunk_size);
	json_number(&json, "source_bytes", p.source_bytes);
	json_number(&json, "bytes", p.member_bytes);
	write_blocks(&json, p.blocks);
	write_presets(&json, &settings->presets, p.presets);
	json_real(&json, "seconds", p.seconds);
	json_number(&json, "peak_memory", peak_memory());
	write_sinks(&json, c, sinks, (unsigned)o->outputs.count);
	json_end(&json);
}

enum status report_stats(const struct nsplit_options *o, struct capture *c,
			 const struct source *source, const struct sink *sinks,
			 enum status outcome, struct error *e)
{
	FILE *file = fopen(o->stats_file, "we");
	bool failed;

	if (!file)
		return error_system(e, errno, "%s", o->stats_file);
	write_stats(file, o, c, source, sinks, outcome);
	failed = ferror(file);
	if (fclose(file) != 0 || failed)
		return error_system(e, errno, "%s", o->stats_file);
	return STATUS_OK;
}
