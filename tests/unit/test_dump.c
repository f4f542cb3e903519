// SPDX-License-Identifier: GPL-2.0-or-later
/* Dumps in place of a set: the core that they are read as, missing and damaged pages, split files. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "core/elf.h"
#include "export/set_core.h"
#include "helper.h"
#include "made_dump.h"
#include "set/dump.h"
#include "set/read/range.h"
#include "set/read/walk.h"

enum { PAGE = MADE_DUMP_PAGE, THREADS = 3 };

static const char info[] = "OSRELEASE=6.1.0-test\nPAGESIZE=4096\n";
static const char usual[] = "..--0tp-rtt0..ptt-pr";

static void make(struct made_dump *m, const struct made_dump_settings *s, const char *name)
{
	made_dump_init(m, s);
	helper_write_file(name, m->bytes, m->size);
}

static enum status open_names(struct set *set, size_t count, const char *const *list, struct error *e)
{
	const struct set_settings settings = { .plain = true };
	const struct names names = { .names = (char **)(uintptr_t)list, .count = count };

	return set_open(set, &names, &settings, e);
}

static enum status open_one(struct set *set, const char *name, struct error *e)
{
	return open_names(set, 1, &name, e);
}

/* --- reading --------------------------------------------------------------------- */

/* Is the page of this rank there?  Then it is what the map says. */
static bool has_page(struct range_reader *r, const char *map, uint64_t rank)
{
	const struct dump *d = r->set->members[0].dump;
	uint8_t got[PAGE], want[PAGE];
	uint64_t length, pfn = made_dump_pfn(map, rank);
	struct error e;
	enum status status = range_read(r, d->head_size + rank * PAGE, PAGE, got, &e);

	ck_assert(status == STATUS_OK || status == STATUS_MISSING);
	ck_assert_uint_eq(dump_address(d, d->head_size + rank * PAGE + 5, &length), pfn * PAGE + 5);
	ck_assert_uint_ge(length, PAGE - 5);
	if (status)
		return false;
	made_dump_page(map, pfn, want);
	ck_assert_mem_eq(got, want, PAGE);
	return true;
}

struct walked {
	const struct set *set;
	uint8_t *bytes;
	bool *unreadable;		/* of each page of the source */
};

static enum status take(void *arg, const struct delivery *piece, struct error *e)
{
	struct walked *w = arg;

	(void)e;
	if (piece->data)
		memcpy(w->bytes + piece->offset, piece->data, piece->length);
	return STATUS_OK;
}

static void take_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	struct walked *w = arg;

	for (uint64_t i = offset / PAGE; i < (offset + length) / PAGE; i++)
		w->unreadable[i] = true;
}

static void no_damage(void *arg, const struct error *e)
{
	(void)arg;
	ck_abort_msg("%s", e->text);
}

static void tick(void *arg)
{
	(void)arg;
}

/* A walk over records finds the same pages as reading each of them.  Returns how many are there. */
static uint64_t check_pages(struct set *set, const char *map)
{
	const struct dump *d = set->members[0].dump;
	uint64_t head = d->head_size / PAGE, there = 0;
	struct walked w = {
		.set = set,
		.bytes = calloc(1, set->source_size),
		.unreadable = calloc(1, set->source_size / PAGE),
	};
	const struct walk_settings settings = {
		.mode = WALK_BYTES, .threads = THREADS, .to = UINT64_MAX, .deliver = take, .deliver_arg = &w,
		.unreadable = take_unreadable, .damaged = no_damage, .arg = &w,
		.watch = { .fd = -1, .interval = 60, .tick = tick },
	};
	struct range_reader r;
	struct walk *walk;
	uint8_t page[PAGE];
	struct error e;

	ck_assert_int_eq(walk_new(&walk, set, &settings, &e), STATUS_OK);
	ck_assert_int_eq(walk_run(walk, &e), STATUS_OK);
	walk_free(walk);
	ck_assert_int_eq(range_reader_init(&r, set, &e), STATUS_OK);
	for (uint64_t i = 0; i < head; i++)
		ck_assert(!w.unreadable[i]);
	ck_assert_mem_eq(w.bytes, d->head, d->head_size);
	for (uint64_t rank = 0; rank < d->pages; rank++) {
		bool has = has_page(&r, map, rank);

		ck_assert(w.unreadable[head + rank] == !has);
		made_dump_page(map, made_dump_pfn(map, rank), page);
		if (has)
			ck_assert_mem_eq(w.bytes + d->head_size + rank * PAGE, page, PAGE);
		there += has;
	}
	range_reader_free(&r);
	free(w.bytes);
	free(w.unreadable);
	return there;
}

static uint64_t count_absent(const struct set *set)
{
	struct range_list list;
	uint64_t bytes = 0;
	struct error e;

	ck_assert_int_eq(dump_absent_find(set->members[0].dump, &list, &e), STATUS_OK);
	for (size_t i = 0; i < list.count; i++) {
		bytes += list.ranges[i].length;
		ck_assert(!i || list.ranges[i].offset > list.ranges[i - 1].offset + list.ranges[i - 1].length);
	}
	range_list_free(&list);
	return bytes / PAGE;
}

