// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "core/kinds/page_class.h"

/* --- tails --------------------------------------------------------------------------- */

/*
 * A tail has, beside bit 0, the address of its head's struct page.  Since 7.1 it may have a mask
 * instead, which makes the head's address of its own: -(2^order * size of a struct page).  No
 * pointer looks like a mask of these orders: that would be an address within the last
 * 2^PAGE_ORDERS_MAX struct pages of the address space.
 */
static bool is_mask(const struct page_keys *k, uint64_t value)
{
	uint64_t unit = -value;

	return is_power_of_two(k->size) && is_power_of_two(unit) && unit > k->size &&
	       unit >> PAGE_ORDERS_MAX < k->size;
}

/*
 * A page of several frames begins at a multiple of its size, so a frame has only one possible head
 * for each order.  This bounds what a broken map can make a reader do.
 */
bool page_head(const struct page_keys *k, const uint8_t *tail, uint64_t pfn, uint64_t address,
	       uint64_t *head, uint64_t *reach)
{
	uint64_t value = get_le64(tail + k->compound) & ~(uint64_t)1;
	bool mask = is_mask(k, value);
	uint64_t first = mask ? address & value : value;
	uint64_t distance = (address - first) / k->size;

	if (first >= address || (address - first) % k->size || distance > pfn ||
	    distance >> PAGE_ORDERS_MAX)
		return false;
	*head = pfn - distance;
	*reach = mask ? -value / k->size : (uint64_t)1 << PAGE_ORDERS_MAX;
	/* All bits of the distance are below the lowest one of the head. */
	if (*head)
		*reach = min_u64(*reach, *head & -*head);
	return distance < *reach;
}

/* --- heads --------------------------------------------------------------------------- */

static bool is_slab(const struct page_keys *k, uint64_t flags, uint32_t type)
{
	return type == k->type_slab || flags & k->flag_slab;
}

bool page_finds_block(const struct page_keys *k, const uint8_t *page, uint64_t pfn,
		      unsigned *order, enum page_kind *kind)
{
	uint64_t flags = page_flags(page), private;
	uint32_t type = page_type(k, page);

	if (!page_test_made(k, PAGE_TEST_FREE) || !page_is_initialised(page) ||
	    flags & (k->flag_poisoned | k->flag_reserved | k->flag_slab) ||
	    get_le32(page + k->refcount) || page_is_tail(k, page))
		return false;
	private = type == k->type_buddy ? get_le64(page + k->private) : k->orders - 1;
	if (private >= k->orders || pfn & (((uint64_t)1 << private) - 1))
		return false;
	*order = (unsigned)private;
	*kind = type == k->type_buddy ? PAGE_FREE : PAGE_UNACCEPTED;
	return true;
}

/* Kernel addresses have a first byte of 0xff, or bit 55 if the first byte may hold a tag. */
static bool is_kernel_address(uint64_t value)
{
	return value >> 56 == 0xff || value >> 55 & 1;
}

/*
 * The list of a CPU cannot be told with certainty: a page in use by the kernel may look the same since
 * 6.14, which has such pages with a reference count of 0.  Before, these are frames of allocations of
 * several pages (without __GFP_COMP); most of them have a list that leads to itself.
 */
static bool is_cpu_free(const struct page_keys *k, const uint8_t *page, uint64_t flags)
{
	uint64_t next = get_le64(page + k->lru), previous = get_le64(page + k->lru + 8);

	return k->lru && !(flags & k->flags_all) && get_le32(page + k->mapcount) == UINT32_MAX &&
	       !get_le64(page + k->mapping) && next != previous && !(next & 7) && !(previous & 7) &&
	       next >> 56 == 0xff && previous >> 56 == 0xff;
}

static enum page_kind cache_kind(const struct page_keys *k, uint64_t flags)
{
	if (flags & k->flag_private)
		return PAGE_CACHE_PRIVATE;
	return flags & k->flag_dirty ? PAGE_CACHE_DIRTY : PAGE_CACHE_CLEAN;
}

/*
 * Pages in the swap cache may have no mapping.  One that is no address of the kernel shows that mappings are
 * looked for in the wrong place, and is sampled for that (page_trust.c), so the page counts here.
 */
static bool is_cache(const struct page_keys *k, uint64_t flags, uint64_t mapping)
{
	const uint64_t swap = k->flag_swapbacked | k->flag_swapcache;

	return !(mapping & 3) &&
	       ((flags & k->flag_lru && is_kernel_address(mapping)) || (flags & swap) == swap);
}

