// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/memory.h"
#include "cmd/nsplit/digest.h"
#include "cmd/nsplit/stats.h"
#include "core/kinds/page_class.h"

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
	digest_format(digest->sum, text);
	json_text(json, digest->is_root ? "root" : "sha256", text);
}

static void write_sinks(struct json *json, struct capture *c, const struct sink *sinks,
			const struct nsplit_digest *digests, unsigned count)
{
	json_array(json, "sinks");
	for (unsigned i = 0; i < count; i++) {
		struct sink_stats stats;

		capture_get_sink(c, i, &stats);
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
		if (digests)
			write_digest(json, &digests[i]);
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

static void write_losses(struct json *json, struct capture *c)
{
	struct capture_losses losses;

	capture_get_losses(c, &losses);
	json_number(json, "unreadable_bytes", losses.unreadable);
	json_number(json, "changed_bytes", losses.changed);
	json_number(json, "missing_bytes", losses.missing);
}

static void write_stats(FILE *file, const struct nsplit_options *o, struct capture *c,
			const struct page_policy *layers, const struct source *source,
			const struct sink *sinks, const struct nsplit_digest *digests,
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
	json_real(&json, "ratio", capture_ratio(&p));
	write_losses(&json, c);
	write_blocks(&json, p.blocks, p.figures.unreadable);
	write_presets(&json, &settings->presets, p.presets);
	write_classes(&json, layers, &p);
	json_real(&json, "seconds", p.seconds);
	json_number(&json, "peak_memory", memory_peak());
	write_sinks(&json, c, sinks, digests, (unsigned)o->outputs.count);
	json_end(&json);
}

/* The first keys above. */
static bool is_ours(const char *head, size_t length)
{
	static const char *const words[] = { "{", "\"version\"", "\"outcome\"", "\"uuid\"", "\"source\"", NULL };

	return side_file_has(head, length, words);
}

struct side_file nsplit_stats_file(const struct nsplit_options *o)
{
	return (struct side_file){ .called = "--stats", .name = o->stats_file, .is_ours = is_ours };
}

enum status nsplit_stats_write(const struct nsplit_options *o, struct capture *c,
			       const struct page_policy *layers, const struct source *source,
			       const struct sink *sinks, const struct nsplit_digest *digests,
			       enum status outcome, struct error *e)
{
	const struct side_file side = nsplit_stats_file(o);
	bool failed;
	FILE *file;

	if (side_file_open(&side, &file, e))
		return e->status;
	write_stats(file, o, c, layers, source, sinks, digests, outcome);
	failed = ferror(file);
	if (fclose(file) != 0 || failed)
		return error_system(e, errno, "%s", o->stats_file);
	return STATUS_OK;
}
