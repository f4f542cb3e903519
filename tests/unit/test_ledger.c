// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "capture/fill/ledger.h"
#include "helper.h"

static bool settled(const struct ledger *l)
{
	return !ledger_has_work(l) && !l->in_flight;
}

static struct ledger ledger_of(uint64_t chunks)
{
	struct ledger l;
	struct error e;

	ck_assert_int_eq(ledger_init(&l, chunks, 1, 1, &e), STATUS_OK);
	return l;
}

static void assign(struct ledger *l, uint64_t unit, unsigned output)
{
	struct unit_run run = unit_run_of(unit);

	ledger_assign(l, &run, output, false);
}

/* The missing ranges, as "0-2 5-6": the first chunk, and the one behind the last. */
static void assert_missing(const struct ledger *l, const char *want)
{
	uint64_t first = 0, end;
	char got[128] = "";
	size_t used = 0;

	for (; ledger_missing(l, 1, &first, &end); first = end)
		used += (size_t)snprintf(got + used, sizeof(got) - used, "%s%d-%d",
					 used ? " " : "", (int)first, (int)end);
	ck_assert_str_eq(got, want);
}

static void fetched(struct ledger *l, uint64_t chunk)
{
	ledger_fetch(l);
	ck_assert(ledger_fetched(l, chunk));
}

/* A stream has work until it ends, and lost chunks cannot be claimed again. */
START_TEST(test_stream)
{
	struct ledger l = ledger_of(UINT64_MAX);

	ck_assert_uint_eq(ledger_memory(UINT64_MAX), 256 * 1024);
	ck_assert(ledger_has_work(&l));
	ck_assert(!settled(&l));
	assert_missing(&l, "");
	fetched(&l, 1);			/* two workers may come back in any order */
	fetched(&l, 0);
	fetched(&l, 2);
	assign(&l, 0, 0);
	assign(&l, 1, 1);
	ledger_fetch(&l);
	ledger_fetch(&l);
	ledger_fetch_ended(&l);
	ck_assert(!ledger_has_work(&l));
	ck_assert(!settled(&l));
	ledger_fetch_ended(&l);
	assign(&l, 2, 0);
	ck_assert(settled(&l));
	ledger_unassign_all(&l, 0);
	ck_assert(!ledger_has_work(&l));
	ck_assert(settled(&l));
	assert_missing(&l, "0-1 2-3");
	ledger_free(&l);
}
END_TEST

/* What is known of the first chunks is kept when the ledger grows. */
START_TEST(test_stream_grows)
{
	enum { STEP = 256 * 1024 };
	struct ledger l = ledger_of(UINT64_MAX);

	ck_assert_uint_eq(l.mapped, STEP);
	for (uint64_t i = 0; i < 4 * STEP; i++) {
		fetched(&l, i);
		assign(&l, i, i % 2);
	}
	ck_assert_uint_eq(l.mapped, 4 * STEP);
	/* Others may come back first. */
	fetched(&l, 5 * STEP + 7);
	ck_assert_uint_eq(l.mapped, 6 * STEP);
	assign(&l, 5 * STEP + 7, 0);
	ledger_fetch(&l);
	ledger_fetch_ended(&l);
	ck_assert(settled(&l));
	assert_missing(&l, "1048576-1310727");
	ledger_unassign_all(&l, 1);
	ck_assert_uint_eq(l.unassigned, 2 * STEP);
	ledger_free(&l);
}
END_TEST

/* Leaves the process with no address space but what it has; returns the limit of before. */
static struct rlimit no_more_memory(void)
{
	struct rlimit before, now;
	unsigned long pages;
	FILE *file = fopen("/proc/self/statm", "r");

	ck_assert_int_eq(fscanf(file, "%lu", &pages), 1);
	fclose(file);
	ck_assert_int_eq(getrlimit(RLIMIT_AS, &before), 0);
	now = before;
	now.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE);
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &now), 0);
	return before;
}

START_TEST(test_stream_without_memory)
{
	struct ledger l = ledger_of(UINT64_MAX);
	uint64_t last = l.mapped - 1;
	struct rlimit before;
	bool went_on;

	fetched(&l, last);
	ledger_fetch(&l);
	before = no_more_memory();
	went_on = ledger_fetched(&l, last + 1);
	setrlimit(RLIMIT_AS, &before);
	ck_assert(!went_on);
	ck_assert(!ledger_has_work(&l));
	assign(&l, last, 0);
	ck_assert(settled(&l));
	ck_assert_uint_eq(l.units, last + 1);
	ledger_free(&l);
}
END_TEST

/* --- layers: units of several passes ----------------------------------------- */

static struct ledger layers;

static void begin(uint64_t units, unsigned passes)
{
	struct error e;

	ck_assert_int_eq(ledger_init(&layers, units, 16, passes, &e), STATUS_OK);
}

