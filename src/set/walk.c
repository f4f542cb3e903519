// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/bytes.h"
#include "set/walk_state.h"

enum { HAND_STACK = 512 * 1024 };

bool walk_wants(const struct walk *w, uint64_t offset, uint64_t length)
{
	return offset < w->settings.to && offset + length > w->settings.from;
}

bool walk_delivers(const struct walk *w)
{
	return w->settings.deliver || w->settings.deliver_record;
}

/* With the lock. */
static void cancel_threads(struct walk *w)
{
	uint64_t one = 1;

	w->stopping = true;
	pthread_cond_broadcast(&w->moved);
	pthread_cond_broadcast(&w->freed);
	/* An eventfd refuses only when it is readable already. */
	if (w->wake_fd >= 0 && write(w->wake_fd, &one, sizeof(one)) < 0)
		return;
}

void walk_end(struct walk *w, enum status status, const struct error *e)
{
	pthread_mutex_lock(&w->lock);
	if (!w->status) {
		w->status = status;
		w->error = *e;
	}
	cancel_threads(w);
	pthread_mutex_unlock(&w->lock);
}

void walk_report_damage(struct walk *w, const struct error *e)
{
	w->settings.damaged(w->settings.arg, e);
}

static enum status unpack(struct slot *h, struct error *e)
{
	const struct walk_settings *s = &h->walk->settings;

	h->unpacked = !s->deliver_record || s->needs_blocks(s->deliver_arg, &h->reader);
	if (!h->unpacked)
		return STATUS_OK;
	return walk_delivers(h->walk) ? record_reader_unpack(&h->reader, h->blocks, e)
				      : record_reader_prove(&h->reader, h->blocks, e);
}

static enum status load_and_unpack(struct slot *h, const struct location *location, struct error *e)
{
	enum status status;

	status = location ? record_reader_load(&h->reader, h->walk->set, location, e)
		       : record_reader_check(&h->reader, e);
	return status ? status : unpack(h, e);
}

/* A spare stands behind its like in the map. */
static bool load_duplicate(struct slot *h)
{
	const struct set *set = h->walk->set;
	const struct index_entry *lost;
	struct error ignored;

	if (!h->location)
		return false;
	lost = &h->location->entry;
	for (size_t i = set_find(set, lost->source_offset) + 1;
	     i < set->locations && set->map[i]->duplicate; i++)
		if (load_and_unpack(h, set->map[i], &ignored) == STATUS_OK)
			return true;
	return false;
}

/*
 * False: there is nothing to deliver.  That a record is lost has been told or has ended the
 * walk; a spare is only looked at.
 */
static bool prepare_record(struct slot *h)
{
	struct walk *w = h->walk;
	bool duplicate = h->location && h->location->duplicate;
	struct error e;
	enum status status = load_and_unpack(h, h->location, &e);
	bool past_damage = w->settings.past_damage && status != STATUS_NO_MEMORY;

	if (!status)
		return !duplicate;
	if (past_damage)
		walk_report_damage(w, &e);
	if (status != STATUS_NO_MEMORY && !duplicate && load_duplicate(h))
		return true;
	if (!past_damage)
		walk_end(w, status, &e);
	return false;
}

void walk_prepare(struct slot *h)
{
	h->good = prepare_record(h);
}

void walk_hand_over(struct slot *h)
{
	struct walk *w = h->walk;
	struct error e;
	enum status status = STATUS_OK;

	if (h->good && !w->stopping)
		status = walk_deliver(h, &e);
	if (status)
		walk_end(w, status, &e);
}

static void live(void *arg, unsigned number)
{
	struct walk *w = arg;
	struct slot *h = &w->slots[number];

	while (walk_claim(w, h)) {
		walk_prepare(h);
		walk_hand_over(h);
	}
}

static enum status make_slots(struct walk *w, struct error *e)
{
	w->slots = calloc(w->slots_count, sizeof(*w->slots));
	if (!w->slots)
		return error_system(e, ENOMEM, "%u threads", w->slots_count);
	for (unsigned i = 0; i < w->slots_count; i++) {
		struct slot *h = &w->slots[i];
		enum status status;

		h->walk = w;
		h->own = h->queue = i;
		status = record_reader_init(&h->reader, w->set->chunk_size, e);
		if (status)
			return status;
		h->blocks = aligned_alloc(UNIT, w->set->chunk_size);
		if (!h->blocks)
			return error_system(e, ENOMEM, "buffers of %u threads",
					    w->slots_count);
	}
	return STATUS_OK;
}

static void report_scan_damage(void *arg, const struct error *e)
{
	walk_report_damage(arg, e);
}