START_TEST(test_codecs)
{
	for (unsigned id = 0; id <= CODEC_ZLIB; id++) {
		const struct codec *codec = codec_by_id(id);
		struct made_dump m;
		struct error e;
		struct set set;

		if (id == CODEC_LZ4 || !codec)
			continue;
		make(&m, &(struct made_dump_settings){ .map = usual, .codec = codec, .vmcoreinfo = info }, "d");
		ck_assert_int_eq(open_one(&set, "d", &e), STATUS_OK);
		ck_assert(set_is_dump(&set) && set_is_made(&set) && !set_is_plain(&set));
		ck_assert_str_eq(dump_codec_name(set.members[0].dump), codec->name);
		ck_assert_uint_eq(set.members[0].dump->level, MADE_DUMP_LEVEL);
		ck_assert_uint_eq(check_pages(&set, usual), m.pages);
		ck_assert_uint_eq(count_absent(&set), 0);
		ck_assert(dump_is_complete(set.members[0].dump));
		ck_assert_uint_eq(set.members[0].dump->parts[0].file.file_size, m.size);
		set_close(&set);
		made_dump_free(&m);
	}
}
END_TEST

/* The core has all memory, whether its pages are in the dump or not. */
START_TEST(test_core)
{
	static const struct {
		uint64_t pfn, memory, kept;
	} want[] = { { 2, 2, 0 }, { 4, 3, 3 }, { 7, 1, 0 }, { 8, 4, 4 }, { 14, 3, 3 }, { 17, 1, 0 }, { 18, 2, 2 } };
	struct uts uts = { .release = "?" };
	struct set_core core;
	struct made_dump m;
	struct error e;
	struct set set;

	make(&m, &(struct made_dump_settings){ .map = usual, .vmcoreinfo = info }, "d");
	ck_assert_int_eq(open_one(&set, "d", &e), STATUS_OK);
	ck_assert_int_eq(set_core_open(&core, &set, &e), STATUS_OK);
	ck_assert_int_eq(core.core.machine, EM_X86_64);
	ck_assert_uint_eq(core.core.segments_count, LENGTH(want));
	for (size_t i = 0; i < LENGTH(want); i++) {
		const struct segment *s = &core.core.segments[i];

		ck_assert_uint_eq(s->paddr, want[i].pfn * PAGE);
		ck_assert_uint_eq(s->memsz, want[i].memory * PAGE);
		ck_assert_uint_eq(s->filesz, want[i].kept * PAGE);
	}
	ck_assert_uint_eq(core_count_cpus(&core.core), 1);
	set_core_uts(&set, &uts);
	ck_assert_str_eq(uts.release, "6.1.0-test");
	ck_assert_str_eq(uts.version, "#1 SMP");
	set_core_close(&core);
	set_close(&set);
	made_dump_free(&m);
}
END_TEST

/* The core has the machine of the dump. */
START_TEST(test_machines)
{
	static const struct {
		const char *name;
		uint16_t machine;
	} machines[] = {
		{ "x86_64", EM_X86_64 }, { "aarch64", EM_AARCH64 }, { "riscv64", EM_RISCV }, { "ppc64le", EM_PPC64 },
		{ "loongarch64", EM_LOONGARCH },
	};
	struct made_dump m;

	made_dump_init(&m, &(struct made_dump_settings){ .map = usual, .vmcoreinfo = info });
	for (size_t i = 0; i < LENGTH(machines); i++) {
		struct set_core core;
		struct error e;
		struct set set;

		memset(m.bytes + 272, 0, 65);
		strcpy((char *)m.bytes + 272, machines[i].name);
		helper_write_file("d", m.bytes, m.size);
		ck_assert_int_eq(open_one(&set, "d", &e), STATUS_OK);
		ck_assert_int_eq(set_core_open(&core, &set, &e), STATUS_OK);
		ck_assert_uint_eq(core.core.machine, machines[i].machine);
		set_core_close(&core);
		set_close(&set);
	}
	made_dump_free(&m);
}
END_TEST

/* Before version 4, VMCOREINFO is not in a note, and before version 6, numbers have 32 bits. */
START_TEST(test_versions)
{
	for (uint32_t version = 3; version <= 6; version++) {
		struct vmcoreinfo found;
		struct set_core core;
		struct made_dump m;
		struct error e;
		struct set set;

		make(&m, &(struct made_dump_settings){ .map = usual, .version = version, .vmcoreinfo = info }, "d");
		ck_assert_int_eq(open_one(&set, "d", &e), STATUS_OK);
		ck_assert_uint_eq(set.members[0].dump->version, version);
		ck_assert_uint_eq(check_pages(&set, usual), m.pages);
		ck_assert_int_eq(set_core_open(&core, &set, &e), STATUS_OK);
		ck_assert_int_eq(vmcoreinfo_find(&core.core, &found, &e), STATUS_OK);
		ck_assert_uint_eq(found.size, strlen(info));
		set_core_close(&core);
		set_close(&set);
		made_dump_free(&m);
	}
}
END_TEST

/* Memory of which no page is in the dump, and no memory at all. */
START_TEST(test_empty)
{
	static const char *const maps[] = { "..--..", "......" };

	for (size_t i = 0; i < LENGTH(maps); i++) {
		struct made_dump m;
		struct error e;
		struct set set;

		make(&m, &(struct made_dump_settings){ .map = maps[i], .vmcoreinfo = info }, "d");
		helper_write_file("d", m.bytes, m.size + 1);
		ck_assert_int_eq(open_one(&set, "d", &e), STATUS_OK);
		ck_assert_uint_eq(check_pages(&set, maps[i]), 0);
		ck_assert_uint_eq(count_absent(&set), 0);
		set_close(&set);
		made_dump_free(&m);
	}
}
END_TEST

