// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds out where the pointers in the kernel image lead. */
#include "config.h"

#include "core/memory.h"
#include "core/kinds/page_range.h"
#include "core/kinds/page_vote.h"

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

static void count_page(struct page_vote *vote, enum page_class class, uint64_t pfn)
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
	uint64_t paddr, length;
	uint8_t kind;
	enum status status = virt_find(c->virt, pointer, &paddr, &length, e);

	if (status)
		return core_bytes_end(status) ? status : STATUS_OK;
	/* Just before or after the image, as its addresses go on.  x86_64 has 1 GiB of them. */
	if (pointer - paddr == map->image_address - map->image.offset * map->keys->page_size)
		return STATUS_OK;
	status = page_range_kinds(c, paddr >> map->keys->page_shift, 1, &kind, e);
	if (status)
		return status;
	vote->pointers++;
	if (page_class_of(kind) < PAGE_CLASSES)
		count_page(vote, page_class_of(kind), paddr >> map->keys->page_shift);
	return STATUS_OK;
}

static bool is_address_at(const uint8_t *bytes, size_t at)
{
	return is_kernel_address(get_le64(bytes + at));
}

/*
 * Where the next word that looks like an address is; len: nowhere.  Images have millions of other words,
 * so four of them are tested at once.
 */
static size_t next_address(const uint8_t *bytes, size_t at, size_t len)
{
	while (len - at >= 32 && !is_address_at(bytes, at) && !is_address_at(bytes, at + 8) &&
	       !is_address_at(bytes, at + 16) && !is_address_at(bytes, at + 24))
		at += 32;
	while (at < len && !is_address_at(bytes, at))
		at += 8;
	return at;
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
	uint64_t at = map->image_address + paddr - (map->image.offset << map->keys->page_shift), some = 1;
	enum status status = STATUS_OK;

	while (len && some && !status) {
		status = page_tables_read_only(&c->virt->tables, c->virt->core, at, &some, e);
		some = min_u64(some, len);
		at += some;
		len -= some;
	}
	*read_only = !len;
	return status;
}

/* Much of what can be written are zeros: tables that are as long as they may ever become. */
static enum status count_part(struct page_vote *vote, struct page_cursor *c, uint64_t paddr, size_t len,
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
	enum status status = count_part(vote, c, paddr, len, bytes, e);

	if (status && !core_bytes_end(status))
		for (size_t at = 0; at < len && !core_bytes_end(status); at += PART)
			status = count_part(vote, c, paddr + at, PART, bytes, e);
	return core_bytes_end(status) ? status : STATUS_OK;
}

/* Other frames of the image were freed after the kernel had started. */
static bool is_reserved(struct page_cursor *c, uint64_t pfn)
{
	const uint8_t *page = page_map_has(c->map, pfn) ? page_cursor_get(c, pfn) : NULL;

	return page && page_is_initialised(page) && page_flags(page) & c->map->keys->flag_reserved;
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
		reserved[i] = is_reserved(c, pfn + i);
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

/* Nearly all words that look like pointers are none, and most of these lead to no entry of the root. */
enum status page_vote_count_image(struct page_vote *vote, struct page_cursor *c, struct error *e)
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
