// SPDX-License-Identifier: GPL-2.0-or-later
/* Where pointers in the kernel image lead. */
#include "config.h"

#include "core/page_vote.h"
#include "helper.h"
#include "made_map.h"

#define AT(pfn) (MADE_DIRECT + (uint64_t)(pfn) * 4096)

/* The words that follow the last pointer of made_map_init_image(). */
#define FREE_WORD(i) (MADE_TEXT_ADDRESS + 0xa000 + (uint64_t)(i) * 8)

static struct made_map mm;

static void make(void)
{
	struct error e;

	made_map_init_image(&mm, made_keys_new, NULL);
	ck_assert_msg(made_map_open(&mm, &e) == STATUS_OK, "%s", e.text);
	ck_assert_uint_eq(mm.map.image.offset, MADE_TEXT);
	ck_assert_uint_eq(mm.map.image.length, MADE_TEXTS);
}

static void end(void)
{
	made_map_free(&mm);
}

static enum status vote(struct page_vote *v, struct error *e)
{
	struct page_cursor cursor;

	page_cursor_init(&cursor, &mm.map, &mm.virt);
	return page_vote_count(v, &cursor, e);
}

static void count(struct page_vote *v)
{
	struct error e;

	ck_assert_int_eq(vote(v, &e), STATUS_OK);
}

START_TEST(test_slabs)
{
	struct page_vote v;

	make();
	count(&v);
	ck_assert_uint_eq(v.frames, MADE_TEXTS);
	ck_assert_uint_eq(v.reserved, MADE_TEXTS);
	ck_assert_uint_eq(v.pointers, MADE_OBJECTS);
	for (enum page_class c = 0; c < PAGE_CLASSES; c++)
		ck_assert_uint_eq(v.to_class[c], 0);
	end();
}
END_TEST

/* Pages of each class are counted once, whatever the number of pointers to them. */
START_TEST(test_classes)
{
	struct made_fields of[] = {
		[PAGE_CLASS_CACHE] = { .flags = MADE_PG_LRU, .mapping = AT(512), .refcount = 1 },
		[PAGE_CLASS_PRIVATE] = { .flags = MADE_PG_LRU | MADE_PG_PRIVATE, .mapping = AT(512), .refcount = 1 },
		[PAGE_CLASS_USER] = { .mapping = AT(512) | 1, .refcount = 1 },
		[PAGE_CLASS_FREE] = { .mapcount = 0xf0000000 },
	};
	struct page_vote v;
	unsigned word = 0;

	make();
	for (enum page_class c = 0; c < PAGE_CLASSES; c++)
		for (uint64_t i = 0; i < 3; i++) {
			made_page_set(&mm, 600 + c * 8 + i, &of[c]);
			/* Two pointers to different words of it, with another one between. */
			made_put(&mm, FREE_WORD(word++), AT(600 + c * 8 + i));
			made_put(&mm, FREE_WORD(word++), AT(512));
			made_put(&mm, FREE_WORD(word++), AT(600 + c * 8 + i) + 4088);
		}
	count(&v);
	ck_assert_uint_eq(v.pointers, MADE_OBJECTS + word);
	for (enum page_class c = 0; c < PAGE_CLASSES; c++)
		ck_assert_uint_eq(v.to_class[c], 3);
	end();
}
END_TEST

/* After some pages, each pointer counts. */
START_TEST(test_many)
{
	struct page_vote v;

	make();
	for (uint64_t i = 0; i < 100; i++) {
		made_page_set(&mm, 580 + i, &(struct made_fields){ .mapping = AT(512) | 1, .refcount = 1 });
		made_put(&mm, FREE_WORD(2 * i), AT(580 + i));
		made_put(&mm, FREE_WORD(2 * i + 1), AT(580 + i) + 8);
	}
	count(&v);
	ck_assert_uint_eq(v.to_class[PAGE_CLASS_USER], PAGE_VOTE_SEEN + 2 * (100 - PAGE_VOTE_SEEN));
	end();
}
END_TEST

/* Numbers, addresses of the image and of struct pages, and what is not mapped, are no pointers. */
START_TEST(test_no_pointers)
{
	static const uint64_t words[] = {
		0, 1, UINT64_MAX, AT(600) + 1, AT(600) + 4, AT(600) & ~((uint64_t)1 << 63),
		0xffff000000000000, 0xffffffff00000000, 0xffff88800000fff8, MADE_TEXT_ADDRESS,
		MADE_TEXT_ADDRESS + MADE_TEXTS * 4096 - 8, MADE_BASE + 600 * MADE_PAGE,
		MADE_BASE, MADE_BASE + MADE_FRAMES * MADE_PAGE - 8, 0xffffc90000100000,
	};
	struct page_vote v;

	make();
	for (uint64_t i = 0; i < MADE_SECTION; i++)
		if (made_kind(&mm, i) == PAGE_OTHER)
			made_page_set(&mm, i, &(struct made_fields){ .mapping = AT(512) | 1, .refcount = 1 });
	for (size_t i = 0; i < LENGTH(words); i++)
		made_put(&mm, FREE_WORD(i), words[i]);
	count(&v);
	ck_assert_uint_eq(v.pointers, MADE_OBJECTS);
	/* Words that repeat the one before them are one. */
	for (uint64_t i = 0; i < 10; i++)
		made_put(&mm, FREE_WORD(i), AT(600));
	count(&v);
	ck_assert_uint_eq(v.pointers, MADE_OBJECTS + 1);
	ck_assert_uint_eq(v.to_class[PAGE_CLASS_USER], 1);
	end();
}
END_TEST

