// SPDX-License-Identifier: GPL-2.0-or-later
/* An emulated disk is never faster than its rate; how much slower depends on the machine. */
#include "config.h"

#include "base/clock.h"
#include "helper.h"
#include "io/sink.h"

static void write_one(struct throttle *t, size_t bytes)
{
	static const uint8_t head[SINK_HEAD];
	struct sink s = { .ops = &sink_null_ops, .throttle = t };
	struct error e;

	ck_assert_int_eq(sink_append(&s, head, bytes, &e), STATUS_OK);
}

START_TEST(test_not_faster)
{
	double started = clock_seconds();
	struct throttle t;

	throttle_start(&t, 10 << 20);
	for (int i = 0; i < 32; i++)
		write_one(&t, 64 << 10);
	ck_assert_double_ge(clock_seconds() - started, 0.2);
}
END_TEST

/* The new rate applies from the first write after that time on. */
START_TEST(test_change)
{
	double started = clock_seconds(), changed;
	struct throttle t;

	throttle_start(&t, 100 << 20);
	throttle_change(&t, 0.1, 10 << 20);
	while (clock_seconds() - started < 0.1)
		write_one(&t, 256 << 10);
	changed = clock_seconds();
	write_one(&t, 2 << 20);
	ck_assert_double_ge(clock_seconds() - changed, 0.2 - 0.05);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("throttle");

	tcase_add_test(tcase, test_not_faster);
	tcase_add_test(tcase, test_change);
	return helper_run_case("throttle", tcase);
}
