// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "capture/fill/ledger.h"

/*
 * The length of a stream is not known.  The ledger starts with this number of units and grows by
 * the same number each time it is full.  With chunks of 1 MiB that is 256 GiB of the stream.
 */
enum { STREAM_UNITS = 256 * 1024 };

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

struct unit_run unit_run_of(uint64_t unit)
{
	return (struct unit_run){ unit, 1 };
}

/* --- items ------------------------------------------------------------------ */

bool ledger_is_late(const struct ledger *l, uint64_t i)
{
	return l->late && l->late[i / 8] >> i % 8 & 1;
}

static void set_late(struct ledger *l, uint64_t i, bool late)
{
	uint8_t bit = (uint8_t)(1 << i % 8);

	if (l->late)
		l->late[i / 8] = (uint8_t)(late ? l->late[i / 8] | bit : l->late[i / 8] & ~bit);
}

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

static void make_unassigned(struct ledger *l, uint64_t i)
{
	l->holder[i] = LEDGER_NONE;
	set_late(l, i, false);		/* it would be empty */
	if (!l->unassigned++ || i < l->search)
		l->search = i;
	if (i < l->barrier)
		l->end = min_u64(l->end, l->barrier);
}

/* One that was unassigned is not any more. */
static void is_assigned(struct ledger *l)
{
	l->unassigned--;
	while (l->unassigned && !is_claimable(l, l->search))
		l->search++;
}

/* The same for an item that an output held. */
static void lose(struct ledger *l, uint64_t i)
{
	assert(l->holder[i] != LEDGER_NONE && l->holder[i] != LEDGER_IN_FLIGHT);
	make_unassigned(l, i);
	l->left[i / l->units]++;
}

/* The next item from *p on that the output holds; NULL: none. */
static uint8_t *next_held(const struct ledger *l, uint8_t *p, unsigned output)
{
	return memchr(p, (int)output + 1, (size_t)(l->holder + l->next - p));
}

/* --------------------------------------------------------------------------- */

size_t ledger_memory(uint64_t items)
{
	return items == UINT64_MAX ? STREAM_UNITS : items + divide_up(items, 8);
}

enum status ledger_init(struct ledger *l, uint64_t units, unsigned cell, unsigned passes,
			struct error *e)
{
	bool stream = units == UINT64_MAX;

	*l = (struct ledger){ .units = stream ? 0 : units, .cell = cell, .barrier = UINT64_MAX };
	l->mapped = max_u64(ledger_memory(stream ? units : units * passes), 1);
	l->holder = memory_map(l->mapped);
	if (!l->holder)
		return error_system(e, ENOMEM, "ledger of %zu bytes", l->mapped);
	if (!stream)
		l->late = l->holder + units * passes;
	for (unsigned i = 0; i < passes; i++)
		l->left[i] = l->units;
	l->end = l->units;
	return STATUS_OK;
}

void ledger_free(struct ledger *l)
{
	if (l->holder)
		munmap(l->holder, l->mapped);
	l->holder = NULL;
}

void ledger_open(struct ledger *l, unsigned passes)
{
	l->end = max_u64(l->end, l->units * passes);
	skip_empty(l);
}

void ledger_begin_second(struct ledger *l)
{
	ledger_set_empty(l, 0, 0, l->units, true);
	ledger_open(l, 2);
}

bool ledger_has_work(const struct ledger *l)
{
	if (!l->late)
		return !l->ended;
	return l->next < l->end || (l->unassigned && l->search < l->end);
}

static void claim(struct ledger *l, uint64_t i)
{
	assert(i >= l->next || l->unassigned);
	l->holder[i] = LEDGER_IN_FLIGHT;
	l->in_flight++;
	if (i < l->next)
		is_assigned(l);
	else
		l->next = i + 1;
}

/*
 * A record of a later layer can span empty units, of which it says nothing.  It does not extend to
 * units that someone else has.
 */
struct unit_run ledger_claim(struct ledger *l)
{
	struct unit_run run = { .first = l->unassigned ? l->search : l->next, .units = 0 };
	uint64_t unit = run.first % l->units, pass = run.first - unit;
	uint64_t end = min_u64((unit / l->cell + 1) * l->cell, l->units) + pass;

