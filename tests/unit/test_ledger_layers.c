// SPDX-License-Identifier: GPL-2.0-or-later
/* The ledger of a capture with layers: units of several passes. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "capture/engine/engine.h"
#include "helper.h"

static struct ledger l;

static void begin(uint64_t units, unsigned passes)
{
	struct error e;

	ck_assert_int_eq(ledger_init(&l, units, 16, passes, &e), STATUS_OK);
}

static struct unit_run claim(uint64_t first, uint16_t units)
{
	struct unit_run run;

	ck_assert(ledger_has_work(&l));
	run = ledger_claim(&l);
	ck_assert_uint_eq(run.first, first);
	ck_assert_uint_eq(run.units, units);
	return run;
}

static void assign(struct unit_run run, unsigned output)
{
	ledger_assign(&l, &run, output, false);
}

/*
 * A record spans a unit that is empty when it is claimed.  The unit is captured again, is not empty any
 * more, and another record takes it to the same output.  When the first record is given up, the unit
 * stays with the second.
 */
START_TEST(test_spanned)
{
	struct unit_run spanning;

	begin(4, 2);
	assign(claim(0, 0xf), 1);
	ledger_set_empty(&l, 1, 1, true);
	ledger_open(&l, 2);
	spanning = claim(4, 0xd);
	ledger_unassign_all(&l, 1);
	assign(claim(0, 0xf), 0);
	ledger_set_empty(&l, 1, 1, false);
	assign(claim(5, 1), 0);
	assign(spanning, 0);
	ck_assert_uint_eq(ledger_passes_held(&l), 2);
	ledger_unassign(&l, &spanning);
	ck_assert_uint_eq(l.unassigned, 3);
	assign(claim(4, 1), 1);
	assign(claim(6, 3), 1);
	ck_assert(!ledger_has_work(&l));
	ck_assert_uint_eq(ledger_passes_held(&l), 2);
	ledger_free(&l);
}
END_TEST

/* A unit that is captured again may have become empty, or no longer be. */
START_TEST(test_changed)
{
	begin(4, 2);
	assign(claim(0, 15), 0);
	ledger_set_empty(&l, 1, 0, true);
	ledger_open(&l, 2);
	assign(claim(5, 7), 0);
	ck_assert(!ledger_has_work(&l));
	ledger_set_empty(&l, 1, 0, false);
	ck_assert_uint_eq(ledger_passes_held(&l), 1);
	assign(claim(4, 1), 0);
	ledger_set_empty(&l, 1, 2, true);	/* it is held, and stays so */
	ledger_unassign_all(&l, 0);
	for (uint64_t i = 0; i < 4; i++)
		ledger_set_empty(&l, 1, i, true);
	assign(claim(0, 15), 1);
	ck_assert(!ledger_has_work(&l));
	ck_assert_uint_eq(ledger_passes_held(&l), 2);
	ledger_free(&l);
}
END_TEST

/* Any order of claims, drops and losses ends with every unit held. */
START_TEST(test_random)
{
	struct unit_run flight[4] = { 0 };

	srand((unsigned)_i);
	begin(100, 3);
	for (uint64_t i = 0; i < 100; i++) {
		ledger_set_empty(&l, 1, i, rand() % 4 != 0);
		ledger_set_empty(&l, 2, i, rand() % 2 != 0);
	}
	ledger_open(&l, 3);
	for (unsigned step = 0; step < 2000 || ledger_has_work(&l) || l.in_flight; step++) {
		struct unit_run *run = &flight[rand() % 4], rest;
		unsigned output = (unsigned)rand() % 3;

		if (!run->units && ledger_has_work(&l)) {
			*run = ledger_claim(&l);
		} else if (run->units) {
			unsigned n = 1 + (unsigned)rand() % 16;

			rest = unit_run_rest(run, n);
			*run = unit_run_head(run, n);
			ledger_drop(&l, &rest);
			ledger_assign(&l, run, output, rand() % 2);
			run->units = 0;
		}
		if (step < 1900 && rand() % 50 == 0)
			ledger_unassign_all(&l, output);
		if (step < 1900 && rand() % 50 == 0)
			ledger_unassign_late(&l, output);
		if (step < 1900 && rand() % 20 == 0)
			ledger_set_empty(&l, 1 + (unsigned)rand() % 2, (uint64_t)rand() % 100,
					 rand() % 2);
		ck_assert_ptr_null(ledger_check(&l));
	}
	ck_assert_uint_eq(ledger_passes_held(&l), 3);
	ck_assert_uint_eq(l.unassigned, 0);
	ledger_free(&l);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("ledger_layers");
	TCase *tcase = tcase_create("ledger_layers");

	tcase_add_test(tcase, test_spanned);
	tcase_add_test(tcase, test_changed);
	tcase_add_loop_test(tcase, test_random, 0, 20);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