static struct unit_run claim_run(uint64_t first, uint16_t units)
{
	struct unit_run run;

	ck_assert(ledger_has_work(&layers));
	run = ledger_claim(&layers);
	ck_assert_uint_eq(run.first, first);
	ck_assert_uint_eq(run.units, units);
	return run;
}

static void assign_run(struct unit_run run, unsigned output)
{
	ledger_assign(&layers, &run, output, false);
}

/*
 * A record spans a unit that is empty when it is claimed.  The unit is captured again, is not empty any
 * more, and another record takes it to the same output.  When the first record is given up, the unit
 * stays with the second.
 */
START_TEST(test_spanned_layers)
{
	struct unit_run spanning;

	begin(4, 2);
	assign_run(claim_run(0, 0xf), 1);
	ledger_set_empty(&layers, 1, 1, 1, true);
	ledger_open(&layers, 2);
	spanning = claim_run(4, 0xd);
	ledger_unassign_all(&layers, 1);
	assign_run(claim_run(0, 0xf), 0);
	ledger_set_empty(&layers, 1, 1, 1, false);
	assign_run(claim_run(5, 1), 0);
	assign_run(spanning, 0);
	ck_assert_uint_eq(ledger_passes_held(&layers), 2);
	ledger_unassign(&layers, &spanning);
	ck_assert_uint_eq(layers.unassigned, 3);
	assign_run(claim_run(4, 1), 1);
	assign_run(claim_run(6, 3), 1);
	ck_assert(!ledger_has_work(&layers));
	ck_assert_uint_eq(ledger_passes_held(&layers), 2);
	ledger_free(&layers);
}
END_TEST

/* A unit that is captured again may have become empty, or no longer be. */
START_TEST(test_changed_layers)
{
	begin(4, 2);
	assign_run(claim_run(0, 15), 0);
	ledger_set_empty(&layers, 1, 0, 1, true);
	ledger_open(&layers, 2);
	assign_run(claim_run(5, 7), 0);
	ck_assert(!ledger_has_work(&layers));
	ledger_set_empty(&layers, 1, 0, 1, false);
	ck_assert_uint_eq(ledger_passes_held(&layers), 1);
	assign_run(claim_run(4, 1), 0);
	ledger_set_empty(&layers, 1, 2, 1, true);	/* it is held, and stays so */
	ledger_unassign_all(&layers, 0);
	ledger_set_empty(&layers, 1, 0, 4, true);
	assign_run(claim_run(0, 15), 1);
	ck_assert(!ledger_has_work(&layers));
	ck_assert_uint_eq(ledger_passes_held(&layers), 2);
	ledger_free(&layers);
}
END_TEST

/* Any order of claims, drops and losses ends with every unit held. */
START_TEST(test_random_layers)
{
	struct unit_run flight[4] = { 0 };

	srand((unsigned)_i);
	begin(100, 3);
	for (uint64_t i = 0; i < 100; i++) {
		ledger_set_empty(&layers, 1, i, 1, rand() % 4 != 0);
		ledger_set_empty(&layers, 2, i, 1, rand() % 2 != 0);
	}
	ledger_open(&layers, 3);
	for (unsigned step = 0; step < 2000 || ledger_has_work(&layers) || layers.in_flight; step++) {
		struct unit_run *run = &flight[rand() % 4], rest;
		unsigned output = (unsigned)rand() % 3;

		if (!run->units && ledger_has_work(&layers)) {
			*run = ledger_claim(&layers);
		} else if (run->units) {
			unsigned n = 1 + (unsigned)rand() % 16;

			rest = unit_run_rest(run, n);
			*run = unit_run_head(run, n);
			ledger_drop(&layers, &rest);
			ledger_assign(&layers, run, output, rand() % 2);
			run->units = 0;
		}
		if (step < 1900 && rand() % 50 == 0)
			ledger_unassign_all(&layers, output);
		if (step < 1900 && rand() % 50 == 0)
			ledger_unassign_late(&layers, output);
		if (step < 1900 && rand() % 20 == 0)
			ledger_set_empty(&layers, 1 + (unsigned)rand() % 2, (uint64_t)rand() % 91,
					 1 + (uint64_t)rand() % 9, rand() % 2);
		ck_assert_ptr_null(ledger_check(&layers));
	}
	ck_assert_uint_eq(ledger_passes_held(&layers), 3);
	ck_assert_uint_eq(layers.unassigned, 0);
	ledger_free(&layers);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("ledger");

	tcase_add_test(tcase, test_stream);
	tcase_add_test(tcase, test_stream_grows);
	tcase_add_test(tcase, test_stream_without_memory);
	tcase_add_test(tcase, test_spanned_layers);
	tcase_add_test(tcase, test_changed_layers);
	tcase_add_loop_test(tcase, test_random_layers, 0, 20);
	return helper_run_case("ledger", tcase);
}
