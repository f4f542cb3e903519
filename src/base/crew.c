// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/crew.h"

struct roster {
	const struct crew *crew;
	atomic_uint working;
	int home_fd;			/* eventfd: readable when all are home */
};

struct hand {
	struct roster *roster;
	unsigned number;
	pthread_t id;
};

static void leave(struct roster *r, unsigned hands)
{
	uint64_t one = 1;

	/* An eventfd refuses only when it is readable already. */
	if (atomic_fetch_sub(&r->working, hands) == hands &&
	    write(r->home_fd, &one, sizeof(one)) < 0)
		return;
}

static void *hand_main(void *arg)
{
	struct hand *h = arg;

	h->roster->crew->work(h->roster->crew->arg, h->number);
	leave(h->roster, 1);
	return NULL;
}

/* Returns how many were made; *failed is why it is not all of them. */
static unsigned hire(struct roster *r, struct hand *hands, int *failed)
{
	unsigned count = r->crew->count, made;
	pthread_attr_t attr;

	*failed = 0;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, r->crew->stack);
	for (made = 0; made < count; made++) {
		hands[made].roster = r;
		hands[made].number = made;
		*failed = pthread_create(&hands[made].id, &attr, hand_main, &hands[made]);
		if (*failed)
			break;
	}
	pthread_attr_destroy(&attr);
	if (*failed) {
		r->crew->send_home(r->crew->arg);
		leave(r, count - made);
	}
	return made;
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

enum status crew_run(const struct crew *crew, const struct watch *watch, struct error *e)
{
	struct roster r = { .crew = crew, .working = crew->count };
	struct hand *hands = calloc(crew->count, sizeof(*hands));
	unsigned made;
	int failed;

	if (!hands)
		return error_system(e, ENOMEM, "%u threads", crew->count);
	r.home_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r.home_fd < 0) {
		failed = errno;
		free(hands);
		return error_system(e, failed, "eventfd");
	}
	made = hire(&r, hands, &failed);
	watch_until_home(&r, watch);
	for (unsigned i = 0; i < made; i++)
		pthread_join(hands[i].id, NULL);
	close(r.home_fd);
	free(hands);
	if (failed)
		return error_system(e, failed, "%u threads, of which %u were made", crew->count,
				    made);
	return STATUS_OK;
}