/* A record fits into the bytes that its location says: the mount loads it into as many. */
static void check_record_lengths(const struct set *set)
{
	struct record_reader r;
	struct error e;

	ck_assert_int_eq(record_reader_init(&r, set, &e), STATUS_OK);
	for (size_t i = 0; i < set->locations; i++) {
		ck_assert_int_eq(record_reader_load(&r, set, set->map[i], &e), STATUS_OK);
		ck_assert_uint_le(record_length(&r.record), set->map[i]->entry.record_length);
		ck_assert_uint_le(set->map[i]->entry.record_length, set_record_length_max(set));
	}
	record_reader_free(&r);
}

/* More pages than a record has, in more runs than a piece of the bitmaps. */
START_TEST(test_large)
{
	enum { FRAMES = 2000 };
	char map[FRAMES + 1];
	struct made_dump m;
	struct error e;
	struct set set;

	for (size_t i = 0; i < FRAMES; i++)
		map[i] = "tp0r-."[i % 17 % 6];
	map[FRAMES] = '\0';
	make(&m, &(struct made_dump_settings){ .map = map, .codec = codec_by_id(CODEC_LZO) }, "d");
	ck_assert_int_eq(open_one(&set, "d", &e), STATUS_OK);
	ck_assert_uint_gt(set.locations, 2);
	check_record_lengths(&set);
	ck_assert_uint_eq(check_pages(&set, map), m.pages);
	set_close(&set);
	made_dump_free(&m);
}
END_TEST

/* --- what is missing ----------------------------------------------------------------- */

/* Pages count as far as their descriptors and bytes are there. */
START_TEST(test_cut)
{
	struct made_dump m;

	make(&m, &(struct made_dump_settings){ .map = usual, .vmcoreinfo = info }, "d");
	for (size_t end = 100; end < m.size; end += end < m.descriptors - 500 ? 499 : end < m.data ? 11 : 501) {
		uint64_t descriptors = end > m.descriptors ? (end - m.descriptors) / 24 : 0;
		uint64_t there = end > m.data ? (end - m.data) / PAGE : 0;
		struct error e;
		struct set set;
		enum status status;

		helper_write_file("cut", m.bytes, end);
		status = open_one(&set, "cut", &e);
		if (end <= m.descriptors) {
			ck_assert_int_eq(status, STATUS_CUT);
			ck_assert(strstr(e.text, "cut: cut short: the dump ends at byte ") &&
				  strstr(e.text, ", before its first page"));
		} else {
			ck_assert_int_eq(status, STATUS_OK);
			ck_assert_uint_eq(check_pages(&set, usual), min_u64(descriptors, there));
			ck_assert_uint_eq(count_absent(&set), m.pages - there);
		}
		set_close(&set);
	}
	made_dump_free(&m);
}
END_TEST

/* Descriptors that lead nowhere, and pages that do not unpack. */
START_TEST(test_descriptors)
{
	static const struct {
		uint64_t offset;		/* 0: as it was */
		uint32_t size, flags;
		bool known;			/* without reading the page */
		bool right;			/* the page can be read: other bits than those of codecs do not matter */
		enum codec_id codec;		/* 0: pages are not packed */
		uint64_t rank;			/* of the page; 0: 2 */
	} wrong[] = {
		/* A stream of zlib says where it ends, even at the end of the file. */
		{ 1, PAGE + 1, 1, false, true, CODEC_ZLIB, 0 },
		{ 1, 0x80000001, 1, false, true, CODEC_ZLIB, 0 },
		{ 1, PAGE + 1, 1, false, true, CODEC_ZLIB, 10 },
		{ UINT64_MAX, PAGE + 1, 1, true, false, CODEC_ZLIB, 0 },
		{ 1, PAGE + 1, 4, true, false, CODEC_SNAPPY, 0 },
		{ 1, 0, 0, true, false, 0, 0 },
		{ 1, PAGE + 1, 0, true, false, 0, 0 },
		{ 1, UINT32_MAX, 0, true, false, 0, 0 },
		{ 1, PAGE - 1, 0, false, false, 0, 0 },
		{ 1, PAGE, 0x10, false, true, 0, 0 },
		{ 1, PAGE, 0x40000000, false, true, 0, 0 },
		{ UINT64_MAX, PAGE, 0, true, false, 0, 0 },
		{ UINT64_MAX - PAGE, PAGE, 0, true, false, 0, 0 },
		{ (uint64_t)1 << 63, PAGE, 0, true, false, 0, 0 },
		{ 1, 100, 3, false, false, 0, 0 },
	};
	struct made_dump m;

	for (size_t i = 0; i < LENGTH(wrong); i++) {
		static const char map[] = "..--0tp-rtt0..ptt-p";
		const struct codec *codec = wrong[i].codec ? codec_by_id(wrong[i].codec) : NULL;
		uint8_t *descriptor;
		struct error e;
		struct set set;

		/* This build may lack it. */
		if (wrong[i].codec && !codec)
			continue;
		make(&m, &(struct made_dump_settings){ .map = map, .codec = codec, .vmcoreinfo = info }, "d");
		descriptor = m.bytes + m.descriptors + (wrong[i].rank ? wrong[i].rank : 2) * 24;
		if (wrong[i].offset > 1)
			put_le64(descriptor, wrong[i].offset);
		put_le32(descriptor + 8, wrong[i].size);
		put_le32(descriptor + 12, wrong[i].flags);
		helper_write_file("d", m.bytes, m.size);
		ck_assert_int_eq(open_one(&set, "d", &e), STATUS_OK);
		ck_assert_uint_eq(check_pages(&set, map), m.pages - !wrong[i].right);
		ck_assert_uint_eq(count_absent(&set), wrong[i].known);
		set_close(&set);
		made_dump_free(&m);
	}
}
END_TEST

