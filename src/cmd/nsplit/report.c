// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/text.h"
#include "cmd/common/message.h"
#include "cmd/nsplit/digest.h"
#include "cmd/nsplit/report.h"
#include "cmd/nsplit/space.h"
#include "cmd/nsplit/stats.h"

enum { NEXT_STEP_LENGTH = 400, NEXT_STEP_REST = 60 };

void report_plan(FILE *file, const struct nsplit_options *o, const struct source *source,
		 const struct sink *sinks, const struct memory_plan *plan)
{
	const struct capture_settings *c = &o->capture;
	unsigned count = (unsigned)o->outputs.count;
	char text[SIZE_TEXT_LENGTH], classes[CLASS_LIST_LENGTH];

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
	nsplit_space_report(file, o, source, sinks);
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

static void report_digest(const struct nsplit_digest *digest)
{
	char text[DIGEST_TEXT_LENGTH + 1];

	digest_format(digest->sum, text);
	message("    %s %s", digest->is_root ? "root" : "SHA-256", text);
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

void report_summary(const struct presets *presets, struct capture *c, const struct sink *sinks,
		    const struct nsplit_digest *digests, unsigned count)
{
	char done[SIZE_TEXT_LENGTH], stored[SIZE_TEXT_LENGTH], written[SIZE_TEXT_LENGTH], speed[SIZE_TEXT_LENGTH];
	struct capture_progress p;

	capture_get_progress(c, &p);
	/* The ratio is that of the last two sizes; what was left out counts for the first only. */
	message("%s captured in %.2f s, %s/s; %s stored in %s, ratio %.2f",
		size_format(p.source_bytes, done), p.seconds,
		rate_format(p.source_bytes, p.seconds, speed),
		size_format(p.stored_bytes, stored),
		size_format(p.member_bytes, written),
		capture_ratio(&p));
	report_presets(presets, &p);
	report_classes(&p);
	for (unsigned i = 0; i < count; i++) {
		struct sink_stats stats;

		capture_get_sink(c, i, &stats);
		report_sink(&sinks[i], &stats, p.member_bytes);
		if (digests && digests[i].known)
			report_digest(&digests[i]);
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
