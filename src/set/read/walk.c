// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/bytes.h"
#include "set/unfinished.h"
#include "set/read/walk_state.h"

enum { THREAD_STACK = 512 * 1024 };

/* --- making and freeing a walk --------------------------------------------- */

static enum status make_slots(struct walk *w, struct error *e)
{
	w->slots = calloc(w->slots_count, sizeof(*w->slots));
	if (!w->slots)
		return error_system(e, ENOMEM, "%u record buffers", w->slots_count);
	for (unsigned i = 0; i < w->slots_count; i++) {
		struct slot *slot = &w->slots[i];
		enum status status;

		slot->walk = w;
		slot->own_queue = slot->next_queue = i;
		status = cell_init(&slot->cell, w->set, e);
		if (!status)
			status = record_reader_init(&slot->reader, w->set, e);
		if (!status && w->set->second.count)
			status = range_reader_init(&slot->first, w->set, e);
		if (status)
			return status;
		slot->blocks = aligned_alloc(ALIGNMENT, w->set->chunk_size);
		if (!slot->blocks)
			return error_system(e, ENOMEM, "%u record buffers", w->slots_count);
	}
	return STATUS_OK;
}

static void take_scan_damage(void *arg, const struct error *e)
{
	struct queue *queue = arg;

	if (queue->judged_later)
		walk_judge_later(queue, e);
	else
		walk_report_damage(queue->walk, e);
}

static enum status make_queues(struct walk *w, struct error *e)
{
	w->queues = calloc(w->set->count, sizeof(*w->queues));
	if (!w->queues)
		return error_system(e, ENOMEM, "%u members", w->set->count);
	if (w->set->has_stream)
		w->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->set->has_stream && w->wake_fd < 0)
		return error_system(e, errno, "eventfd");
	for (unsigned i = 0; i < w->set->count; i++) {
		struct queue *queue = &w->queues[i];

		queue->walk = w;
		queue->member = &w->set->members[i];
		queue->judged_later = queue->member->is_stream && w->set->count > 1 &&
				      w->settings.unfinished;
		/* Without the other members, nothing would be made of the rest of a damaged stream. */
		scan_init(&queue->scan, queue->member, w->settings.past_damage || queue->judged_later);
		queue->scan.damaged = take_scan_damage;
		queue->scan.damaged_arg = queue;
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
		return error_system(e, ENOMEM, "%u threads", settings->threads);
	w->set = set;
	w->settings = *settings;
	/* At least one thread for each stream: see walk_claim.c. */
	if (set->has_stream && !settings->ordered)
		w->settings.threads = (unsigned)max_u64(settings->threads, set->count);
	w->slots_count = settings->ordered ? order_slots(set, settings->threads) : w->settings.threads;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->stream_free, NULL);
	pthread_cond_init(&w->slot_free, NULL);
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
		cell_free(&w->slots[i].cell);
		record_reader_free(&w->slots[i].reader);
		range_reader_free(&w->slots[i].first);
		free(w->slots[i].blocks);
		free(w->slots[i].aside);
	}
	if (w->wake_fd >= 0)
		close(w->wake_fd);
	order_free(w);
	for (unsigned i = 0; w->queues && i < w->set->count; i++)
		free(w->queues[i].wrong);
	free(w->slots);
	free(w->queues);
	range_list_free(&w->visited);
	pthread_cond_destroy(&w->slot_free);
	pthread_cond_destroy(&w->stream_free);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

/* --- after the threads have ended ------------------------------------------ */

static bool any_wrong(const struct walk *w)
{
	for (unsigned i = 0; i < w->set->count; i++)
		if (w->queues[i].wrong_count)
			return true;
	return false;
}

/* A damaged stream is skipped if the capture finished without that output: see unfinished.h. */
static void judge_stream(struct walk *w, struct queue *queue, bool finished)
{
	struct error *first = queue->wrong;

	/* Damage to a member that was closed is no trace of an output that failed. */
	if (finished && !queue->member->has_footer) {
		unfinished_suffix(first);
		w->settings.unfinished(w->settings.arg, first);
		return;
	}
	if (!w->settings.past_damage)
		walk_end(w, first->status, first);
	for (size_t i = 0; i < queue->wrong_count && w->settings.past_damage; i++)
		walk_report_damage(w, &queue->wrong[i]);
}

static void judge_streams(struct walk *w)
{
	uint64_t offset = 0, length;
	bool finished = w->settings.unfinished && any_wrong(w) &&
			unfinished_any_closed(w->set) && !walk_hole(w, &offset, &length);

	for (unsigned i = 0; i < w->set->count && !w->status && !w->stopped; i++)
		if (w->queues[i].wrong_count)
			judge_stream(w, &w->queues[i], finished);
}

/*
 * The footers of streams are known only now.  If no footer has the size of the source, the last
 * record ends it.
 */
static void settle_size(struct walk *w)
{
	struct set *set = w->set;
	uint64_t end = range_list_end(&w->visited);
	struct error e;

	while (set_settle_size(set, &e))
		walk_report_damage(w, &e);
	if (set->source_size == SOURCE_SIZE_UNKNOWN) {
		set->source_size = end;
		set->stopped = true;
	}
	if (end > set->source_size) {
		error_set(&e, STATUS_DAMAGED, "the members disagree on where the source ends");
		walk_report_damage(w, &e);
		set->source_size = end;
	}
}

/* --- running --------------------------------------------------------------- */

/* The main function of a thread, unless the walk is ordered. */
static void work(void *arg, unsigned number)
{
	struct walk *w = arg;
	struct slot *slot = &w->slots[number];

	while (walk_claim(w, slot)) {
		walk_load(slot);
		walk_deliver(slot);
	}
}

enum status walk_run(struct walk *w, struct error *e)
{
	struct thread_pool pool = {
		.count = w->settings.threads,
		.stack = THREAD_STACK,
		.work = w->settings.ordered ? order_work : work,
		.arg = w,
	};
	enum status status;

	if (w->settings.ordered && w->set->has_stream && w->set->count > 1)
		return error_set(e, STATUS_USAGE, "records arrive out of order if one of several "
				 "members is a pipe; use -o to write to a file");
	status = thread_pool_run(&pool, &w->settings.watch, e);
	if (status)
		return status;
	range_list_sort(&w->visited);
	range_list_merge(&w->visited);
	if (!w->status && !w->stopped)
		settle_size(w);
	judge_streams(w);
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
	walk_cancel(w);
	pthread_mutex_unlock(&w->lock);
}

void walk_progress(struct walk *w, uint64_t *done, uint64_t *read)
{
	*done = w->done;
	*read = w->read;
}

const struct layer_totals *walk_totals(const struct walk *w)
{
	return &w->totals;
}

bool walk_hole(const struct walk *w, uint64_t *offset, uint64_t *length)
{
	uint64_t to = min_u64(w->settings.to, w->set->source_size);

	*offset = max_u64(*offset, w->settings.from);
	return range_list_gap(&w->visited, offset, to, length);
}
