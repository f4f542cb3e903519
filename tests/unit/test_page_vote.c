// SPDX-License-Identifier: GPL-2.0-or-later
/* Where pointers in the kernel image lead. */
#include "config.h"

#include <string.h>

#include "core/kinds/page_trust.h"
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

/* Pages of each class are counted once, whatever the number of pointers to them. */
START_TEST(test_classes)
{
	struct made_fields of[] = {
		[PAGE_CLASS_CACHE] = { .flags = MADE_PG_LRU, .mapping = AT(512), .refcount = 1 },
		[PAGE_CLASS_PRIVATE] = { .flags = MADE_PG_LRU | MADE_PG_PRIVATE, .mapping = AT(512), .refcount = 1 },
		[PAGE_CLASS_USER] = { .mapping = AT(512) | 1, .refcount = 1 },
		[PAGE_CLASS_FREE] = { .mapcount = 0xf0000000 },
		[JUDGED_OFFLINE] = { .mapcount = 0xf1000000 },
		[JUDGED_POISONED] = { .flags = MADE_PG_POISON, .refcount = 1 },
	};
	struct page_vote v;
	unsigned word = 0;

	make();
	for (unsigned c = 0; c < JUDGED; c++)
		for (uint64_t i = 0; i < 3; i++) {
			made_page_set(&mm, 600 + c * 8 + i, &of[c]);
			/* Two pointers to different words of it, with another one between. */
			made_put(&mm, FREE_WORD(word++), AT(600 + c * 8 + i));
			made_put(&mm, FREE_WORD(word++), AT(512));
			made_put(&mm, FREE_WORD(word++), AT(600 + c * 8 + i) + 4088);
		}
	count(&v);
	ck_assert_uint_eq(v.pointers, MADE_OBJECTS + word);
	/* The offline ones are free, too. */
	for (unsigned c = 0; c < JUDGED; c++)
		ck_assert_uint_eq(v.to_class[c], c == PAGE_CLASS_FREE ? 6 : 3);
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
	ck_assert_uint_eq(before.symbols_of_class[PAGE_CLASS_FREE], 0);
	mm.vmcoreinfo = (struct vmcoreinfo){ .text = symbols, .size = sizeof(symbols) - 1 };
	made_page_set(&mm, 0x258, &(struct made_fields){ .mapping = AT(512) | 1, .refcount = 1 });
	count(&v);
	ck_assert_uint_eq(v.symbols, 4);
	ck_assert_uint_eq(v.symbols_of_class[PAGE_CLASS_USER], 2);
	made_page_set(&mm, 0x259, &(struct made_fields){ .mapcount = 0xf0000000 });
	count(&v);
	ck_assert_uint_eq(v.symbols_of_class[PAGE_CLASS_FREE], 1);
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

/* --- page tables ------------------------------------------------------------------------- */

#define PAGES_ADDRESS 0xffff900000000000	/* of memory that is mapped page by page */
#define VMALLOC_ADDRESS 0xffffc90000000000

enum {
	ROOT = 704,			/* frames of page tables: the root, */
	PAGES = 705,			/* one of each level below it, for PAGES_ADDRESS, */
	VMALLOC = 708,			/* and for VMALLOC_ADDRESS */
	LEVELS = 4,
};

static enum page_entry entry_kind(uint64_t entry, unsigned shift, bool last_level)
{
	(void)shift;
	if (!(entry & 1))
		return PAGE_ENTRY_ABSENT;
	return last_level ? PAGE_ENTRY_MEMORY : PAGE_ENTRY_TABLE;
}

static bool is_read_only(uint64_t entry)
{
	return !(entry & 2);
}

static void put_entry(uint64_t table, uint64_t index, uint64_t pfn)
{
	made_put(&mm, AT(table) + index * 8, pfn * 4096 | 1);
}

/* From the root to the table of the last level: first, and the two frames after it. */
static void put_tables(uint64_t address, uint64_t first)
{
	put_entry(ROOT, (address - mm.virt.tables.first) >> 39, first);
	put_entry(first, 0, first + 1);
	put_entry(first + 1, 0, first + 2);
}

static void set_info(const char *text)
{
	mm.vmcoreinfo = (struct vmcoreinfo){ .text = text, .size = strlen(text) };
}

static void make_tables(void)
{
	make();
	set_info("NUMBER(VMALLOC_START)=0xffffc90000000000\n");
	mm.virt.tables = (struct page_tables){
		.first = 0xffff800000000000, .root = ROOT * 4096, .levels = LEVELS, .page_shift = 12,
		.address = 0x000ffffffffff000, .kind = entry_kind, .read_only = is_read_only,
	};
	for (uint64_t at = 0; at < (VMALLOC + 3 - ROOT) * 4096; at += 8)
		made_put(&mm, AT(ROOT) + at, 0);
	put_tables(PAGES_ADDRESS, PAGES);
	/* Entries in a row for the same table count once. */
	put_entry(PAGES + 1, 1, PAGES + 2);
	put_tables(VMALLOC_ADDRESS, VMALLOC);
	put_entry(PAGES + 2, 0, MADE_OBJECT);
	for (uint64_t i = 0; i < 4; i++)
		put_entry(VMALLOC + 2, i, 4000 + i);
}

/* Pointers in code are not looked at: nobody could have put them there. */
START_TEST(test_read_only)
{
	const uint64_t image = 710, writable = 2;
	struct page_vote v;

	make_tables();
	for (uint64_t at = 0; at < 3 * 4096; at += 8)
		made_put(&mm, AT(image) + at, 0);
	put_entry(ROOT, (MADE_TEXT_ADDRESS - mm.virt.tables.first) >> 39, image);
	put_entry(image, MADE_TEXT_ADDRESS >> 30 & 511, image + 1);
	put_entry(image + 1, MADE_TEXT_ADDRESS >> 21 & 511, image + 2);
	for (uint64_t i = 0; i < MADE_TEXTS; i++)
		made_put(&mm, AT(image + 2) + ((MADE_TEXT_ADDRESS >> 12 & 511) + i) * 8,
			 (MADE_TEXT + i) * 4096 | 1 | writable);
	count(&v);
	ck_assert_uint_eq(v.pointers, MADE_OBJECTS);
	/* The first half of the image, which is read at once. */
	for (uint64_t i = 0; i < MADE_TEXTS / 2; i++)
		put_entry(image + 2, (MADE_TEXT_ADDRESS >> 12 & 511) + i, MADE_TEXT + i);
	count(&v);
	ck_assert_uint_eq(v.pointers, 0);
	ck_assert_uint_eq(v.reserved, MADE_TEXTS);
	end();
}
END_TEST

/* The tables below the root, and what is mapped for vmalloc() alone. */
START_TEST(test_tables)
{
	const struct made_fields user = { .mapping = AT(512) | 1, .refcount = 1 };
	const struct made_fields free = { .mapcount = 0xf0000000 };
	struct page_vote v;

	make_tables();
	count(&v);
	ck_assert_uint_eq(v.tables, 6);
	ck_assert_uint_eq(v.mapped, 4);
	for (enum page_class c = 0; c < PAGE_CLASSES; c++) {
		ck_assert_uint_eq(v.tables_of_class[c], 0);
		ck_assert_uint_eq(v.mapped_of_class[c], 0);
	}
	made_page_set(&mm, PAGES + 1, &user);
	made_page_set(&mm, VMALLOC, &free);
	made_page_set(&mm, VMALLOC + 2, &free);
	made_page_set(&mm, MADE_OBJECT, &free);
	made_page_set(&mm, 4001, &free);
	made_page_set(&mm, 4002, &free);
	made_page_set(&mm, 4003, &user);
	count(&v);
	ck_assert_uint_eq(v.tables_of_class[PAGE_CLASS_USER], 1);
	ck_assert_uint_eq(v.tables_of_class[PAGE_CLASS_FREE], 2);
	ck_assert_uint_eq(v.mapped_of_class[PAGE_CLASS_USER], 1);
	ck_assert_uint_eq(v.mapped_of_class[PAGE_CLASS_FREE], 2);
	/* The image may be among them, with frames that were freed. */
	put_entry(VMALLOC + 2, 2, MADE_TEXT + 1);
	made_page_set(&mm, MADE_TEXT + 1, &free);
	count(&v);
	ck_assert_uint_eq(v.mapped, 3);
	ck_assert_uint_eq(v.mapped_of_class[PAGE_CLASS_FREE], 1);
	/* Tables may have other addresses, too; each is counted once. */
	set_info("NUMBER(VMALLOC_START)=0xffffc90000001000\nNUMBER(VMALLOC_END)=0xffffc90000003000\n");
	count(&v);
	ck_assert_uint_eq(v.tables, 6);
	ck_assert_uint_eq(v.tables_of_class[PAGE_CLASS_FREE], 2);
	ck_assert_uint_eq(v.mapped, 1);
	/* Without the addresses of vmalloc(), nothing is mapped for it. */
	set_info("NUMBER(VMALLOC_START)=0xffffc90000001000\nNUMBER(VMALLOC_END)=1\n");
	count(&v);
	ck_assert_uint_eq(v.tables, 6);
	ck_assert_uint_eq(v.mapped, 0);
	set_info("");
	count(&v);
	ck_assert_uint_eq(v.tables, 6);
	ck_assert_uint_eq(v.mapped, 0);
	end();
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("page_vote");

	tcase_add_test(tcase, test_classes);
	tcase_add_test(tcase, test_no_pointers);
	tcase_add_test(tcase, test_frames);
	tcase_add_test(tcase, test_symbols);
	tcase_add_test(tcase, test_limit);
	tcase_add_test(tcase, test_read_only);
	tcase_add_test(tcase, test_tables);
	return helper_run_case("page_vote", tcase);
}
