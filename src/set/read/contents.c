// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the contents of a set, on several threads.
 *
 * Threads take batches of cells in the order of the source, and add what they have found in the same
 * order: the thread with the first batch that was not added yet has its *turn*.  A thread that has found
 * damage waits for its turn before it reports it, so that the order of messages does not depend on
 * threads.  The batches before it never wait for it, so the wait ends.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/thread_pool.h"
#include "set/read/contents.h"
#include "set/read/resolve.h"

/* Nothing is known yet. */
static void contents_init(struct contents *c, const struct set *set)
{
	*c = (struct contents){
		.left_out = { .cell_size = set->cell_size, .source_size = set->source_size },
	};
}

void contents_free(struct contents *c)
{
	left_out_free(&c->left_out);
	range_list_free(&c->missing);
	range_list_free(&c->unreadable);
	*c = (struct contents){ 0 };
}

/* Forgets everything, and keeps the memory for more. */
static void contents_clear(struct contents *c)
{
	left_out_clear(&c->left_out);
	c->missing.count = c->unreadable.count = 0;
	c->totals = (struct layer_totals){ 0 };
}

static bool append_ranges(struct range_list *list, const struct range_list *more)
{
	for (size_t i = 0; i < more->count; i++)
		if (!range_list_extend(list, more->ranges[i].offset, more->ranges[i].length))
			return false;
	return true;
}

/* Adds what was found behind it in the source.  False: out of memory. */
static bool contents_append(struct contents *c, const struct contents *more)
{
	layer_totals_add(&c->totals, &more->totals);
	return left_out_append(&c->left_out, &more->left_out) &&
	       append_ranges(&c->missing, &more->missing) &&
	       append_ranges(&c->unreadable, &more->unreadable);
}

bool contents_next_left_out(const struct contents *c, uint64_t *offset, uint64_t *length)
{
	return left_out_next(&c->left_out, offset, length);
}

bool contents_not_there(const struct contents *c, struct range_list *list)
{
	const struct range_list *parts[] = { &c->missing, &c->unreadable };

	*list = (struct range_list){ 0 };
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		for (size_t n = 0; n < parts[i]->count; n++)
			if (!range_list_add(list, parts[i]->ranges[n].offset, parts[i]->ranges[n].length))
				return false;
	range_list_sort(list);
	range_list_merge(list);
	return true;
}

/*
 * One thread's search for the contents of some cells of a set.
 *
 * It reads the heads of records, unless their index entries say as much.
 */

/* Belongs to one thread. */
struct contents_search {
	/* Called for each record that does not count; location: its index in the map.  Set by the caller. */
	void (*damaged)(struct contents_search *s, size_t location, const struct error *e);
	const struct set *set;		/* borrowed */
	struct contents found;		/* in the cells that were searched; the caller may empty it */
	struct resolver resolver;
	uint64_t *bits;			/* of the granules of the cell that are left out; owned */
	bool any_left_out;
};

enum { WORD = 64 };			/* granules in a word */

static enum status no_memory(struct error *e)
{
	return error_system(e, ENOMEM, "list of missing ranges");
}

static size_t bits_size(const struct set *set)
{
	return round_up(divide_up(set->cell_size / GRANULE, 8), LEFT_OUT_ALIGN / 8);
}

/* Damage to the cell of a first place was reported, or will be, when that cell is searched itself. */
static void report_damage(void *arg, size_t location, bool first, const struct error *e)
{
	struct contents_search *s = arg;

	if (!first)
		s->damaged(s, location, e);
}

/* Call contents_search_free() in any case. */
static enum status contents_search_init(struct contents_search *s, const struct set *set, struct error *e)
{
	enum status status;

	s->set = set;
	contents_init(&s->found, set);
	status = resolver_init(&s->resolver, set, e);
	s->resolver.by_entries = true;
	s->resolver.damaged = report_damage;
	s->resolver.arg = s;
	s->bits = calloc(1, bits_size(set));
	return status || s->bits ? status : no_memory(e);
}

static void contents_search_free(struct contents_search *s)
{
	resolver_free(&s->resolver);
	contents_free(&s->found);
	free(s->bits);
}

/* --- the result ---------------------------------------------------------------- */

