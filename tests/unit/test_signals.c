// SPDX-License-Identifier: GPL-2.0-or-later
/* Signals as requests. */
#include "config.h"

#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/signals.h"
#include "helper.h"

START_TEST(test_stop)
{
	struct stop stop = { 0 };

	ck_assert_int_eq(stop_note(&stop, SIGUSR1), REQUEST_REPORT);
	ck_assert_int_eq(stop.signal, 0);
	ck_assert_int_eq(stop_note(&stop, SIGTERM), REQUEST_STOP);
	ck_assert_int_eq(stop_note(&stop, SIGTERM), REQUEST_NONE);
	ck_assert_int_eq(stop_note(&stop, SIGINT), REQUEST_NONE);
	ck_assert_int_eq(stop_note(&stop, SIGUSR1), REQUEST_REPORT);
	ck_assert(!stop.twice);
	stop.when -= 1;
	ck_assert_int_eq(stop_note(&stop, SIGUSR1), REQUEST_REPORT);
	ck_assert(!stop.twice);
	ck_assert_int_eq(stop_note(&stop, SIGHUP), REQUEST_STOP_NOW);
	ck_assert(stop.twice);
	ck_assert_int_eq(stop.signal, SIGTERM);
	ck_assert_int_eq(stop.latest, SIGHUP);
	ck_assert_int_eq(stop_note(&stop, SIGHUP), REQUEST_STOP_NOW);
}
END_TEST

/* One call reads on behind signals that repeat a request. */
START_TEST(test_next)
{
	struct stop stop = { 0 };
	struct error e;
	int fd;

	ck_assert_int_eq(signals_next(-1, &stop), REQUEST_NONE);
	ck_assert_int_eq(signals_open(&fd, &e), STATUS_OK);
	ck_assert_int_eq(signals_next(fd, &stop), REQUEST_NONE);
	raise(SIGTERM);
	ck_assert_int_eq(signals_next(fd, &stop), REQUEST_STOP);
	ck_assert_int_eq(signals_next(fd, &stop), REQUEST_NONE);
	raise(SIGHUP);
	raise(SIGINT);
	raise(SIGUSR1);
	ck_assert_int_eq(signals_next(fd, &stop), REQUEST_REPORT);
	ck_assert_int_eq(signals_next(fd, &stop), REQUEST_NONE);
	ck_assert_int_eq(stop.signal, SIGTERM);
	close(fd);
}
END_TEST

/* Both clocks advance while the thread works; only one while it sleeps. */
START_TEST(test_clocks)
{
	struct clock_times begin = clock_begin(), took;
	const struct timespec nap = { .tv_nsec = 20000000 };

	do {
		took = clock_since(&begin);
		ck_assert_double_ge(took.real, took.cpu - 0.001);	/* rates of clocks differ */
	} while (took.cpu < 0.01);
	begin = clock_begin();
	nanosleep(&nap, NULL);
	took = clock_since(&begin);
	ck_assert_double_ge(took.real, 0.02);
	ck_assert_double_lt(took.cpu, 0.02);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("signals");
	TCase *tcase = tcase_create("signals");

	tcase_add_test(tcase, test_stop);
	tcase_add_test(tcase, test_next);
	tcase_add_test(tcase, test_clocks);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