static enum status make_queues(struct walk *w, struct error *e)
{
	w->queues = calloc(w->set->count, sizeof(*w->queues));
	if (!w->queues)
		return error_system(e, ENOMEM, "walk");
	if (w->set->has_stream)
		w->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->set->has_stream && w->wake_fd < 0)
		return error_system(e, errno, "eventfd");
	for (unsigned i = 0; i < w->set->count; i++) {
		struct queue *queue = &w->queues[i];

		queue->member = &w->set->members[i];
		scan_init(&queue->scan, queue->member, w->settings.past_damage);
		queue->scan.tell = report_scan_damage;
		queue->scan.tell_arg = w;
		queue->scan.wake_fd = w->wake_fd;
	}
	return STATUS_OK;
}

enum status walk_new(struct walk **walk, struct set *set, const struct walk_settings *settings,
		     struct error *e)
{
	struct walk *w = calloc(1, sizeof(*w));
	enum status status;

	if (!w)
		return error_system(e, ENOMEM, "walk");
	w->set = set;
	w->settings = *settings;
	/* At least a thread a stream: see walk_claim(). */
	if (set->has_stream && !settings->ordered)
		w->settings.threads = (unsigned)max_u64(settings->threads, set->count);
	w->slots_count = settings->ordered ? order_slots(settings->threads) : w->settings.threads;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->moved, NULL);
	pthread_cond_init(&w->freed, NULL);
	w->wake_fd = -1;
	status = make_queues(w, e);
	if (!status)
		status = make_slots(w, e);
	if (!status && settings->ordered)
		status = order_init(w, e);
	if (status) {
		walk_free(w);
		return status;
	}
	*walk = w;
	return STATUS_OK;
}

void walk_free(struct walk *w)
{
	if (!w)
		return;
	for (unsigned i = 0; w->slots && i < w->slots_count; i++) {
		record_reader_free(&w->slots[i].reader);
		free(w->slots[i].blocks);
	}
	if (w->wake_fd >= 0)
		close(w->wake_fd);
	order_free(w);
	free(w->slots);
	free(w->queues);
	range_list_free(&w->seen);
	pthread_cond_destroy(&w->freed);
	pthread_cond_destroy(&w->moved);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

/*
 * The map has no such ranges, but what streams hold is known only when it has come.
 * Ranges seen twice are spares; any other that share a byte are damage.
 */
static bool ranges_clash(const struct walk *w)
{
	for (size_t i = 1; i < w->seen.count; i++) {
		const struct range *last = &w->seen.ranges[i - 1], *r = &w->seen.ranges[i];

		if (r->offset < last->offset + last->length &&
		    (r->offset != last->offset || r->length != last->length))
			return true;
	}
	return false;
}

/* A failure of the walk, unless it goes past damage. */
static void judge_ranges(struct walk *w)
{
	struct error e;

	if (w->status || w->stopped || !ranges_clash(w))
		return;
	error_set(&e, STATUS_DAMAGED, "the members hold records that cover parts of each "
		  "other's ranges");
	if (w->settings.past_damage)
		walk_report_damage(w, &e);
	else
		walk_end(w, STATUS_DAMAGED, &e);
}

/* What the streams' footers told is known only now; without any, what came is all. */
static void judge_size(struct walk *w)
{
	struct set *set = w->set;
	uint64_t end = range_list_end(&w->seen);
	struct error e;

	while (set_disagrees(set, &e))
		walk_report_damage(w, &e);
	if (set->source_size == SOURCE_SIZE_UNKNOWN) {
		set->source_size = end;
		set->stopped = true;
	}
	if (end > set->source_size) {
		error_set(&e, STATUS_DAMAGED, "the members do not agree on where the source ends");
		walk_report_damage(w, &e);
		set->source_size = end;
	}
}

enum status walk_run(struct walk *w, struct error *e)
{
	struct thread_pool pool = {
		.count = w->settings.threads,
		.stack = HAND_STACK,
		.work = w->settings.ordered ? order_live : live,
		.arg = w,
	};
	enum status status;

	if (w->settings.ordered && w->set->has_stream && w->set->count > 1)
		return error_set(e, STATUS_USAGE, "members of which one is a pipe come in no order "
				 "that a stream could take; give a file with -o");
	status = thread_pool_run(&pool, &w->settings.watch, e);
	if (status)
		return status;
	range_list_sort(&w->seen);
	judge_ranges(w);
	range_list_merge(&w->seen);
	if (!w->status && !w->stopped)
		judge_size(w);
	if (w->status)
		*e = w->error;
	else if (w->stopped)
		return error_set(e, STATUS_STOPPED, "stopped");
	return w->status;
}

void walk_stop(struct walk *w)
{
	pthread_mutex_lock(&w->lock);
	w->stopped = true;
	cancel_threads(w);
	pthread_mutex_unlock(&w->lock);
}

void walk_progress(struct walk *w, uint64_t *done, uint64_t *read)
{
	*done = w->done;
	*read = w->read;
}

bool walk_hole(const struct walk *w, uint64_t *offset, uint64_t *length)
{
	uint64_t to = min_u64(w->settings.to, w->set->source_size);

	*offset = max_u64(*offset, w->settings.from);
	return range_list_gap(&w->seen, offset, to, length);
}
