// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Dumps of sets with layers: random sets of a small core, whole and damaged, exported as njoin --salvage
 * does and compared page by page with what tests/unit/layer_oracle.c says of each granule.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "core/kinds/page_class.h"
#include "export/kdump_export.h"
#include "helper.h"
#include "io/existing.h"
#include "kdump_opened.h"
#include "layer_random.h"
#include "made_core.h"

enum { SETS = 150, DAMAGED = 450, THREADS = 3, FRAMES = 0x80, PAGE_MOST = 16384, HEADERS = 3, FILES = 2 };

static const struct watch no_watch = { .fd = -1, .interval = 60 };

/* Memory that two segments have, ragged pages, and nothing in between. */
static const struct segment usual[] = {
	{ .paddr = 0x10000, .filesz = 0x14000, .memsz = 0x14000 },
	{ .paddr = 0x14000, .filesz = 0x8000, .memsz = 0x8000 },
	{ .paddr = 0x40200, .filesz = 0x4e00, .memsz = 0x4e00 },
	{ .paddr = 0x60000, .filesz = 0xc000, .memsz = 0xc000 },
};

enum { SEGMENTS = sizeof(usual) / sizeof(usual[0]) };

struct trial {
	uint64_t seed;
	struct segment segments[SEGMENTS];
	struct made_core made;
	uint32_t page_size;
	bool out[FRAMES];		/* by a filter, as with njoin -d */
	bool filtered;
	struct layer_random r;
	struct oracle o;
	struct set set;
};

static void begin(struct trial *t, uint64_t seed)
{
	*t = (struct trial){ .seed = seed, .page_size = seed % 2 ? 4096 : 16384 };
	memcpy(t->segments, usual, sizeof(usual));
	made_core_init(&t->made, t->segments, SEGMENTS, EM_X86_64, t->page_size == 4096 ?
		       "OSRELEASE=6.1.0\nPAGESIZE=4096\n" : "OSRELEASE=6.1.0\nPAGESIZE=16384\n", false);
	ck_assert_uint_le(t->segments[0].offset, HEADERS * GRANULE);
	layer_random_make_of(&t->r, seed, t->made.bytes, t->made.size, HEADERS);
	t->filtered = layer_random_number(&t->r, 3) == 0;
	for (uint64_t pfn = 0; pfn < FRAMES && t->filtered; pfn++)
		t->out[pfn] = layer_random_number(&t->r, 3) == 0;
}

static void end(struct trial *t)
{
	set_close(&t->set);
	oracle_free(&t->o);
	layer_random_free(&t->r);
	made_core_free(&t->made);
}

/* --- what the dump must have ------------------------------------------------------------ */

enum fate { NO_MEMORY, KEPT, LEFT_OUT, LOST };

/* What becomes of bytes of the source: LOST outweighs LEFT_OUT. */
static enum fate fate_of(const struct trial *t, uint64_t offset, uint64_t length)
{
	enum fate fate = KEPT;

	for (uint64_t i = offset / GRANULE; i <= (offset + length - 1) / GRANULE; i++) {
		char letter = t->o.map[i];

		if (letter == ORACLE_MISSING || letter == ORACLE_UNREADABLE)
			return LOST;
		if (letter == ORACLE_LEFT_OUT)
			fate = LEFT_OUT;
	}
	return fate;
}

/* The best of the segments that have all of the page; at: where it is kept. */
static enum fate fate_of_whole(const struct trial *t, uint64_t first, uint64_t *at)
{
	enum fate best = NO_MEMORY;

	for (size_t i = 0; i < SEGMENTS; i++) {
		const struct segment *s = &t->segments[i];
		uint64_t offset = s->offset + (first - s->paddr);
		enum fate fate;

		if (first < s->paddr || first + t->page_size > s->paddr + s->filesz)
			continue;
		fate = fate_of(t, offset, t->page_size);
		if (best == NO_MEMORY || fate < best) {
			best = fate;
			*at = offset;
		}
	}
	return best;
}

/* A page that no segment has completely; all parts must be there. */
static enum fate fate_of_parts(const struct trial *t, uint64_t first, uint8_t *page)
{
	enum fate worst = NO_MEMORY;

	for (size_t i = 0; i < SEGMENTS; i++) {
		const struct segment *s = &t->segments[i];
		uint64_t from = max_u64(first, s->paddr);
		uint64_t to = min_u64(first + t->page_size, s->paddr + s->filesz);
		uint64_t offset = s->offset + (from - s->paddr);
		enum fate fate;

		if (from >= to)
			continue;
		fate = fate_of(t, offset, to - from);
		worst = fate > worst ? fate : worst;
		memcpy(page + (from - first), t->r.source + offset, to - from);
	}
	return worst;
}