START_TEST(test_damaged_page)
{
	const struct codec *codec = codec_by_id(CODEC_LZO);
	struct made_dump m;
	struct error e;
	struct set set;

	make(&m, &(struct made_dump_settings){ .map = "ttttt", .codec = codec }, "d");
	memset(m.bytes + get_le64(m.bytes + m.descriptors + 24) + 20, 0xff, 40);
	helper_write_file("d", m.bytes, m.size);
	ck_assert_int_eq(open_one(&set, "d", &e), STATUS_OK);
	ck_assert_uint_eq(check_pages(&set, "ttttt"), 4);
	ck_assert_uint_eq(count_absent(&set), 0);
	set_close(&set);
	made_dump_free(&m);
}
END_TEST

/* A flattened dump with the bitmaps cut: only the pages whose bits came before count. */
START_TEST(test_cut_bitmap)
{
	enum { FRAMES = 4096 * 8 * 2 };
	char *map = malloc(FRAMES + 1);
	uint8_t *flat, *end;
	struct made_dump m;
	struct error e;
	struct set set;
	size_t size;

	memset(map, '-', FRAMES);
	map[FRAMES] = '\0';
	memcpy(map, "tptr", 4);
	memcpy(map + FRAMES / 2, "tp", 2);
	made_dump_init(&m, &(struct made_dump_settings){ .map = map });
	/* All of it, with the pages first. */
	size = made_dump_flatten(m.bytes, m.size, PAGE, true, &flat);
	ck_assert_uint_gt(size, 0);
	helper_write_file("whole", flat, size);
	ck_assert_int_eq(open_one(&set, "whole", &e), STATUS_OK);
	ck_assert_uint_eq(check_pages(&set, map), 6);
	set_close(&set);
	free(flat);
	/* Up to a half of the second bitmap. */
	size = made_dump_flatten(m.bytes, m.bitmap2 + PAGE, PAGE, false, &flat);
	size -= 16;
	/* The pages follow, without what was between. */
	flat = realloc(flat, size + 16 + m.size - m.descriptors);
	ck_assert(flat != NULL);
	end = made_dump_put_piece(flat + size, m.bytes, m.descriptors, m.size - m.descriptors);
	helper_write_file("cut", flat, (size_t)(end - flat));
	ck_assert_int_eq(open_one(&set, "cut", &e), STATUS_OK);
	ck_assert(dump_is_cut(set.members[0].dump) && !dump_is_complete(set.members[0].dump));
	ck_assert_uint_eq(check_pages(&set, map), 4);
	set_close(&set);
	free(flat);
	free(map);
	made_dump_free(&m);
}
END_TEST

/* --- split dumps ----------------------------------------------------------------------- */

static void make_part(const char *name, uint64_t first, uint64_t end, const char *text)
{
	struct made_dump m;

	make(&m, &(struct made_dump_settings){ .map = usual, .codec = codec_by_id(CODEC_LZO), .split = true,
					       .first = first, .end = end, .vmcoreinfo = text }, name);
	made_dump_free(&m);
}

/* A part whose header has another time and release. */
static void make_part_of(const char *name, uint64_t first, uint64_t end, const char *text, uint8_t time, char release)
{
	struct made_dump m;

	make(&m, &(struct made_dump_settings){ .map = usual, .codec = codec_by_id(CODEC_LZO), .split = true,
					       .first = first, .end = end, .vmcoreinfo = text }, name);
	m.bytes[408] = time;
	m.bytes[12 + 2 * 65 + 4] = release;
	helper_write_file(name, m.bytes, m.size);
	made_dump_free(&m);
}

START_TEST(test_split)
{
	static const char *const all[] = { "b", "c", "a" }, *const some[] = { "c", "a" };
	struct error e;
	struct set set;

	make_part("a", 0, 6, info);
	make_part("b", 6, 11, info);
	make_part("c", 11, strlen(usual), info);
	ck_assert_int_eq(open_names(&set, 3, all, &e), STATUS_OK);
	ck_assert_uint_eq(check_pages(&set, usual), 12);
	ck_assert_uint_eq(count_absent(&set), 0);
	set_close(&set);
	ck_assert_int_eq(open_names(&set, 2, some, &e), STATUS_OK);
	ck_assert_uint_eq(check_pages(&set, usual), 8);
	ck_assert_uint_eq(count_absent(&set), 4);
	set_close(&set);
	ck_assert_int_eq(open_one(&set, "b", &e), STATUS_OK);
	ck_assert_uint_eq(check_pages(&set, usual), 4);
	set_close(&set);
}
END_TEST

