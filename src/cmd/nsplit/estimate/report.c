// SPDX-License-Identifier: GPL-2.0-or-later
/* An estimate as tables and sentences, or as a JSON object. */
#include "config.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "cmd/common/left_out.h"
#include "cmd/nsplit/estimate/estimate.h"
#include "cmd/nsplit/report.h"
#include "core/kinds/page_class.h"
#include "io/path.h"

enum { COLUMN = 12, LABEL = 17, WORD_LENGTH = 32, ADVICE_LENGTH = 512 };

/* A dump level in tables, which end with that of the options if it is another; false: there are no more. */
static bool level_of(const struct nsplit_estimate *n, unsigned number, unsigned *level)
{
	/* Nothing is left out; free pages; also those of processes; also those of files. */
	static const unsigned usual[] = { 0, 16, 24, 31 };
	const unsigned count = sizeof(usual) / sizeof(usual[0]);
	bool own = false;

	for (unsigned i = 0; i < count; i++)
		own = own || dump_level_classes(usual[i]) == dump_level_classes(n->level);
	*level = number < count ? usual[number] : n->level;
	return number < count + !own;
}

/* --- one sentence ------------------------------------------------------------- */

/* As in the kernel's command line: the least that is sufficient, or what is reserved if that is. */
static void append_crashkernel(char *text, const struct nsplit_estimate *n)
{
	bool known = n->kernel.reserved_known, sufficient = known && n->kernel.reserved >= n->crashkernel;
	uint64_t bytes = sufficient && n->crashkernel ? n->kernel.reserved : n->crashkernel;
	bool whole = bytes >> 30 && !(bytes & ((1 << 30) - 1));

	if (!bytes)
		return;
	text_append(text, ADVICE_LENGTH, "crashkernel=%" PRIu64 "%c", bytes >> (whole ? 30 : 20), whole ? 'G' : 'M');
	if (known && !sufficient && n->kernel.reserved)
		text_append(text, ADVICE_LENGTH, " (now %" PRIu64 "M)", n->kernel.reserved >> 20);
	text_append(text, ADVICE_LENGTH, ", ");
}

/* No more exact than such a figure is. */
static void append_time(char *text, double seconds)
{
	enum { MINUTE = 60, HOUR = 3600 };

	if (seconds < 2 * MINUTE)
		text_append(text, ADVICE_LENGTH, "%.0f s", seconds < 1 ? 1 : seconds);
	else if (seconds < 2.0 * HOUR)
		text_append(text, ADVICE_LENGTH, "%.0f min", seconds / MINUTE);
	else
		text_append(text, ADVICE_LENGTH, "%.1f h", seconds / HOUR);
}

static void append_room(char *text, const struct nsplit_estimate *n)
{
	uint64_t dumps = room_dumps(&n->room, n->bytes);
	char space[SIZE_TEXT_LENGTH], directory[PATH_MAX];
	const char *where = "the outputs", *have = "have";

	if (!n->room.count)
		return;
	if (n->room.count == 1) {
		where = n->options->outputs.names[0];
		have = "has";
		if (n->sinks[0].kind == SINK_FILE && path_directory(where, directory))
			where = directory;
	}
	if (!n->room.space_known)
		text_append(text, ADVICE_LENGTH, "; whether it fits is unknown");
	else if (dumps)
		text_append(text, ADVICE_LENGTH, "; %s %s room for %" PRIu64, where, have, dumps);
	else
		text_append(text, ADVICE_LENGTH, "; it does not fit: %s %s only %s", where, have,
			    size_format(n->room.bytes, space));
}