/* Frames that are not reserved were freed; those that have no struct page, or cannot be read, too. */
START_TEST(test_frames)
{
	struct page_vote v;
	struct error e;

	make();
	made_page_set(&mm, MADE_TEXT, &(struct made_fields){ .refcount = 1, .mapcount = UINT32_MAX });
	made_page_set(&mm, MADE_TEXT + 1, &(struct made_fields){ .flags = UINT64_MAX });
	count(&v);
	ck_assert_uint_eq(v.frames, MADE_TEXTS);
	ck_assert_uint_eq(v.reserved, MADE_TEXTS - 2);
	ck_assert_uint_lt(v.pointers, MADE_OBJECTS);
	put_le64(mm.sections, 0);
	ck_assert_int_eq(made_map_open(&mm, &e), STATUS_OK);
	count(&v);
	ck_assert_uint_eq(v.frames, MADE_TEXTS);
	ck_assert_uint_eq(v.reserved, 0);
	ck_assert_uint_eq(v.pointers, 0);
	mm.map.image.length = 0;
	count(&v);
	ck_assert_uint_eq(v.frames, 0);
	end();
}
END_TEST

/* Symbols in VMCOREINFO, of the image and elsewhere; not those that lead nowhere. */
START_TEST(test_symbols)
{
	static const char symbols[] = "SYMBOL(a)=ffff888000258000\nSYMBOL(b)=ffff888000258fff\n"
		"SYMBOL(long_name_of_a_variable)=ffffffff81000008\nSYMBOL(c)=ffffc90000000000\n"
		"SYMBOL(d)=none\nSYMBOL(e\nSYMBOL()=ffff888000258000\nNUMBER(f)=0xffff888000258000\n"
		"SYMBOL(g)=ffff888000259000";
	struct page_vote before, v;

	make();
	count(&before);
	/* The array of sections, and the beginning of the image. */
	ck_assert_uint_eq(before.symbols, 2);
	ck_assert_uint_eq(before.symbols_of_classes, 0);
	mm.vmcoreinfo = (struct vmcoreinfo){ .text = symbols, .size = sizeof(symbols) - 1 };
	made_page_set(&mm, 0x258, &(struct made_fields){ .mapping = AT(512) | 1, .refcount = 1 });
	count(&v);
	ck_assert_uint_eq(v.symbols, 4);
	ck_assert_uint_eq(v.symbols_of_classes, 2);
	made_page_set(&mm, 0x259, &(struct made_fields){ .mapcount = 0xf0000000 });
	count(&v);
	ck_assert_uint_eq(v.symbols_of_classes, 3);
	end();
}
END_TEST

/* Words that cannot be translated take time as others do: their number is limited. */
START_TEST(test_limit)
{
	enum { LIMIT = 1 << 18 };
	struct page_vote v;

	make();
	/* All frames of the map's first section are image: 4 MiB, of which 3 are in the core. */
	mm.map.image = (struct range){ 0, MADE_SECTION };
	mm.map.image_address = MADE_DIRECT;
	for (uint64_t pfn = 0; pfn < MADE_SECTION; pfn++)
		made_page_set(&mm, pfn, &(struct made_fields){ .flags = MADE_PG_RESERVED });
	for (uint64_t i = 0; i < 3 * 131072; i++)
		made_put(&mm, MADE_DIRECT + i * 8, 0xffffc90000100000 + i * 8);
	count(&v);
	ck_assert_uint_eq(v.frames, MADE_SECTION);
	ck_assert_uint_eq(v.reserved, MADE_SECTION);
	ck_assert_uint_eq(v.words, LIMIT);
	ck_assert_uint_eq(v.pointers, 0);
	end();
}
END_TEST

START_TEST(test_stopped)
{
	struct page_vote v;
	struct error e;

	make();
	mm.m.missing = mm.segments[1].offset + (MADE_TEXT + MADE_TEXTS - 1) * MADE_PAGE;
	mm.m.missing_length = MADE_PAGE;
	ck_assert_int_eq(vote(&v, &e), STATUS_OK);
	ck_assert_uint_eq(v.reserved, MADE_TEXTS - 1);
	mm.m.missing_status = STATUS_STOPPED;
	ck_assert_int_eq(vote(&v, &e), STATUS_STOPPED);
	end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("page_vote");
	TCase *tcase = tcase_create("page_vote");

	tcase_add_test(tcase, test_slabs);
	tcase_add_test(tcase, test_classes);
	tcase_add_test(tcase, test_many);
	tcase_add_test(tcase, test_no_pointers);
	tcase_add_test(tcase, test_frames);
	tcase_add_test(tcase, test_symbols);
	tcase_add_test(tcase, test_limit);
	tcase_add_test(tcase, test_stopped);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
