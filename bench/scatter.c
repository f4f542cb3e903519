// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *	scatter pages SIZE PERCENT MEMBER...
 *	scatter machine SIZE MEMBER...
 *	scatter read MEMBER...
 *	scatter plan SIZE THREADS
 *
 * What records and maps cost in the worst case: of each MiB of the source, 8 pages are kept, none of them
 * beside another, and all others are left out.  The source is made up and takes no memory.
 *
 * "pages": captures it with LZO to these members.  This many percent of each page are zeros.  The engine is
 * that of nsplit; only what it asks about classes is answered here.
 * "machine": the same, but all pages are zeros, and the last 64th of the source is the memory map; also for
 * tests/system/layers-memory.sh.
 * "read": opens the set as njoin does, and prints, in bytes: the members, the packed pages in them, run
 * lists and tables with the headers of their records, padding and index; the memory of the map; and the
 * memory of what is known of the contents besides, which only some commands need.
 * "plan": the memory of a capture of so much, without layers and with them.
 *
 * Exit status 2: something failed.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "base/system.h"
#include "base/text.h"
#include "bench/bench.h"
#include "capture/engine/capture.h"
#include "core/kinds/page_class.h"
#include "die.h"
#include "filter/filter.h"
#include "format/format.h"
#include "io/sink.h"
#include "io/source.h"
#include "set/read/contents.h"
#include "set/read/range.h"

enum {
	CHUNK = 1 << 20, KEPT_EVERY = 32,	/* granules; 8 in each MiB */
	MAP_SHARE = 64,			/* of the source: 64 bytes for each page */
	MEMBERS_MOST = 64, THREADS_MOST = 1024,
};

static uint64_t size_of(const char *text)
{
	struct error e;
	uint64_t size;

	if (size_parse(text, &size, &e))
		die("usage", e.text);
	return size;
}

/* --- what is left out ---------------------------------------------------------------- */

struct scatter {
	struct source *source;
	uint64_t map;			/* offset of the memory map, which ends at the end of the source */
};

static void classify(void *arg, unsigned worker, uint64_t offset, uint32_t granules, struct runs *classes)
{
	const struct scatter *s = arg;

	(void)worker;
	for (uint64_t i = 0; i < granules; i++)
		runs_add(classes, offset >= s->map ? CLASS_MAP :
				  (offset / GRANULE + i) % KEPT_EVERY ? CLASS_FREE : CLASS_KERNEL, 1);
}

/* All classes are believed. */
static void judge(void *arg, unsigned worker, unsigned after_all, struct class_table *classes,
		  char reason[REASON_TEXT_LENGTH + 1])
{
	(void)arg, (void)worker, (void)after_all, (void)reason;
	for (unsigned i = 0; i < CLASSES; i++)
		if (class_state(classes, i) == CLASS_PLANNED_OUT)
			classes->of[i] = class_entry(CLASS_LEFT_OUT, 0);
}

/* With the memory of the filter, although it is not used here: for the plan. */
static size_t memory(void *arg, uint32_t unit_size)
{
	const struct scatter *s = arg;

	return filter_memory(s->source, unit_size, true);
}

static struct layer_policy make_policy(struct scatter *s)
{
	const struct filter_wishes wishes = { .classes = dump_level_classes(31) };
	struct layer_policy policy = {
		.classify = classify, .judge = judge, .memory = memory,
		.worker_memory = filter_thread_memory(s->source), .arg = s,
	};

	policy.layers = filter_plan(s->source, &wishes, &policy.plan);
	return policy;
}

/* --- the capture ----------------------------------------------------------------------- */

static struct capture_settings make_settings(unsigned threads, const struct layer_policy *policy)
{
	struct capture_settings s = {
		.codec_text = "lzo", .creator = PACKAGE_STRING, .block_size = GRANULE, .chunk_size = CHUNK,
		.threads = threads, .policy = policy, .fixed_time = -1,
	};
	struct error e;

	if (presets_find(s.codec_text, &s.presets, &e) || random_bytes(s.id.uuid.bytes, UUID_LENGTH, &e))
		die("settings", e.text);
	uuid_from_random(&s.id.uuid);
	return s;
}

static void sink_failed(void *arg, const struct sink_stats *stats, const struct sinks_left *left)
{
	(void)arg, (void)left;
	die("an output failed", stats->why.text);
}

static void unreadable(void *arg, uint64_t offset, uint64_t length, const struct error *why)
{
	(void)arg, (void)offset, (void)length;
	die("the made-up source", why->text);
}

static void tick(void *arg)
{
	(void)arg;
}

static void capture_to(struct scatter *s, char **names, unsigned count)
{
	const struct capture_watch watch = {
		.watch = { .fd = -1, .interval = 60, .tick = tick },
		.sink_failed = sink_failed, .unreadable = unreadable,
	};
	struct sink sinks[MEMBERS_MOST];
	struct layer_policy policy = make_policy(s);
	struct capture_settings settings = make_settings(2, &policy);
	struct memory_plan plan;
	struct capture *capture;
	struct error e;

	for (unsigned i = 0; i < count; i++)
		if (sink_probe(&sinks[i], names[i], NULL, 0, DIRECT_AUTO, &e))
			die("an output", e.text);
	if (capture_plan(&settings, s->source, sinks, count, &plan, &e) ||
	    capture_new(&capture, &settings, &plan, s->source, sinks, count, &e))
		die("the capture", e.text);
	capture_open(capture, &watch);
	if (capture_run(capture, &e))
		die("the capture", e.text);
	capture_free(capture);
	for (unsigned i = 0; i < count; i++)
		sink_free(&sinks[i]);
}

