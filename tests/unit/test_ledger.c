// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
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

int main(void)
{
	Suite *suite = suite_create("ledger");
	TCase *tcase = tcase_create("ledger");

	tcase_add_test(tcase, test_stream);
	tcase_add_test(tcase, test_stream_grows);
	tcase_add_test(tcase, test_stream_without_memory);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
