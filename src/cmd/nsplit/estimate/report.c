// SPDX-License-Identifier: GPL-2.0-or-later
/* An estimate as tables and sentences. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/size.h"
#include "base/text.h"
#include "cmd/common/left_out.h"
#include "cmd/nsplit/estimate/estimate.h"
#include "core/kinds/page_class.h"

enum { COLUMN = 12, LABEL = 17, WORD_LENGTH = 32 };

static const char *amount(const struct nsplit_estimate *n, uint64_t pages, char text[SIZE_TEXT_LENGTH])
{
	return size_format(pages * n->pages.page_size, text);
}

/* --- pages ------------------------------------------------------------------ */

static void print_origin(const struct nsplit_estimate *n)
{
	const struct estimate *est = &n->pages;
	char size[SIZE_TEXT_LENGTH];

	printf("memory: %s in %" PRIu64 " pages", amount(n, est->pages, size), est->pages);
	if (!est->kinds_counted)
		printf("; by /proc/meminfo, because %s", est->kinds_why.text);
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
	bool sampled = n->pages.kinds_counted && n->pages.pages_seen < n->pages.pages;

	printf("\n%-*s %*s", LABEL, "class", COLUMN, "memory");
	if (sampled)
		printf(" %*s", COLUMN, "error");
	printf("  left out by\n");
	for (unsigned i = 0; i < CLASSES; i++) {
		const struct estimate_class *c = &n->pages.of[i];

		if (!c->pages && !c->margin)
			continue;
		printf("%-*s %*s", LABEL, class_label(i, label), COLUMN, amount(n, c->pages, size));
		snprintf(margin, sizeof(margin), "+-%s", amount(n, c->margin, size));
		if (sampled)
			printf(" %*s", COLUMN, margin);
		printf("  %s\n", left_out_by(i, by));
	}
}

/* --- sizes ------------------------------------------------------------------- */

static const char *nothing_or_list(unsigned level, char text[CLASS_LIST_LENGTH])
{
	class_list_format(dump_level_classes(level), text);
	return *text ? text : "nothing";
}

static void print_sizes(const struct nsplit_estimate *n)
{
	char name[PRESET_TEXT_LENGTH], size[SIZE_TEXT_LENGTH], classes[CLASS_LIST_LENGTH];
	unsigned level;

	printf("\n%-3s", "-d");
	for (unsigned i = 0; i < n->pages.settings.presets_count; i++)
		printf(" %*s", COLUMN, nsplit_estimate_preset(n, i, name));
	printf("  leaves out\n");
	for (unsigned k = 0; nsplit_estimate_level(n, k, &level); k++) {
		printf("%-3u", level);
		for (unsigned i = 0; i < n->pages.settings.presets_count; i++)
			printf(" %*s", COLUMN, size_format(estimate_bytes(&n->pages, level, i), size));
		printf("  %s\n", nothing_or_list(level, classes));
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
		       size_format(n->limits.memory.bytes, have), size_format(n->kernel.reserved, reserved));
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

static void print_together(const struct nsplit_estimate *n)
{
	char size[SIZE_TEXT_LENGTH];
	uint64_t dumps = room_dumps(&n->room, n->bytes);

	if (n->room.count > 1 && n->room.space_known)
		printf("all outputs: %s, room for %" PRIu64 " dump%s\n", size_format(n->room.bytes, size), dumps,
		       plural(dumps));
}

void nsplit_estimate_report(const struct nsplit_estimate *n, const char *advice)
{
	print_origin(n);
	print_classes(n);
	print_sizes(n);
	print_memory(n);
	for (unsigned i = 0; i < n->room.count; i++)
		print_output(n, i);
	print_together(n);
	printf("\n%s\n", advice);
}