static void leave_out(struct contents_search *s, const struct extent *x)
{
	uint64_t i = (x->offset % s->set->cell_size) / GRANULE;
	uint64_t end = i + divide_up(x->length, GRANULE);

	for (; i < end && i % WORD; i++)
		s->bits[i / WORD] |= UINT64_C(1) << i % WORD;
	for (; i + WORD <= end; i += WORD)
		s->bits[i / WORD] = UINT64_MAX;
	for (; i < end; i++)
		s->bits[i / WORD] |= UINT64_C(1) << i % WORD;
	s->any_left_out = true;
}

static enum status note_extent(struct contents_search *s, const struct extent *x, struct error *e)
{
	struct contents *c = &s->found;
	bool noted = true;

	layer_totals_count(&c->totals, x, x->length);
	if (x->kind == EXTENT_LEFT_OUT)
		leave_out(s, x);
	else if (x->kind == EXTENT_UNREADABLE)
		noted = range_list_extend(&c->unreadable, x->offset, x->length);
	else if (extent_is_missing(x))
		noted = range_list_extend(&c->missing, x->offset, x->length);
	return noted ? STATUS_OK : no_memory(e);
}

/* The runs of the only record of the cell, after its head was read. */
static enum status note_runs(struct contents_search *s, const struct set_cell *cell, struct error *e)
{
	struct run_cursor runs = run_cursor_begin(&cell->head.record, cell->head.raw);
	enum status status = STATUS_OK;
	struct run_place place;
	struct extent x;

	while (!status && run_cursor_next(&runs, &place)) {
		cell_extent_of_run(cell->set, cell->first, &place, &x);
		status = note_extent(s, &x, e);
	}
	return status;
}

/* --- cells ----------------------------------------------------------------------- */

static uint64_t cell_of(const struct set *set, size_t i)
{
	return set->map[i]->entry.source_offset / set->cell_size;
}

/*
 * Most cells have one record, with all of their granules, and no second place.  Then its runs are all that is
 * to be known.  i: the first record of the cell.
 */
static bool has_one_record(const struct set *set, size_t i)
{
	const struct index_entry *entry = &set->map[i]->entry;
	uint64_t number = cell_of(set, i), offset = number * set->cell_size;
	uint64_t all = min_u64(set->cell_size, set->source_size - offset), length = all;

	return (i + 1 == set->locations || cell_of(set, i + 1) != number) &&
	       entry->layer == 1 && entry->source_offset == offset && entry->source_length == all &&
	       !second_places_follow(&set->second, &offset, &length) && length == all;
}

/* False: the cell is to be searched in the usual way, which reads a damaged head again, and reports it. */
static bool search_one_record(struct contents_search *s, size_t i, enum status *status, struct error *e)
{
	struct set_cell *cell = &s->resolver.direct.cell;
	struct extent x;

	if (cell_entry_extent(s->set, i, &x)) {
		*status = note_extent(s, &x, e);
		return true;
	}
	s->resolver.direct.number = UINT64_MAX;
	cell_begin(cell, cell_of(s->set, i));
	if (record_head_load(&cell->head, s->set, s->set->map[i], e))
		return false;
	*status = note_runs(s, cell, e);
	return true;
}

static enum status search_cell(struct contents_search *s, uint64_t number, struct error *e)
{
	uint64_t at = number * s->set->cell_size;
	uint64_t end = min_u64(at + s->set->cell_size, s->set->source_size);
	enum status status = STATUS_OK;
	struct extent x;

	for (; at < end && !status; at += x.length) {
		status = resolve(&s->resolver, at, end - at, &x, e);
		if (!status)
			status = note_extent(s, &x, e);
	}
	return status;
}

/* i: its first record; SIZE_MAX: it has none. */
static enum status find_in_cell(struct contents_search *s, uint64_t number, size_t i, struct error *e)
{
	enum status status = STATUS_OK;

	if (s->any_left_out)
		memset(s->bits, 0, bits_size(s->set));
	s->any_left_out = false;
	if (i == SIZE_MAX || !has_one_record(s->set, i) || !search_one_record(s, i, &status, e))
		status = search_cell(s, number, e);
	if (!status && s->any_left_out && !left_out_add(&s->found.left_out, number, s->bits))
		return no_memory(e);
	return status;
}

