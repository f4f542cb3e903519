// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/memory.h"
#include "core/kinds/page_class.h"
#include "core/log.h"
#include "filter/first.h"

/*
 * Bytes up to which headers, the log, and all are found; a log has up to 4 MiB where nobody asks for more.  The image of a
 * distribution's kernel has up to 30 MiB that it can write.
 */
enum { HEADERS_MOST = 16 << 20, LOG_MOST = 48 << 20, ALL_MOST = 64 << 20 };

enum { GRANULES_MAX = ALL_MOST / GRANULE, SLOTS = 2 * GRANULES_MAX };

/* Seconds, after which there is no more to be found; and the reads between two looks at the clock. */
#define TIME_MOST 2.0
enum { READS = 1024 };

enum { AT_ONCE = 256 };			/* frames whose kinds are found */

/* Bytes of a stack, or a page; the kernel does not say how long it is. */
enum { STACK = 16 << 10 };

struct finder {
	const struct page_map *map;
	const struct places *places;
	struct core core;		/* reads through here */
	struct core_bytes below;
	struct virt virt;		/* of this core */
	struct page_cursor cursor;	/* below */
	double begun;
	uint64_t reads;
	bool known;			/* the frame may be read, and is not needed now */
	size_t most;			/* of count, for now */
	size_t count;
	struct range_list ranges;	/* the same, since the last list() */
	uint64_t found[GRANULES_MAX];	/* numbers of granules */
	uint32_t slots[SLOTS];		/* a hash table of indices in found, plus 1; 0: none */
};

/* --- granules --------------------------------------------------------------- */

static uint32_t *slot_of(struct finder *f, uint64_t granule)
{
	/* Consecutive granules are in slots that follow each other. */
	size_t i = (granule ^ granule >> 15) % SLOTS;

	while (f->slots[i] && f->found[f->slots[i] - 1] != granule)
		i = (i + 1) % SLOTS;
	return &f->slots[i];
}

static enum status full(struct error *e)
{
	return error_set(e, STATUS_STOPPED, "too much, or too slow");
}

static enum status add(struct finder *f, uint64_t offset, struct error *e)
{
	uint64_t length = GRANULE;
	uint32_t *slot;

	second_places_follow(&f->places->second, &offset, &length);
	slot = slot_of(f, offset / GRANULE);
	if (*slot)
		return STATUS_OK;
	if (f->count == f->most)
		return full(e);
	f->found[f->count] = offset / GRANULE;
	*slot = (uint32_t)++f->count;
	return range_list_extend(&f->ranges, offset, GRANULE) ? STATUS_OK : full(e);
}

/* All of a page frame, as far as it is in its place. */
static enum status add_frame(struct finder *f, const struct stored_range *place, uint64_t pfn, struct error *e)
{
	uint64_t begin = max_u64(pfn << f->map->keys->page_shift, place->paddr);
	uint64_t end = min_u64((pfn + 1) << f->map->keys->page_shift, place->paddr + place->length);
	uint64_t offset = place->offset + round_down(begin - place->paddr, GRANULE);
	enum status status = STATUS_OK;

	for (; !status && offset < place->offset + (end - place->paddr); offset += GRANULE)
		status = add(f, offset, e);
	return status;
}

/* Whatever the log says, what is not to be read is not read for it. */
static enum status check(struct finder *f, uint64_t pfn, struct error *e)
{
	uint8_t kind = PAGE_UNKNOWN;
	enum status status = page_range_kinds(&f->cursor, pfn, 1, &kind, e);

	if (!status && class_is_marked(page_captured_as(kind)))
		return error_set(e, STATUS_MISSING, "page frame %#llx is not to be read", (unsigned long long)pfn);
	return status;
}

/* Of the granule with this byte; what is in no place belongs to the headers. */
static enum status find(struct finder *f, uint64_t offset, struct error *e)
{
	size_t i = places_from(f->places, offset);
	const struct stored_range *place = &f->places->list[i];
	enum status status;
	uint64_t stored = round_down(offset, GRANULE), length = GRANULE, pfn;

	second_places_follow(&f->places->second, &stored, &length);
	if (*slot_of(f, stored / GRANULE))
		return STATUS_OK;
	if (i == f->places->count || offset < place->offset)
		return add(f, round_down(offset, GRANULE), e);
	pfn = (place->paddr + (offset - place->offset)) >> f->map->keys->page_shift;
	status = f->known ? STATUS_OK : check(f, pfn, e);
	return status ? status : add_frame(f, place, pfn, e);
}

static enum status read_and_find(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	struct finder *f = arg;
	enum status status = STATUS_OK;

	if (++f->reads % READS == 0 && clock_seconds() - f->begun > TIME_MOST)
		return full(e);
	for (uint64_t at = offset; at < offset + len && !status; at = round_down(at, GRANULE) + GRANULE)
		status = find(f, at, e);
	return status || f->known ? status : f->below.read(f->below.arg, offset, len, dst, e);
}

/* --- what is found ------------------------------------------------------------ */

static void find_headers(struct finder *f)
{
	uint64_t at = 0;
	struct error full;

	f->most = HEADERS_MOST / GRANULE;
	for (size_t i = 0; i <= f->places->count; i++) {
		bool last = i == f->places->count;
		uint64_t end = last ? f->below.size : f->places->list[i].offset;

		for (; at < end; at += GRANULE)
			if (add(f, at, &full))
				return;
		at = last ? end : end + f->places->list[i].length;
	}
}

static enum status nowhere(void *arg, const char *text, size_t len, struct error *e)
{
	(void)arg;
	(void)text;
	(void)len;
	(void)e;
	return STATUS_OK;
}

