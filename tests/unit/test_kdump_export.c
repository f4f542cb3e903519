// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets of synthetic cores, exported to kdump-compressed files, which are read page by page. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "corpus.h"
#include "export/kdump_export.h"
#include "helper.h"
#include "kdump_opened.h"
#include "made_core.h"
#include "io/existing.h"
#include "set_maker.h"

enum { PAGE = 4096, MEMBERS = 3, THREADS = 3, OUTPUTS_MOST = 3, PAGE_MOST = 65536 };

static const struct watch no_watch = { .fd = -1, .interval = 1 };

/*
 * Overlapping segments, ragged ends, memory that is not in the file, and a gap.  The kernel image
 * comes before the memory that contains it.
 */
enum { IMAGE, LOW, MAIN, HIGH, SEGMENTS };
static const struct segment usual[SEGMENTS] = {
	[IMAGE] = { .paddr = 0x200000, .filesz = 20 * PAGE, .memsz = 20 * PAGE },
	[LOW] = { .paddr = 0x1000, .filesz = 0x9e00, .memsz = 0x9e00 },
	[MAIN] = { .paddr = 0x100000, .filesz = 0x180000, .memsz = 0x190000 },
	[HIGH] = { .paddr = 0x400200, .filesz = 0x40e00, .memsz = 0x40e00 },
};

/* Page frames. */
struct frames {
	uint64_t first, count;
};

struct made {
	const struct frames *out;	/* those that are left out, and */
	size_t out_count;
	struct made_core core;
	struct segment segments[SEGMENTS];
	uint32_t page_size, block_size, chunk_size;
	uint32_t members;		/* MEMBERS, or one more with a duplicate */
};

/* A page of memory, whose kind depends on its number. */
static void memory_of(uint64_t pfn, uint8_t page[PAGE])
{
	corpus_fill((enum corpus_kind)(pfn / 2 % CORPUS_KINDS), pfn, page, PAGE);
}

static void fill(struct made *m)
{
	uint8_t page[PAGE];

	for (size_t i = 0; i < SEGMENTS; i++) {
		const struct segment *s = &m->segments[i];

		for (uint64_t at = 0, some; at < s->filesz; at += some) {
			uint64_t within = (s->paddr + at) % PAGE;

			some = min_u64(PAGE - within, s->filesz - at);
			memory_of((s->paddr + at) / PAGE, page);
			memcpy(m->core.bytes + s->offset + at, page + within, some);
		}
	}
}

static void make(struct made *m, uint32_t page_size, uint32_t block_size)
{
	char text[100];

	*m = (struct made){
		.page_size = page_size,
		.block_size = block_size,
		.chunk_size = 4 * block_size,
		.members = MEMBERS,
	};
	memcpy(m->segments, usual, sizeof(usual));
	snprintf(text, sizeof(text), "OSRELEASE=6.1.0\nPAGESIZE=%u\n", page_size);
	made_core_init(&m->core, m->segments, SEGMENTS, EM_X86_64, text, false);
	fill(m);
}

/* Writes the chunks to the members in turn; chunk bad is unreadable, or none if UINT64_MAX. */
static void write_members(const struct made *m, const struct codec *codec, uint64_t bad)
{
	for (uint32_t number = 0; number < MEMBERS; number++) {
		uint64_t size = m->core.size;
		struct maker maker;
		char name[16];

		maker_init(&maker, number, m->members, size);
		maker.codec = codec;
		maker.superblock.block_size = m->block_size;
		maker.superblock.chunk_size = m->chunk_size;
		snprintf(maker.superblock.codec, sizeof(maker.superblock.codec), "%s", codec->name);
		maker_begin(&maker);
		for (uint64_t at = number * (uint64_t)m->chunk_size; at < size;
		     at += MEMBERS * (uint64_t)m->chunk_size) {
			uint32_t length = (uint32_t)min_u64(m->chunk_size, size - at);

			if (at == bad)
				maker_add_unreadable(&maker, at, length);
			else
				maker_add_record(&maker, m->core.bytes, at, length);
		}
		maker_add_footer(&maker);
		snprintf(name, sizeof(name), "m%u", number);
		maker_write(&maker, name);
		maker_free(&maker);
	}
}

/* --- an export, as njoin does it ------------------------------------------------- */

static void ignore_damage(void *arg, const struct error *e)
{
	(void)arg;
	(void)e;
}

static void ignore_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	(void)arg;
	(void)offset;
	(void)length;
}

static void open_set(struct set *set, const char *members)
{
	const struct set_settings settings = { .warn = ignore_damage };
	struct names names = { 0 };
	struct error e;

	ck_assert_int_eq(names_expand(&names, members, 100, &e), STATUS_OK);
	ck_assert_msg(set_open(set, &names, &settings, &e) == STATUS_OK, "%s", e.text);
	names_free(&names);
}

