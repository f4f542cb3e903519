// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/crew.h"

struct hand {
	struct roster *roster;
	unsigned number;
	pthread_t id;
	atomic_bool gone;		/* went home, or was given up */
	bool given_up;			/* the watching thread's own */
};

enum gate { GATE_SHUT, GATE_OPEN, GATE_SENT_AWAY };

struct roster {
	const struct crew *crew;
	struct hand *hands;
	unsigned made;
	atomic_uint working;
	int home_fd;			/* eventfd: readable when all are home */
	bool given_up;			/* any of them */

	/* Nobody works before all have come, with their memory. */
	pthread_mutex_t gate;
	pthread_cond_t moved;		/* one has come, or the gate is open */
	unsigned come;			/* under gate, as is: */
	enum gate state;
};

static void leave(struct hand *h)
{
	struct roster *r = h->roster;
	uint64_t one = 1;

	if (atomic_exchange(&h->gone, true))
		return;
	/* An eventfd refuses only when it is readable already. */
	if (atomic_fetch_sub(&r->working, 1) == 1 &&
	    write(r->home_fd, &one, sizeof(one)) < 0)
		return;
}

/* Pages of the stack that the kernel has still to find, when memory may be short. */
static void __attribute__((noinline)) touch_stack(size_t bytes)
{
	enum { STEP = 4096 };
	char here[STEP];
	volatile char *touched = here;

	touched[0] = 0;
	if (bytes > STEP)
		touch_stack(bytes - STEP);
	touched[STEP - 1] = 0;		/* behind the call, so that it is one */
}

static bool may_work(struct roster *r)
{
	bool open;

	touch_stack(r->crew->touched);
	pthread_mutex_lock(&r->gate);
	r->come++;
	pthread_cond_broadcast(&r->moved);
	while (r->state == GATE_SHUT)
		pthread_cond_wait(&r->moved, &r->gate);
	open = r->state == GATE_OPEN;
	pthread_mutex_unlock(&r->gate);
	return open;
}

static void *hand_main(void *arg)
{
	struct hand *h = arg;
	const struct crew *crew = h->roster->crew;

	if (may_work(h->roster))
		crew->work(crew->arg, h->number);
	leave(h);
	return NULL;
}

/* When all that were made have come. */
static void set_gate(struct roster *r, enum gate state)
{
	pthread_mutex_lock(&r->gate);
	while (r->come < r->made)
		pthread_cond_wait(&r->moved, &r->gate);
	r->state = state;
	pthread_cond_broadcast(&r->moved);
	pthread_mutex_unlock(&r->gate);
}

static bool are_enough(const struct crew *crew, unsigned made)
{
	return made >= (crew->least ? crew->least : crew->count);
}

/* Returns 0, or why fewer could be made than are needed; then those that were will not work. */
static int hire(struct roster *r)
{
	const struct crew *crew = r->crew;
	pthread_attr_t attr;
	bool enough;
	int failed = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, crew->stack);
	for (; r->made < crew->count; r->made++) {
		struct hand *h = &r->hands[r->made];

		h->roster = r;
		h->number = r->made;
		failed = pthread_create(&h->id, &attr, hand_main, h);
		if (failed)
			break;
	}
	pthread_attr_destroy(&attr);
	enough = are_enough(crew, r->made);
	r->working = r->made;		/* none has begun, and so none has ended */
	if (enough && failed)
		crew->fewer(crew->arg, r->made, failed);
	set_gate(r, enough ? GATE_OPEN : GATE_SENT_AWAY);
	return enough ? 0 : failed;
}

static void watch_until_home(const struct roster *r, const struct watch *w)
{
	struct pollfd fds[2] = {
		{ .fd = r->home_fd, .events = POLLIN },
		{ .fd = w->fd, .events = POLLIN },
	};

	for (;;) {
		/* A poll that fails is a tick too many, and no more. */
		if (poll(fds, 2, (int)(w->interval * 1000)) > 0 && fds[0].revents)
			return;
		w->tick(w->arg);
	}
}

void crew_give_up(struct crew *crew, unsigned number)
{
	struct roster *r = crew->roster;
	struct hand *h = &r->hands[number];

	if (h->given_up)
		return;
	h->given_up = r->given_up = true;
	pthread_detach(h->id);
	leave(h);
}

static void roster_free(struct roster *r)
{
	if (r->home_fd >= 0)
		close(r->home_fd);
	pthread_cond_destroy(&r->moved);
	pthread_mutex_destroy(&r->gate);
	free(r->hands);
	free(r);
}

static struct roster *roster_new(const struct crew *crew, struct error *e)
{
	struct roster *r = calloc(1, sizeof(*r));
	struct hand *hands = calloc(crew->count, sizeof(*hands));

	if (!r || !hands) {
		free(r);
		free(hands);
		error_system(e, ENOMEM, "%u threads", crew->count);
		return NULL;
	}
	r->crew = crew;
	r->hands = hands;
	pthread_mutex_init(&r->gate, NULL);
	pthread_cond_init(&r->moved, NULL);
	r->home_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->home_fd < 0) {
		error_system(e, errno, "eventfd");
		roster_free(r);
		return NULL;
	}
	return r;
}

enum status crew_run(struct crew *crew, const struct watch *watch, struct error *e)
{
	struct roster *r = roster_new(crew, e);
	enum status status = STATUS_OK;
	int failed;

	if (!r)
		return e->status;
	crew->roster = r;
	failed = hire(r);
	if (failed)
		status = error_system(e, failed, "%u threads, of which %u were made", crew->count,
				      r->made);
	else
		watch_until_home(r, watch);
	for (unsigned i = 0; i < r->made; i++)
		if (!r->hands[i].given_up)
			pthread_join(r->hands[i].id, NULL);
	/* A hand that was given up may still come home. */
	if (r->given_up)
		return status;
	crew->roster = NULL;
	roster_free(r);
	return status;
}
