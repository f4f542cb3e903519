// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the pointers in the kernel image lead, nearly all of them to slabs; and what the kernel's page
 * tables are in and map.  If these are pages to be left out, the kernel itself uses pages of that class.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/kinds/page_trust.h"
#include "core/memory.h"

/*
 * Images have some thousand pointers, and up to 60 MiB.  Each MiB has some thousand more words that
 * look like pointers, and are looked up in the page tables.
 */
enum { WORDS_MAX = 1 << 18, FRAMES_MAX = 1 << 18 };

/*
 * The image is read in pieces, since each read takes as long as to copy some pages; and again in parts
 * if some of a piece cannot be read.  Struct pages of GROUP frames are looked at before these frames are,
 * because pointers lead to other struct pages.
 */
enum { PIECE = 32768, PART = 4096, GROUP = 16 };

/* Objects are aligned.  One test, since many words pass one of two and fail the other. */
static bool is_kernel_address(uint64_t word)
{
	const uint64_t top = 0xff00000000000000, below = 7;

	return (word & (top | below)) == top;
}

/*
 * Of the words that look like kernel addresses, most lead into the image itself.  Those to struct
 * pages say nothing about the pages.  Numbers such as 0xffff000000000000 are not addresses, although
 * arm64's direct map begins there.
 */
static bool is_pointer(const struct page_cursor *c, uint64_t word)
{
	const struct page_map *map = c->map;
	const struct page_keys *k = map->keys;

	return (uint32_t)word >> 16 &&
	       word - map->image_address >= map->image.length * k->page_size &&
	       word - map->base >= range_list_end(&map->present) * k->size;
}

/* As what a page of this kind is judged: JUDGED if as nothing, or as nothing else than its class. */
static unsigned mark_of(enum page_kind kind)
{
	return kind == PAGE_OFFLINE ? JUDGED_OFFLINE : kind == PAGE_POISONED ? JUDGED_POISONED : JUDGED;
}

static void count_kind(uint64_t of_class[JUDGED], enum page_kind kind)
{
	if (page_class_of(kind) < PAGE_CLASSES)
		of_class[page_class_of(kind)]++;
	if (mark_of(kind) < JUDGED)
		of_class[mark_of(kind)]++;
}

static void count_page(struct page_vote *vote, unsigned class, uint64_t pfn)
{
	uint64_t known = min_u64(vote->to_class[class], PAGE_VOTE_SEEN);

	for (uint64_t i = 0; i < known; i++)
		if (vote->seen[class][i] == pfn)
			return;
	if (known < PAGE_VOTE_SEEN)
		vote->seen[class][known] = pfn;
	vote->to_class[class]++;
}

static enum status count_pointer(struct page_vote *vote, struct page_cursor *c, uint64_t pointer,
				 struct error *e)
{
	const struct page_map *map = c->map;
	uint64_t page = pointer >> map->keys->page_shift, *latest = &vote->latest[page % PAGE_VOTE_LATEST];
	uint64_t paddr, length, pfn;
	uint8_t kind;
	enum status status;

	if (*latest >> 1 == page) {
		vote->pointers += *latest & 1;
		return STATUS_OK;
	}
	*latest = page << 1;
	status = virt_find(c->virt, pointer, &paddr, &length, e);
	if (status)
		return core_bytes_end(status) ? status : STATUS_OK;
	/* Just before or after the image, as its addresses go on.  x86_64 has 1 GiB of them. */
	if (pointer - paddr == map->image_address - map->image.offset * map->keys->page_size)
		return STATUS_OK;
	*latest |= 1;
	vote->pointers++;
	pfn = paddr >> map->keys->page_shift;
	status = page_range_kinds(c, pfn, 1, &kind, e);
	if (!status && page_class_of(kind) < PAGE_CLASSES)
		count_page(vote, page_class_of(kind), pfn);
	if (!status && mark_of(kind) < JUDGED)
		count_page(vote, mark_of(kind), pfn);
	return status;
}

