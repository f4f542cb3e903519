// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *	page_damage [-v] CORE
 *
 * Breaks what the kinds of pages are found by, in many ways, and counts the pages of the kernel that a
 * dump would lose by each: those of kinds that are kept on the core as it is, but would be left out
 * of the damaged one at dump level 31.  VMCOREINFO: each key removed and altered, and the note cut at
 * each line.  The memory map: struct pages, sections, and heads with other contents.
 *
 * Prints each case that loses pages, and with -v all of them: the pages, the classes that would be left
 * out, and why the others would not.  Exit status 1: more is lost than page_damage_known() knows of;
 * 2: no comparison.
 */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "core/page_range.h"
#include "core/page_survey.h"
#include "core/page_trust.h"
#include "core/pages.h"

enum { TEXT_MAX = 65536, VALUES_MAX = 64, CLASSES_ALL = (1 << PAGE_CLASSES) - 1 };

struct bench {
	const char *name;
	int fd;
	uint8_t *bytes;			/* of the core; a private copy that cases may change */
	uint64_t size;
	struct core core;
	struct vmcoreinfo info;		/* as it is */
	struct pages pages;
	uint64_t frames;
	uint8_t *healthy, *kinds;	/* of each frame below; UINT8_MAX: not in the core */
	bool verbose;
	unsigned cases, losing;
	uint64_t worst;			/* pages lost by one case */
	double slowest;
};

static void die(const char *what, const char *why)
{
	fprintf(stderr, "page_damage: %s: %s\n", what, why);
	exit(2);
}

static enum status read_bytes(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	const struct bench *b = arg;

	if (offset > b->size || len > b->size - offset)
		return error_set(e, STATUS_MISSING, "the core is cut short");
	memcpy(dst, b->bytes + offset, len);
	return STATUS_OK;
}