START_TEST(test_not_of_same)
{
	static const char *const twice[] = { "a", "a" }, *const whole[] = { "a", "w" }, *const other[] = { "a", "x" };
	struct made_dump m;
	struct error e;
	struct set set;

	make_part("a", 0, 6, info);
	make_part_of("x", 6, strlen(usual), "OSRELEASE=6.1.0-other\nPAGESIZE=4096\n", 1, '0');
	make(&m, &(struct made_dump_settings){ .map = usual, .vmcoreinfo = info }, "w");
	made_dump_free(&m);
	ck_assert_int_eq(open_names(&set, 2, twice, &e), STATUS_USAGE);
	ck_assert_str_eq(e.text, "a: was given twice");
	set_close(&set);
	ck_assert_int_eq(open_names(&set, 2, whole, &e), STATUS_USAGE);
	ck_assert_str_eq(e.text, "w: is not of the same split dump as a");
	set_close(&set);
	ck_assert_int_eq(open_names(&set, 2, other, &e), STATUS_USAGE);
	ck_assert_str_eq(e.text, "x: is not of the same split dump as a");
	set_close(&set);
}
END_TEST

/*
 * What is wrong in the headers of one file of three, even two numbers at once, is named; what the others say is used.  The
 * dump is the same in any order of its files.
 */
START_TEST(test_damaged_part)
{
	static const char *const orders[][3] = { { "a", "b", "c" }, { "c", "a", "b" }, { "b", "c", "a" } };
	static const struct {
		size_t at, size;		/* of these bytes */
		uint8_t value;			/* that they get */
		const char *text;		/* behind the name */
	} wrong[] = {
		{ PAGE + 8, 1, 1, "the level in the header differs from that of" },
		{ PAGE, 8, 0x80, "phys_base in the header differs from that of" },
		{ 12 + 70, 3, 'x', "the utsname in the header differs from that of" },
		{ PAGE + 112 + 20, 200, 0xff, "a note in the header differs from that of" },
		{ PAGE + 112 + 12 + 8 + 336 + 12 + 12 + 1, 1, 'x', "a note in the header differs from that of" },
		{ PAGE + 8, 8, 0, "the mark of a split dump in the header; what fits the rest of the file is used" },
		{ 428, 16, 0xff, "several numbers in the header; what fits the rest of the file is used" },
		{ 436, 8, 1, "several numbers in the header; what fits the rest of the file is used" },
	};
	static const uint64_t end[] = { 0, 6, 11, 20 };

	for (size_t i = 0; i < LENGTH(wrong); i++)
		for (size_t hurt = 0; hurt < 3; hurt++)
			for (size_t k = 0; k < LENGTH(orders); k++) {
				static const char *const names[] = { "a", "b", "c" };
				const struct names *found;
				char want[200];
				struct error e;
				struct set set;

				for (size_t part = 0; part < 3; part++) {
					struct made_dump m;

					made_dump_init(&m, &(struct made_dump_settings){
							.map = usual, .codec = codec_by_id(CODEC_LZO), .split = true,
							.first = end[part], .end = end[part + 1], .vmcoreinfo = info });
					if (part == hurt)
						memset(m.bytes + wrong[i].at, wrong[i].value, wrong[i].size);
					helper_write_file(names[part], m.bytes, m.size);
					made_dump_free(&m);
				}
				snprintf(want, sizeof(want), "%s: damaged: %s", names[hurt], wrong[i].text);
				ck_assert_msg(open_names(&set, 3, orders[k], &e) == STATUS_OK, "%zu, %zu: %s", i, hurt, e.text);
				ck_assert_uint_eq(check_pages(&set, usual), 12);
				ck_assert_uint_eq(count_absent(&set), 0);
				ck_assert_uint_eq(set.members[0].dump->level, MADE_DUMP_LEVEL);
				found = &set.members[0].dump->findings;
				ck_assert_uint_ge(found->count, 1);
				ck_assert_msg(!strncmp(found->names[0], want, strlen(want)), "%s", found->names[0]);
				set_close(&set);
			}
}
END_TEST

/* A wrong value in one place is damage: the time in the notes or the header, or the release; most files are right. */
START_TEST(test_wrong_crash)
{
	static const char *const all[] = { "a", "b", "c" }, *const two[] = { "a", "b" };
	static const struct {
		const char *text;
		uint8_t time;
		const char *want;
	} wrong[] = {
		{ "OSRELEASE=6.1.0\nPAGESIZE=4096\nCRASHTIME=1700000001\n", 0, "a note" },
		{ "OSRELEASE=6.1.1\nPAGESIZE=4096\nCRASHTIME=1700000000\n", 0, "a note" },
		{ "OSRELEASE=6.1.0\nPAGESIZE=4096\nCRASHTIME=1700000000\n", 1, "the time of the crash" },
	};

	for (size_t i = 0; i < LENGTH(wrong); i++)
		for (size_t hurt = 0; hurt < 3; hurt++)
			for (size_t count = 2; count <= 3; count++) {
				static const uint64_t ends[] = { 0, 6, 11, 20 };
				char want[100];
				struct error e;
				struct set set;

				for (size_t k = 0; k < 3; k++)
					make_part_of(all[k], ends[k], ends[k + 1], k == hurt ? wrong[i].text :
						     "OSRELEASE=6.1.0\nPAGESIZE=4096\nCRASHTIME=1700000000\n",
						     k == hurt ? wrong[i].time : 0, '6');
				if (hurt >= count)
					continue;
				ck_assert_msg(open_names(&set, count, count == 3 ? all : two, &e) == STATUS_OK, "%zu: %s", i, e.text);
				ck_assert_uint_eq(set.members[0].dump->findings.count, 1);
				snprintf(want, sizeof(want), "%s: damaged: %s in the header differs from that of ", all[hurt],
					 wrong[i].want);
				if (count == 3 || i == 0)
					ck_assert_msg(!strncmp(set.members[0].dump->findings.names[0], want, strlen(want)), "%zu: %s",
						      i, set.members[0].dump->findings.names[0]);
				set_close(&set);
			}
}
END_TEST

