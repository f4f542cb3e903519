// SPDX-License-Identifier: GPL-2.0-or-later
/* The clock advances while a capture begins, but its members have the same time. */
#include "config.h"

#include <stdlib.h>
#include <time.h>

#include "format/superblock.h"
#include "helper.h"
#include "trial.h"

enum { SIZE = 5 * TRIAL_CHUNK };

/* Replaces the C library's: a second later at each call. */
time_t time(time_t *now)
{
	static time_t seconds = 1000000000;

	seconds++;
	if (now)
		*now = seconds;
	return seconds;
}

START_TEST(test_created)
{
	uint8_t *bytes = trial_bytes_new(TRIAL_MIXED, SIZE);
	struct trial_source source;
	struct superblock first, sb;
	struct trial t;

	trial_source_init(&source, bytes, SIZE);
	trial_init(&t, &source.source, TRIAL_OUTPUTS);
	t.settings.fixed_time = -1;
	trial_run(&t);
	ck_assert_int_eq(t.status, STATUS_OK);
	ck_assert_int_eq(superblock_decode(&first, t.memory[0].bytes), STATUS_OK);
	ck_assert_int_gt(first.created, 1000000000);
	for (unsigned i = 1; i < TRIAL_OUTPUTS; i++) {
		ck_assert_int_eq(superblock_decode(&sb, t.memory[i].bytes), STATUS_OK);
		ck_assert_int_eq(sb.created, first.created);
	}
	trial_free(&t);
	free(bytes);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("time");

	tcase_add_test(tcase, test_created);
	return helper_run_case("capture_time", tcase);
}