/* "crashkernel=256M, -j4, -d 31: 11.0 GiB in about 40 s; /var/crash has room for 3"; returns text. */
static const char *format_advice(const struct nsplit_estimate *n, char text[ADVICE_LENGTH])
{
	char size[SIZE_TEXT_LENGTH];

	text[0] = '\0';
	append_crashkernel(text, n);
	text_append(text, ADVICE_LENGTH, "-j%u, -d %u: %s in %s ", capture_workers(&n->options->capture), n->level,
		    size_format(n->bytes, size), n->at_least ? "at least" : "about");
	append_time(text, n->seconds);
	append_room(text, n);
	return text;
}

/* --- pages ------------------------------------------------------------------ */

static void print_origin(const struct nsplit_estimate *n)
{
	const struct estimate *est = &n->pages;
	char size[SIZE_TEXT_LENGTH];

	printf("memory: %s in %" PRIu64 " pages", size_format(est->pages * est->page_size, size), est->pages);
	if (est->pages_why.status)
		printf("; by /proc/meminfo, because %s", est->pages_why.text);
	else if (est->pages_seen < est->pages)
		printf(", of which a sample of %" PRIu64 " was looked at", est->pages_seen);
	printf("\n");
	if (est->contents_read)
		printf("packed size: measured on %s of pages from /proc/kcore\n", size_format(est->sample_bytes, size));
	else
		printf("packed size: that of usual machines, because %s\n", est->contents_why.text);
}

/* "cache (2)", or what keeps the class in every dump. */
static const char *left_out_by(enum layer_class class, char text[WORD_LENGTH])
{
	unsigned classes = page_class_of_captured(class);

	if (page_captured_is_never_read(class))
		return "every level but 0";
	for (enum page_class c = 0; c < PAGE_CLASSES; c++)
		if (classes & PAGE_CLASS_BIT(c)) {
			snprintf(text, WORD_LENGTH, "%s (%u)", page_class_name(c), dump_level_of_classes(PAGE_CLASS_BIT(c)));
			return text;
		}
	return "no level";
}

/* The error of the sample is shown only if there is one. */
static void print_classes(const struct nsplit_estimate *n)
{
	char size[SIZE_TEXT_LENGTH], margin[SIZE_TEXT_LENGTH + 2], by[WORD_LENGTH], label[CLASS_LABEL_LENGTH];
	bool sampled = !n->pages.pages_why.status && n->pages.pages_seen < n->pages.pages;

	printf("\n%-*s %*s", LABEL, "class", COLUMN, "memory");
	if (sampled)
		printf(" %*s", COLUMN, "error");
	printf("  left out by\n");
	for (unsigned i = 0; i < CLASSES; i++) {
		const struct estimate_class *c = &n->pages.of[i];

		if (!c->pages && !c->margin)
			continue;
		printf("%-*s %*s", LABEL, class_label(i, label), COLUMN, size_format(c->pages * n->pages.page_size, size));
		snprintf(margin, sizeof(margin), "+-%s", size_format(c->margin * n->pages.page_size, size));
		if (sampled)
			printf(" %*s", COLUMN, margin);
		printf("  %s\n", left_out_by(i, by));
	}
}

/* --- sizes ------------------------------------------------------------------- */

static void print_sizes(const struct nsplit_estimate *n)
{
	char name[PRESET_TEXT_LENGTH], size[SIZE_TEXT_LENGTH], classes[CLASS_LIST_LENGTH];
	unsigned level;

	printf("\n%-3s", "-d");
	for (unsigned i = 0; i < n->pages.settings.presets_count; i++)
		printf(" %*s", COLUMN, preset_format(&n->pages.settings.presets[i], name));
	printf("  leaves out\n");
	for (unsigned k = 0; level_of(n, k, &level); k++) {
		printf("%-3u", level);
		for (unsigned i = 0; i < n->pages.settings.presets_count; i++)
			printf(" %*s", COLUMN, size_format(estimate_bytes(&n->pages, level, i), size));
		printf("  %s\n", *class_list_format(dump_level_classes(level), classes) ? classes : "nothing");
	}
}

/* --- the capture --------------------------------------------------------------- */

