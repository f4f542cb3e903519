// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *	page_kinds CORE KPAGEFLAGS
 *
 * Compares the kinds of all pages of a core with what its kernel said of them just before it
 * panicked, in /proc/kpageflags: eight bytes for each page frame, from frame 0 on
 * (Documentation/admin-guide/mm/pagemap.rst).  Prints a table of kinds and of the kernel's words.
 *
 * Between the two, pages change.  These differences are expected, and no others:
 *	changed		One of both sides says that the page was free, or nothing (as of pages in the lists of a
 *			CPU): it was allocated or freed.  Or both say that it belongs to a file: it was written.
 *			Up to a thousandth of all pages.
 *	migrating	The kernel moves pages to other frames for huge ones (compaction), and takes them off the
 *			LRU lists for this.  Now they look like the kernel's own, so they are counted as such,
 *			which is safe; or they were new when the kernel was asked.  Up to a fiftieth.
 * Exit status 1: other differences, or more of these; 2: no comparison.
 */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "core/page_range.h"
#include "core/pages.h"

/* include/uapi/linux/kernel-page-flags.h, and from 32 on include/linux/kernel-page-flags.h */
enum {
	DIRTY = 4, LRU = 5, SLAB = 7, BUDDY = 10, ANON = 12, SWAPCACHE = 13, SWAPBACKED = 14, HEAD = 15,
	TAIL = 16, HUGE = 17, HWPOISON = 19, NOPAGE = 20, THP = 22, OFFLINE = 23, PGTABLE = 26, RESERVED = 32,
	PRIVATE = 35,
};

/* What the kernel said of a page, the first that applies. */
enum word {
	WORD_NOPAGE, WORD_HWPOISON, WORD_OFFLINE, WORD_BUDDY, WORD_SLAB, WORD_PGTABLE, WORD_HUGE,
	WORD_ANON, WORD_PRIVATE, WORD_DIRTY, WORD_LRU, WORD_RESERVED, WORD_LARGE, WORD_COMPOUND, WORD_OTHER,
	WORD_NONE, WORDS
};

static const char *const words[WORDS] = {
	"nopage", "hwpoison", "offline", "buddy", "slab", "pgtable", "huge", "anon", "private", "dirty",
	"lru", "reserved", "large", "compound", "other", "none",
};

struct file {
	const uint8_t *bytes;
	uint64_t size;
};

static void die(const char *what, const struct error *e)
{
	fprintf(stderr, "page_kinds: %s: %s\n", what, e->text);
	exit(2);
}

static struct file map_file(const char *name)
{
	struct file f = { 0 };
	struct stat st;
	int fd = open(name, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) || !st.st_size) {
		perror(name);
		exit(2);
	}
	f.size = (uint64_t)st.st_size;
	f.bytes = mmap(NULL, f.size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (f.bytes == MAP_FAILED) {
		perror(name);
		exit(2);
	}
	close(fd);
	return f;
}

static enum status read_file(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	const struct file *f = arg;

	if (offset > f->size || len > f->size - offset)
		return error_set(e, STATUS_MISSING, "the core is cut short");
	memcpy(dst, f->bytes + offset, len);
	return STATUS_OK;
}

/* --- what the kernel said ---------------------------------------------------------- */

static uint64_t said_of(const struct file *flags, uint64_t pfn)
{
	return pfn < flags->size / 8 ? get_le64(flags->bytes + pfn * 8) : (uint64_t)1 << NOPAGE;
}

/* Before 6.9, the flags of a tail are its own and say little, so those of its head are taken. */
static uint64_t said_of_head(const struct file *flags, uint64_t pfn)
{
	const uint64_t own = (uint64_t)1 << TAIL | (uint64_t)1 << HWPOISON;
	uint64_t said = said_of(flags, pfn), kept = said & own;

	while (said >> TAIL & 1 && pfn)
		said = said_of(flags, --pfn);
	return said | kept;
}