static enum fate expect(const struct trial *t, uint64_t pfn, uint8_t *page)
{
	uint64_t first = pfn * t->page_size, at = 0;
	enum fate fate = fate_of_whole(t, first, &at);

	memset(page, 0, t->page_size);
	if (fate == NO_MEMORY)
		fate = fate_of_parts(t, first, page);
	else
		memcpy(page, t->r.source + at, t->page_size);
	return fate != NO_MEMORY && t->out[pfn] ? LEFT_OUT : fate;
}

/* Aliases make the two places differ, and the page may come from either. */
static bool is_other_place(const struct trial *t, uint64_t pfn, const uint8_t *page)
{
	for (size_t i = 0; i < SEGMENTS; i++) {
		const struct segment *s = &t->segments[i];
		uint64_t first = pfn * t->page_size, offset = s->offset + (first - s->paddr);

		if (first >= s->paddr && first + t->page_size <= s->paddr + s->filesz &&
		    fate_of(t, offset, t->page_size) == KEPT &&
		    memcmp(page, t->r.source + offset, t->page_size) == 0)
			return true;
	}
	return false;
}

static uint32_t level_of(const struct trial *t)
{
	uint32_t level = 0;

	if (class_state(&t->o.classes, CLASS_FREE) == CLASS_LEFT_OUT)
		level |= DUMP_LEVEL_FREE;
	return level;
}

/* Are there such bytes of the page in any segment? */
static bool has_bytes(const struct trial *t, uint64_t pfn, enum fate fate)
{
	uint64_t first = pfn * t->page_size;

	for (size_t i = 0; i < SEGMENTS; i++) {
		const struct segment *s = &t->segments[i];
		uint64_t from = max_u64(first, s->paddr);
		uint64_t to = min_u64(first + t->page_size, s->paddr + s->filesz);

		for (; from < to; from = round_down(from, GRANULE) + GRANULE)
			if (fate_of(t, s->offset + (from - s->paddr), 1) == fate)
				return true;
	}
	return false;
}

/*
 * A page of which some bytes are missing and some were left out, in one segment or in several, is absent or left out:
 * before they are read, some of the missing bytes are not known.
 */
static bool is_either(const struct trial *t, uint64_t pfn)
{
	return !t->out[pfn] && has_bytes(t, pfn, LOST) && has_bytes(t, pfn, LEFT_OUT);
}

static const char *const names[FILES] = { "k0", "k1" };

static void compare(const struct trial *t, const struct kdump_export *x)
{
	uint8_t want[PAGE_MOST], got[PAGE_MOST];
	uint64_t lost = 0, either = 0;
	struct kdump_opened files[FILES];

	for (size_t i = 0; i < x->settings.outputs_count; i++)
		kdump_opened_open(&files[i], names[i]);
	for (uint64_t pfn = 0; pfn < FRAMES; pfn++) {
		const struct kdump_opened *v = &files[files[0].split && pfn >= files[0].end];
		enum fate fate = expect(t, pfn, want);
		bool absent = kdump_opened_has(v, pfn) && kdump_opened_is_absent(v, pfn);

		/* A capture leaves a page out in all segments or in none, so it may be taken from any. */
		if (fate == KEPT && !kdump_opened_has(v, pfn) && has_bytes(t, pfn, LEFT_OUT))
			fate = LEFT_OUT;
		if (kdump_opened_is_ram(v, pfn) != (fate != NO_MEMORY) ||
		    (absent && fate != LOST && !is_either(t, pfn)) ||
		    (kdump_opened_has(v, pfn) && !absent) != (fate == KEPT))
			ck_abort_msg("seed %llu: frame %llu of %s has fate %u",
				     (unsigned long long)t->seed, (unsigned long long)pfn, t->o.map,
				     fate);
		lost += fate == LOST && !is_either(t, pfn);
		either += fate != KEPT && fate != NO_MEMORY && is_either(t, pfn);
		if (fate != KEPT)
			continue;
		kdump_opened_read(v, pfn, got);
		if (memcmp(got, want, t->page_size) && !is_other_place(t, pfn, got))
			ck_abort_msg("seed %llu: frame %llu of %s", (unsigned long long)t->seed,
				     (unsigned long long)pfn, t->o.map);
	}
	ck_assert_uint_ge(kdump_export_missing(x), lost);
	ck_assert_uint_le(kdump_export_missing(x), lost + either);
	for (size_t i = 0; i < x->settings.outputs_count; i++) {
		ck_assert_uint_eq(files[i].dump_level, level_of(t));
		ck_assert(!(files[i].status & KDUMP_INCOMPLETE) == !kdump_export_missing(x));
		kdump_opened_close(&files[i]);
	}
}

