// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <unistd.h>

#include "base/array.h"
#include "set/read/walk_state.h"

enum { WRONG_MAX = 100 };

bool walk_wants(const struct walk *w, uint64_t offset, uint64_t length)
{
	return offset < w->settings.to && offset + length > w->settings.from;
}

void walk_cancel(struct walk *w)
{
	uint64_t one = 1;

	w->stopping = true;
	pthread_cond_broadcast(&w->stream_free);
	pthread_cond_broadcast(&w->slot_free);
	/* The write fails only if the eventfd is already readable. */
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
	walk_cancel(w);
	pthread_mutex_unlock(&w->lock);
}

void walk_report_damage(struct walk *w, const struct error *e)
{
	w->settings.damaged(w->settings.arg, e);
}

void walk_judge_later(struct queue *queue, const struct error *e)
{
	struct error no_memory;
	bool enough = true;

	pthread_mutex_lock(&queue->walk->lock);
	if (queue->wrong_count < WRONG_MAX)
		enough = array_grow(&queue->wrong, queue->wrong_count, sizeof(*queue->wrong));
	if (enough && queue->wrong_count < WRONG_MAX)
		queue->wrong[queue->wrong_count++] = *e;
	pthread_mutex_unlock(&queue->walk->lock);
	if (!enough)
		walk_end(queue->walk, error_system(&no_memory, ENOMEM, "%s", queue->member->name),
			 &no_memory);
}
