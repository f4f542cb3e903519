// SPDX-License-Identifier: GPL-2.0-or-later
/* The page tables of the memory map, with other entries. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "page_damage.h"

enum { LEVELS_MAX = 8 };

/* One entry of the page tables, at any level. */
struct entry {
	struct damage *d;
	uint64_t paddr, value;		/* of the entry */
	uint64_t table;			/* in which it is */
	uint64_t next;			/* the entry after it */
	uint64_t address;		/* bits of a physical address */
	uint64_t before;		/* the entry of the map before it */
};

static uint64_t absent(const struct entry *t)
{
	return t->value & ~(uint64_t)1;
}

static uint64_t no_entry(const struct entry *t)
{
	(void)t;
	return 0;
}

static uint64_t all_ones(const struct entry *t)
{
	(void)t;
	return UINT64_MAX;
}

static uint64_t to_its_table(const struct entry *t)
{
	return (t->value & ~t->address) | t->table;
}

static uint64_t to_the_root(const struct entry *t)
{
	return (t->value & ~t->address) | (t->d->virt.tables.root & t->address);
}

static uint64_t to_frame_0(const struct entry *t)
{
	return t->value & ~t->address;
}

static uint64_t to_the_next(const struct entry *t)
{
	return t->next;
}

static uint64_t to_the_one_before(const struct entry *t)
{
	return t->before ? t->before : t->value;
}

/* Each half of 4 MiB of memory leads to the other one. */
static uint64_t to_the_neighbour(const struct entry *t)
{
	return t->value ^ (uint64_t)1 << 21;
}

static uint64_t out_of_memory(const struct entry *t)
{
	return t->value | (uint64_t)1 << 40;
}

static const struct {
	const char *name;
	uint64_t (*change)(const struct entry *t);
} changes[] = {
	{ "are not present", absent }, { "are zeros", no_entry }, { "are all ones", all_ones },
	{ "lead to their own table", to_its_table }, { "lead to the root", to_the_root },
	{ "lead to frame 0", to_frame_0 }, { "are those after them", to_the_next },
	{ "are those before them", to_the_one_before }, { "lead to the memory 2 MiB away", to_the_neighbour },
	{ "lead out of memory", out_of_memory },
};

static uint64_t get(const struct damage *d, uint64_t paddr)
{
	const uint8_t *at = damage_at(d, paddr, 8);

	return at ? get_le64(at) : 0;
}

/* As page_tables_walk(): the entries from the root to the one that is not a table; their number. */
static unsigned walk(struct damage *d, uint64_t vaddr, struct entry entries[LEVELS_MAX])
{
	const struct page_tables *p = &d->virt.tables;
	const unsigned bits = p->page_shift - 3;
	uint64_t table = p->root;
	unsigned count = 0;

	for (unsigned level = p->levels; level-- && count < LEVELS_MAX; ) {
		unsigned shift = p->page_shift + level * bits;
		uint64_t index = (vaddr - p->first) >> shift & (((uint64_t)1 << bits) - 1);
		struct entry *t = &entries[count++];

		*t = (struct entry){ .d = d, .paddr = table + index * 8, .table = table, .address = p->address };
		t->value = get(d, t->paddr);
		t->next = get(d, t->paddr + 8);
		if (p->kind(t->value, shift, level == 0) != PAGE_ENTRY_TABLE)
			break;
		table = (t->value & p->address) | (t->value & p->high) << p->high_shift;
	}
	return count;
}

/* The entries of the map that are up levels above the last ones, each once; their number. */
static size_t find_entries(struct damage *d, unsigned up, struct entry *found)
{
	const uint64_t step = d->keys.page_size / d->keys.size;
	size_t count = 0;

	for (size_t i = 0; i < d->map.present.count; i++) {
		const struct range *r = &d->map.present.ranges[i];

		for (uint64_t at = 0; at < r->length; at += step) {
			struct entry entries[LEVELS_MAX];
			unsigned levels = walk(d, page_map_address(&d->map, r->offset + at), entries);

			if (levels <= up || (count && entries[levels - 1 - up].paddr == found[count - 1].paddr))
				continue;
			found[count] = entries[levels - 1 - up];
			found[count].before = count ? found[count - 1].value : 0;
			count++;
		}
	}
	return count;
}

static void break_entries(struct damage *d, const struct entry *entries, size_t count, size_t which,
			  unsigned up)
{
	char name[128];

	for (size_t i = 0; i < count; i++)
		damage_put(d, entries[i].paddr, changes[which].change(&entries[i]));
	snprintf(name, sizeof(name), "page tables of the map, %u above the last: %s", up, changes[which].name);
	damage_case(d, name, &d->info);
	damage_restore(d);
}

void damage_tables(struct damage *d)
{
	struct entry *entries;
	uint64_t frames = 0;

	for (size_t i = 0; i < d->map.present.count; i++)
		frames += d->map.present.ranges[i].length;
	entries = calloc(frames * d->keys.size / d->keys.page_size + d->map.present.count, sizeof(*entries));
	if (!entries || !d->virt.tables.levels)
		damage_die(d->name, "page tables cannot be changed");
	for (unsigned up = 0; up < d->virt.tables.levels - 1; up++) {
		size_t count = find_entries(d, up, entries);

		for (size_t which = 0; which < sizeof(changes) / sizeof(changes[0]); which++)
			break_entries(d, entries, count, which, up);
	}
	free(entries);
}