/* And ends the export. */
static enum status walk_over(struct kdump_export *x, struct set *set, bool ends, struct error *e)
{
	bool leaves_out = x->pages.choice.bits;
	const struct walk_settings settings = {
		.threads = THREADS,
		.past_damage = x->settings.past_damage,
		.to = UINT64_MAX,
		.mode = WALK_RECORDS,
		.deliver_record = kdump_deliver_record,
		.needs_blocks = kdump_needs_blocks,
		.wants_record = leaves_out ? kdump_wants_record : NULL,
		.deliver_arg = x,
		.unreadable = ignore_unreadable,
		.damaged = ignore_damage,
		.watch = no_watch,
	};
	struct walk *walk = NULL;
	enum status status = walk_new(&walk, set, &settings, e);

	if (!status)
		status = walk_run(walk, e);
	if (!status && ends)
		status = kdump_export_end(x, walk, e);
	walk_free(walk);
	return status;
}

static const struct absent nothing_absent = { .missing = NULL };

static enum status open_export(struct kdump_export *x, struct set *set, struct error *e)
{
	struct set_absent lacking;
	enum status status = set_absent_find(&lacking, set, NULL, e);
	struct absent absent = set_absent_holes(&lacking);

	if (!status)
		status = kdump_export_open(x, set, &absent, e);
	set_absent_free(&lacking);
	return status;
}

/* As kdump_export_filter() does, which gets the page frames from a memory map. */
static void leave_out(struct kdump_export *x, const struct frames *out, size_t count)
{
	struct error e;

	ck_assert_int_eq(pages_leave_out_begin(&x->pages, &e), STATUS_OK);
	for (size_t i = 0; i < count; i++)
		pages_leave_out(&x->pages, out[i].first, out[i].count);
	pages_leave_out_end(&x->pages);
	kdump_init(&x->form, &x->source.core, &x->info, &x->pages);
	x->form.dump_level = DUMP_LEVEL_USER | DUMP_LEVEL_FREE;
}

static enum status export_to(struct set *set, const struct kdump_settings *settings, const struct made *m,
			     struct error *e)
{
	struct kdump_export x = { 0 };
	enum status status = open_export(&x, set, e);

	if (!status && m)
		leave_out(&x, m->out, m->out_count);
	if (!status)
		status = kdump_export_begin(&x, settings, e);
	if (!status)
		status = walk_over(&x, set, true, e);
	kdump_export_free(&x);
	return status;
}

/*
 * Exports to k0, k1, and so on; after a failure, none of them exists.  m: pages of it are left out;
 * NULL: none are.
 */
static enum status export_as(const char *members, size_t outputs, const struct codec *codec,
			     bool salvage, const struct made *m, struct error *e)
{
	struct output_file files[OUTPUTS_MOST];
	const struct kdump_settings settings = {
		.outputs = files,
		.outputs_count = outputs,
		.codec = codec,
		.level = codec->level_default,
		.past_damage = salvage,
		.threads = THREADS,
	};
	struct set set;
	enum status status;

	open_set(&set, members);
	for (size_t i = 0; i < outputs; i++) {
		char name[24];

		snprintf(name, sizeof(name), "k%zu", i);
		ck_assert_int_eq(output_file_probe(&files[i], name, PERMIT_OVERWRITE | PERMIT_DUMPS, true, e), STATUS_OK);
		ck_assert_int_eq(output_file_open(&files[i], e), STATUS_OK);
	}
	status = export_to(&set, &settings, m, e);
	for (size_t i = 0; i < outputs; i++)
		output_file_free(&files[i]);
	set_close(&set);
	return status;
}

static enum status export_members(const char *members, size_t outputs, const struct codec *codec,
				  struct error *e)
{
	return export_as(members, outputs, codec, false, NULL, e);
}

/* --- expected contents ----------------------------------------------------------- */

/* False if no segment has a part of the page. */
static bool page_of(const struct made *m, uint64_t pfn, uint8_t *page)
{
	uint64_t first = pfn * m->page_size;
	bool any = false;

	memset(page, 0, m->page_size);
	for (size_t i = 0; i < SEGMENTS; i++) {
		const struct segment *s = &m->segments[i];
		uint64_t from = max_u64(first, s->paddr);
		uint64_t to = min_u64(first + m->page_size, s->paddr + s->filesz);

		if (from >= to)
			continue;
		memcpy(page + (from - first), m->core.bytes + s->offset + (from - s->paddr),
		       to - from);
		any = true;
	}
	return any;
}

