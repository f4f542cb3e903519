// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "capture/ledger.h"

unsigned unit_run_length(const struct unit_run *run)
{
	return 32 - (unsigned)__builtin_clz(run->units);
}

struct unit_run unit_run_head(const struct unit_run *run, unsigned n)
{
	return (struct unit_run){ run->first, (uint16_t)(run->units & ((1u << n) - 1)) };
}

struct unit_run unit_run_rest(const struct unit_run *run, unsigned n)
{
	uint32_t units = (uint32_t)run->units >> n;
	unsigned skipped = units ? (unsigned)__builtin_ctz(units) : 0;

	return (struct unit_run){ run->first + n + skipped, (uint16_t)(units >> skipped) };
}

/* --- empty units ----------------------------------------------------------- */

/* Held by nobody, with the bit of what was written late, which has no other meaning there. */
static bool is_empty(const struct ledger *l, uint64_t i)
{
	return l->holder[i] == LEDGER_NONE && ledger_is_late(l, i);
}

static bool is_claimable(const struct ledger *l, uint64_t i)
{
	return l->holder[i] == LEDGER_NONE && !ledger_is_late(l, i);
}

/* So that there is work if next is less than end. */
static void skip_empty(struct ledger *l)
{
	while (l->next < l->end && is_empty(l, l->next))
		l->next++;
}

/* --------------------------------------------------------------------------- */

size_t ledger_memory_layers(uint64_t units, unsigned passes)
{
	return ledger_memory(units * passes);
}

enum status ledger_init_layers(struct ledger *l, uint64_t units, unsigned cell, unsigned passes,
			       struct error *e)
{
	enum status status = ledger_init(l, units * passes, e);

	l->units = units;
	l->cell = cell;
	l->end = 0;
	for (unsigned i = 0; i < passes; i++)
		l->left[i] = units;
	return status;
}

void ledger_open(struct ledger *l, unsigned passes)
{
	l->end = max_u64(l->end, l->units * passes);
	skip_empty(l);
}

static uint64_t first_claimable(struct ledger *l)
{
	if (!l->unassigned)
		return l->next;
	while (!is_claimable(l, l->search))
		l->search++;
	return l->search;
}

static void claim(struct ledger *l, uint64_t i)
{
	l->holder[i] = LEDGER_IN_FLIGHT;
	l->in_flight++;
	if (i < l->next)
		l->unassigned--;
	else
		l->next = i + 1;
}

/*
 * A record of a later layer can span empty units, of which it says nothing.  It does not extend to
 * units that someone else has.
 */
struct unit_run ledger_claim_run(struct ledger *l)
{
	struct unit_run run = { .first = first_claimable(l), .units = 0 };
	uint64_t unit = run.first % l->units, pass = run.first - unit;
	uint64_t end = min_u64((unit / l->cell + 1) * l->cell, l->units) + pass;

	for (uint64_t i = run.first; i < end; i++) {
		if (is_claimable(l, i)) {
			claim(l, i);
			run.units = (uint16_t)(run.units | 1u << (i - run.first));
		} else if (!is_empty(l, i)) {
			break;
		}
	}
	skip_empty(l);
	return run;
}

void ledger_assign_run(struct ledger *l, const struct unit_run *run, unsigned output, bool is_late)
{
	for (unsigned i = 0; i < LEDGER_CELL; i++) {
		if (!(run->units >> i & 1))
			continue;
		if (is_late)
			ledger_assign_late(l, run->first + i, output);
		else
			ledger_assign(l, run->first + i, output);
	}
}

void ledger_drop_run(struct ledger *l, const struct unit_run *run)
{
	for (unsigned i = 0; i < LEDGER_CELL; i++) {
		if (run->units >> i & 1)
			ledger_drop(l, run->first + i);
	}
}

void ledger_unassign_run(struct ledger *l, const struct unit_run *run)
{
	for (unsigned i = 0; i < LEDGER_CELL; i++) {
		if (run->units >> i & 1)
			ledger_unassign(l, run->first + i);
	}
}

void ledger_set_empty(struct ledger *l, unsigned pass, uint64_t unit, bool empty)
{
	uint64_t i = l->units * pass + unit;

	/* Whoever has it may go on: what it stores is not wrong. */
	if (l->holder[i] != LEDGER_NONE || ledger_is_late(l, i) == empty)
		return;
	ledger_set_late(l, i, empty);
	l->left[pass] += empty ? -(uint64_t)1 : 1;
	if (i >= l->next) {
		skip_empty(l);
	} else if (empty) {
		l->unassigned--;
	} else {
		l->unassigned++;
		l->search = min_u64(l->search, i);
	}
}

unsigned ledger_passes_held(const struct ledger *l)
{
	unsigned opened = (unsigned)(l->end / l->units), held = 0;

	while (held < opened && !l->left[held])
		held++;
	return held;
}

/* Nobody claims a unit any more when this is asked. */
static bool is_missing(const struct ledger *l, unsigned passes, uint64_t unit)
{
	for (unsigned i = 0; i < passes; i++)
		if (is_claimable(l, l->units * i + unit))
			return true;
	return false;
}

bool ledger_missing_units(const struct ledger *l, unsigned passes, uint64_t *first, uint64_t *end)
{
	while (*first < l->units && !is_missing(l, passes, *first))
		++*first;
	if (*first >= l->units)
		return false;
	for (*end = *first + 1; *end < l->units && is_missing(l, passes, *end); ++*end)
		;
	return true;
}