/* Nothing is known of all bytes from one offset to another. */
static enum status note_gap(struct contents *c, uint64_t from, uint64_t to, struct error *e)
{
	if (from >= to)
		return STATUS_OK;
	c->totals.memory.unknown += to - from;
	return range_list_extend(&c->missing, from, to - from) ? STATUS_OK : no_memory(e);
}

/* Cells without records, which may have second places. */
static enum status search_gap(struct contents_search *s, uint64_t from, uint64_t end, struct error *e)
{
	const struct set *set = s->set;
	enum status status = STATUS_OK;

	while (from < end && !status) {
		uint64_t next = min_u64(cell_number_next(set, from), end);

		status = note_gap(&s->found, from * set->cell_size,
				  min_u64(next * set->cell_size, set->source_size), e);
		if (next < end && !status)
			status = find_in_cell(s, next, SIZE_MAX, e);
		from = next + 1;
	}
	return status;
}

/* The same of the cells behind that of the last record. */
static enum status contents_search_rest(struct contents_search *s, struct error *e)
{
	const struct set *set = s->set;
	size_t count = set->locations;

	return search_gap(s, count ? cell_of(set, count - 1) + 1 : 0, cell_number_end(set), e);
}

/* The heads are small, and far from each other, so a disk should know of many of them at once. */
static void announce(const struct set *set, size_t from, size_t end)
{
	struct run ignored;

	for (size_t i = from; i < end; i++) {
		const struct location *location = set->map[i];

		if (!index_entry_describes(&location->entry, &set->classes, &ignored))
			member_announce_read(&set->members[location->member],
					     location->entry.member_offset, ALIGNMENT);
	}
}

/*
 * Adds what is found in the cells of the records at indexes from to end - 1 of the map, which are all of
 * these cells, and in the gap before them, where second places may be.  The only failure is STATUS_NO_MEMORY.
 */
static enum status contents_search_records(struct contents_search *s, size_t from, size_t end,
					   struct error *e)
{
	const struct set *set = s->set;
	uint64_t next = from ? cell_of(set, from - 1) + 1 : 0;
	enum status status = STATUS_OK;

	announce(set, from, end);
	for (size_t i = from; i < end && !status; i++) {
		uint64_t number = cell_of(set, i);

		if (number < next)
			continue;
		status = search_gap(s, next, number, e);
		if (!status)
			status = find_in_cell(s, number, i, e);
		next = number + 1;
	}
	return status;
}

enum {
	BATCH = 64,			/* records, or a few more: cells are not divided */
	/* Each takes memory for two cells and their heads. */
	THREADS_MAX = 8,
	STACK = 256 * 1024,
};

struct find;

struct finder {
	struct contents_search search;
	struct find *find;
	size_t from, end;		/* the records of its batch */
};

struct find {
	struct contents *c;		/* changed by the thread that has its turn */
	const struct set *set;
	const struct contents_watch *watch;
	struct finder finders[THREADS_MAX];
	pthread_mutex_t lock;
	pthread_cond_t changed;		/* added or status */
	/* Under the lock: */
	size_t next;			/* the first record of the next batch */
	size_t added;			/* the first record of which nothing was added to c */
	enum status status;		/* of the first failure; then all threads end */
	struct error error;
};

/* --- turns ------------------------------------------------------------------------- */

/* False: nothing is left, or there was a failure. */
static bool take_batch(struct find *f, struct finder *finder)
{
	const struct set *set = f->set;
	bool taken;

	pthread_mutex_lock(&f->lock);
	taken = !f->status && f->next < set->locations;
	if (taken) {
		size_t last = min_u64(f->next + BATCH, set->locations) - 1;
		uint64_t cell = set->map[last]->entry.source_offset / set->cell_size;

		finder->from = f->next;
		finder->end = f->next = set_find_cell(set, cell + 1);
	}
	pthread_mutex_unlock(&f->lock);
	return taken;
}

/* False: there was a failure. */
static bool wait_for_turn(struct find *f, const struct finder *finder)
{
	bool good;

	pthread_mutex_lock(&f->lock);
	while (!f->status && f->added != finder->from)
		pthread_cond_wait(&f->changed, &f->lock);
	good = !f->status;
	pthread_mutex_unlock(&f->lock);
	return good;
}