/*
 * Where the next word that looks like an address is; len: nowhere.  Images have millions of other words, so the highest
 * bytes of four of them are tested first.
 */
static size_t next_address(const uint8_t *bytes, size_t at, size_t len)
{
	for (; ; at += 8) {
		while (len - at >= 32 && bytes[at + 7] != 0xff && bytes[at + 15] != 0xff && bytes[at + 23] != 0xff &&
		       bytes[at + 31] != 0xff)
			at += 32;
		if (at >= len || is_kernel_address(get_le64(bytes + at)))
			return at;
	}
}

/* A word often repeats the one before it, as in heads of empty lists. */
static enum status count_words(struct page_vote *vote, struct page_cursor *c, const uint8_t *bytes,
			       size_t len, struct error *e)
{
	uint64_t latest = 0;

	for (size_t at = 0; vote->words < WORDS_MAX && (at = next_address(bytes, at, len)) < len; at += 8) {
		uint64_t word = get_le64(bytes + at);
		enum status status;

		if (word == latest || !is_pointer(c, word))
			continue;
		latest = word;
		vote->words++;
		status = count_pointer(vote, c, word, e);
		if (status)
			return status;
	}
	return STATUS_OK;
}

/*
 * Code and constants, half of an image and more, cannot be written once the kernel has started.  Pointers there
 * lead only to what was allocated before (__ro_after_init); nearly all that looks like one is part of an
 * instruction.  What can be written has some thousand, which is enough.
 */
static enum status find_read_only(const struct page_cursor *c, uint64_t paddr, uint64_t len,
				  bool *read_only, struct error *e)
{
	const struct page_map *map = c->map;
	uint64_t at = map->image_address + paddr - (map->image.offset << map->keys->page_shift), some;
	enum status status = STATUS_OK;

	for (*read_only = true; len && *read_only && !status; at += some, len -= some) {
		status = page_tables_read_only(&c->virt->tables, c->virt->core, at, read_only, &some, e);
		some = min_u64(some, len);
	}
	return status;
}

/* Much of what can be written are zeros: tables that are as long as they may ever become. */
static enum status count_part_of_image(struct page_vote *vote, struct page_cursor *c, uint64_t paddr, size_t len,
				       uint8_t *bytes, struct error *e)
{
	enum status status = memory_read(c->virt->core, paddr, len, bytes, e);

	for (size_t at = 0; at < len && !status; at += PART)
		if (!bytes_are_zero(bytes + at, min_u64(PART, len - at)))
			status = count_words(vote, c, bytes + at, min_u64(PART, len - at), e);
	return status;
}

static enum status count_piece(struct page_vote *vote, struct page_cursor *c, uint64_t paddr, size_t len,
			       struct error *e)
{
	_Alignas(64) uint8_t bytes[PIECE];	/* see memory_to_read() */
	enum status status = count_part_of_image(vote, c, paddr, len, bytes, e);

	if (status && !core_bytes_end(status))
		for (size_t at = 0; at < len && !core_bytes_end(status); at += PART)
			status = count_part_of_image(vote, c, paddr + at, PART, bytes, e);
	return core_bytes_end(status) ? status : STATUS_OK;
}

/* Other frames of the image were freed after the kernel had started.  One with a memory error is not read. */
static bool is_reserved(struct page_vote *vote, struct page_cursor *c, uint64_t pfn)
{
	const struct page_keys *k = c->map->keys;
	const uint8_t *page = page_map_has(c->map, pfn) ? page_cursor_get(c, pfn) : NULL;

	if (!page || !page_is_reserved(k, page) || page_is_poisoned(k, page))
		return false;
	vote->unmapped += get_le32(page + k->mapcount) == UINT32_MAX;
	return true;
}