	assert(run.first < l->end && is_claimable(l, run.first));
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

void ledger_fetch(struct ledger *l)
{
	l->in_flight++;
}

/* The kernel may move the mapping but copies nothing; pages are allocated when first written. */
static bool make_space(struct ledger *l, uint64_t unit)
{
	uint64_t wanted = round_up(unit + 1, STREAM_UNITS);
	uint8_t *holder;

	if (unit < l->mapped)
		return true;
	holder = memory_grow(l->holder, l->mapped, wanted);
	if (!holder)
		return false;
	l->holder = holder;
	l->mapped = wanted;
	return true;
}

bool ledger_fetched(struct ledger *l, uint64_t unit)
{
	if (!make_space(l, unit)) {
		ledger_fetch_ended(l);
		return false;
	}
	assert(unit >= l->units || l->holder[unit] == LEDGER_NONE);
	l->holder[unit] = LEDGER_IN_FLIGHT;
	if (unit >= l->units) {
		l->left[0] += unit + 1 - l->units;
		l->units = unit + 1;
	}
	l->next = l->units;
	return true;
}

void ledger_fetch_ended(struct ledger *l)
{
	assert(l->in_flight);
	l->in_flight--;
	l->ended = true;
}

void ledger_assign(struct ledger *l, const struct unit_run *run, unsigned output, bool late)
{
	for (unsigned i = 0; i < LEDGER_CELL; i++) {
		if (!(run->units >> i & 1))
			continue;
		assert(l->holder[run->first + i] == LEDGER_IN_FLIGHT);
		l->holder[run->first + i] = (uint8_t)(output + 1);
		set_late(l, run->first + i, late);
		l->in_flight--;
		l->left[run->first / l->units]--;
	}
}

void ledger_drop(struct ledger *l, const struct unit_run *run)
{
	for (unsigned i = 0; i < LEDGER_CELL; i++) {
		if (!(run->units >> i & 1))
			continue;
		assert(l->holder[run->first + i] == LEDGER_IN_FLIGHT);
		make_unassigned(l, run->first + i);
		l->in_flight--;
	}
}

void ledger_unassign(struct ledger *l, const struct unit_run *run)
{
	for (unsigned i = 0; i < LEDGER_CELL; i++)
		if (run->units >> i & 1)
			lose(l, run->first + i);
}

void ledger_reclaim(struct ledger *l, uint64_t unit)
{
	assert(l->holder[unit] != LEDGER_NONE && l->holder[unit] != LEDGER_IN_FLIGHT);
	l->holder[unit] = LEDGER_IN_FLIGHT;
	l->in_flight++;
	l->left[unit / l->units]++;
}

void ledger_seal(struct ledger *l, unsigned output)
{
	for (uint8_t *p = l->holder; l->late && (p = next_held(l, p, output)); p++)
		set_late(l, (uint64_t)(p - l->holder), false);
}

void ledger_unassign_late(struct ledger *l, unsigned output)
{
	for (uint8_t *p = l->holder; l->late && (p = next_held(l, p, output)); p++)
		if (ledger_is_late(l, (uint64_t)(p - l->holder)))
			lose(l, (uint64_t)(p - l->holder));
}

void ledger_unassign_all(struct ledger *l, unsigned output)
{
	for (uint8_t *p = l->holder; (p = next_held(l, p, output)); p++)
		lose(l, (uint64_t)(p - l->holder));
}

void ledger_set_empty(struct ledger *l, unsigned pass, uint64_t unit, uint64_t count, bool empty)
{
	uint64_t i = l->units * pass + unit;

	for (uint64_t end = i + count; i < end; i++) {
		/* Whoever has it may go on: what it stores is not wrong. */
		if (l->holder[i] != LEDGER_NONE || ledger_is_late(l, i) == empty)
			continue;
		set_late(l, i, empty);
		l->left[pass] += empty ? -(uint64_t)1 : 1;
		if (i < l->next && empty)
			is_assigned(l);
		else if (i < l->next)
			make_unassigned(l, i);
	}
	skip_empty(l);
}

unsigned ledger_passes_held(const struct ledger *l)
{
	unsigned opened = !l->late ? l->ended : l->units ? (unsigned)(l->end / l->units) : 0, held = 0;

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

bool ledger_missing(const struct ledger *l, unsigned passes, uint64_t *first, uint64_t *end)
{
	while (*first < l->units && !is_missing(l, passes, *first))
		++*first;
	if (*first >= l->units)
		return false;
	for (*end = *first + 1; *end < l->units && is_missing(l, passes, *end); ++*end)
		;
	return true;
}

const char *ledger_check(const struct ledger *l)
{
	uint64_t items = l->late ? (uint64_t)(l->late - l->holder) : l->units, first = items;
	uint64_t in_flight = 0, unassigned = 0, left[LEDGER_PASSES] = { 0 };

	if (l->next > items)
		return "a unit that does not exist was claimed";
	for (uint64_t i = 0; i < items; i++) {
		bool flying = l->holder[i] == LEDGER_IN_FLIGHT, claimable = is_claimable(l, i);

		left[i / l->units] += claimable || flying;
		in_flight += flying;
		if (claimable && i < l->next && !unassigned++)
			first = i;
		if (i >= l->next && l->holder[i] != LEDGER_NONE)
			return "a unit that was never claimed is held";
	}
	if (memcmp(left, l->left, sizeof(left)) != 0)
		return "the units left in a pass are counted wrongly";
	/* Of a stream, units that are being fetched are in flight and have no item yet. */
	if (in_flight > l->in_flight || (l->late && in_flight < l->in_flight))
		return "the units in flight are counted wrongly";
	if (l->late && unassigned != l->unassigned)
		return "the unassigned units are counted wrongly";
	return l->late && unassigned && first != l->search ? "an unassigned unit would not be found" : NULL;
}