static enum word word_of(uint64_t said)
{
	static const struct { int bit; enum word word; } order[] = {
		{ NOPAGE, WORD_NOPAGE }, { HWPOISON, WORD_HWPOISON }, { OFFLINE, WORD_OFFLINE },
		{ BUDDY, WORD_BUDDY }, { SLAB, WORD_SLAB }, { PGTABLE, WORD_PGTABLE },
		{ HUGE, WORD_HUGE }, { RESERVED, WORD_RESERVED }, { ANON, WORD_ANON },
	};
	const uint64_t swap = (uint64_t)1 << SWAPCACHE | (uint64_t)1 << SWAPBACKED;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (said >> order[i].bit & 1)
			return order[i].word;
	if (said >> LRU & 1 || (said & swap) == swap)
		return said >> PRIVATE & 1 ? WORD_PRIVATE : said >> DIRTY & 1 ? WORD_DIRTY : WORD_LRU;
	/* Memory of processes and files that is on no list; other pages of several frames lack THP. */
	if (said >> THP & 1)
		return WORD_LARGE;
	if (said >> HEAD & 1 || said >> TAIL & 1)
		return WORD_COMPOUND;
	return said ? WORD_OTHER : WORD_NONE;
}

/* --- the comparison ------------------------------------------------------------------ */

/* The words that a page of this kind may have had. */
static uint32_t words_of(enum page_kind kind)
{
#define W(word) ((uint32_t)1 << WORD_##word)
	switch (kind) {
	case PAGE_UNKNOWN:
		return W(NOPAGE);
	case PAGE_IMAGE:
	case PAGE_MAP:
	case PAGE_RESERVED:
	case PAGE_OTHER:
		return W(RESERVED) | W(LARGE) | W(COMPOUND) | W(OTHER) | W(NONE);
	case PAGE_SLAB:
		return W(SLAB);
	case PAGE_KMALLOC:
		return W(COMPOUND) | W(NONE) | W(OTHER);
	case PAGE_TABLE:
		return W(PGTABLE);
	case PAGE_TYPED:
		return W(COMPOUND) | W(NONE) | W(OTHER) | W(PGTABLE) | W(OFFLINE);
	case PAGE_CACHE_PRIVATE:
		return W(PRIVATE);
	case PAGE_CACHE_DIRTY:
		return W(DIRTY);
	case PAGE_CACHE_CLEAN:
		return W(LRU);
	case PAGE_ANONYMOUS:
		return W(ANON);
	case PAGE_HUGETLB:
		return W(HUGE);
	case PAGE_CPU_FREE:
		return W(NONE);
	case PAGE_FREE:
	case PAGE_UNACCEPTED:
		return W(BUDDY);
	case PAGE_OFFLINE:
		return W(OFFLINE);
	case PAGE_POISONED:
		return W(HWPOISON);
	case PAGE_KINDS:
		break;
	}
#undef W
	return 0;
}

struct comparison {
	uint64_t pages[PAGE_KINDS][WORDS];
	uint64_t off_lists[PAGE_KINDS][WORDS];	/* of these, now on no LRU list */
	uint64_t examples[PAGE_KINDS][WORDS];	/* a frame of each */
};

static bool is_of_file(enum page_kind kind, enum word word)
{
	return kind >= PAGE_CACHE_PRIVATE && kind <= PAGE_CACHE_CLEAN && word >= WORD_PRIVATE &&
	       word <= WORD_LRU;
}

static bool may_have_changed(enum page_kind kind, enum word word)
{
	return kind == PAGE_FREE || kind == PAGE_CPU_FREE || word == WORD_BUDDY || word == WORD_NONE ||
	       is_of_file(kind, word);
}

/* The page is not on an LRU list and may have been, or the other way around. */
static bool may_migrate(enum page_kind kind, enum word word)
{
	return ((kind == PAGE_OTHER || kind == PAGE_IMAGE) && word >= WORD_ANON && word <= WORD_LRU) ||
	       (kind >= PAGE_CACHE_PRIVATE && kind <= PAGE_ANONYMOUS && word == WORD_LARGE);
}

/* In the core.  A tail has the lists of its head. */
static bool is_off_lists(struct page_cursor *cursor, uint64_t pfn)
{
	const struct page_map *map = cursor->map;
	uint8_t page[STRUCT_PAGE_MAX];
	uint64_t head, reach;

	if (!page_cursor_copy(cursor, pfn, 1, page))
		return false;
	if (page_is_tail(map->keys, page) &&
	    (!page_head(map->keys, page, pfn, page_map_address(map, pfn), &head,
			&reach) ||
	     !page_cursor_copy(cursor, head, 1, page)))
		return false;
	return !(get_le64(page) & map->keys->flag_lru);
}