static bool is_memory(const struct made *m, uint64_t pfn)
{
	for (size_t i = 0; i < SEGMENTS; i++)
		if ((pfn + 1) * m->page_size > m->segments[i].paddr &&
		    pfn * m->page_size < m->segments[i].paddr + m->segments[i].memsz)
			return true;
	return false;
}

/* Whether only the main segment has the page, within these bytes of the source. */
static bool is_lost(const struct made *m, uint64_t pfn, uint64_t from, uint64_t to)
{
	const struct segment *s = &m->segments[MAIN], *image = &m->segments[IMAGE];
	uint64_t paddr = pfn * m->page_size, offset = s->offset + (paddr - s->paddr);

	if (paddr < s->paddr || paddr >= s->paddr + s->filesz)
		return false;
	if (paddr >= image->paddr && paddr + m->page_size <= image->paddr + image->filesz)
		return false;
	return offset < to && offset + m->page_size > from;
}

static bool is_left_out(const struct made *m, uint64_t pfn)
{
	for (size_t i = 0; i < m->out_count; i++)
		if (pfn >= m->out[i].first && pfn < m->out[i].first + m->out[i].count)
			return true;
	return false;
}

static const struct kdump_opened *view_of(const struct kdump_opened *views, size_t count, uint64_t pfn)
{
	for (size_t i = 0; i < count; i++)
		if (pfn >= views[i].start && pfn < views[i].end)
			return &views[i];
	ck_abort_msg("page frame %lu is in no file", (unsigned long)pfn);
}

static void open_views(struct kdump_opened *views, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char name[24];

		snprintf(name, sizeof(name), "k%zu", i);
		kdump_opened_open(&views[i], name);
		ck_assert(views[i].split == (count > 1));
		ck_assert_uint_eq(views[i].start, i ? views[i - 1].end : 0);
		ck_assert_uint_eq(views[i].start % 64, 0);
		ck_assert_mem_eq(views[i].bytes, views[0].bytes, 464);
		ck_assert_uint_eq(views[i].dump_level, views[0].dump_level);
	}
	ck_assert_uint_eq(views[count - 1].end, views[count - 1].max_mapnr);
}

/* Each page is present and correct, except those that only these bytes of the source contain, which are absent. */
static void assert_files(const struct made *m, size_t count, uint64_t from, uint64_t to)
{
	struct kdump_opened views[OUTPUTS_MOST];
	uint8_t *want = malloc(PAGE_MOST), *got = malloc(PAGE_MOST);
	uint64_t zeros[OUTPUTS_MOST] = { 0 };
	uint64_t pages = 0, lost = 0;

	open_views(views, count);
	ck_assert_uint_eq(views[0].max_mapnr,
			  divide_up(usual[HIGH].paddr + usual[HIGH].memsz, m->page_size));
	ck_assert_uint_eq(views[0].block_size, m->page_size);
	ck_assert_uint_eq(views[0].dump_level, m->out_count ? 8 + 16 : 0);
	for (uint64_t pfn = 0; pfn < views[0].max_mapnr; pfn++) {
		const struct kdump_opened *v = view_of(views, count, pfn);
		bool kept = page_of(m, pfn, want) && !is_left_out(m, pfn);
		bool there = kept && !is_lost(m, pfn, from, to);
		struct kdump_opened_page page;

		/* ck_assert would be slow for so many pages. */
		for (size_t i = 0; i < count; i++)
			if (kdump_opened_is_ram(&views[i], pfn) != is_memory(m, pfn) ||
			    kdump_opened_has(&views[i], pfn) != kept)
				ck_abort_msg("page frame %lu in a bitmap", (unsigned long)pfn);
		if (!kept)
			continue;
		lost += !there;
		if (kdump_opened_is_absent(v, pfn) == there)
			ck_abort_msg("page frame %lu is absent, or not", (unsigned long)pfn);
		if (!there)
			continue;
		page = kdump_opened_read(v, pfn, got);
		ck_assert_msg(!memcmp(got, want, m->page_size), "page frame %lu", (unsigned long)pfn);
		pages++;
		if (want[0] || memcmp(want, want + 1, m->page_size - 1))
			continue;
		ck_assert_uint_eq(page.flags, 0);
		ck_assert(!zeros[v - views] || zeros[v - views] == page.offset);
		zeros[v - views] = page.offset;
	}
	ck_assert(!(views[0].status & 8) == !lost);
	ck_assert_uint_gt(pages, m->out_count ? 10 : 20);
	for (size_t i = 0; i < count; i++)
		kdump_opened_close(&views[i]);
	free(want);
	free(got);
}