/* Another crash is another dump, whatever else is the same. */
START_TEST(test_other_crash)
{
	static const char *const both[] = { "a", "b" };
	static const char *const texts[][2] = {
		{ "OSRELEASE=6.1.0\nPAGESIZE=4096\nCRASHTIME=1700000000\n", "OSRELEASE=6.1.0\nPAGESIZE=4096\nCRASHTIME=1700000001\n" },
		{ "OSRELEASE=6.1.0\nPAGESIZE=4096\n", "OSRELEASE=6.1.1\nPAGESIZE=4096\n" },
	};
	struct error e;
	struct set set;

	for (size_t i = 0; i < LENGTH(texts); i++) {
		make_part_of("a", 0, 6, texts[i][0], 0, '6');
		make_part_of("b", 6, strlen(usual), texts[i][1], i == 0, i == 0 ? '6' : '7');
		ck_assert_int_eq(open_names(&set, 2, both, &e), STATUS_USAGE);
		ck_assert_str_eq(e.text, "b: is not of the same split dump as a");
		set_close(&set);
	}
}
END_TEST

/* A file with another level and another bitmap is of another dump of the same crash. */
START_TEST(test_other_level)
{
	static const char *const names[] = { "a", "b", "c" };
	static const uint64_t end[] = { 0, 6, 11, 20 };

	for (size_t other = 0; other < 3; other++) {
		struct error e;
		struct set set;

		for (size_t i = 0; i < 3; i++) {
			struct made_dump m;

			made_dump_init(&m, &(struct made_dump_settings){
					.map = usual, .codec = codec_by_id(CODEC_LZO), .split = true,
					.first = end[i], .end = end[i + 1], .vmcoreinfo = info });
			m.bytes[PAGE + 8] ^= i == other;
			m.bytes[m.bitmap2] ^= i == other;
			helper_write_file(names[i], m.bytes, m.size);
			made_dump_free(&m);
		}
		ck_assert_int_eq(open_names(&set, 3, names, &e), STATUS_USAGE);
		ck_assert_ptr_nonnull(strstr(e.text, ": is not of the same split dump as "));
		set_close(&set);
	}
}
END_TEST

/* One wrong bit in the bitmap of one of the files, wherever it is: all pages are there, and the file is named. */
START_TEST(test_wrong_bit)
{
	static const char *const names[] = { "a", "b", "c" };
	static const uint64_t ends[][4] = { { 0, 11, 20 }, { 0, 6, 11, 20 } };
	enum { FRAMES = 20 };

	for (size_t parts = 2; parts <= 3; parts++)
		for (size_t hurt = 0; hurt < parts; hurt++)
			for (uint64_t pfn = 0; pfn < FRAMES; pfn++) {
				const uint64_t *end = ends[parts - 2];
				char text[128];
				struct error e;
				struct set set;

				for (size_t i = 0; i < parts; i++) {
					struct made_dump m;

					made_dump_init(&m, &(struct made_dump_settings){
							.map = usual, .codec = codec_by_id(CODEC_LZO), .split = true,
							.first = end[i], .end = end[i + 1], .vmcoreinfo = info });
					m.bytes[m.bitmap2 + pfn / 8] ^= (uint8_t)((i == hurt) << pfn % 8);
					helper_write_file(names[i], m.bytes, m.size);
					made_dump_free(&m);
				}
				ck_assert_int_eq(open_names(&set, parts, names, &e), STATUS_OK);
				ck_assert_uint_eq(check_pages(&set, usual), 12);
				ck_assert_uint_eq(count_absent(&set), 0);
				ck_assert(dump_is_complete(set.members[0].dump) && !dump_is_intact(set.members[0].dump));
				ck_assert_uint_eq(set.members[0].dump->findings.count, 1);
				snprintf(text, sizeof(text), "%s: damaged: the bitmap of its pages; that of ", names[hurt]);
				ck_assert(!strncmp(set.members[0].dump->findings.names[0], text, strlen(text)));
				set_close(&set);
			}
}
END_TEST

/* In a single file, nothing says which bit it is. */
START_TEST(test_wrong_bit_alone)
{
	for (uint64_t pfn = 0; pfn < 20; pfn++) {
		struct made_dump m;
		struct error e;
		struct set set;

		made_dump_init(&m, &(struct made_dump_settings){ .map = usual, .vmcoreinfo = info });
		m.bytes[m.bitmap2 + pfn / 8] ^= (uint8_t)(1 << pfn % 8);
		helper_write_file("d", m.bytes, m.size);
		made_dump_free(&m);
		ck_assert_int_eq(open_one(&set, "d", &e), STATUS_OK);
		ck_assert(!dump_is_intact(set.members[0].dump));
		ck_assert_str_eq(set.members[0].dump->findings.names[0], "d: damaged: the bitmap of its pages has another number of "
				 "pages than there are descriptors; pages may be in the places of others");
		set_close(&set);
	}
}
END_TEST

