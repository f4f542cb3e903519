// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/thread_pool.h"
#include "filter/filter_pages.h"
#include "filter/filter_state.h"
#include "format/format.h"

/* Units that the threads divide among themselves. */
struct choosing {
	struct filter_choice *choice;
	/* Of all pages, or of a part: those from this rank on. */
	struct page_choice *part;
	uint64_t first;
	uint64_t end;			/* unit */
	atomic_ullong next;		/* the next unit; any thread */
};

static uint32_t granules_in_unit(const struct filter_choice *c)
{
	return c->filter->unit_size / GRANULE;
}

/* The last unit may have fewer. */
static uint32_t granules_of_unit(const struct filter_choice *c, uint64_t unit)
{
	uint64_t left = c->filter->source->size - unit * c->filter->unit_size;

	return (uint32_t)min_u64(granules_in_unit(c), divide_up(left, GRANULE));
}

/* Is the granule left out on purpose? */
static bool is_left_out(const struct filter_choice *c, unsigned class)
{
	return class != CLASS_SECOND && !class_layer(&c->table, class);
}

static void leave_frames_out(const struct choosing *c, uint64_t pfn, uint64_t count)
{
	if (c->part)
		pages_leave_out_of_part(c->choice->pages, c->part, c->first, pfn, count);
	else
		pages_leave_out(c->choice->pages, pfn, count);
}

/* Granules of the same class are left out, which are in one place or in none. */
static void leave_out(const struct choosing *c, uint64_t offset, uint64_t end)
{
	const struct places *places = &c->choice->filter->places;
	unsigned shift = c->choice->filter->keys.page_shift;
	size_t i = places_from(places, offset);

	for (; i < places->count && places->list[i].offset < end; i++) {
		const struct place *place = &places->list[i];
		uint64_t from = max_u64(place->offset, offset) - place->offset;
		uint64_t to = min_u64(place->offset + place->length, end) - place->offset;
		uint64_t first = (place->paddr + from) >> shift;

		leave_frames_out(c, first, ((place->paddr + to - 1) >> shift) + 1 - first);
	}
}

static void choose_in_unit(const struct choosing *c, unsigned thread, uint64_t unit)
{
	struct filter_choice *choice = c->choice;
	uint8_t *classes = choice->classes + (size_t)thread * granules_in_unit(choice);
	uint64_t offset = unit * choice->filter->unit_size;
	uint32_t count = granules_of_unit(choice, unit), end;

	filter_classify(choice->filter, choice->first_thread + thread, offset, count, classes);
	for (uint32_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && classes[end] == classes[i]; end++)
			;
		if (is_left_out(choice, classes[i]))
			leave_out(c, offset + (uint64_t)i * GRANULE, offset + (uint64_t)end * GRANULE);
	}
}

static void choose(void *arg, unsigned thread)
{
	struct choosing *c = arg;
	uint64_t unit;

	while ((unit = atomic_fetch_add(&c->next, 1)) < c->end)
		choose_in_unit(c, thread, unit);
}

static void nothing(void *arg)
{
	(void)arg;
}

/* Those that could be created do it all. */
static void fewer(void *arg, unsigned made, int errnum)
{
	(void)arg;
	(void)made;
	(void)errnum;
}

/* If the system refuses threads, this one does it all. */
static void choose_in_units(struct choosing *c, uint64_t first, uint64_t end)
{
	const struct watch watch = { .fd = -1, .interval = 1, .tick = nothing };
	struct thread_pool pool = {
		.count = (unsigned)min_u64(c->choice->threads, end - first), .stack = 512 * 1024, .work = choose,
		.arg = c, .least = 1, .fewer = fewer,
	};
	struct error ignored;

	c->next = first;
	c->end = end;
	if (pool.count <= 1 || thread_pool_run(&pool, &watch, &ignored))
		choose(c, 0);
}

static enum status choose_in_all(struct filter_choice *choice, struct error *e)
{
	struct choosing c = { .choice = choice };
	enum status status = pages_leave_out_begin(choice->pages, e);

	if (status)
		return status;
	choose_in_units(&c, 0, divide_up(choice->filter->source->size, choice->filter->unit_size));
	pages_leave_out_end(choice->pages);
	return STATUS_OK;
}

/* --- by parts --------------------------------------------------------------- */

/* Of the pages count from rank first on: the physical addresses from the first one's up to the end of the last one. */
static void addresses_of(const struct filter_choice *c, uint64_t first, uint64_t count, uint64_t *begin, uint64_t *end)
{
	*begin = pages_pfn_in_core(c->pages, first) * c->pages->page_size;
	*end = (pages_pfn_in_core(c->pages, first + count - 1) + 1) * c->pages->page_size;
}

/* All units with a place of these pages; what else is there belongs to other parts. */
static void choose_in_part(void *arg, uint64_t first, struct page_choice *part)
{
	struct filter_choice *choice = arg;
	const struct places *places = &choice->filter->places;
	uint32_t unit_size = choice->filter->unit_size;
	struct choosing c = { .choice = choice, .part = part, .first = first };
	uint64_t begin, end;

	addresses_of(choice, first, part->count, &begin, &end);
	for (size_t i = 0; i < places->count; i++) {
		const struct place *place = &places->list[i];
		uint64_t from = max_u64(begin, place->paddr), to = min_u64(end, place->paddr + place->length);

		if (from < to)
			choose_in_units(&c, (place->offset + (from - place->paddr)) / unit_size,
					divide_up(place->offset + (to - place->paddr), unit_size));
	}
}

static void lose_part(void *arg, uint64_t first, uint64_t count, uint64_t kept)
{
	const struct filter_choice *c = arg;
	uint64_t begin, end;

	addresses_of(c, first, count, &begin, &end);
	c->lost(c->arg, begin, end, kept);
}

static enum status choose_in_parts(struct filter_choice *c, struct error *e)
{
	const struct page_part_maker maker = { .make = choose_in_part, .lost = lose_part, .arg = c };

	/* It may have headers only, but the filter looks at the kernel image with it. */
	filter_classify(c->filter, c->first_thread, 0, granules_of_unit(c, 0), c->classes);
	return pages_leave_out_by_parts(c->pages, c->part, &maker, e);
}

/* --------------------------------------------------------------------------- */

static bool has_class_after_all(const struct class_table *table)
{
	for (unsigned i = 0; i < CLASSES; i++)
		if (class_state(table, i) == CLASS_SAVED_AFTER_ALL)
			return true;
	return false;
}

static enum status choose_all(struct filter_choice *c, struct error *e)
{
	return c->part ? choose_in_parts(c, e) : choose_in_all(c, e);
}

enum status filter_choose_pages(struct filter_choice *c, struct error *e)
{
	enum status status;

	c->classes = malloc((size_t)c->threads * granules_in_unit(c));
	if (!c->classes)
		return error_system(e, ENOMEM, "classes of pages");
	status = choose_all(c, e);
	if (status)
		return status;
	filter_judge(c->filter, c->first_thread, c->after_all, &c->table, c->reason);
	/* What is not believed is kept after all, so it is all chosen again. */
	return has_class_after_all(&c->table) ? choose_all(c, e) : STATUS_OK;
}

void filter_choice_free(struct filter_choice *c)
{
	free(c->classes);
	c->classes = NULL;
}