/* --- all sizes, codecs and numbers of files -------------------------------------- */

static const struct way {
	uint32_t page_size, block_size;
} ways[] = {
	{ 4096, 4096 }, { 4096, 65536 }, { 65536, 4096 }, { 65536, 65536 }, { 4096, 8192 },
	{ 16384, 4096 },
};

/* One to three files; even pages of 64 KiB are enough for three parts. */
static void check_export(const struct codec *codec, const struct way *way, size_t outputs)
{
	struct error e;
	struct made m;

	make(&m, way->page_size, way->block_size);
	write_members(&m, codec, UINT64_MAX);
	ck_assert_msg(export_members("m{0..2}", outputs, &codec_lzo, &e) == STATUS_OK, "%s", e.text);
	assert_files(&m, outputs, 0, 0);
	made_core_free(&m.core);
}

START_TEST(test_codecs)
{
	const struct codec_entry *entry = &codec_entries()[_i];

	if (!entry->codec)
		return;
	check_export(entry->codec, &ways[0], 1);
	check_export(entry->codec, &ways[0], 3);
	check_export(entry->codec, &ways[1], 2);
}
END_TEST

START_TEST(test_ways)
{
	check_export(&codec_lzo, &ways[_i], 1);
	check_export(&codec_lzo, &ways[_i], 2);
}
END_TEST

/* Pages that cannot be copied are compressed with any codec that the format allows. */
START_TEST(test_repacked)
{
	const struct codec_entry *entry = &codec_entries()[_i];
	struct error e;
	struct made m;

	if (!entry->codec || !kdump_flag(entry->id))
		return;
	make(&m, PAGE, 4 * PAGE);
	write_members(&m, &codec_lzo, UINT64_MAX);
	ck_assert_msg(export_members("m{0..2}", 3, entry->codec, &e) == STATUS_OK, "%s", e.text);
	assert_files(&m, 3, 0, 0);
	made_core_free(&m.core);
}
END_TEST

/* Packed and stored blocks are copied unchanged. */
START_TEST(test_copied)
{
	const struct codec_entry *entry = &codec_entries()[_i];
	uint8_t page[PAGE], packed[2 * PAGE], got[PAGE];
	const struct codec *other;
	struct kdump_opened v;
	struct error e;
	struct made m;
	void *packer = NULL;

	if (!entry->codec || !kdump_flag(entry->id))
		return;
	make(&m, PAGE, PAGE);
	write_members(&m, entry->codec, UINT64_MAX);
	/* With a codec that none of them uses. */
	other = codec_by_id(entry->id == CODEC_LZO ? CODEC_ZLIB : CODEC_LZO);
	ck_assert_int_eq(export_members("m{0..2}", 1, other ? other : &codec_lzo, &e), STATUS_OK);
	kdump_opened_open(&v, "k0");
	ck_assert_uint_eq(v.status, kdump_flag(entry->id));
	if (entry->codec->packer_new)
		packer = entry->codec->packer_new(entry->codec->level_default, PAGE);
	for (uint64_t pfn = 0x110; pfn < 0x130; pfn++) {
		struct kdump_opened_page p = kdump_opened_read(&v, pfn, got);
		enum corpus_kind kind = (enum corpus_kind)(pfn / 2 % CORPUS_KINDS);
		size_t len;

		if (kind == CORPUS_ZERO || kind == CORPUS_SAME8)
			continue;
		memory_of(pfn, page);
		len = entry->codec->pack(packer, page, PAGE, packed);
		if (len >= PAGE) {
			ck_assert_uint_eq(p.flags, 0);
			continue;
		}
		ck_assert_uint_eq(p.flags, kdump_flag(entry->id));
		ck_assert_uint_eq(p.size, len);
		ck_assert_mem_eq(v.bytes + p.offset, packed, len);
	}
	if (packer)
		entry->codec->packer_free(packer);
	kdump_opened_close(&v);
	made_core_free(&m.core);
}
END_TEST

/* --- what is missing ------------------------------------------------------------- */

/* The chunk that holds a byte of a segment. */
static uint64_t chunk_at(const struct made *m, int segment, uint64_t within)
{
	return round_down(m->segments[segment].offset + within, m->chunk_size);
}

START_TEST(test_unreadable)
{
	for (size_t i = 0; i < LENGTH(ways); i++) {
		uint64_t bad;
		struct error e;
		struct made m;

		make(&m, ways[i].page_size, ways[i].block_size);
		bad = chunk_at(&m, MAIN, 0x80000);
		write_members(&m, &codec_lzo, bad);
		ck_assert_msg(export_members("m{0..2}", 2, &codec_lzo, &e) == STATUS_OK, "%s", e.text);
		assert_files(&m, 2, bad, bad + m.chunk_size);
		made_core_free(&m.core);
	}
}
END_TEST