/* Parts without pages, which makedumpfile makes if there are more files than it needs, in any order. */
START_TEST(test_empty_parts)
{
	static const char *const orders[][4] = { { "a", "b", "n", "o" }, { "n", "o", "a", "b" }, { "b", "n", "o", "a" } };
	struct error e;
	struct set set;

	make_part("a", 0, 11, info);
	make_part("b", 11, strlen(usual), info);
	make_part("n", 11, 11, info);
	make_part("o", 5, 5, info);
	/* makedumpfile: as long as the headers, bitmaps and descriptors of the others. */
	ck_assert_int_eq(truncate("n", 64 * PAGE), 0);
	for (size_t i = 0; i < LENGTH(orders); i++) {
		ck_assert_int_eq(open_names(&set, 4, orders[i], &e), STATUS_OK);
		ck_assert_uint_eq(check_pages(&set, usual), 12);
		ck_assert_uint_eq(count_absent(&set), 0);
		ck_assert(dump_is_complete(set.members[0].dump));
		ck_assert_uint_eq(set.members[0].dump->findings.count, 0);
		set_close(&set);
	}
}
END_TEST

/* A part whose headers or bitmaps are not there takes only its own pages with it. */
START_TEST(test_headless_part)
{
	static const char *const orders[][3] = { { "x", "b", "c" }, { "b", "x", "c" }, { "c", "b", "x" } };
	static const size_t sizes[] = { 20, 400, 5000, PAGE + 110, 3 * PAGE, 4 * PAGE + 1, 5 * PAGE, 6 * PAGE };
	struct made_dump m;
	struct error e;
	struct set set;

	made_dump_init(&m, &(struct made_dump_settings){ .map = usual, .codec = codec_by_id(CODEC_LZO), .split = true,
							 .end = 6, .vmcoreinfo = info });
	make_part("b", 6, 11, info);
	make_part("c", 11, strlen(usual), info);
	for (size_t i = 0; i < LENGTH(sizes); i++) {
		helper_write_file("x", m.bytes, sizes[i]);
		for (size_t order = 0; order < LENGTH(orders); order++) {
			const struct dump *d;

			ck_assert_int_eq(open_names(&set, 3, orders[order], &e), STATUS_OK);
			d = set.members[0].dump;
			ck_assert_uint_eq(check_pages(&set, usual), 10);
			ck_assert_uint_eq(count_absent(&set), 2);
			ck_assert(!dump_lacks_files(d));
			ck_assert(dump_is_complete(d) == !d->parts[2].unusable);
			if (sizes[i] < PAGE + 200) {
				ck_assert_str_eq(d->parts[2].file.name, "x");
				ck_assert(strstr(d->parts[2].unusable, "x: cut short: the dump ends at byte "));
			}
			set_close(&set);
		}
	}
	made_dump_free(&m);
}
END_TEST

/* The pieces of a flattened dump with one page a piece, without padding and without one of them. */
enum loss { NO_LOSS, LOST_NOTES, LOST_BITMAP, LOST_PAGE, LOSSES };

static void write_without_padding(const struct made_dump *m, unsigned version, enum loss loss, bool marked)
{
	static const uint64_t second_headers[] = { 8, 32, 48, 64, 80, 104 };
	uint64_t bits = divide_up(strlen(usual), 8);
	uint8_t *flat = calloc(1, 4096 + m->size + 16 * (m->pages + 7)), *end = flat + 4096;

	ck_assert(flat != NULL);
	memcpy(flat, "makedumpfile", 12);
	end = made_dump_put_piece(end, m->bytes, 0, 464);
	if (version >= 3 && loss != LOST_NOTES)
		end = made_dump_put_piece(end, m->bytes, PAGE + 112, 500);
	end = made_dump_put_piece(end, m->bytes, PAGE, second_headers[version - 1]);
	end = made_dump_put_piece(end, m->bytes, m->bitmap1, bits);
	if (loss != LOST_BITMAP)
		end = made_dump_put_piece(end, m->bytes, m->bitmap2, bits);
	end = made_dump_put_piece(end, m->bytes, m->descriptors, m->data - m->descriptors);
	for (uint64_t i = 0; i < m->pages; i++)
		if (i != 4 || loss != LOST_PAGE)
			end = made_dump_put_piece(end, m->bytes, m->data + i * PAGE, PAGE);
	memset(end, 0xff, 16);
	helper_write_file("flat", flat, (size_t)(end - flat) + (marked ? 16 : 0));
	free(flat);
}