/* --- the dump ---------------------------------------------------------------------------- */

static void walk_set(struct trial *t, struct kdump_export *x)
{
	struct walk_settings settings = {
		.threads = THREADS,
		.to = UINT64_MAX,
		.watch = no_watch,
	};
	struct walk *walk;
	struct error e;

	kdump_export_walk(x, &settings);
	ck_assert_int_eq(walk_new(&walk, &t->set, &settings, &e), STATUS_OK);
	ck_assert_msg(walk_run(walk, &e) == STATUS_OK, "seed %llu: %s", (unsigned long long)t->seed,
		      e.text);
	ck_assert_msg(kdump_export_end(x, walk, &e) == STATUS_OK, "seed %llu: %s", (unsigned long long)t->seed,
		      e.text);
	walk_free(walk);
}

static void filter(const struct trial *t, struct kdump_export *x)
{
	uint32_t level = x->form.dump_level;
	struct error e;

	ck_assert_int_eq(pages_leave_out_begin(&x->pages, &e), STATUS_OK);
	for (uint64_t pfn = 0; pfn < FRAMES; pfn++)
		if (t->out[pfn])
			pages_leave_out(&x->pages, pfn, 1);
	pages_leave_out_end(&x->pages);
	kdump_init(&x->form, &x->source.core, &x->info, &x->pages);
	x->form.dump_level = level;
}

static void write_dump(struct trial *t, struct kdump_export *x)
{
	/* Those that this build has. */
	static const enum codec_id codecs[] = { CODEC_LZO, CODEC_ZLIB, CODEC_SNAPPY, CODEC_ZSTD };
	const struct codec *codec = codec_by_id(codecs[t->seed % LENGTH(codecs)]);
	struct output_file outputs[FILES];
	/* Parts begin at multiples of 64 pages, and each must have one. */
	bool split = t->seed % 3 == 1 && pages_rank(&x->pages, 64) && pages_rank(&x->pages, 64) < x->pages.count;
	const struct kdump_settings settings = {
		.outputs = outputs, .outputs_count = split ? 2 : 1, .codec = codec ? codec : &codec_lzo, .threads = THREADS,
		.past_damage = true,
	};
	struct error e;

	for (size_t i = 0; i < settings.outputs_count; i++) {
		ck_assert_int_eq(output_file_probe(&outputs[i], names[i], PERMIT_OVERWRITE | PERMIT_DUMPS, true, &e), STATUS_OK);
		ck_assert_int_eq(output_file_open(&outputs[i], &e), STATUS_OK);
	}
	ck_assert_int_eq(kdump_export_begin(x, &settings, &e), STATUS_OK);
	walk_set(t, x);
	for (size_t i = 0; i < settings.outputs_count; i++)
		output_file_free(&outputs[i]);
	compare(t, x);
}

/* True if there was a dump: not without the headers of the core, or any page. */
static bool export(struct trial *t)
{
	struct kdump_export x = { 0 };
	struct set_absent lacking;
	struct absent holes;
	struct error e;
	bool written = false;

	ck_assert_int_eq(set_absent_find(&lacking, &t->set, NULL, &e), STATUS_OK);
	holes = set_absent_holes(&lacking);
	if (!kdump_export_open(&x, &t->set, &holes, &e)) {
		if (t->filtered)
			filter(t, &x);
		written = x.pages.count;
	}
	if (written)
		write_dump(t, &x);
	kdump_export_free(&x);
	set_absent_free(&lacking);
	return written;
}

static bool try_one(uint64_t seed, bool damaged)
{
	bool displaced = false, written = false;
	struct trial t;

	begin(&t, seed);
	for (uint64_t n = damaged ? 1 + seed % 3 : 0; n; n--)
		displaced |= layer_random_damage(&t.r);
	layer_random_read(&t.r, &t.o);
	/* Of displaced records, the oracle knows more: see compare() in test_resolve.c. */
	if (!layer_random_open(&t.r, &t.set) && t.o.map && t.set.source_size == t.made.size && !displaced)
		written = export(&t);
	end(&t);
	return written;
}

START_TEST(test_random)
{
	unsigned written = 0;

	for (uint64_t seed = 40000; seed < 40000 + SETS; seed++)
		written += try_one(seed, false);
	ck_assert_uint_gt(written, SETS * 3 / 4);
}
END_TEST

START_TEST(test_damaged)
{
	unsigned written = 0;

	for (uint64_t seed = 50000; seed < 50000 + DAMAGED; seed++)
		written += try_one(seed, true);
	ck_assert_uint_gt(written, DAMAGED / 4);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("kdump_layers");

	helper_use_directory(tcase);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_random);
	tcase_add_test(tcase, test_damaged);
	return helper_run_case("kdump_layers", tcase);
}