/* What is missing in the segment of memory is present in the segment of the kernel image. */
START_TEST(test_unreadable_twice_there)
{
	uint64_t bad;
	struct error e;
	struct made m;

	make(&m, PAGE, PAGE);
	bad = chunk_at(&m, MAIN, 0x100000 + 8 * PAGE);
	write_members(&m, &codec_lzo, bad);
	ck_assert_int_eq(export_members("m{0..2}", 1, &codec_lzo, &e), STATUS_OK);
	assert_files(&m, 1, 0, 0);
	made_core_free(&m.core);
}
END_TEST

/* After damage, no file is left. */
START_TEST(test_damaged)
{
	uint8_t *bytes;
	size_t len;
	struct error e;
	struct made m;

	make(&m, PAGE, PAGE);
	write_members(&m, &codec_lzo, UINT64_MAX);
	bytes = helper_read_file("m1", &len);
	bytes[len / 2] ^= 1;
	helper_write_file("m1", bytes, len);
	ck_assert_int_eq(export_members("m{0..2}", 2, &codec_lzo, &e), STATUS_DAMAGED);
	ck_assert_int_eq(strncmp(e.text, "m1: damaged at byte ", 20), 0);
	ck_assert_int_eq(helper_file_size("k0"), -1);
	ck_assert_int_eq(helper_file_size("k1"), -1);
	free(bytes);
	made_core_free(&m.core);
}
END_TEST

/* One more member, with a duplicate of one record in which all blocks are unreadable. */
static void write_duplicate(const struct made *m, uint64_t offset)
{
	struct maker maker;

	maker_init(&maker, MEMBERS, m->members, m->core.size);
	maker.superblock.block_size = m->block_size;
	maker.superblock.chunk_size = m->chunk_size;
	maker_begin(&maker);
	maker_add_unreadable(&maker, offset, m->chunk_size);
	maker_add_footer(&maker);
	maker_write(&maker, "m3");
	maker_free(&maker);
}

/* Flips a bit of the record at an offset of the source. */
static void damage_record(const struct made *m, uint64_t offset)
{
	struct record record;
	uint8_t *bytes;
	char name[16];
	size_t len, at = 0;

	snprintf(name, sizeof(name), "m%u", (unsigned)(offset / m->chunk_size % MEMBERS));
	bytes = helper_read_file(name, &len);
	while (piece_kind(bytes + at) != PIECE_RECORD ||
	       record_decode(&record, bytes + at, m->chunk_size) || record.source_offset != offset) {
		at += ALIGNMENT;
		ck_assert_uint_lt(at, len);
	}
	bytes[at + record.payload_offset] ^= 1;
	helper_write_file(name, bytes, len);
	free(bytes);
}

/* The better copy of a record is damaged, and the other one is unreadable: found in the walk. */
START_TEST(test_damaged_and_unreadable)
{
	uint64_t chunk;
	struct error e;
	struct made m;

	make(&m, PAGE, PAGE);
	m.members = MEMBERS + 1;
	chunk = chunk_at(&m, MAIN, 0x80000);
	write_members(&m, &codec_lzo, UINT64_MAX);
	write_duplicate(&m, chunk);
	damage_record(&m, chunk);
	ck_assert_int_eq(export_as("m{0..3}", 2, &codec_lzo, false, NULL, &e), STATUS_DAMAGED);
	ck_assert_ptr_nonnull(strstr(e.text, ": damaged at byte "));
	ck_assert_int_eq(helper_file_size("k0"), -1);
	ck_assert_msg(export_as("m{0..3}", 2, &codec_lzo, true, NULL, &e) == STATUS_OK, "%s", e.text);
	assert_files(&m, 2, chunk, chunk + m.chunk_size);
	made_core_free(&m.core);
}
END_TEST

/* --- pages that are left out ------------------------------------------------------- */

static enum status export_without(struct made *m, const struct frames *out, size_t count,
				  size_t outputs, bool salvage, struct error *e)
{
	m->out = out;
	m->out_count = count;
	return export_as("m{0..2}", outputs, &codec_lzo, salvage, m, e);
}

/*
 * Single pages, runs across segments and records, ragged pages, frames that are no memory, and all of
 * a segment.
 */