/* The way there and all of it, by reading it in the way of njoin --dmesg. */
static void find_log(struct finder *f)
{
	const struct log_output output = { .write = nowhere, .exact = true };
	struct log_result ignored;
	struct error e;

	f->most = LOG_MOST / GRANULE;
	log_print(&f->virt, LOG_WHOLE, &output, &ignored, &e);
}

/* Of memory whose bytes are not needed. */
static void find_frame(struct finder *f, uint64_t pfn)
{
	uint8_t byte;
	struct error ignored;

	f->known = true;
	memory_read(&f->core, pfn << f->map->keys->page_shift, 1, &byte, &ignored);
	f->known = false;
}

/* struct elf_prstatus: registers begin at byte 112. */
static uint64_t stack_pointer(const struct core *core, const struct note *note)
{
	size_t at = 112 + 8 * (core->machine == EM_X86_64 ? 19 : 31);

	return note->type == NT_PRSTATUS && note_has_name(note, "CORE") && note->desc_size >= at + 8 ?
	       get_le64(note->desc + at) : 0;
}

/* Stacks are in memory of vmalloc(), where each page is somewhere else. */
static void find_stack(struct finder *f, uint64_t pointer)
{
	uint64_t page_size = f->map->keys->page_size, length = max_u64(STACK, page_size);
	uint64_t stack = round_down(pointer, length), paddr, ignored;
	struct error e;

	for (uint64_t page = 0; page < length; page += page_size)
		if (!virt_find(&f->virt, stack + page, &paddr, &ignored, &e) &&
		    !check(f, paddr >> f->map->keys->page_shift, &e))
			find_frame(f, paddr >> f->map->keys->page_shift);
}

static void find_stacks(struct finder *f)
{
	struct note note;
	size_t at = 0;

	while (core_next_note(&f->core, &at, &note)) {
		uint64_t pointer = stack_pointer(&f->core, &note);

		if (pointer)
			find_stack(f, pointer);
	}
}

/* Without what was freed after the start. */
static void find_of_image(struct finder *f, uint64_t pfn, uint64_t count)
{
	uint8_t kinds[AT_ONCE];
	struct error ignored;

	if (page_range_kinds(&f->cursor, pfn, count, kinds, &ignored))
		return;
	for (uint64_t i = 0; i < count; i++)
		if (kinds[i] == PAGE_IMAGE)
			find_frame(f, pfn + i);
}

/* Without code and constants. */
static void find_data(struct finder *f)
{
	const struct page_map *map = f->map;
	uint64_t length, at = map->image_address, end = at + (map->image.length << map->keys->page_shift);
	struct error ignored;
	bool read_only;

	for (; f->virt.tables.levels && f->count < f->most && at < end; at += length) {
		uint64_t pfn = map->image.offset + ((at - map->image_address) >> map->keys->page_shift);

		if (page_tables_read_only(&f->virt.tables, &f->core, at, &read_only, &length, &ignored))
			return;
		length = min_u64(read_only ? length : min_u64(length, AT_ONCE << map->keys->page_shift), end - at);
		if (!read_only)
			find_of_image(f, pfn, length >> map->keys->page_shift);
	}
}

/* --- as a list -------------------------------------------------------------------- */

/* Out of memory, there are fewer. */
static size_t list(struct first *first, struct finder *f)
{
	range_list_merge(&f->ranges);
	for (size_t i = 0; i < f->ranges.count; i++)
		range_list_add(&first->list, f->ranges.ranges[i].offset, f->ranges.ranges[i].length);
	range_list_free(&f->ranges);
	return first->list.count;
}

void first_find(struct first *first, const struct page_map *map, const struct virt *virt, const struct places *places)
{
	struct finder *f = memory_to_read(sizeof(*f));

	if (!f)
		return;
	f->map = map;
	f->places = places;
	f->core = *virt->core;
	f->below = f->core.bytes;
	f->core.bytes = (struct core_bytes){ .size = f->below.size, .read = read_and_find, .arg = f };
	f->virt = *virt;
	f->virt.core = &f->core;
	f->begun = clock_seconds();
	page_cursor_init(&f->cursor, map, virt);
	find_headers(f);
	find_log(f);
	first->urgent = list(first, f);
	f->most = GRANULES_MAX;
	find_stacks(f);
	find_data(f);
	list(first, f);
	free(f);
}

static void mark(const struct range *ranges, size_t count, uint64_t offset, uint64_t end, struct runs *classes)
{
	struct runs_position p = { 0 };

	for (size_t i = ranges_find(ranges, count, offset); i < count && ranges[i].offset < end; i++) {
		uint64_t from = max_u64(ranges[i].offset, offset);
		uint64_t to = min_u64(ranges[i].offset + ranges[i].length, end);
		uint32_t run = runs_split(classes, &p, (uint32_t)((from - offset) / GRANULE));
		uint32_t last = runs_split(classes, &p, (uint32_t)divide_up(to - offset, GRANULE));

		for (; run < last; run++)
			if (!class_is_marked(classes->list[run].value))
				classes->list[run].value = CLASS_FIRST;
	}
}

void first_mark(const struct first *first, uint64_t offset, uint64_t end, struct runs *classes)
{
	mark(first->list.ranges, first->urgent, offset, end, classes);
	mark(first->list.ranges + first->urgent, first->list.count - first->urgent, offset, end, classes);
}

static bool has(const struct range *ranges, size_t count, uint64_t offset, uint64_t end)
{
	size_t i = ranges_find(ranges, count, offset);

	return i < count && ranges[i].offset < end;
}

bool first_has(const struct first *first, uint64_t offset, uint64_t end)
{
	return has(first->list.ranges, first->urgent, offset, end) ||
	       has(first->list.ranges + first->urgent, first->list.count - first->urgent, offset, end);
}