static void end_turn(struct find *f, const struct finder *finder)
{
	pthread_mutex_lock(&f->lock);
	f->added = finder->end;
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
}

static void fail(struct find *f, const struct error *e)
{
	pthread_mutex_lock(&f->lock);
	if (!f->status) {
		f->status = e->status;
		f->error = *e;
	}
	pthread_cond_broadcast(&f->changed);
	pthread_mutex_unlock(&f->lock);
}

static void report(struct contents_search *s, size_t location, const struct error *e)
{
	struct finder *finder = (struct finder *)s;
	struct find *f = finder->find;

	if (wait_for_turn(f, finder))
		f->watch->damaged(f->watch->arg, location, e);
}

/* --- threads ----------------------------------------------------------------------- */

static enum status search_batch(struct find *f, struct finder *finder, struct error *e)
{
	enum status status = contents_search_records(&finder->search, finder->from, finder->end, e);

	if (status || !wait_for_turn(f, finder))
		return status;
	if (!contents_append(f->c, &finder->search.found))
		return error_system(e, ENOMEM, "list of missing ranges");
	contents_clear(&finder->search.found);
	end_turn(f, finder);
	return STATUS_OK;
}

static void work(void *arg, unsigned number)
{
	struct find *f = arg;
	struct finder *finder = &f->finders[number];
	struct error e;
	enum status status = STATUS_OK;

	while (!status && take_batch(f, finder))
		status = search_batch(f, finder, &e);
	if (status)
		fail(f, &e);
}

/* Fewer threads do the same. */
static void fewer(void *arg, unsigned made, int errnum)
{
	(void)arg;
	(void)made;
	(void)errnum;
}

static void tick(void *arg)
{
	struct find *f = arg;
	size_t added;

	pthread_mutex_lock(&f->lock);
	added = f->added;
	pthread_mutex_unlock(&f->lock);
	if (f->watch->searching)
		f->watch->searching(f->watch->arg, added, f->set->locations);
}

static unsigned count_threads(const struct find *f)
{
	uint64_t most = min_u64(THREADS_MAX, divide_up(f->set->locations, BATCH));

	return (unsigned)max_u64(1, min_u64(f->watch->threads, most));
}

/* If no thread can be created, this one does everything. */
static void run_threads(struct find *f, unsigned threads)
{
	struct thread_pool pool = { .count = threads, .stack = STACK, .least = 1, .fewer = fewer,
				    .work = work, .arg = f };
	const struct watch watch = {
		.fd = -1,
		.interval = f->watch->searching ? f->watch->interval : 60,
		.tick = tick,
		.arg = f,
	};
	struct error ignored;

	if ((threads == 1 && !f->watch->searching) || thread_pool_run(&pool, &watch, &ignored))
		work(f, 0);
}

static enum status find(struct find *f, struct error *e)
{
	unsigned threads = count_threads(f);
	struct contents_search *search = &f->finders[0].search;
	enum status status = STATUS_OK;

	for (unsigned i = 0; i < threads && !status; i++) {
		f->finders[i].find = f;
		f->finders[i].search.damaged = report;
		status = contents_search_init(&f->finders[i].search, f->set, e);
	}
	if (!status) {
		run_threads(f, threads);
		status = f->status;
		*e = f->error;
	}
	/* What is found behind the last record has its turn. */
	f->finders[0].from = f->added;
	if (!status)
		status = contents_search_rest(search, e);
	if (!status && !contents_append(f->c, &search->found))
		status = error_system(e, ENOMEM, "list of missing ranges");
	for (unsigned i = 0; i < threads; i++)
		contents_search_free(&f->finders[i].search);
	return status;
}

enum status contents_find(struct contents *c, const struct set *set,
			  const struct contents_watch *watch, struct error *e)
{
	struct find *f = calloc(1, sizeof(*f));
	enum status status;

	contents_init(c, set);
	if (!f)
		return error_system(e, ENOMEM, "list of missing ranges");
	f->c = c;
	f->set = set;
	f->watch = watch;
	pthread_mutex_init(&f->lock, NULL);
	pthread_cond_init(&f->changed, NULL);
	status = find(f, e);
	pthread_cond_destroy(&f->changed);
	pthread_mutex_destroy(&f->lock);
	free(f);
	return status;
}