START_TEST(test_left_out)
{
	static const struct frames out[] = {
		{ 0x3, 1 }, { 0xa, 1 }, { 0x0c, 40 }, { 0x104, 1 }, { 0x106, 2 }, { 0x110, 33 },
		{ 0x1f0, 0x14 }, { 0x210, 1 }, { 0x241, 0x10 }, { 0x400, 2 }, { 0x410, 100 },
	};

	for (size_t i = 0; i < LENGTH(ways); i++) {
		for (size_t outputs = 1; outputs <= OUTPUTS_MOST; outputs++) {
			struct frames scaled[LENGTH(out)];
			struct error e;
			struct made m;

			if (ways[i].page_size != PAGE && outputs > 1)
				continue;
			for (size_t j = 0; j < LENGTH(out); j++) {
				uint64_t pages = ways[i].page_size / PAGE;

				scaled[j].first = out[j].first / pages;
				scaled[j].count = divide_up(out[j].count, pages);
			}
			make(&m, ways[i].page_size, ways[i].block_size);
			write_members(&m, &codec_lzo, UINT64_MAX);
			ck_assert_msg(export_without(&m, scaled, LENGTH(scaled), outputs, i % 2, &e) ==
				      STATUS_OK, "%s", e.text);
			assert_files(&m, outputs, 0, 0);
			made_core_free(&m.core);
		}
	}
}
END_TEST

/* The page frames with a byte in a chunk of the main segment. */
static struct frames frames_of_chunk(const struct made *m, uint64_t chunk)
{
	uint64_t paddr = m->segments[MAIN].paddr + (chunk - m->segments[MAIN].offset);

	return (struct frames){ paddr / PAGE, m->chunk_size / PAGE + 1 };
}

/* The record of pages that are left out is not read. */
START_TEST(test_left_out_damaged)
{
	struct frames out;
	uint64_t chunk;
	struct error e;
	struct made m;

	make(&m, PAGE, PAGE);
	chunk = chunk_at(&m, MAIN, 0x80000);
	out = frames_of_chunk(&m, chunk);
	write_members(&m, &codec_lzo, UINT64_MAX);
	damage_record(&m, chunk);
	ck_assert_msg(export_without(&m, &out, 1, 1, false, &e) == STATUS_OK, "%s", e.text);
	assert_files(&m, 1, 0, 0);
	/* One page of it is kept, so it must not be damaged. */
	out.first++;
	ck_assert_int_eq(export_without(&m, &out, 1, 1, false, &e), STATUS_DAMAGED);
	made_core_free(&m.core);
}
END_TEST

/* Pages that are missing, and would have been left out, do not make a dump incomplete. */
START_TEST(test_left_out_unreadable)
{
	struct frames out;
	uint64_t chunk;
	struct error e;
	struct made m;

	make(&m, PAGE, PAGE);
	chunk = chunk_at(&m, MAIN, 0x80000);
	out = frames_of_chunk(&m, chunk);
	write_members(&m, &codec_lzo, chunk);
	for (int salvage = 0; salvage < 2; salvage++) {
		struct frames fewer = { out.first + 1, out.count };

		ck_assert_msg(export_without(&m, &out, 1, 1, salvage, &e) == STATUS_OK, "%s", e.text);
		assert_files(&m, 1, chunk, chunk + m.chunk_size);
		ck_assert_msg(export_without(&m, &fewer, 1, 1, salvage, &e) == STATUS_OK, "%s", e.text);
		assert_files(&m, 1, chunk, chunk + m.chunk_size);
	}
	made_core_free(&m.core);
}
END_TEST

/* Makes the first packed block of a record claim a greater length; all checksums are correct. */
static bool lie(uint8_t *raw, uint32_t chunk_size, enum codec_id id)
{
	struct record record;
	uint32_t at;

	ck_assert_int_eq(record_decode(&record, raw, chunk_size), STATUS_OK);
	at = record.payload_offset;
	for (uint32_t i = 0; i < record_blocks(&record); i++) {
		uint32_t entry = get_le32(raw + RECORD_HEADER_LENGTH + 4 * i);

		if (record_entry_kind(entry) != BLOCK_PACKED) {
			at += record_entry_length(entry);
			continue;
		}
		/* Snappy: second byte of the length.  zstd: second byte of the size minus 256. */
		raw[at + (id == CODEC_SNAPPY ? 1 : 6)] = 0x7f;
		record.body_checksum = record_body_checksum(&record, raw);
		record_encode(&record, raw);
		return true;
	}
	return false;
}

