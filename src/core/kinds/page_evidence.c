// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "core/kinds/page_evidence.h"
#include "core/kinds/page_range.h"

void page_evidence_free(struct page_evidence *ev)
{
	free(ev->anchors);
	*ev = (struct page_evidence){ 0 };
}

struct sought {
	const uint64_t *anchors;
	uint64_t anchor;
};

static bool is_less(const void *arg, size_t i)
{
	const struct sought *sought = arg;

	return sought->anchors[i] < sought->anchor;
}

static void add_anchor(struct page_evidence *ev, uint64_t anchor)
{
	const struct sought sought = { .anchors = ev->anchors, .anchor = anchor };
	size_t at = search_first(ev->anchors_count, is_less, &sought);

	if (at < ev->anchors_count && ev->anchors[at] == anchor)
		return;
	if (ev->anchors_count == PAGE_ANCHORS_MAX ||
	    !array_grow(&ev->anchors, ev->anchors_count, sizeof(*ev->anchors))) {
		ev->anchors_lost = true;
		return;
	}
	memmove(ev->anchors + at + 1, ev->anchors + at,
		(ev->anchors_count - at) * sizeof(*ev->anchors));
	ev->anchors[at] = anchor;
	ev->anchors_count++;
}

static void add_tally(struct page_tally *to, const struct page_tally *from)
{
	to->all += from->all;
	to->wrong += from->wrong;
}

void page_evidence_merge(struct page_evidence *ev, const struct page_evidence *other)
{
	for (unsigned o = 0; o < PAGE_ORDERS_MAX; o++)
		ev->blocks[o] += other->blocks[o];
	for (size_t i = 0; i < other->anchors_count; i++)
		add_anchor(ev, other->anchors[i]);
	ev->anchors_lost |= other->anchors_lost;
	ev->poisoned += other->poisoned;
	ev->parts_with_slabs += other->parts_with_slabs;
	add_tally(&ev->marks, &other->marks);
	add_tally(&ev->own, &other->own);
	add_tally(&ev->heads, &other->heads);
	add_tally(&ev->tails, &other->tails);
	add_tally(&ev->file_mappings, &other->file_mappings);
	add_tally(&ev->anonymous_mappings, &other->anonymous_mappings);
}

void page_evidence_block(struct page_evidence *ev, const struct page_map *map, const uint8_t *page,
			 unsigned order)
{
	const struct page_keys *k = map->keys;
	uint64_t end = range_list_end(&map->present);

	ev->blocks[order]++;
	for (unsigned i = 0; i < 2 && k->lru; i++) {
		uint64_t next = get_le64(page + k->lru + 8 * i);

		if (next < map->base || next - map->base >= end * k->size)
			add_anchor(ev, next - (uint64_t)order * k->area_size);
	}
}

/* The kind of the page at a kernel address; PAGE_UNKNOWN if there is none. */
static enum status find_kind_at(struct page_cursor *c, uint64_t address, uint8_t *kind, struct error *e)
{
	uint64_t paddr, length;
	enum status status = virt_translate(c->virt, address, &paddr, &length, e);

	*kind = PAGE_UNKNOWN;
	if (status)
		return core_bytes_end(status) ? status : STATUS_OK;
	return page_range_kinds(c, paddr >> c->map->keys->page_shift, 1, kind, e);
}

/*
 * The lowest two bits: 0 for a page of a file, which belongs to a struct address_space, in an inode or
 * in a table for swap; 1 for an anonymous one, which has a struct anon_vma; 3 for one that KSM has
 * merged.
 */
static bool leads_elsewhere(bool anonymous, enum page_kind kind)
{
	if (anonymous)
		return kind != PAGE_SLAB;
	return kind == PAGE_UNKNOWN || kind == PAGE_MAP || kind >= PAGE_CACHE_PRIVATE;
}

static enum status sample(struct page_tally *tally, struct page_cursor *c, uint64_t pfn, bool anonymous,
			  struct error *e)
{
	const uint8_t *page = page_cursor_get(c, pfn);
	uint64_t mapping;
	enum status status;
	uint8_t kind;

	if (!page || page_is_tail(c->map->keys, page))
		return STATUS_OK;
	mapping = get_le64(page + c->map->keys->mapping);
	/* Pages that were read ahead from swap have none. */
	if (!mapping)
		return STATUS_OK;
	status = find_kind_at(c, mapping & ~(uint64_t)3, &kind, e);
	if (status)
		return status;
	tally->all++;
	tally->wrong += leads_elsewhere(anonymous, kind);
	return STATUS_OK;
}

enum status page_evidence_sample(struct page_evidence *ev, struct page_cursor *c, uint64_t pfn,
				 size_t count, const uint8_t *kinds, struct error *e)
{
	size_t file = count, anonymous = count;
	enum status status = STATUS_OK;

	for (size_t i = count; i; i--) {
		enum page_kind kind = kinds[i - 1];

		if (kind == PAGE_ANONYMOUS)
			anonymous = i - 1;
		else if (kind >= PAGE_CACHE_PRIVATE && kind <= PAGE_CACHE_CLEAN)
			file = i - 1;
	}
	if (file < count)
		status = sample(&ev->file_mappings, c, pfn + file, false, e);
	if (!status && anonymous < count)
		status = sample(&ev->anonymous_mappings, c, pfn + anonymous, true, e);
	return status;
}
