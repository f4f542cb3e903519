// SPDX-License-Identifier: GPL-2.0-or-later
/* The pass over the whole map, on several threads, and what is noticed in it. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "core/kinds/page_filter.h"
#include "helper.h"
#include "made_map.h"

enum { THREADS_MAX = 7, NOT_DELIVERED = 0xff };

#define ANON (MADE_DIRECT + MADE_OBJECT * 4096 + 1)	/* a slab, and bit 0 */
#define FILE (MADE_DIRECT + MADE_OBJECT * 4096)

static struct made_map mm;

struct taken {
	pthread_mutex_t lock;
	uint8_t kinds[MADE_FRAMES];
	uint64_t frames;
	unsigned parts;
	bool twice, unaligned;
};

static void take(void *arg, uint64_t pfn, size_t count, const uint8_t *kinds)
{
	struct taken *t = arg;

	pthread_mutex_lock(&t->lock);
	t->parts++;
	t->frames += count;
	t->unaligned |= count > PAGE_SURVEY_FRAMES || pfn / PAGE_SURVEY_FRAMES !=
			(pfn + count - 1) / PAGE_SURVEY_FRAMES;
	for (size_t i = 0; i < count; i++) {
		t->twice |= t->kinds[pfn + i] != NOT_DELIVERED;
		t->kinds[pfn + i] = kinds[i];
	}
	pthread_mutex_unlock(&t->lock);
}

static enum status survey(struct taken *t, unsigned threads, struct page_evidence *evidence,
			  struct error *e)
{
	const struct virt *virts[THREADS_MAX];
	const struct page_survey_settings settings = {
		.map = &mm.map, .virts = virts, .threads = threads, .deliver = take, .arg = t,
	};

	for (unsigned i = 0; i < THREADS_MAX; i++)
		virts[i] = &mm.virt;
	*t = (struct taken){ .lock = PTHREAD_MUTEX_INITIALIZER };
	memset(t->kinds, NOT_DELIVERED, sizeof(t->kinds));
	*evidence = (struct page_evidence){ 0 };
	return page_survey_run(&settings, evidence, e);
}

static void open_map(void)
{
	struct error e;

	ck_assert_msg(made_map_open(&mm, &e) == STATUS_OK, "%s", e.text);
}

static void make(const char *change)
{
	made_map_init_image(&mm, made_keys_new, change);
	open_map();
}

static void end(void)
{
	made_map_free(&mm);
}

