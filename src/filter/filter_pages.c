// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/thread_pool.h"
#include "filter/filter_pages.h"
#include "filter/filter_state.h"
#include "format/format.h"

struct choosing {
	struct filter *filter;
	struct pages *pages;
	const struct class_table *table;
	uint8_t *classes;		/* of a unit, for each thread; owned */
	uint32_t granules;		/* in a unit */
	uint64_t units;
	atomic_ullong next;		/* the next unit; any thread */
};

/* Is the granule left out on purpose? */
static bool is_left_out(const struct choosing *c, unsigned class)
{
	return class != CLASS_SECOND && !class_layer(c->table, class);
}

/* Granules of the same class are left out, which are in one place or in none. */
static void leave_out(struct choosing *c, uint64_t offset, uint64_t end)
{
	const struct places *places = &c->filter->places;
	unsigned shift = c->filter->keys.page_shift;
	size_t i = places_from(places, offset);

	for (; i < places->count && places->list[i].offset < end; i++) {
		const struct place *place = &places->list[i];
		uint64_t from = max_u64(place->offset, offset) - place->offset;
		uint64_t to = min_u64(place->offset + place->length, end) - place->offset;
		uint64_t first = (place->paddr + from) >> shift;

		pages_leave_out(c->pages, first, ((place->paddr + to - 1) >> shift) + 1 - first);
	}
}

static void choose_in_unit(struct choosing *c, unsigned thread, uint64_t unit)
{
	uint8_t *classes = c->classes + (size_t)thread * c->granules;
	uint64_t offset = unit * c->granules * GRANULE;
	uint32_t count = (uint32_t)min_u64(c->granules, divide_up(c->filter->source->size - offset, GRANULE));
	uint32_t end;

	filter_classify(c->filter, thread, offset, count, classes);
	for (uint32_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && classes[end] == classes[i]; end++)
			;
		if (is_left_out(c, classes[i]))
			leave_out(c, offset + (uint64_t)i * GRANULE, offset + (uint64_t)end * GRANULE);
	}
}

static void choose(void *arg, unsigned thread)
{
	struct choosing *c = arg;
	uint64_t unit;

	while ((unit = atomic_fetch_add(&c->next, 1)) < c->units)
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
static enum status choose_all(struct choosing *c, struct error *e)
{
	const struct watch watch = { .fd = -1, .interval = 1, .tick = nothing };
	struct thread_pool pool = {
		.count = c->filter->threads_count, .stack = 512 * 1024, .work = choose, .arg = c, .least = 1,
		.fewer = fewer,
	};
	enum status status = pages_leave_out_begin(c->pages, e);
	struct error ignored;

	if (status)
		return status;
	c->next = 0;
	if (pool.count == 1 || thread_pool_run(&pool, &watch, &ignored))
		choose(c, 0);
	pages_leave_out_end(c->pages);
	return STATUS_OK;
}

static bool has_class_after_all(const struct class_table *table)
{
	for (unsigned i = 0; i < CLASSES; i++)
		if (class_state(table, i) == CLASS_SAVED_AFTER_ALL)
			return true;
	return false;
}

/* What is not believed is kept after all, so it is all chosen again. */
static enum status choose_and_judge(struct choosing *c, unsigned after_all, struct class_table *table,
				    char reason[FILTER_REASON_LENGTH], struct error *e)
{
	enum status status = choose_all(c, e);

	if (status)
		return status;
	filter_judge(c->filter, 0, after_all, table, reason);
	return has_class_after_all(table) ? choose_all(c, e) : STATUS_OK;
}

enum status filter_choose_pages(struct filter *f, struct pages *pages, unsigned after_all,
				struct class_table *table, char reason[FILTER_REASON_LENGTH], struct error *e)
{
	struct choosing c = {
		.filter = f, .pages = pages, .table = table,
		.granules = f->unit_size / GRANULE,
		.units = divide_up(f->source->size, f->unit_size),
	};
	enum status status;

	c.classes = malloc((size_t)f->threads_count * c.granules);
	if (!c.classes)
		return error_system(e, ENOMEM, "classes of pages");
	status = choose_and_judge(&c, after_all, table, reason, e);
	free(c.classes);
	return status;
}