static void print_memory(const struct nsplit_estimate *n)
{
	char need[SIZE_TEXT_LENGTH], have[SIZE_TEXT_LENGTH], reserved[SIZE_TEXT_LENGTH];
	unsigned threads = capture_workers(&n->options->capture);

	printf("\n");
	if (n->fit.outcome != FIT_AS_WANTED)
		printf("memory of the capture: %s\n", n->fit.text.text);
	else if (n->kernel.reserved_known && n->kernel.reserved)
		printf("memory of the capture: %s for %u thread%s, of %s that the capture kernel leaves of %s\n",
		       size_format(n->plan.total, need), threads, plural(threads),
		       size_format(n->limit.bytes, have), size_format(n->kernel.reserved, reserved));
	else
		printf("memory of the capture: %s for %u thread%s; %s\n", size_format(n->plan.total, need),
		       threads, plural(threads), n->kernel.reserved_known ?
		       "no memory is reserved for a capture kernel" : "what is reserved is unknown");
}

static void print_output(const struct nsplit_estimate *n, unsigned i)
{
	const struct room_output *o = &n->room.of[i];
	char size[SIZE_TEXT_LENGTH];
	uint64_t dumps = room_dumps_of(o, n->bytes);

	printf("output %s: ", n->options->outputs.names[i]);
	if (!o->space_known)
		printf("its space is unknown");
	else if (o->space.is_device)
		printf("a device of %s, which %s", size_format(o->space.bytes, size),
		       dumps ? "holds the dump" : "is too small for all of the dump");
	else if (dumps)
		printf("%s free, room for %" PRIu64 " dump%s", size_format(o->space.bytes, size), dumps, plural(dumps));
	else
		printf("%s free, too little for all of the dump", size_format(o->space.bytes, size));
	if (o->tried)
		printf("; %s/s in a trial\n", rate_format(o->trial.bytes, o->trial.seconds, size));
	else
		printf("; not tried: %s\n", o->why.text);
}

static void print_text(const struct nsplit_estimate *n, const char *advice)
{
	uint64_t dumps = room_dumps(&n->room, n->bytes);
	char size[SIZE_TEXT_LENGTH];

	print_origin(n);
	print_classes(n);
	print_sizes(n);
	print_memory(n);
	for (unsigned i = 0; i < n->room.count; i++)
		print_output(n, i);
	if (n->room.count > 1 && n->room.space_known)
		printf("all outputs: %s, room for %" PRIu64 " dump%s\n", size_format(n->room.bytes, size), dumps, plural(dumps));
	printf("\n%s\n", advice);
}

/* --- JSON --------------------------------------------------------------------- */

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
	for (unsigned k = 0; level_of(n, k, &level); k++)
		for (unsigned i = 0; i < n->pages.settings.presets_count; i++) {
			json_object(json, NULL);
			json_number(json, "dump_level", level);
			json_text(json, "codec", preset_format(&n->pages.settings.presets[i], name));
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
	if (n->limit.bytes != UINT64_MAX)
		json_number(json, "available_bytes", n->limit.bytes);
	if (n->crashkernel)
		json_number(json, "crashkernel_bytes", n->crashkernel);
	if (n->limit.bytes != UINT64_MAX)
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
	json_text(json, "pages_from", est->pages_from);
	if (est->pages_why.status)
		json_text(json, "pages_why", est->pages_why.text);
	json_text(json, "ratio_from", est->contents_read ? "/proc/kcore" : "usual machines");
	if (!est->contents_read)
		json_text(json, "ratio_why", est->contents_why.text);
	json_number(json, "sample_bytes", est->sample_bytes);
}

static void print_json(const struct nsplit_estimate *n, const char *advice)
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

void nsplit_estimate_print(const struct nsplit_estimate *n)
{
	char advice[ADVICE_LENGTH];

	format_advice(n, advice);
	if (n->options->json)
		print_json(n, advice);
	else
		print_text(n, advice);
}