/* Something of everything, also what is wrong. */
static void fill(void)
{
	struct made_fields anon = { .mapping = ANON, .refcount = 1 };
	struct made_fields cache = { .flags = MADE_PG_LRU, .mapping = FILE, .refcount = 1, .mapcount = UINT32_MAX };

	srand(1);
	for (uint64_t pfn = 1024; pfn < MADE_FRAMES; pfn += 1024) {
		made_zone_add(&mm, MADE_ZONE, (unsigned)rand() % MADE_LISTS, pfn, (unsigned)rand() % 8);
		made_page_compound(&mm, pfn + 256, 1 + (unsigned)rand() % 5, rand() % 2, &anon);
		made_page_compound(&mm, pfn + 512, 1 + (unsigned)rand() % 5, rand() % 2, &cache);
		/* No tail follows; no head is before; no block can begin here. */
		made_page_set(&mm, pfn + 768, &(struct made_fields){ .flags = MADE_PG_HEAD, .refcount = 1 });
		made_page_set(&mm, pfn + 770, &(struct made_fields){ .compound = MADE_BASE + pfn * MADE_PAGE + 1 });
		made_page_set(&mm, pfn + 771, &(struct made_fields){ .mapcount = mm.keys.type_buddy, .private = 1 });
	}
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void assert_same_evidence(struct page_evidence *a, struct page_evidence *b)
{
	qsort(a->anchors, a->anchors_count, sizeof(*a->anchors), compare);
	qsort(b->anchors, b->anchors_count, sizeof(*b->anchors), compare);
	ck_assert_uint_eq(a->anchors_count, b->anchors_count);
	ck_assert_mem_eq(a->anchors, b->anchors, a->anchors_count * sizeof(*a->anchors));
	ck_assert_mem_eq(a->blocks, b->blocks, sizeof(a->blocks));
	ck_assert_mem_eq(&a->marks, &b->marks, sizeof(a->marks));
	ck_assert_mem_eq(&a->own, &b->own, sizeof(a->own));
	ck_assert_mem_eq(&a->heads, &b->heads, sizeof(a->heads));
	ck_assert_mem_eq(&a->tails, &b->tails, sizeof(a->tails));
	ck_assert_mem_eq(&a->file_mappings, &b->file_mappings, sizeof(a->file_mappings));
	ck_assert_mem_eq(&a->anonymous_mappings, &b->anonymous_mappings, sizeof(a->anonymous_mappings));
}

/* Any number of threads finds the same; sections that are not present are not delivered. */
START_TEST(test_threads)
{
	static struct taken one, several;
	struct page_evidence of_one, of_several;
	struct error e;

	make(NULL);
	fill();
	if (_i) {
		put_le64(mm.sections, 0);
		put_le64(mm.sections + 3 * 32, 0);
		put_le64(mm.sections + 5 * 32, 0);
		open_map();
	}
	ck_assert_int_eq(survey(&one, 1, &of_one, &e), STATUS_OK);
	ck_assert_uint_eq(one.frames, _i ? MADE_FRAMES - 3 * MADE_SECTION : MADE_FRAMES);
	ck_assert_uint_eq(one.parts, _i ? 3 : MADE_FRAMES / PAGE_SURVEY_FRAMES);
	ck_assert(!one.twice && !one.unaligned);
	for (uint64_t pfn = 0; pfn < MADE_FRAMES; pfn++) {
		bool absent = _i && (pfn / MADE_SECTION == 0 || pfn / MADE_SECTION == 3 ||
				     pfn / MADE_SECTION == 5);

		ck_assert_int_eq(one.kinds[pfn], absent ? NOT_DELIVERED : (int)made_kind(&mm, pfn));
	}
	ck_assert_uint_gt(of_one.anchors_count, 0);
	/* The only slabs are those of frames 512 to 575. */
	ck_assert_uint_eq(of_one.parts_with_slabs, _i ? 0 : 1);
	ck_assert_uint_eq(of_one.heads.wrong, _i ? 5 : 7);
	ck_assert_uint_eq(of_one.marks.wrong, _i ? 5 : 7);
	ck_assert_uint_gt(of_one.tails.wrong, 0);
	for (unsigned threads = 2; threads <= THREADS_MAX; threads++) {
		ck_assert_int_eq(survey(&several, threads, &of_several, &e), STATUS_OK);
		ck_assert(!several.twice && !several.unaligned);
		ck_assert_mem_eq(several.kinds, one.kinds, sizeof(one.kinds));
		assert_same_evidence(&of_several, &of_one);
		page_evidence_free(&of_several);
	}
	page_evidence_free(&of_one);
	end();
}
END_TEST

/* Pages of the map that are not believed to be what their struct pages say; not if they are known. */
START_TEST(test_own)
{
	static const struct made_fields pages[] = {
		{ .mapcount = 0xf0000000 }, { .mapping = ANON, .refcount = 1 }, { .mapcount = 0xf1000000 },
		{ .flags = MADE_PG_LRU, .mapping = FILE, .refcount = 1 },
		{ .flags = MADE_PG_RESERVED, .refcount = 1 }, { .refcount = 1, .mapcount = UINT32_MAX },
		{ .flags = MADE_PG_POISON },
	};
	static struct taken taken;
	struct page_evidence evidence;
	struct error e;

	make(NULL);
	/* They are in frames behind all sections; now in others. */
	mm.map.own.ranges[0] = (struct range){ 4090, LENGTH(pages) };
	for (uint64_t i = 0; i < LENGTH(pages); i++)
		made_page_set(&mm, 4090 + i, &pages[i]);
	ck_assert_int_eq(survey(&taken, 1, &evidence, &e), STATUS_OK);
	ck_assert_uint_eq(evidence.own.all, LENGTH(pages));
	ck_assert_uint_eq(evidence.own.wrong, 4);
	for (uint64_t i = 0; i < LENGTH(pages); i++)
		ck_assert_int_eq(taken.kinds[4090 + i], i == 6 ? PAGE_POISONED : PAGE_MAP);
	page_evidence_free(&evidence);
	end();
}
END_TEST

/* A failure that ends the operation ends the survey; others do not. */
START_TEST(test_failure)
{
	static struct taken taken;
	struct page_evidence evidence;
	struct error e;

	make(NULL);
	fill();
	mm.m.missing = mm.segments[1].offset + 5000 * MADE_PAGE;
	mm.m.missing_length = 8;
	ck_assert_int_eq(survey(&taken, 2, &evidence, &e), STATUS_OK);
	ck_assert_int_eq(taken.kinds[5000], PAGE_UNKNOWN);
	ck_assert_int_eq(taken.kinds[5001], made_kind(&mm, 5001));
	page_evidence_free(&evidence);
	mm.m.missing_status = STATUS_STOPPED;
	for (unsigned threads = 1; threads <= THREADS_MAX; threads += 3) {
		ck_assert_int_eq(survey(&taken, threads, &evidence, &e), STATUS_STOPPED);
		ck_assert_ptr_nonnull(strstr(e.text, "is not in any member"));
		ck_assert_int_eq(taken.kinds[5000], NOT_DELIVERED);
		page_evidence_free(&evidence);
	}
	end();
}
END_TEST

static void assert_tally(const struct page_tally *t, uint64_t all, uint64_t wrong)
{
	ck_assert_uint_eq(t->all, all);
	ck_assert_uint_eq(t->wrong, wrong);
}

/* Mappings of the first page of a file and of the first anonymous one; kinds to which they may lead. */
START_TEST(test_samples)
{
	static const struct {
		uint64_t mapping;
		bool is_file;
		unsigned all, wrong;
	} cases[] = {
		{ FILE, true, 1, 0 }, { FILE | 1, false, 1, 0 }, { FILE | 3, false, 1, 0 },
		/* The image and other pages of the kernel may have a struct address_space, but no anon_vma. */
		{ MADE_TEXT_ADDRESS, true, 1, 0 }, { MADE_TEXT_ADDRESS | 1, false, 1, 1 },
		{ MADE_DIRECT + 700 * 4096, true, 1, 0 }, { (MADE_DIRECT + 700 * 4096) | 1, false, 1, 1 },
		/* A free page, a page of a file, the map, no page. */
		{ MADE_DIRECT + 640 * 4096, true, 1, 1 }, { (MADE_DIRECT + 640 * 4096) | 1, false, 1, 1 },
		{ MADE_DIRECT + 600 * 4096, true, 1, 1 }, { 0xffffffffff000000, true, 1, 1 },
		{ 0xffffffffff000001, false, 1, 1 },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct made_fields page = { .mapping = cases[i].mapping, .refcount = 1, .mapcount = UINT32_MAX,
					    .flags = MADE_PG_LRU };
		static struct taken taken;
		struct page_evidence evidence;
		struct error e;

		make(NULL);
		made_page_free(&mm, 640, 0);
		made_page_set(&mm, 600, &(struct made_fields){ .mapping = 0xffffffffff000000, .refcount = 1,
							      .flags = MADE_PG_LRU });
		made_page_set(&mm, 5000, &page);
		page.mapping = 0xffffffffff000000 | (page.mapping & 3);
		made_page_set(&mm, 5001, &page);
		ck_assert_int_eq(survey(&taken, 1, &evidence, &e), STATUS_OK);
		/* Frame 600 is the sample of the first part. */
		assert_tally(&evidence.file_mappings, 1 + cases[i].is_file,
			     1 + (cases[i].is_file && cases[i].wrong));
		assert_tally(&evidence.anonymous_mappings, !cases[i].is_file,
			     !cases[i].is_file && cases[i].wrong);
		page_evidence_free(&evidence);
		end();
	}
}
END_TEST

/* Pages in the swap cache have no mapping, and tails no meaning in this place. */
START_TEST(test_no_samples)
{
	struct made_fields swap = { .flags = MADE_PG_SWAPBACKED | MADE_PG_SWAPCACHE, .refcount = 1,
				    .mapcount = UINT32_MAX };
	struct made_fields anon = { .mapping = ANON, .refcount = 1 };
	static struct taken taken;
	struct page_evidence evidence;
	struct error e;

	make(NULL);
	made_page_set(&mm, 1000, &swap);
	/* The part begins with tails. */
	made_page_compound(&mm, 4096 - 512, 9, false, &anon);
	ck_assert_int_eq(survey(&taken, 1, &evidence, &e), STATUS_OK);
	ck_assert_int_eq(taken.kinds[1000], PAGE_CACHE_CLEAN);
	assert_tally(&evidence.file_mappings, 0, 0);
	assert_tally(&evidence.anonymous_mappings, 1, 0);
	page_evidence_free(&evidence);
	end();
}
END_TEST

/*
 * A CPU that was stopped while it made a page of several frames, or freed one, leaves many tails for which
 * their head does not vouch.  That is one case for each page, by mask and by pointer.
 */
START_TEST(test_unfinished)
{
	static struct taken taken;
	struct page_evidence evidence;
	struct error e;

	make(NULL);
	for (uint64_t pfn = 1024; pfn < 4096; pfn += 1024) {
		made_page_compound(&mm, pfn, 9, _i, &(struct made_fields){ .mapping = ANON, .refcount = 1 });
		made_page_compound(&mm, pfn + 512, 9, _i, &(struct made_fields){ .mapping = ANON, .refcount = 1 });
	}
	/* The order is set last, and cleared first. */
	for (uint64_t pfn = 2048; pfn < 4096; pfn += 512)
		made_page(&mm, pfn + 1)[0] = 0;
	ck_assert_int_eq(survey(&taken, 1, &evidence, &e), STATUS_OK);
	ck_assert_uint_eq(evidence.tails.wrong, 4);
	ck_assert_uint_eq(evidence.tails.all, 6);
	ck_assert_int_eq(taken.kinds[1024 + 1023], PAGE_ANONYMOUS);
	ck_assert_int_eq(taken.kinds[2048 + 1], PAGE_OTHER);
	ck_assert_int_eq(taken.kinds[4095], PAGE_OTHER);
	/* Tails that no page could have are each one. */
	for (uint64_t pfn = 5000; pfn < 5010; pfn++)
		made_page_set(&mm, pfn, &(struct made_fields){ .compound = (MADE_BASE + 6000 * MADE_PAGE) | 1 });
	page_evidence_free(&evidence);
	ck_assert_int_eq(survey(&taken, 1, &evidence, &e), STATUS_OK);
	ck_assert_uint_eq(evidence.tails.wrong, 14);
	page_evidence_free(&evidence);
	end();
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("page_survey");

	tcase_add_loop_test(tcase, test_threads, 0, 2);
	tcase_add_loop_test(tcase, test_unfinished, 0, 2);
	tcase_add_test(tcase, test_own);
	tcase_add_test(tcase, test_failure);
	tcase_add_test(tcase, test_samples);
	tcase_add_test(tcase, test_no_samples);
	return helper_run_case("page_survey", tcase);
}