static enum status count_frames(struct page_vote *vote, struct page_cursor *c, uint64_t pfn, uint64_t count,
				struct error *e)
{
	uint64_t size = c->map->keys->page_size, end = (pfn + count) * size;
	enum status status = STATUS_OK;
	bool read_only;

	vote->reserved += count;
	for (uint64_t at = pfn * size; at < end && !status; at += PIECE) {
		uint64_t len = min_u64(PIECE, end - at);

		status = find_read_only(c, at, len, &read_only, e);
		if (!status && !read_only)
			status = count_piece(vote, c, at, len, e);
	}
	return status;
}

/* Counts the reserved ones of these frames, each sequence of them together. */
static enum status count_group(struct page_vote *vote, struct page_cursor *c, uint64_t pfn, unsigned count,
			       struct error *e)
{
	bool reserved[GROUP + 1] = { false };
	enum status status = STATUS_OK;

	for (unsigned i = 0; i < count; i++)
		reserved[i] = is_reserved(vote, c, pfn + i);
	for (unsigned i = 0, first = 0; i <= count && !c->status && !status; i++) {
		if (reserved[i])
			continue;
		if (first < i)
			status = count_frames(vote, c, pfn + first, i - first, e);
		first = i + 1;
	}
	vote->frames += count;
	if (c->status)
		*e = c->error;
	return c->status ? c->status : status;
}

static enum status count_image(struct page_vote *vote, struct page_cursor *c, struct error *e)
{
	const struct range *image = &c->map->image;
	uint64_t count = min_u64(image->length, FRAMES_MAX);
	enum status status = STATUS_OK;

	for (uint64_t i = 0; i < count && !status; i += GROUP)
		status = count_group(vote, c, image->offset + i, (unsigned)min_u64(GROUP, count - i), e);
	return status;
}

/*
 * Counts where pointers in the image lead.  Returns as page_vote_count().
 * Nearly all words that look like pointers are none, and most of these lead to no entry of the root.
 */
static enum status count_pointers(struct page_vote *vote, struct page_cursor *c,
				  struct error *e)
{
	const struct virt *virt = c->virt;
	struct virt quick = *virt;
	struct page_tables_absent absent;
	enum status status = page_tables_find_absent(&absent, &virt->tables, virt->core, e);

	if (status)
		return status;
	quick.tables.absent = &absent;
	c->virt = &quick;
	status = count_image(vote, c, e);
	c->virt = virt;
	return status;
}

/*
 * With pages of 4 KiB, page tables of 32 GiB, or of 16 TiB in blocks of 2 MiB; and pages of 1 GiB that
 * vmalloc() uses.
 */
enum { TABLES_MAX = 1 << 14, MAPPED_MAX = 1 << 18, SYMBOLS_MAX = 1024 };

/* --- page tables ------------------------------------------------------------------------- */

struct visitor {
	struct page_vote *vote;
	struct page_cursor *cursor;
	bool vmalloc;			/* these tables are those of vmalloc() */
};

/* Adds the page at this address to those of its class. */
static enum status count_at(struct page_cursor *c, uint64_t paddr, uint64_t of_class[JUDGED], struct error *e)
{
	uint8_t kind = PAGE_UNKNOWN;
	enum status status = page_range_kinds(c, paddr >> c->map->keys->page_shift, 1, &kind, e);

	count_kind(of_class, kind);
	return status;
}

static enum status count_table(void *arg, uint64_t paddr, struct error *e)
{
	const struct visitor *v = arg;

	v->vote->tables++;
	return count_at(v->cursor, paddr, v->vote->tables_of_class, e);
}

/* The image may be mapped among these, as on arm64, with frames that were freed. */
static enum status count_mapped(void *arg, uint64_t paddr, struct error *e)
{
	const struct visitor *v = arg;
	const struct page_map *map = v->cursor->map;
	uint64_t pfn = paddr >> map->keys->page_shift;