/* pattern: as fake: accepts it.  The memory map is this part of the source; 0: there is none. */
static void capture_command(const char *size, const char *pattern, unsigned map_share, char **names, int count)
{
	struct scatter s = { .map = UINT64_MAX };
	struct error e;
	char name[128];

	snprintf(name, sizeof(name), "fake:%s,pattern=%s", size, pattern);
	if (count > MEMBERS_MOST)
		die("usage", "too many members");
	if (fake_open(&s.source, name, &e))
		die("the made-up source", e.text);
	if (map_share)
		s.map = round_down(s.source->size - s.source->size / map_share, CHUNK);
	capture_to(&s, names, (unsigned)count);
	source_close(s.source);
}

static void pages_command(const char *size, const char *percent, char **names, int count)
{
	char pattern[64];

	snprintf(pattern, sizeof(pattern), "random,compressible=%s", percent);
	capture_command(size, pattern, 0, names, count);
}

/* --- the set --------------------------------------------------------------------------- */

static uint64_t peak(void)
{
	uint64_t bytes = memory_peak();

	if (!bytes)
		die("memory", "/proc/self/status does not say");
	return bytes;
}

struct amounts {
	uint64_t members, records, packed, lists, padding, runs;
};

static void count_records(const struct set *set, struct amounts *a)
{
	struct set_cell cell;
	struct error e;

	for (unsigned i = 0; i < set->count; i++)
		a->members += set->members[i].size;
	if (cell_init(&cell, set, &e))
		die("the set", e.text);
	for (size_t i = 0; i < set->locations; i++) {
		const struct record *record = &cell.head.record;

		if (record_head_load(&cell.head, set, set->map[i], &e))
			die("the set", e.text);
		a->records++;
		a->runs += record->runs;
		a->packed += record->payload_length;
		a->lists += record_table_offset(record) + (uint64_t)record_blocks(record) * RECORD_ENTRY_LENGTH;
	}
	cell_free(&cell);
}

static void read_command(char **list, int count)
{
	const struct set_settings settings = { 0 };
	struct names names = { .names = list, .count = (size_t)count };
	struct amounts a = { 0 };
	struct contents contents;
	uint64_t before = peak(), map;
	struct error e;
	struct set set;

	if (set_open(&set, &names, &settings, &e))
		die("the set", e.text);
	map = peak();
	if (contents_find(&contents, &set, &(struct contents_watch){ 0 }, &e))
		die("the set", e.text);
	printf("map: %" PRIu64 "\ncontents: %" PRIu64 "\n", map - before, peak() - map);
	if (contents.missing.count || contents.unreadable.count)
		die("the set", "something is missing");
	contents_free(&contents);
	count_records(&set, &a);
	printf("source: %" PRIu64 "\nmembers: %" PRIu64 "\nrecords: %" PRIu64 "\nruns: %" PRIu64 "\n",
	       set.source_size, a.members, a.records, a.runs);
	printf("packed: %" PRIu64 "\nlists: %" PRIu64 "\npadding: %" PRIu64 "\n", a.packed, a.lists,
	       a.members - a.packed - a.lists);
	set_close(&set);
}

/* --- the plan -------------------------------------------------------------------------- */

static uint64_t planned(struct source *source, const struct capture_settings *settings)
{
	struct memory_plan plan;
	struct sink sink;
	struct error e;

	if (sink_probe(&sink, "null:", NULL, 0, DIRECT_AUTO, &e) || capture_plan(settings, source, &sink, 1, &plan, &e))
		die("the plan", e.text);
	sink_free(&sink);
	return plan.total;
}

static void plan_command(const char *size, const char *count)
{
	unsigned threads = (unsigned)strtoul(count, NULL, 10);
	struct scatter s = { .map = UINT64_MAX };
	struct capture_settings settings;
	struct layer_policy policy;
	uint64_t without;
	struct error e;

	if (threads < 1 || threads > THREADS_MOST)
		die("usage", "scatter plan SIZE THREADS");
	if (source_expect(&s.source, "/proc/vmcore", size_of(size), MMAP_AUTO, &e))
		die("the source", e.text);
	policy = make_policy(&s);
	settings = make_settings(threads, NULL);
	without = planned(s.source, &settings);
	settings.policy = &policy;
	printf("without: %" PRIu64 "\nwith: %" PRIu64 "\npasses: %u\n", without, planned(s.source, &settings),
	       policy.layers);
	source_close(s.source);
}

int main(int argc, char **argv)
{
	if (argc > 4 && strcmp(argv[1], "pages") == 0)
		pages_command(argv[2], argv[3], argv + 4, argc - 4);
	else if (argc > 3 && strcmp(argv[1], "machine") == 0)
		capture_command(argv[2], "zero", MAP_SHARE, argv + 3, argc - 3);
	else if (argc > 2 && strcmp(argv[1], "read") == 0)
		read_command(argv + 2, argc - 2);
	else if (argc == 4 && strcmp(argv[1], "plan") == 0)
		plan_command(argv[2], argv[3]);
	else
		die("usage", "scatter pages SIZE PERCENT MEMBER..., scatter machine SIZE MEMBER..., scatter read "
		    "MEMBER..., or scatter plan SIZE THREADS");
	return 0;
}