/*
 * mapping: bit 0 is set for anonymous memory.  Both of the lower bits: merged by KSM.  Only bit 1: the
 * kernel's own pages that it can move, such as those of zsmalloc.
 */
static enum page_kind kind_by_use(const struct page_keys *k, const uint8_t *page, uint64_t flags)
{
	uint64_t mapping = get_le64(page + k->mapping);

	if (!get_le32(page + k->refcount))
		return is_cpu_free(k, page, flags) ? PAGE_CPU_FREE : PAGE_OTHER;
	if (mapping & 1)
		return page_test_made(k, PAGE_TEST_USER) && is_kernel_address(mapping) ? PAGE_ANONYMOUS
										 : PAGE_OTHER;
	return page_test_made(k, PAGE_TEST_CACHE) && is_cache(k, flags, mapping) ? cache_kind(k, flags)
									: PAGE_OTHER;
}

static bool is_hugetlb(const struct page_keys *k, const uint8_t *next)
{
	return (k->dtor_at && next[k->dtor_at - k->size] == k->dtor) ||
	       (k->hugetlb_at && get_le64(next + k->hugetlb_at - k->size) & k->flag_hugetlb);
}

/*
 * The smallest page of hugetlb has 16 frames (of 4 KiB, on arm64), so pages of slabs, say, are not
 * taken for one if the type is not what it is believed to be.
 */
static enum page_kind hugetlb_kind(const struct page_keys *k, const uint8_t *page,
				   const uint8_t *next, enum page_kind otherwise)
{
	enum { ORDER_LEAST = 4 };

	return page_test_made(k, PAGE_TEST_USER) && page_has_next(k, page) && next && k->order_at &&
			       next[k->order_at - k->size] >= ORDER_LEAST ? PAGE_HUGETLB : otherwise;
}

/*
 * The number of references is not asked of pages of hugetlb: those in its pool have none.  All
 * types are below -128 as signed numbers; above, these are mapcounts.
 */
static enum page_kind kind_by_type(const struct page_keys *k, const uint8_t *page,
				   const uint8_t *next, uint32_t mapcount)
{
	uint32_t type = mapcount & k->type_mask;

	if (type == k->type_hugetlb)
		return hugetlb_kind(k, page, next, PAGE_TYPED);
	/* Its driver has the only reference, or it was never given to the page allocator. */
	if (type == k->type_offline)
		return get_le32(page + k->refcount) <= 1 ? PAGE_OFFLINE : PAGE_TYPED;
	if (type == k->type_table)
		return PAGE_TABLE;
	if (type == k->type_kmalloc)
		return PAGE_KMALLOC;
	/* A page that begins no block, or one of a type that is not known here. */
	return mapcount >> 24 == 0xff && k->type_mask != UINT32_MAX ? PAGE_OTHER : PAGE_TYPED;
}

enum page_kind page_kind_of(const struct page_keys *k, const uint8_t *page, const uint8_t *next)
{
	uint64_t flags = page_flags(page);
	uint32_t mapcount = get_le32(page + k->mapcount), type = mapcount & k->type_mask;

	if (!page_is_initialised(page))
		return PAGE_OTHER;
	if (page_is_reserved(k, page))
		return PAGE_RESERVED;
	if (is_slab(k, flags, type))
		return PAGE_SLAB;
	if ((int32_t)mapcount < -128)
		return kind_by_type(k, page, next, mapcount);
	if (!page_test_made(k, PAGE_TEST_USER) && !page_test_made(k, PAGE_TEST_CACHE))
		return PAGE_OTHER;
	if (flags & k->flag_head && (k->dtor_at || k->hugetlb_at)) {
		if (!next)
			return PAGE_OTHER;
		if (is_hugetlb(k, next))
			return hugetlb_kind(k, page, next, PAGE_OTHER);
	}
	return kind_by_use(k, page, flags);
}

/* The number of frames, or the highest possible one if it is not known. */
static uint64_t frames_of(const struct page_keys *k, const uint8_t *next)
{
	uint8_t order = k->order_at ? next[k->order_at - k->size] : PAGE_ORDERS_MAX;

	return order <= PAGE_ORDERS_MAX ? (uint64_t)1 << order : 0;
}