	if (!v->vmalloc || v->vote->mapped == MAPPED_MAX || pfn - map->image.offset < map->image.length)
		return STATUS_OK;
	v->vote->mapped++;
	return count_at(v->cursor, paddr, v->vote->mapped_of_class, e);
}

/*
 * The addresses of vmalloc(), if VMCOREINFO has the first one.  On x86_64 it does not have the end, but the
 * memory map comes next.
 */
static struct range find_vmalloc(const struct page_cursor *c)
{
	const struct vmcoreinfo *info = c->virt->info;
	uint64_t begin, end;

	if (!vmcoreinfo_get(info, "NUMBER", "VMALLOC_START", &begin))
		return (struct range){ 0 };
	if (!vmcoreinfo_get(info, "NUMBER", "VMALLOC_END", &end))
		end = c->map->base;
	return begin && begin < end ? (struct range){ begin, end - begin } : (struct range){ 0 };
}

static enum status count_part(struct visitor *v, uint64_t first, uint64_t last, unsigned *budget,
			      struct error *e)
{
	const struct virt *virt = v->cursor->virt;
	struct page_tables_visit visit = {
		.first = first, .last = last, .table = count_table, .memory = count_mapped,
		.arg = v, .budget = *budget,
	};
	enum status status = page_tables_visit(&virt->tables, virt->core, &visit, e);

	*budget = visit.budget;
	return status;
}

/*
 * Tables of vmalloc() come first, since those of the direct map can be more than are read: on arm64 it
 * is mapped page by page.
 */
static enum status count_tables(struct page_vote *vote, struct page_cursor *c, struct error *e)
{
	const struct range vmalloc = find_vmalloc(c);
	const uint64_t end = vmalloc.offset + vmalloc.length;
	struct visitor of_vmalloc = { vote, c, .vmalloc = true }, others = { vote, c, .vmalloc = false };
	unsigned budget = TABLES_MAX;
	enum status status;

	if (!vmalloc.length)
		return count_part(&others, 0, UINT64_MAX, &budget, e);
	status = count_part(&of_vmalloc, vmalloc.offset, end - 1, &budget, e);
	if (!status)
		status = count_part(&others, end, UINT64_MAX, &budget, e);
	return status ? status : count_part(&others, 0, vmalloc.offset - 1, &budget, e);
}

/* --- symbols ------------------------------------------------------------------------------ */

static enum status count_symbol(struct page_vote *vote, struct page_cursor *c, uint64_t address,
				struct error *e)
{
	uint64_t paddr, length;
	enum status status = virt_translate(c->virt, address, &paddr, &length, e);

	if (!status)
		status = count_at(c, paddr, vote->symbols_of_class, e);
	if (status)
		return core_bytes_end(status) ? status : STATUS_OK;
	vote->symbols++;
	return STATUS_OK;
}

/* Lines with SYMBOL(NAME)=ADDRESS. */
static enum status count_symbols(struct page_vote *vote, struct page_cursor *c, struct error *e)
{
	const char *line = c->virt->info->text, *end = line + c->virt->info->size, *next;

	for (; line < end && vote->symbols < SYMBOLS_MAX; line = next) {
		char text[128];
		unsigned long long address;
		enum status status = STATUS_OK;
		size_t length;

		next = memchr(line, '\n', (size_t)(end - line));
		next = next ? next + 1 : end;
		length = min_u64((uint64_t)(next - line), sizeof(text) - 1);
		memcpy(text, line, length);
		text[length] = '\0';
		if (sscanf(text, "SYMBOL(%*[^)])=%llx", &address) == 1)
			status = count_symbol(vote, c, address, e);
		if (status)
			return status;
	}
	return STATUS_OK;
}

enum status page_vote_count(struct page_vote *vote, struct page_cursor *c, struct error *e)
{
	enum status status;

	*vote = (struct page_vote){ 0 };
	status = count_pointers(vote, c, e);
	if (!status)
		status = count_tables(vote, c, e);
	return status ? status : count_symbols(vote, c, e);
}