static void map_core(struct bench *b)
{
	void *at = mmap(b->bytes, b->size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | (b->bytes ? MAP_FIXED : 0), b->fd, 0);

	if (at == MAP_FAILED)
		die(b->name, "cannot be mapped");
	b->bytes = at;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* --- one run -------------------------------------------------------------------------- */

static void take_kinds(void *arg, uint64_t pfn, size_t count, const uint8_t *kinds)
{
	struct bench *b = arg;

	if (pfn < b->frames)
		memcpy(b->kinds + pfn, kinds, min_u64(count, b->frames - pfn));
}

/* Finds the kinds of all pages with this VMCOREINFO, and judges them. */
static void run(struct bench *b, const struct vmcoreinfo *info, struct page_trust *trust)
{
	struct page_keys keys;
	struct page_map map = { 0 };
	struct page_evidence evidence = { 0 };
	struct page_facts facts;
	struct virt virt;
	const struct virt *virts[] = { &virt };
	const struct page_survey_settings settings = {
		.map = &map, .virts = virts, .threads = 1, .deliver = take_kinds, .arg = b,
	};
	struct error e;
	enum status status = page_keys_find(&keys, info, &e);

	memset(b->kinds, PAGE_UNKNOWN, b->frames);
	virt_init(&virt, &b->core, info);
	if (!status)
		status = page_map_open(&map, &virt, &keys, &e);
	if (!status) {
		if (page_survey_run(&settings, &evidence, &e) ||
		    page_facts_collect(&facts, &map, &virt, &evidence, &e))
			die(b->name, e.text);
		page_trust_judge(trust, &facts);
	} else {
		page_trust_refuse_all(trust, e.text);
	}
	page_evidence_free(&evidence);
	page_map_close(&map);
}

static uint64_t count_lost(const struct bench *b, unsigned classes)
{
	uint64_t lost = 0;

	for (size_t i = 0; i < b->pages.ram_count; i++) {
		const struct page_range *r = &b->pages.ram[i];

		for (uint64_t pfn = r->pfn; pfn < r->pfn + r->count; pfn++)
			lost += page_class_of(b->healthy[pfn]) == PAGE_CLASSES &&
				classes & PAGE_CLASS_BIT(page_class_of(b->kinds[pfn]));
	}
	return lost;
}

static void print_case(const char *name, uint64_t lost, const struct page_trust *trust)
{
	printf("%-60s %8" PRIu64 " ", name, lost);
	for (enum page_class c = 0; c < PAGE_CLASSES; c++)
		if (!trust->why[c][0])
			printf(" %s", page_class_name(c));
	for (enum page_class c = 0; c < PAGE_CLASSES; c++)
		if (trust->why[c][0] && (!c || strcmp(trust->why[c], trust->why[c - 1]) != 0))
			printf("; %s: %s", page_class_name(c), trust->why[c]);
	printf("\n");
}

static void run_case(struct bench *b, const char *name, const struct vmcoreinfo *info)
{
	struct page_trust trust;
	double began = now(), took;
	uint64_t lost;

	run(b, info, &trust);
	lost = count_lost(b, page_trust_classes(&trust));
	took = now() - began;
	b->cases++;
	b->losing += lost != 0;
	if (lost > b->worst)
		b->worst = lost;
	if (took > b->slowest)
		b->slowest = took;
	if (lost || b->verbose)
		print_case(name, lost, &trust);
}

/* --- VMCOREINFO ------------------------------------------------------------------------- */

struct line {
	const char *text;
	size_t length;			/* with the line feed */
	size_t key;			/* up to and with "=" */
};

/* Replaces the value of a line; NULL removes the line. */
static void run_note(struct bench *b, const struct line *line, const char *value)
{
	static char text[TEXT_MAX];
	const struct vmcoreinfo *info = &b->info;
	size_t before = (size_t)(line->text - info->text), after = before + line->length, size = before;
	struct vmcoreinfo changed = { .text = text };
	char name[128];

	memcpy(text, info->text, before);
	if (value)
		size += (size_t)snprintf(text + size, 512, "%.*s%s\n", (int)line->key, line->text, value);
	memcpy(text + size, info->text + after, info->size - after);
	changed.size = size + info->size - after;
	snprintf(name, sizeof(name), "%.*s %s", (int)line->key - 1, line->text, value ? value : "removed");
	run_case(b, name, &changed);
}

/* Values that a number in another note could have. */
static void alter(struct bench *b, const struct line *line)
{
	const long long add[] = { 1, -1, 2, -2, 4, -4, 8, -8, 16, -16, 64, 4096, -4096 };
	const long long set[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
				  22, 23, 24, 32, 40, 48, 56, 63, 64, 128, 255, 256, -1, -2, -128, -129,
				  -257, 0x7fffffff };
	bool hex = strncmp(line->text, "SYMBOL", 6) == 0;
	char value[64], *end;
	unsigned long long old;

	memcpy(value, line->text + line->key, min_u64(line->length - line->key, sizeof(value) - 1));
	value[min_u64(line->length - line->key - 1, sizeof(value) - 1)] = '\0';
	old = strtoull(value, &end, hex ? 16 : 0);
	if (end == value || *end)
		return;
	for (size_t i = 0; i < sizeof(add) / sizeof(add[0]); i++) {
		snprintf(value, sizeof(value), hex ? "%llx" : "%lld", old + (unsigned long long)add[i]);
		run_note(b, line, value);
	}
	for (size_t i = 0; i < sizeof(set) / sizeof(set[0]) && !hex; i++) {
		snprintf(value, sizeof(value), "%lld", set[i]);
		run_note(b, line, value);
	}
}

/* Page types as other types of the same kernel are. */
static void alter_type(struct bench *b, const struct line *line)
{
	char value[64];

	if (!memmem(line->text, line->key, "_MAPCOUNT_VALUE", 15))
		return;
	for (unsigned type = 0xe0; type <= 0xff; type++) {
		snprintf(value, sizeof(value), "%d", (int)(type << 24));
		run_note(b, line, value);
	}
	for (unsigned bit = 2; bit < 32; bit++) {
		snprintf(value, sizeof(value), "%d", (int)~(1U << bit));
		run_note(b, line, value);
	}
}

static void cut(struct bench *b, size_t size)
{
	const struct vmcoreinfo info = { .text = b->info.text, .size = size };
	char name[64];

	snprintf(name, sizeof(name), "cut after %zu bytes", size);
	run_case(b, name, &info);
}

/* Lines that no reader of pages uses change nothing; they are removed, but not altered. */
static bool is_used(const struct line *line)
{
	const char *const others[] = { "prb", "printk", "dev_", "kallsyms", "latched", "atomic", "clear_seq",
				       "BUILD-ID", "CRASHTIME", "OSRELEASE", "vmap", "log_" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (memmem(line->text, line->key, others[i], strlen(others[i])))
			return false;
	return true;
}

static void break_note(struct bench *b)
{
	const char *at = b->info.text, *end = at + b->info.size;

	while (at < end) {
		const char *feed = memchr(at, '\n', (size_t)(end - at)), *equal;
		struct line line = { .text = at };

		if (!feed)
			break;
		line.length = (size_t)(feed - at) + 1;
		equal = memchr(at, '=', line.length);
		at = feed + 1;
		if (!equal)
			continue;
		line.key = (size_t)(equal - line.text) + 1;
		cut(b, (size_t)(line.text - b->info.text));
		run_note(b, &line, NULL);
		if (!is_used(&line))
			continue;
		alter(b, &line);
		alter_type(b, &line);
	}
}

/* --- the memory map --------------------------------------------------------------------- */

/* The struct page of a frame, in b->bytes; NULL: it is not in the core. */
static uint8_t *struct_page(struct bench *b, const struct page_map *map, const struct virt *virt,
			    uint64_t pfn)
{
	uint64_t paddr, length;
	struct error e;

	if (virt_translate(virt, page_map_address(map, pfn), &paddr, &length, &e))
		return NULL;
	for (size_t i = 0; i < b->core.segments_count; i++) {
		const struct segment *s = &b->core.segments[i];

		if (paddr - s->paddr < s->filesz && s->filesz - (paddr - s->paddr) >= map->keys->size)
			return b->bytes + s->offset + (paddr - s->paddr);
	}
	return NULL;
}

struct subject {
	struct bench *bench;
	const struct page_map *map;
	uint64_t pfn;
	uint8_t *page;
	uint64_t seed;			/* of random() below */
};

static uint64_t next_random(struct subject *s)
{
	s->seed ^= s->seed << 13;
	s->seed ^= s->seed >> 7;
	s->seed ^= s->seed << 17;
	return s->seed;
}

static void zero(struct subject *s)
{
	memset(s->page, 0, s->map->keys->size);
}

static void ones(struct subject *s)
{
	memset(s->page, 0xff, s->map->keys->size);
}

static void noise(struct subject *s)
{
	for (uint32_t at = 0; at < s->map->keys->size; at += 8)
		put_le64(s->page + at, next_random(s));
}

static void noise_in_flags(struct subject *s)
{
	put_le64(s->page, get_le64(s->page) ^ (next_random(s) & s->map->keys->flags_all));
}

static void noise_in_mapcount(struct subject *s)
{
	put_le32(s->page + s->map->keys->mapcount, (uint32_t)next_random(s));
}

static void noise_in_lru(struct subject *s)
{
	put_le64(s->page + s->map->keys->lru, next_random(s));
}

static void odd_mapping(struct subject *s)
{
	uint8_t *mapping = s->page + s->map->keys->mapping;

	put_le64(mapping, get_le64(mapping) | 1);
}

static void no_flags(struct subject *s)
{
	put_le64(s->page, get_le64(s->page) & ~s->map->keys->flags_all);
}

static void all_lru(struct subject *s)
{
	put_le64(s->page, get_le64(s->page) | s->map->keys->flag_lru);
}

static void all_buddies(struct subject *s)
{
	put_le32(s->page + s->map->keys->mapcount, s->map->keys->type_buddy);
}

static void slabs_free(struct subject *s)
{
	const struct page_keys *k = s->map->keys;

	if (s->bench->healthy[s->pfn] != PAGE_SLAB || page_is_tail(k, s->page))
		return;
	put_le64(s->page, get_le64(s->page) & ~(k->flag_slab | k->flag_head));
	put_le32(s->page + k->mapcount, k->type_buddy);
	put_le32(s->page + k->refcount, 0);
	put_le64(s->page + k->private, 0);
}

static void no_slabs(struct subject *s)
{
	const struct page_keys *k = s->map->keys;

	if (s->bench->healthy[s->pfn] != PAGE_SLAB)
		return;
	put_le64(s->page, get_le64(s->page) & ~k->flag_slab);
	if (k->type_slab != PAGE_TYPE_NONE)
		put_le32(s->page + k->mapcount, UINT32_MAX);
}

static void order_of_63(struct subject *s)
{
	const struct page_keys *k = s->map->keys;

	if (page_type(k, s->page) == k->type_buddy)
		put_le64(s->page + k->private, 63);
}

static void largest_order(struct subject *s)
{
	const struct page_keys *k = s->map->keys;

	if (page_type(k, s->page) == k->type_buddy)
		put_le64(s->page + k->private, k->orders - 1);
}

/* As the second page, each has the order of its head. */
static void large_heads(struct subject *s)
{
	const struct page_keys *k = s->map->keys;

	if (k->order_at && page_is_tail(k, s->page))
		s->page[k->order_at - k->size] = s->pfn & 1 ? 63 : 20;
}

static void tails_to_next(struct subject *s)
{
	const struct page_keys *k = s->map->keys;

	if (page_is_tail(k, s->page))
		put_le64(s->page + k->compound, page_map_address(s->map, s->pfn + 1) | 1);
}

static void tails_to_each_other(struct subject *s)
{
	put_le64(s->page + s->map->keys->compound, page_map_address(s->map, s->pfn ^ 1) | 1);
}

static void tails_anywhere(struct subject *s)
{
	const struct page_keys *k = s->map->keys;
	uint64_t pfn = next_random(s) % s->bench->frames;

	if (page_is_tail(k, s->page))
		put_le64(s->page + k->compound, page_map_address(s->map, pfn) | 1);
}

static void tails_far_before(struct subject *s)
{
	const struct page_keys *k = s->map->keys;

	if (page_is_tail(k, s->page) && s->pfn > 512)
		put_le64(s->page + k->compound,
			 page_map_address(s->map, s->pfn - 1 - next_random(s) % 512) | 1);
}

static void no_tails(struct subject *s)
{
	const struct page_keys *k = s->map->keys;

	if (page_is_tail(k, s->page))
		put_le64(s->page + k->compound, get_le64(s->page + k->compound) & ~(uint64_t)1);
}

static const struct {
	const char *name;
	void (*damage)(struct subject *s);
} damages[] = {
	{ "zeros", zero }, { "ones", ones }, { "random bytes", noise }, { "random flags", noise_in_flags },
	{ "no flags", no_flags }, { "random mapcount", noise_in_mapcount }, { "random lists", noise_in_lru },
	{ "odd mapping", odd_mapping }, { "all on LRU lists", all_lru }, { "all marked as free", all_buddies },
	{ "slabs marked as free", slabs_free }, { "slabs not marked", no_slabs },
	{ "free blocks of order 63", order_of_63 }, { "free blocks of the largest order", largest_order },
	{ "heads of order 63 and 20", large_heads }, { "tails lead to the next page", tails_to_next },
	{ "pages are tails of each other", tails_to_each_other }, { "tails lead anywhere", tails_anywhere },
	{ "tails lead to some page before", tails_far_before }, { "tails not marked", no_tails },
};

enum { DAMAGES = sizeof(damages) / sizeof(damages[0]) };

/* Every struct page of those in the core whose number divided by 64 is a multiple of every. */
static void break_pages(struct bench *b, const struct page_map *map, const struct virt *virt, size_t d,
			unsigned every)
{
	struct subject s = { .bench = b, .map = map, .seed = 88172645463325252 + d };
	char name[128];

	for (size_t i = 0; i < b->pages.ram_count; i++)
		for (uint64_t at = 0; at < b->pages.ram[i].count; at++) {
			s.pfn = b->pages.ram[i].pfn + at;
			if (s.pfn / 64 % every || !page_map_has(map, s.pfn))
				continue;
			s.page = struct_page(b, map, virt, s.pfn);
			if (s.page)
				damages[d].damage(&s);
		}
	if (every == 1)
		snprintf(name, sizeof(name), "struct pages: %s", damages[d].name);
	else
		snprintf(name, sizeof(name), "struct pages, 64 in %u: %s", 64 * every, damages[d].name);
	run_case(b, name, &b->info);
	map_core(b);
}

static void break_map(struct bench *b)
{
	struct page_keys keys;
	struct page_map map;
	struct virt virt;
	struct error e;

	virt_init(&virt, &b->core, &b->info);
	if (page_keys_find(&keys, &b->info, &e) || page_map_open(&map, &virt, &keys, &e))
		die(b->name, e.text);
	for (size_t d = 0; d < DAMAGES; d++)
		for (unsigned every = 1; every <= 64; every *= 8)
			break_pages(b, &map, &virt, d, every);
	page_map_close(&map);
}

/* ----------------------------------------------------------------------------------------- */

static void open_core(struct bench *b)
{
	struct core_bytes bytes = { .read = read_bytes, .arg = b };
	struct page_trust trust;
	uint32_t page_size;
	struct stat st;
	struct error e;

	b->fd = open(b->name, O_RDONLY | O_CLOEXEC);
	if (b->fd < 0 || fstat(b->fd, &st) || !st.st_size)
		die(b->name, "cannot be opened, or is empty");
	b->size = bytes.size = (uint64_t)st.st_size;
	map_core(b);
	if (core_open(&b->core, &bytes, &e) || vmcoreinfo_find(&b->core, &b->info, &e) ||
	    vmcoreinfo_page_size(&b->info, &page_size, &e) ||
	    pages_find(&b->pages, &b->core, page_size, NULL, 0, &e))
		die(b->name, e.text);
	b->frames = b->pages.end;
	b->healthy = malloc(b->frames);
	b->kinds = malloc(b->frames);
	if (!b->healthy || !b->kinds || b->info.size > TEXT_MAX / 2)
		die(b->name, "is too large");
	run(b, &b->info, &trust);
	memcpy(b->healthy, b->kinds, b->frames);
	print_case("as it is", 0, &trust);
	if (page_trust_classes(&trust) != CLASSES_ALL)
		die(b->name, "the undamaged core is not trusted");
}

int main(int argc, char **argv)
{
	struct bench b = { 0 };

	if (argc == 3 && strcmp(argv[1], "-v") == 0)
		b.verbose = true;
	else if (argc != 2)
		die("usage", "page_damage [-v] CORE");
	b.name = argv[argc - 1];
	open_core(&b);
	break_map(&b);
	break_note(&b);
	printf("%u cases, %u of them lose pages, at most %" PRIu64 "; the slowest took %.2f s\n", b.cases,
	       b.losing, b.worst, b.slowest);
	core_close(&b.core);
	pages_free(&b.pages);
	free(b.healthy);
	free(b.kinds);
	return 0;
}
