// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/crew.h"
#include "helper.h"

enum { HANDS_MAX = 64 };

/* What a crew and its watch leave behind. */
struct bench {
	_Atomic unsigned seen[HANDS_MAX];	/* how often each number worked */
	_Atomic bool go_home;
	unsigned ticks, ticks_wanted;
	int fd;
	pthread_t watcher;
	bool strange_watcher;
};

static void work_until_told(void *arg, unsigned number)
{
	struct bench *b = arg;

	if (number >= HANDS_MAX)
		ck_abort_msg("hand %u", number);
	b->seen[number]++;
	while (!b->go_home)
		usleep(500);
}

static void tick(void *arg)
{
	struct bench *b = arg;
	uint64_t count;

	b->strange_watcher |= !pthread_equal(b->watcher, pthread_self());
	if (b->fd >= 0 && read(b->fd, &count, sizeof(count)) < 0)
		return;
	if (++b->ticks >= b->ticks_wanted)
		b->go_home = true;
}

static enum status run(struct bench *b, unsigned count, double interval, size_t stack,
		       struct error *e)
{
	struct crew crew = { .count = count, .stack = stack, .work = work_until_told,
			     .arg = b };
	struct watch watch = { .fd = b->fd, .interval = interval, .tick = tick, .arg = b };

	b->watcher = pthread_self();
	return crew_run(&crew, &watch, e);
}

START_TEST(test_run)
{
	static const unsigned counts[] = { 1, 2, 17, HANDS_MAX };
	struct bench b = { .ticks_wanted = 3, .fd = -1 };
	struct error e;

	ck_assert_int_eq(run(&b, counts[_i], 0.001, 512 * 1024, &e), STATUS_OK);
	for (unsigned i = 0; i < HANDS_MAX; i++)
		ck_assert_uint_eq(b.seen[i], i < counts[_i]);
	ck_assert_uint_ge(b.ticks, 3);
	ck_assert(!b.strange_watcher);
}
END_TEST

/* Work that is over at once: the interval is not waited for. */
START_TEST(test_over_at_once)
{
	struct bench b = { .go_home = true, .fd = -1 };
	struct error e;

	ck_assert_int_eq(run(&b, 8, 1000, 512 * 1024, &e), STATUS_OK);
}
END_TEST

START_TEST(test_descriptor)
{
	struct bench b = { .ticks_wanted = 1, .fd = eventfd(1, EFD_NONBLOCK) };
	struct error e;

	ck_assert_int_eq(run(&b, 3, 1000, 512 * 1024, &e), STATUS_OK);
	ck_assert_uint_ge(b.ticks, 1);
	close(b.fd);
}
END_TEST

/* No room for all the stacks: none works, and the error says how many were made. */
START_TEST(test_too_many)
{
	struct bench b = { .ticks_wanted = UINT32_MAX, .fd = -1 };
	const char *text = "64 threads, of which ";
	struct error e;

	ck_assert_int_eq(run(&b, HANDS_MAX, 0.001, (size_t)1 << 42, &e), STATUS_SYSTEM);
	ck_assert_int_eq(strncmp(e.text, text, strlen(text)), 0);
	for (unsigned i = 0; i < HANDS_MAX; i++)
		ck_assert_uint_eq(b.seen[i], 0);
	ck_assert_uint_eq(b.ticks, 0);
}
END_TEST

/* A crew of which one hand hangs; it outlives its test, as does what that hand uses. */
struct hanging {
	struct crew crew;
	_Atomic bool released, back;
	unsigned ticks;
};

enum { WHO_HANGS = 2 };

static void work_or_hang(void *arg, unsigned number)
{
	struct hanging *h = arg;

	if (number != WHO_HANGS)
		return;
	while (!h->released)
		usleep(500);
	h->back = true;
}

static void give_up_later(void *arg)
{
	struct hanging *h = arg;

	if (++h->ticks < 3)
		return;
	crew_give_up(&h->crew, WHO_HANGS);
	crew_give_up(&h->crew, WHO_HANGS);	/* again does no harm */
}

START_TEST(test_give_up)
{
	static struct hanging h = {
		.crew = { .count = 4, .stack = 512 * 1024, .work = work_or_hang, .arg = &h },
	};
	struct watch watch = { .fd = -1, .interval = 0.001, .tick = give_up_later, .arg = &h };
	struct error e;

	ck_assert_int_eq(crew_run(&h.crew, &watch, &e), STATUS_OK);
	ck_assert_uint_ge(h.ticks, 3);
	ck_assert(!h.back);
	h.released = true;		/* and it may come home when nobody waits any more */
	while (!h.back)
		usleep(500);
	usleep(10000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("crew");
	TCase *tcase = tcase_create("crew");

	tcase_set_timeout(tcase, 30);
	tcase_add_loop_test(tcase, test_run, 0, 4);
	tcase_add_test(tcase, test_over_at_once);
	tcase_add_test(tcase, test_descriptor);
	tcase_add_test(tcase, test_too_many);
	tcase_add_test(tcase, test_give_up);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