/* Free and offline pages are marked one by one or by blocks, and are no tails. */
enum page_kind page_kind_of_tails(const struct page_keys *k, const uint8_t *head,
				  const uint8_t *next, uint64_t *frames)
{
	enum page_kind kind;

	*frames = 0;
	if (!page_has_next(k, head) || page_is_tail(k, head) || !next)
		return PAGE_OTHER;
	*frames = frames_of(k, next);
	kind = page_kind_of(k, head, next);
	return kind < PAGE_CPU_FREE ? kind : PAGE_OTHER;
}

/* --- what is noticed meanwhile --------------------------------------------------------- */

void page_evidence_free(struct page_evidence *ev)
{
	free(ev->anchors);
	*ev = (struct page_evidence){ 0 };
}

static void add_anchor(struct page_evidence *ev, uint64_t anchor)
{
	size_t at = values_up_to(ev->anchors, sizeof(*ev->anchors), ev->anchors_count, anchor);

	if (at && ev->anchors[at - 1] == anchor)
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
	for (unsigned i = 0; i < 2; i++) {
		ev->marked[i] += other->marked[i];
		ev->own_marked[i] += other->own_marked[i];
	}
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

static enum status sample_mappings(struct page_evidence *ev, struct page_cursor *c, uint64_t pfn,
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

/* The latest head: its struct page and the next one.  Tails of the same head follow each other. */
struct head {
	uint64_t pfn;
	bool cached, readable, has_next;
	uint8_t pages[2 * STRUCT_PAGE_MAX];
};

/* What the latest tail has shown about the frames after its head. */
struct tails {
	uint64_t word;			/* of these tails; 0: none */
	uint64_t head, frames;
	enum page_kind kind;
	uint64_t wrong;			/* the head of the latest tails that have none; UINT64_MAX: none */
};

struct classifier {
	struct page_cursor *cursor;
	const struct page_keys *keys;
	struct page_evidence *evidence;	/* or NULL */
	struct head head;
	struct tails tails;
};

/* Reads the struct page of a head and the one after it, unless they were read last. */
static const struct head *find_head(struct classifier *cl, uint64_t pfn)
{
	struct head *h = &cl->head;
	uint32_t size = cl->keys->size;

	if (h->cached && h->pfn == pfn)
		return h;
	h->pfn = pfn;
	h->cached = true;
	h->readable = page_cursor_copy(cl->cursor, pfn, h->pages);
	h->has_next = h->readable && page_cursor_copy(cl->cursor, pfn + 1, h->pages + size);
	return h;
}

/* Sets cl->tails for a tail; false: it has no head. */
static bool find_tails(struct classifier *cl, uint64_t pfn, const uint8_t *page)
{
	const struct page_keys *k = cl->keys;
	struct tails *t = &cl->tails;
	const struct head *h;
	uint64_t reach;

	t->word = 0;
	t->head = pfn;
	if (!page_head(k, page, pfn, page_map_address(cl->cursor->map, pfn), &t->head, &reach))
		return false;
	h = find_head(cl, t->head);
	if (!h->readable)
		return false;
	t->kind = page_kind_of_tails(k, h->pages, h->has_next ? h->pages + k->size : NULL, &t->frames);
	/* For hugetlb, the kernel marks the head, whichever frame it is (mm/memory-failure.c). */
	if (t->kind == PAGE_HUGETLB && page_is_poisoned(k, h->pages))
		t->kind = PAGE_POISONED;
	t->frames = min_u64(t->frames, reach);
	t->word = get_le64(page + k->compound);
	return pfn - t->head < t->frames;
}

static void count_case(struct page_tally *tally, bool wrong)
{
	tally->all++;
	tally->wrong += wrong;
}

/*
 * Tails of one head are one case.  Wrong ones are, too: a CPU may have been stopped while it made a page of
 * many frames, or freed one.
 */
static void count_tails(struct classifier *cl, bool found)
{
	struct tails *t = &cl->tails;

	if (found || t->head != t->wrong)
		count_case(&cl->evidence->tails, !found);
	if (!found)
		t->wrong = t->head;
}

static enum page_kind kind_of_tail(struct classifier *cl, uint64_t pfn, const uint8_t *page)
{
	const struct tails *t = &cl->tails;
	bool found;

	/* For a frame before this head, the difference is larger than any number of frames. */
	if (get_le64(page + cl->keys->compound) == t->word && pfn - t->head < t->frames)
		return t->kind;
	found = find_tails(cl, pfn, page);
	/* One that was never initialised has all bits set, and only looks like a tail. */
	if (cl->evidence && page_is_initialised(page))
		count_tails(cl, found);
	return found ? t->kind : PAGE_OTHER;
}

/*
 * How many frames from this one on are tails of the latest head, and nothing that kind_of() counts: most frames of a
 * large machine are tails.
 */
static size_t count_more_tails(struct classifier *cl, uint64_t pfn, size_t count)
{
	const struct page_keys *k = cl->keys;
	const struct tails *t = &cl->tails;
	const uint64_t own = k->flag_poisoned | k->flag_reserved;
	size_t n = 0;

	if (!t->word || pfn - t->head >= t->frames || t->kind == PAGE_OFFLINE)
		return 0;
	for (count = min_u64(count, t->frames - (pfn - t->head)); n < count; n++) {
		const uint8_t *page = page_cursor_get(cl->cursor, pfn + n);

		if (!page || get_le64(page + k->compound) != t->word || page_type(k, page) == k->type_buddy ||
		    page_flags(page) & own)
			break;
	}
	return n;
}

/*
 * The kind of one frame outside of all blocks.  Memory errors, and being reserved, are the frame's
 * own, so they are looked for first.
 */
static enum page_kind kind_of(struct classifier *cl, uint64_t pfn, const uint8_t *page)
{
	const struct page_keys *k = cl->keys;

	if (page_is_poisoned(k, page)) {
		if (cl->evidence)
			cl->evidence->marked[1]++;
		return PAGE_POISONED;
	}
	if (page_is_reserved(k, page))
		return PAGE_RESERVED;
	if (page_is_tail(k, page))
		return kind_of_tail(cl, pfn, page);
	if (page_has_next(k, page)) {
		const struct head *h = find_head(cl, pfn);

		if (cl->evidence)
			count_case(&cl->evidence->heads, h->has_next && !page_is_tail(k, h->pages + k->size));
		return page_kind_of(k, page, h->has_next ? h->pages + k->size : NULL);
	}
	return page_kind_of(k, page, NULL);
}

/*
 * The first frame of a block says how many there are.  That no frame after it is in use, or begins
 * another block, can be seen at the one in the middle: if there are fewer frames, it is not of the block.
 */
static inline bool begins_block(struct classifier *cl, const uint8_t *page, uint64_t pfn, unsigned *order,
				enum page_kind *kind)
{
	const struct page_keys *k = cl->keys;
	uint8_t middle[STRUCT_PAGE_MAX];

	if (!page_begins_block(k, page, pfn, order, kind))
		return false;
	return !*order || (page_cursor_copy(cl->cursor, pfn + ((uint64_t)1 << (*order - 1)), middle) &&
			   page_may_continue_block(k, middle));
}

/* Is it marked as the first frame of a free block?  If it is none nevertheless, something is wrong. */
static bool is_marked_free(const struct page_keys *k, const uint8_t *page)
{
	return page_type(k, page) == k->type_buddy && page_is_initialised(page) &&
	       !get_le32(page + k->refcount);
}

/*
 * A free block is marked only in its first frame, which is at a multiple of its size.  So a frame
 * has one candidate for each order.  Blocks cannot overlap without one containing the other; the
 * larger one counts.  Sets *length to the frames of the block from this one on.
 */
static bool in_block(struct classifier *cl, uint64_t pfn, uint64_t *length, enum page_kind *kind)
{
	uint8_t page[STRUCT_PAGE_MAX];
	uint64_t earlier = pfn;

	if (!page_test_made(cl->keys, PAGE_TEST_FREE))
		return false;
	for (unsigned o = cl->keys->orders - 1; o; o--) {
		uint64_t first = round_down(pfn, (uint64_t)1 << o);
		unsigned order;

		if (first == pfn || first == earlier)
			continue;
		earlier = first;
		if (page_cursor_copy(cl->cursor, first, page) &&
		    begins_block(cl, page, first, &order, kind) &&
		    pfn - first < (uint64_t)1 << order) {
			*length = ((uint64_t)1 << order) - (pfn - first);
			return true;
		}
	}
	return false;
}

/* Frames that all have a struct page. */
static void find_kinds(struct classifier *cl, uint64_t pfn, size_t count, uint8_t *kinds)
{
	/* Single frames are asked for in no order, so a window of others would be of no use. */
	uint8_t single[STRUCT_PAGE_MAX];
	size_t at = 0, some;
	enum page_kind kind;
	uint64_t length;

	if (in_block(cl, pfn, &length, &kind)) {
		at = min_u64(length, count);
		memset(kinds, (int)kind, at);
	}
	while (at < count) {
		const uint8_t *page = count > 1 ? page_cursor_get(cl->cursor, pfn + at) :
				      page_cursor_copy(cl->cursor, pfn, single) ? single : NULL;
		unsigned order;

		if (!page) {
			kinds[at++] = PAGE_UNKNOWN;
		} else if (begins_block(cl, page, pfn + at, &order, &kind)) {
			some = min_u64((uint64_t)1 << order, count - at);
			if (cl->evidence && kind == PAGE_FREE) {
				count_case(&cl->evidence->marks, false);
				page_evidence_block(cl->evidence, cl->cursor->map, page, order);
			}
			memset(kinds + at, (int)kind, some);
			at += some;
		} else {
			if (cl->evidence && is_marked_free(cl->keys, page))
				count_case(&cl->evidence->marks, true);
			kinds[at] = (uint8_t)kind_of(cl, pfn + at, page);
			if (cl->evidence)
				cl->evidence->marked[0] += kinds[at] == PAGE_OFFLINE;
			at++;
			some = count_more_tails(cl, pfn + at, count - at);
			memset(kinds + at, (int)cl->tails.kind, some);
			at += some;
		}
	}
}

/* Some frames of the image were freed and reused. */
static void name_image(const struct range *r, uint64_t pfn, size_t count, uint8_t *kinds)
{
	uint64_t from = max_u64(r->offset, pfn), to = min_u64(r->offset + r->length, pfn + count);

	for (; from < to; from++)
		if (kinds[from - pfn] == PAGE_RESERVED || kinds[from - pfn] == PAGE_OTHER)
			kinds[from - pfn] = PAGE_IMAGE;
}

/*
 * What the map is in now is the map, whatever its own struct pages say.  If these say that its pages may
 * be left out, they are those of other pages.
 */
static void name_map(const struct range *r, uint64_t pfn, size_t count, uint8_t *kinds,
		     struct page_evidence *evidence)
{
	uint64_t from = max_u64(r->offset, pfn), to = min_u64(r->offset + r->length, pfn + count);

	for (; from < to; from++) {
		enum page_kind kind = kinds[from - pfn];

		if (evidence)
			count_case(&evidence->own, page_class_of(kind) < PAGE_CLASSES);
		if (evidence && kind >= PAGE_OFFLINE)
			evidence->own_marked[kind - PAGE_OFFLINE]++;
		if (kind != PAGE_POISONED && kind != PAGE_UNKNOWN)
			kinds[from - pfn] = PAGE_MAP;
	}
}

static void name_by_address(const struct page_map *map, uint64_t pfn, size_t count, uint8_t *kinds,
			    struct page_evidence *evidence)
{
	size_t i = ranges_find(map->own.ranges, map->own.count, pfn);

	name_image(&map->image, pfn, count, kinds);
	for (; i < map->own.count && map->own.ranges[i].offset < pfn + count; i++)
		name_map(&map->own.ranges[i], pfn, count, kinds, evidence);
}

static enum status find_range(struct page_cursor *c, uint64_t pfn, size_t count, uint8_t *kinds,
			      struct page_evidence *evidence, struct error *e)
{
	const struct page_map *map = c->map;
	struct classifier cl = {
		.cursor = c, .keys = map->keys, .evidence = evidence, .tails.wrong = UINT64_MAX,
	};
	size_t i = ranges_find(map->present.ranges, map->present.count, pfn);

	memset(kinds, PAGE_UNKNOWN, count);
	for (; i < map->present.count && map->present.ranges[i].offset < pfn + count && !c->status; i++) {
		const struct range *r = &map->present.ranges[i];
		uint64_t from = max_u64(r->offset, pfn), to = min_u64(r->offset + r->length, pfn + count);

		find_kinds(&cl, from, to - from, kinds + (from - pfn));
	}
	name_by_address(map, pfn, count, kinds, evidence);
	if (c->status)
		*e = c->error;
	return c->status;
}

enum status page_range_kinds(struct page_cursor *c, uint64_t pfn, size_t count, uint8_t *kinds,
			     struct error *e)
{
	return find_range(c, pfn, count, kinds, NULL, e);
}

enum status page_survey_part(struct page_cursor *c, uint64_t pfn, size_t count, bool sampled,
			     uint8_t *kinds, struct page_evidence *evidence, struct error *e)
{
	enum status status = find_range(c, pfn, count, kinds, evidence, e);

	if (!status && evidence && sampled)
		status = sample_mappings(evidence, c, pfn, count, kinds, e);
	if (!status && evidence)
		evidence->parts_with_slabs += memchr(kinds, PAGE_SLAB, count) != NULL;
	return status;
}