START_TEST(test_hostile_block)
{
	enum codec_id id = _i ? CODEC_ZSTD : CODEC_SNAPPY;
	const struct codec *codec = codec_by_id(id);
	uint8_t *bytes;
	size_t len, at;
	struct error e;
	struct made m;

	if (!codec)
		return;
	make(&m, PAGE, PAGE);
	write_members(&m, codec, UINT64_MAX);
	bytes = helper_read_file("m1", &len);
	for (at = round_down(len / 2, ALIGNMENT); at < len; at += ALIGNMENT)
		if (piece_kind(bytes + at) == PIECE_RECORD && lie(bytes + at, m.chunk_size, id))
			break;
	ck_assert_uint_lt(at, len);
	helper_write_file("m1", bytes, len);
	ck_assert_int_eq(export_members("m{0..2}", 1, &codec_lzo, &e), STATUS_DAMAGED);
	ck_assert_ptr_nonnull(strstr(e.text, ": packed block of bytes "));
	ck_assert_int_eq(helper_file_size("k0"), -1);
	free(bytes);
	made_core_free(&m.core);
}
END_TEST

START_TEST(test_no_core)
{
	uint8_t *source = maker_source(MAKER_PLAIN);
	struct error e;

	maker_make_set(source, MAKER_PLAIN, 3, NULL);
	ck_assert_int_eq(export_members("m{0..2}", 1, &codec_lzo, &e), STATUS_USAGE);
	ck_assert_int_eq(helper_file_size("k0"), -1);
	free(source);
}
END_TEST

/* Sets the length of the highest segment of a synthetic core. */
static void set_memsz(struct made *m, uint64_t memsz)
{
	Elf64_Ehdr h;
	Elf64_Phdr p;
	uint8_t *at;

	memcpy(&h, m->core.bytes, sizeof(h));
	at = m->core.bytes + h.e_phoff + (h.e_phnum - 1) * sizeof(p);
	memcpy(&p, at, sizeof(p));
	ck_assert_uint_eq(p.p_paddr, m->segments[HIGH].paddr);
	p.p_memsz = memsz;
	memcpy(at, &p, sizeof(p));
}

/* Memory that is not in the core takes a byte for 32 KiB in each file. */
START_TEST(test_memory_without_end)
{
	static const uint64_t refused[] = { ((uint64_t)1 << 42), ((uint64_t)1 << 56) - 0x400200 };
	struct error e;
	struct made m;

	make(&m, PAGE, PAGE);
	for (size_t i = 0; i < LENGTH(refused); i++) {
		set_memsz(&m, refused[i]);
		write_members(&m, &codec_lzo, UINT64_MAX);
		ck_assert_int_eq(export_as("m{0..2}", 1, &codec_lzo, i, NULL, &e), STATUS_DAMAGED);
		ck_assert_ptr_nonnull(strstr(e.text, "; nothing was written; use --format=elf"));
		ck_assert_int_eq(helper_file_size("k0"), -1);
	}
	made_core_free(&m.core);
}
END_TEST

/* The largest amount of memory that is accepted. */
START_TEST(test_much_memory)
{
	struct kdump_export x = { 0 };
	struct set set;
	struct error e;
	struct made m;

	make(&m, PAGE, PAGE);
	set_memsz(&m, ((uint64_t)1 << 41) - ((uint64_t)1 << 22));
	write_members(&m, &codec_lzo, UINT64_MAX);
	open_set(&set, "m{0..2}");
	ck_assert_msg(kdump_export_open(&x, &set, &nothing_absent, &e) == STATUS_OK, "%s", e.text);
	ck_assert_uint_eq(x.pages.count, 459);
	kdump_export_free(&x);
	set_close(&set);
	made_core_free(&m.core);
}
END_TEST

/* Pages that are not delivered have descriptors of zeros, which some readers accept. */
START_TEST(test_pages_not_delivered)
{
	struct kdump_export x = { 0 };
	struct output_file file;
	const struct kdump_settings settings = {
		.outputs = &file, .outputs_count = 1, .codec = &codec_lzo, .threads = 1,
	};
	struct set set;
	struct error e;
	struct made m;

	make(&m, PAGE, PAGE);
	write_members(&m, &codec_lzo, UINT64_MAX);
	open_set(&set, "m{0..2}");
	ck_assert_int_eq(output_file_probe(&file, "k0", PERMIT_OVERWRITE | PERMIT_DUMPS, true, &e), STATUS_OK);
	ck_assert_int_eq(output_file_open(&file, &e), STATUS_OK);
	ck_assert_int_eq(kdump_export_open(&x, &set, &nothing_absent, &e), STATUS_OK);
	ck_assert_int_eq(kdump_export_begin(&x, &settings, &e), STATUS_OK);
	ck_assert_int_eq(kdump_export_end(&x, NULL, &e), STATUS_DAMAGED);
	ck_assert_str_eq(e.text, "457 of 459 pages were not delivered: the members changed during "
				 "the export");
	kdump_export_free(&x);
	output_file_free(&file);
	ck_assert_int_eq(helper_file_size("k0"), -1);
	set_close(&set);
	made_core_free(&m.core);
}
END_TEST

