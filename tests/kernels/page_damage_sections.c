// SPDX-License-Identifier: GPL-2.0-or-later
/* The array of sections, which says where the memory map is, with other contents. */
#include "config.h"

#include <stdio.h>

#include "base/bytes.h"
#include "page_damage.h"

/* The array is in pages, to which a root array points; all cores that are tested have this form. */
struct array {
	struct damage *d;
	uint64_t table;			/* of roots */
	uint64_t roots, per_root, size, word;
	uint64_t first;			/* the first root that is not NULL */
};

static uint64_t number(const struct damage *d, const char *kind, const char *name)
{
	uint64_t value;

	if (!vmcoreinfo_get(&d->info, kind, name, &value))
		damage_die(name, "is not in VMCOREINFO");
	return value;
}

static uint64_t get(const struct damage *d, uint64_t address)
{
	uint8_t bytes[8];
	struct error e;

	return virt_read(&d->virt, address, 8, bytes, &e) ? 0 : get_le64(bytes);
}

static void put(struct damage *d, uint64_t address, uint64_t value)
{
	uint64_t paddr, length;
	struct error e;

	if (!virt_translate(&d->virt, address, &paddr, &length, &e))
		damage_put(d, paddr, value);
}

/* --- roots ---------------------------------------------------------------------------- */

static uint64_t to_the_roots(const struct array *a, uint64_t i, uint64_t root)
{
	(void)i;
	(void)root;
	return a->table;
}

static uint64_t to_the_first(const struct array *a, uint64_t i, uint64_t root)
{
	(void)i;
	(void)root;
	return a->first;
}

static uint64_t to_the_next(const struct array *a, uint64_t i, uint64_t root)
{
	return root ? get(a->d, a->table + (i + 1) % a->roots * 8) : 0;
}

static uint64_t to_nowhere(const struct array *a, uint64_t i, uint64_t root)
{
	(void)a;
	return root ? 0xffff000000000000 + i * 4096 : 0;
}

static uint64_t to_the_map(const struct array *a, uint64_t i, uint64_t root)
{
	return root ? page_map_address(&a->d->map, a->d->map.present.ranges[0].offset) + i * 4096 : 0;
}

static uint64_t to_all_ones(const struct array *a, uint64_t i, uint64_t root)
{
	(void)a;
	(void)i;
	(void)root;
	return UINT64_MAX;
}

static uint64_t shifted(const struct array *a, uint64_t i, uint64_t root)
{
	(void)i;
	return root ? root + a->size : 0;
}

static const struct {
	const char *name;
	uint64_t (*change)(const struct array *a, uint64_t i, uint64_t root);
} of_roots[] = {
	{ "all lead to the roots themselves", to_the_roots }, { "all are the first one", to_the_first },
	{ "are moved by one", to_the_next }, { "lead to no memory", to_nowhere },
	{ "lead to struct pages", to_the_map }, { "are all ones", to_all_ones },
	{ "lead to the second section", shifted },
};

static void break_roots(struct array *a, size_t which)
{
	char name[128];

	for (uint64_t i = 0; i < a->roots; i++) {
		uint64_t root = get(a->d, a->table + i * 8);

		put(a->d, a->table + i * 8, of_roots[which].change(a, i, root));
	}
	snprintf(name, sizeof(name), "roots of sections: %s", of_roots[which].name);
	damage_case(a->d, name, &a->d->info);
	damage_restore(a->d);
}

/* --- sections ------------------------------------------------------------------------- */

static uint64_t all_flags(const struct array *a, uint64_t word)
{
	(void)a;
	return word | 4095;
}

static uint64_t not_present(const struct array *a, uint64_t word)
{
	(void)a;
	return word & ~(uint64_t)1;
}

static uint64_t no_word(const struct array *a, uint64_t word)
{
	(void)a;
	(void)word;
	return 0;
}

static uint64_t ones(const struct array *a, uint64_t word)
{
	(void)a;
	(void)word;
	return UINT64_MAX;
}

static uint64_t one_page_further(const struct array *a, uint64_t word)
{
	(void)a;
	return word + 4096;
}

static uint64_t one_section_further(const struct array *a, uint64_t word)
{
	return word + ((uint64_t)a->d->keys.size << a->d->map.section_shift);
}

static uint64_t in_the_image(const struct array *a, uint64_t word)
{
	return (a->d->map.image_address & ~(uint64_t)4095) | (word & 4095);
}

static const struct {
	const char *name;
	uint64_t (*change)(const struct array *a, uint64_t word);
} of_words[] = {
	{ "have all flags", all_flags }, { "are not present", not_present }, { "are zeros", no_word },
	{ "are all ones", ones }, { "begin 4096 bytes further", one_page_further },
	{ "have the map of the next section", one_section_further }, { "have their map in the image", in_the_image },
};

/* Of present sections, all, or every second one. */
static void break_words(struct array *a, size_t which, unsigned every)
{
	uint64_t present = 0;
	char name[128];

	for (uint64_t i = 0; i < a->roots; i++) {
		uint64_t root = get(a->d, a->table + i * 8);

		for (uint64_t j = 0; root && j < a->per_root; j++) {
			uint64_t at = root + j * a->size + a->word, word = get(a->d, at);

			if (word & 1 && present++ % every == 0)
				put(a->d, at, of_words[which].change(a, word));
		}
	}
	snprintf(name, sizeof(name), "%s sections: %s", every == 1 ? "all" : "half of the",
		 of_words[which].name);
	damage_case(a->d, name, &a->d->info);
	damage_restore(a->d);
}

void damage_sections(struct damage *d)
{
	struct array a = {
		.d = d,
		.table = number(d, "SYMBOL", "mem_section"),
		.roots = number(d, "LENGTH", "mem_section"),
		.size = number(d, "SIZE", "mem_section"),
		.word = number(d, "OFFSET", "mem_section.section_mem_map"),
	};

	a.per_root = d->keys.page_size / a.size;
	for (uint64_t i = 0; i < a.roots && !a.first; i++)
		a.first = get(d, a.table + i * 8);
	for (size_t which = 0; which < sizeof(of_roots) / sizeof(of_roots[0]); which++)
		break_roots(&a, which);
	for (size_t which = 0; which < sizeof(of_words) / sizeof(of_words[0]); which++)
		for (unsigned every = 1; every <= 2; every++)
			break_words(&a, which, every);
}