/* Padding is zeros with and without the mark of the end; pages and notes that no piece has are missing. */
START_TEST(test_padding)
{
	enum { OLDEST_WITH_INFO = 3 };
	const unsigned version = (unsigned)_i;
	struct made_dump m;

	make(&m, &(struct made_dump_settings){ .map = usual, .version = version,
					       .vmcoreinfo = version >= OLDEST_WITH_INFO ? info : NULL }, "d");
	for (enum loss loss = NO_LOSS; loss < LOSSES; loss++)
		for (unsigned marked = 0; marked < 2; marked++) {
			uint64_t there = m.pages - (loss == LOST_PAGE);
			const struct dump *d;
			struct error e;
			struct set set;

			if ((loss == LOST_NOTES && version < OLDEST_WITH_INFO) || (loss == LOST_BITMAP && marked))
				continue;
			write_without_padding(&m, version, loss, marked);
			ck_assert_msg(!open_one(&set, "flat", &e), "version %u, loss %u: %s", version, loss, e.text);
			d = set.members[0].dump;
			ck_assert(dump_is_cut(d) == !marked);
			if (loss == LOST_BITMAP) {
				ck_assert_uint_eq(d->pages, 0);
			} else {
				ck_assert_uint_eq(check_pages(&set, usual), there);
				ck_assert_uint_eq(count_absent(&set), m.pages - there);
				ck_assert((d->findings.count > 0) == (loss == LOST_NOTES));
			}
			if (loss == LOST_NOTES && version > OLDEST_WITH_INFO && !marked) {
				ck_assert_uint_eq(d->findings.count, 1);
				ck_assert_str_eq(d->findings.names[0], "flat: damaged: the flattened dump lacks a part of its "
						 "headers or notes");
			}
			set_close(&set);
		}
	made_dump_free(&m);
}
END_TEST

/* Descriptors behind some that cannot be read are read. */
START_TEST(test_gap_in_descriptors)
{
	uint8_t *flat, *end;
	struct made_dump m;
	struct error e;
	struct set set;
	size_t size;

	make(&m, &(struct made_dump_settings){ .map = usual, .vmcoreinfo = info }, "d");
	/* All up to the fourth descriptor, and from the sixth one on; no mark of the end. */
	size = made_dump_flatten(m.bytes, m.descriptors + 3 * 24, SIZE_MAX / 2, false, &flat) - 16;
	flat = realloc(flat, size + 16 + m.size);
	ck_assert(flat != NULL);
	end = made_dump_put_piece(flat + size, m.bytes, m.descriptors + 5 * 24 + 10, m.size - m.descriptors - 5 * 24 - 10);
	helper_write_file("flat", flat, (size_t)(end - flat));
	ck_assert_int_eq(open_one(&set, "flat", &e), STATUS_OK);
	ck_assert_uint_eq(check_pages(&set, usual), m.pages - 3);
	ck_assert_uint_eq(count_absent(&set), 3);
	set_close(&set);
	free(flat);
	made_dump_free(&m);
}
END_TEST

/* Flattened, with the mark of the end: zeros in place of a piece are headers, bitmaps and descriptors, but no pages. */
START_TEST(test_lost_piece)
{
	enum { PIECE = 2048 };
	uint8_t *flat;
	struct made_dump m;
	struct error e;
	struct set set;
	size_t size;

	make(&m, &(struct made_dump_settings){ .map = usual, .vmcoreinfo = info }, "d");
	size = made_dump_flatten(m.bytes, m.size, PIECE, false, &flat);
	for (uint64_t at = round_up(m.data, PIECE); at + 2 * PIECE <= m.size; at += PIECE) {
		uint8_t *piece = flat + 4096 + at / PIECE * (16 + PIECE), offset[8];
		uint64_t lost = 0;

		for (uint64_t page = 0; page < m.pages; page++) {
			uint64_t begin = get_le64(m.bytes + m.descriptors + 24 * page);

			lost += at < begin + PAGE && begin < at + PIECE;
		}
		memcpy(offset, piece, sizeof(offset));
		/* It is where another one is, and then beyond all others. */
		for (unsigned far = 0; far < 2; far++) {
			piece[far ? 2 : 6] ^= 0x20;
			helper_write_file("flat", flat, size);
			ck_assert_int_eq(open_one(&set, "flat", &e), STATUS_OK);
			/* Those before and behind it leave room for it. */
			ck_assert_uint_eq(check_pages(&set, usual), m.pages);
			ck_assert_uint_eq(count_absent(&set), 0);
			ck_assert(!dump_is_cut(set.members[0].dump));
			ck_assert_uint_eq(set.members[0].dump->parts[0].file.findings.count, 1);
			set_close(&set);
			memcpy(piece, offset, sizeof(offset));
		}
	}
	free(flat);
	made_dump_free(&m);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dump");
	TCase *tcase = tcase_create("dump");

	helper_use_directory(tcase);
	tcase_add_test(tcase, test_codecs);
	tcase_add_test(tcase, test_core);
	tcase_add_test(tcase, test_machines);
	tcase_add_test(tcase, test_versions);
	tcase_add_test(tcase, test_empty);
	tcase_add_test(tcase, test_large);
	tcase_add_test(tcase, test_cut);
	tcase_add_test(tcase, test_descriptors);
	tcase_add_test(tcase, test_damaged_page);
	tcase_add_test(tcase, test_cut_bitmap);
	tcase_add_loop_test(tcase, test_padding, 1, 7);
	tcase_add_test(tcase, test_split);
	tcase_add_test(tcase, test_not_of_same);
	tcase_add_test(tcase, test_damaged_part);
	tcase_add_test(tcase, test_wrong_crash);
	tcase_add_test(tcase, test_other_crash);
	tcase_add_test(tcase, test_other_level);
	tcase_add_test(tcase, test_wrong_bit);
	tcase_add_test(tcase, test_wrong_bit_alone);
	tcase_add_test(tcase, test_empty_parts);
	tcase_add_test(tcase, test_headless_part);
	tcase_add_test(tcase, test_gap_in_descriptors);
	tcase_add_test(tcase, test_lost_piece);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
