// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "capture/engine/checks.h"

/* The ledger of a larger source is not checked after each step, which would take too long. */
enum { ITEMS_CHECKED = 4096 };

/* How many threads or lists have the chunk, apart from workers. */
static unsigned holders_of(const struct capture *c, const struct chunk *chunk)
{
	unsigned holders = 0;

	for (const struct chunk *p = c->free.first; p; p = p->next)
		holders += p == chunk;
	for (const struct chunk *p = c->ready.first; p; p = p->next)
		holders += p == chunk;
	for (unsigned i = 0; i < c->count; i++) {
		const struct output *o = &c->outputs[i];

		/* A call that hangs keeps its chunk. */
		holders += o->writing == chunk || (o->reading_back == chunk && !o->stats.hung);
	}
	return holders;
}

static unsigned length_of(const struct chunk_list *list)
{
	unsigned length = 0;

	for (const struct chunk *p = list->first; p; p = p->next)
		length++;
	return length;
}

/* Every chunk is free, or with a worker, or ready, or with a writer, or lost. */
static const char *check_chunks(const struct capture *c)
{
	unsigned there = c->pool.count - c->chunks_lost, used = there - length_of(&c->free);
	unsigned with_workers = there;

	for (unsigned i = 0; i < c->pool.count; i++) {
		unsigned holders = holders_of(c, &c->pool.chunks[i]);

		if (holders > 1)
			return "a chunk has several holders";
		with_workers -= holders;
	}
	if (with_workers > c->workers)
		return "workers have more than one chunk each, or a chunk has no holder";
	/* Each chunk in use has units in flight, without layers exactly one. */
	if (used > c->ledger.in_flight || (c->ledger.in_flight > c->given_up && !used))
		return "the chunks in use differ from the units in flight";
	if (layer_policy_is_plain(c->policy) && used + c->given_up != c->ledger.in_flight)
		return "the chunks in use differ from the chunks in flight";
	return NULL;
}

static const char *check_output(const struct output *o)
{
	if ((o->writing || o->reading_back) && !o->busy && !o->stats.hung)
		return "a writer has a chunk outside of a call";
	if (o->unsafe && o->checkpoint >= o->unsafe)
		return "a checkpoint covers a layer that is not confirmed";
	if (o->sealed && !o->busy && !o->form->closed)
		return "a sealed member has no footer";
	if (o->stats.state == SINK_DEAD && o->given_up)
		return "a dead output is to read records back";
	return NULL;
}

static const char *check_outputs(const struct capture *c)
{
	unsigned given_up = 0;

	for (unsigned i = 0; i < c->count; i++) {
		const char *broken = check_output(&c->outputs[i]);

		if (broken)
			return broken;
		given_up += c->outputs[i].given_up;
	}
	return given_up == c->given_up ? NULL : "the records that are given up are counted wrongly";
}

/* --- the ledger ------------------------------------------------------------- */

static uint64_t items_of(const struct ledger *l)
{
	return l->late ? (uint64_t)(l->late - l->holder) : l->units;
}

static bool is_late(const struct ledger *l, uint64_t i)
{
	return l->late && l->late[i / 8] >> i % 8 & 1;
}

/* What holder[] and late[] say, to be compared with the sums that the ledger keeps. */
struct ledger_sums {
	uint64_t in_flight, claimable, first_claimable;
	uint64_t left[LEDGER_PASSES];
};

static void add_item(const struct ledger *l, uint64_t i, struct ledger_sums *sums)
{
	bool none = l->holder[i] == LEDGER_NONE, in_flight = l->holder[i] == LEDGER_IN_FLIGHT;
	bool unassigned = none && !is_late(l, i);

	sums->left[i / l->units] += unassigned || in_flight;
	sums->in_flight += in_flight;
	if (unassigned && i < l->next && !sums->claimable++)
		sums->first_claimable = i;
}

const char *ledger_check(const struct ledger *l)
{
	uint64_t items = items_of(l);
	struct ledger_sums sums = { 0 };

	if (l->next > items)
		return "a unit that does not exist was claimed";
	for (uint64_t i = 0; i < items; i++) {
		add_item(l, i, &sums);
		if (i >= l->next && l->holder[i] != LEDGER_NONE)
			return "a unit that was never claimed is held";
	}
	for (unsigned i = 0; i < LEDGER_PASSES; i++)
		if (sums.left[i] != l->left[i])
			return "the units left in a pass are counted wrongly";
	/* Of a stream, units that are being fetched are in flight and have no item yet. */
	if (sums.in_flight > l->in_flight || (l->late && sums.in_flight < l->in_flight))
		return "the units in flight are counted wrongly";
	if (l->late && sums.claimable != l->unassigned)
		return "the unassigned units are counted wrongly";
	return l->late && sums.claimable && sums.first_claimable < l->search ?
	       "an unassigned unit would not be found" : NULL;
}

/* Only outputs that count hold units, and a sealed one holds none behind its last footer. */
static const char *check_holders(const struct capture *c)
{
	const struct ledger *l = &c->ledger;

	for (uint64_t i = 0; i < l->next; i++) {
		const struct output *o;

		if (l->holder[i] == LEDGER_NONE || l->holder[i] == LEDGER_IN_FLIGHT)
			continue;
		if (l->holder[i] > c->count)
			return "an output that does not exist holds a unit";
		o = &c->outputs[l->holder[i] - 1];
		if (o->stats.state == SINK_DEAD || o->stats.state == SINK_RESERVED)
			return "an output holds a unit and does not count";
		if (o->sealed && is_late(l, i))
			return "a sealed member has a record behind its last footer";
	}
	return NULL;
}

const char *engine_check(const struct capture *c)
{
	const char *broken = check_chunks(c);

	if (!broken)
		broken = check_outputs(c);
	if (broken || items_of(&c->ledger) > ITEMS_CHECKED)
		return broken;
	broken = ledger_check(&c->ledger);
	return broken ? broken : check_holders(c);
}