/* --- final names ------------------------------------------------------------------- */

struct two {
	struct made made;
	struct set set;
	struct output_file files[2];
	struct kdump_export x;
};

/* A split set of k0 and k1, completely written but still without names. */
static void begin_two(struct two *t, bool force)
{
	const struct kdump_settings settings = {
		.outputs = t->files, .outputs_count = 2, .codec = &codec_lzo, .threads = THREADS,
	};
	struct error e;

	t->x = (struct kdump_export){ 0 };
	make(&t->made, PAGE, PAGE);
	write_members(&t->made, &codec_lzo, UINT64_MAX);
	open_set(&t->set, "m{0..2}");
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(output_file_probe(&t->files[i], i ? "k1" : "k0", force ? PERMIT_OVERWRITE | PERMIT_DUMPS : 0, true, &e),
				 STATUS_OK);
		ck_assert_int_eq(output_file_open(&t->files[i], &e), STATUS_OK);
	}
	ck_assert_int_eq(kdump_export_open(&t->x, &t->set, &nothing_absent, &e), STATUS_OK);
	ck_assert_int_eq(kdump_export_begin(&t->x, &settings, &e), STATUS_OK);
	ck_assert_int_eq(walk_over(&t->x, &t->set, false, &e), STATUS_OK);
}

static void ends_with(struct two *t, const char *text)
{
	struct error e;

	ck_assert_int_eq(kdump_export_end(&t->x, NULL, &e), STATUS_SYSTEM);
	ck_assert_str_eq(e.text, text);
	kdump_export_free(&t->x);
	for (int i = 0; i < 2; i++)
		output_file_free(&t->files[i]);
	set_close(&t->set);
	made_core_free(&t->made.core);
}

/* The second file cannot be synced, so the first gets no name, and the existing file is kept. */
START_TEST(test_not_synced)
{
	struct two t;
	int fd;

	helper_write_file("k0", "old", 3);
	begin_two(&t, true);
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	ck_assert_int_eq(dup2(fd, t.files[1].fd), t.files[1].fd);
	close(fd);
	ends_with(&t, "k1: Invalid argument");
	ck_assert_int_eq(helper_file_size("k0"), 3);
	ck_assert_int_eq(helper_file_size("k1"), -1);
}
END_TEST

/* Another file takes the second name meanwhile: the first is removed, and that file is kept. */
START_TEST(test_name_taken)
{
	struct two t;

	begin_two(&t, false);
	helper_write_file("k1", "other", 5);
	ends_with(&t, "k1: File exists");
	ck_assert_int_eq(helper_file_size("k0"), -1);
	ck_assert_int_eq(helper_file_size("k1"), 5);
}
END_TEST

/* The same with --force, where k0 has already replaced a file, or is new. */
START_TEST(test_name_taken_by_force)
{
	bool replaced = _i;
	struct two t;

	if (replaced)
		helper_write_file("k0", "old", 3);
	begin_two(&t, true);
	ck_assert_int_eq(mkdir("k1", 0777), 0);
	ends_with(&t, replaced ? "k1: Is a directory; k0 has already been replaced"
			       : "k1: Is a directory");
	ck_assert(replaced ? helper_file_size("k0") > PAGE : helper_file_size("k0") == -1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kdump_write");
	TCase *tcase = tcase_create("kdump_write");
	int codecs = 0;

	while (codec_entries()[codecs].name)
		codecs++;
	helper_use_directory(tcase);
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, test_codecs, 0, codecs);
	tcase_add_loop_test(tcase, test_ways, 0, LENGTH(ways));
	tcase_add_loop_test(tcase, test_repacked, 0, codecs);
	tcase_add_loop_test(tcase, test_copied, 0, codecs);
	tcase_add_test(tcase, test_unreadable);
	tcase_add_test(tcase, test_unreadable_twice_there);
	tcase_add_test(tcase, test_damaged);
	tcase_add_test(tcase, test_damaged_and_unreadable);
	tcase_add_test(tcase, test_left_out);
	tcase_add_test(tcase, test_left_out_damaged);
	tcase_add_test(tcase, test_left_out_unreadable);
	tcase_add_loop_test(tcase, test_hostile_block, 0, 2);
	tcase_add_test(tcase, test_no_core);
	tcase_add_test(tcase, test_memory_without_end);
	tcase_add_test(tcase, test_much_memory);
	tcase_add_test(tcase, test_pages_not_delivered);
	tcase_add_test(tcase, test_not_synced);
	tcase_add_test(tcase, test_name_taken);
	tcase_add_loop_test(tcase, test_name_taken_by_force, 0, 2);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