static void print_table(const struct comparison *c)
{
	printf("%-14s", "kind");
	for (int w = 0; w < WORDS; w++)
		printf(" %8s", words[w]);
	printf("\n");
	for (enum page_kind k = 0; k < PAGE_KINDS; k++) {
		printf("%-14s", page_kind_name(k));
		for (int w = 0; w < WORDS; w++)
			printf(" %8" PRIu64, c->pages[k][w]);
		printf("\n");
	}
}

static const char *name_of(const struct comparison *c, enum page_kind kind, enum word word)
{
	if (may_have_changed(kind, word))
		return "changed";
	if (!may_migrate(kind, word) ||
	    (word != WORD_LARGE && c->off_lists[kind][word] < c->pages[kind][word]))
		return "wrong";
	return "migrating";
}

static bool check(const struct comparison *c)
{
	uint64_t all = 0, changed = 0, migrating = 0, wrong = 0;

	for (enum page_kind k = 0; k < PAGE_KINDS; k++)
		for (enum word w = 0; w < WORDS; w++) {
			uint64_t pages = c->pages[k][w];
			const char *name = name_of(c, k, w);

			all += pages;
			if (!pages || words_of(k) >> w & 1)
				continue;
			*(*name == 'c' ? &changed : *name == 'm' ? &migrating : &wrong) += pages;
			printf("%s: %s, the kernel said %s: %" PRIu64 ", such as frame %#" PRIx64 "\n", name,
			       page_kind_name(k), words[w], pages, c->examples[k][w]);
		}
	printf("%" PRIu64 " pages: %" PRIu64 " changed, %" PRIu64 " migrating, %" PRIu64 " wrong\n", all,
	       changed, migrating, wrong);
	return all && !wrong && changed <= all / 1000 && migrating <= all / 50;
}

static void compare(struct page_cursor *cursor, const struct pages *pages,
		    const struct file *flags, struct comparison *c)
{
	uint8_t kinds[4096];
	struct error e;

	for (size_t i = 0; i < pages->ram_count; i++)
		for (uint64_t at = 0; at < pages->ram[i].count; at += sizeof(kinds)) {
			uint64_t pfn = pages->ram[i].pfn + at;
			size_t count = min_u64(sizeof(kinds), pages->ram[i].count - at);

			if (page_range_kinds(cursor, pfn, count, kinds, &e))
				die("kinds", &e);
			for (size_t j = 0; j < count; j++) {
				enum word w = word_of(said_of_head(flags, pfn + j));

				if (!c->pages[kinds[j]][w]++)
					c->examples[kinds[j]][w] = pfn + j;
				if (may_migrate(kinds[j], w))
					c->off_lists[kinds[j]][w] += is_off_lists(cursor, pfn + j);
			}
		}
}

static bool compare_core(const struct virt *virt, const struct page_keys *keys,
			 const struct file *flags)
{
	static struct comparison c;
	struct page_cursor cursor;
	struct page_map map;
	struct pages pages;
	struct error e;

	if (page_map_open(&map, virt, keys, &e) ||
	    pages_find(&pages, virt->core, keys->page_size, NULL, 0, &e))
		die("memory map", &e);
	page_cursor_init(&cursor, &map, virt);
	compare(&cursor, &pages, flags, &c);
	print_table(&c);
	page_map_close(&map);
	pages_free(&pages);
	return check(&c);
}

int main(int argc, char **argv)
{
	struct file core_file, flags;
	struct core_bytes bytes = { .read = read_file, .arg = &core_file };
	struct vmcoreinfo info;
	struct page_keys keys;
	struct core core;
	struct virt virt;
	struct error e;
	bool right = true;

	if (argc != 3) {
		fprintf(stderr, "usage: page_kinds CORE KPAGEFLAGS\n");
		return 2;
	}
	core_file = map_file(argv[1]);
	flags = map_file(argv[2]);
	bytes.size = core_file.size;
	if (core_open(&core, &bytes, &e) || vmcoreinfo_find(&core, &info, &e) ||
	    page_keys_find(&keys, &info, &e))
		die(argv[1], &e);
	virt_init(&virt, &core, &info);
	for (enum page_test test = 0; test < PAGE_TESTS; test++)
		if (!page_test_made(&keys, test)) {
			printf("wrong: %s\n", keys.off[test]);
			right = false;
		}
	right = compare_core(&virt, &keys, &flags) && right;
	core_close(&core);
	return right ? 0 : 1;
}
