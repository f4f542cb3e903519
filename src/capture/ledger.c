// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "capture/ledger.h"

/*
 * The length of a stream is not known.  The ledger starts with this number of chunks and grows by
 * the same number each time it is full.  With chunks of 1 MiB that is 256 GiB of the stream.
 */
enum { STREAM_CHUNKS = 256 * 1024 };

size_t ledger_memory(uint64_t chunks)
{
	return chunks == UINT64_MAX ? STREAM_CHUNKS : chunks + divide_up(chunks, 8);
}

enum status ledger_init(struct ledger *l, uint64_t chunks, struct error *e)
{
	bool stream = chunks == UINT64_MAX;

	*l = (struct ledger){
		.chunks = stream ? 0 : chunks,
		.end = stream ? 0 : chunks,
		.ended = !stream,
		.again_possible = !stream,
	};
	l->mapped = max_u64(ledger_memory(chunks), 1);
	l->holder = memory_map(l->mapped);
	if (!l->holder)
		return error_system(e, ENOMEM, "ledger of %zu bytes", l->mapped);
	if (!stream)
		l->late = l->holder + chunks;
	return STATUS_OK;
}

void ledger_free(struct ledger *l)
{
	if (l->holder)
		munmap(l->holder, l->mapped);
	l->holder = NULL;
}

bool ledger_has_work(const struct ledger *l)
{
	if (!l->again_possible)
		return !l->ended;
	return l->next < l->end || l->unassigned;
}

uint64_t ledger_claim(struct ledger *l)
{
	uint64_t chunk;

	if (l->unassigned) {
		while (l->holder[l->search] != LEDGER_NONE)
			l->search++;
		chunk = l->search;
		l->unassigned--;
	} else {
		chunk = l->next++;
	}
	l->holder[chunk] = LEDGER_IN_FLIGHT;
	l->in_flight++;
	return chunk;
}

void ledger_fetch(struct ledger *l)
{
	l->in_flight++;
}

/* The kernel may move the mapping but copies nothing; pages are allocated when first written. */
static bool make_space(struct ledger *l, uint64_t chunk)
{
	uint64_t wanted = round_up(chunk + 1, STREAM_CHUNKS);
	uint8_t *holder;

	if (chunk < l->mapped)
		return true;
	holder = memory_grow(l->holder, l->mapped, wanted);
	if (!holder)
		return false;
	l->holder = holder;
	l->mapped = wanted;
	return true;
}

bool ledger_fetched(struct ledger *l, uint64_t chunk)
{
	if (!make_space(l, chunk)) {
		ledger_fetch_ended(l);
		return false;
	}
	l->holder[chunk] = LEDGER_IN_FLIGHT;
	l->chunks = max_u64(l->chunks, chunk + 1);
	l->next = l->chunks;
	return true;
}

void ledger_fetch_ended(struct ledger *l)
{
	l->in_flight--;
	l->ended = true;
}

void ledger_assign(struct ledger *l, uint64_t chunk, unsigned output)
{
	l->holder[chunk] = (uint8_t)(output + 1);
	l->in_flight--;
	if (l->late)
		ledger_set_late(l, chunk, false);
	if (l->units)
		l->left[chunk / l->units]--;
}

static void make_unassigned(struct ledger *l, uint64_t chunk)
{
	l->holder[chunk] = LEDGER_NONE;
	l->unassigned++;
	l->search = min_u64(l->search, chunk);
	if (l->units)
		ledger_set_late(l, chunk, false);	/* with layers, it would be empty */
}

/* The same for a chunk that an output held. */
static void lose(struct ledger *l, uint64_t chunk)
{
	make_unassigned(l, chunk);
	if (l->units)
		l->left[chunk / l->units]++;
}

void ledger_drop(struct ledger *l, uint64_t chunk)
{
	make_unassigned(l, chunk);
	l->in_flight--;
}

void ledger_reclaim(struct ledger *l, uint64_t chunk)
{
	l->holder[chunk] = LEDGER_IN_FLIGHT;
	l->in_flight++;
}

void ledger_unassign(struct ledger *l, uint64_t chunk)
{
	lose(l, chunk);
}

void ledger_assign_late(struct ledger *l, uint64_t chunk, unsigned output)
{
	ledger_assign(l, chunk, output);
	if (l->late)
		ledger_set_late(l, chunk, true);
}

/* The next chunk from *p on that the output holds; NULL: none. */
static uint8_t *next_held(const struct ledger *l, uint8_t *p, unsigned output)
{
	return memchr(p, (int)output + 1, (size_t)(l->holder + l->next - p));
}

void ledger_seal(struct ledger *l, unsigned output)
{
	for (uint8_t *p = l->holder; l->late && (p = next_held(l, p, output)); p++)
		ledger_set_late(l, (uint64_t)(p - l->holder), false);
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

bool ledger_missing(const struct ledger *l, uint64_t *first, uint64_t *end)
{
	const uint8_t *p = NULL;

	if (*first < l->chunks)
		p = memchr(l->holder + *first, LEDGER_NONE, l->chunks - *first);
	if (!p)
		return false;
	*first = (uint64_t)(p - l->holder);
	for (*end = *first + 1; *end < l->chunks && l->holder[*end] == LEDGER_NONE; ++*end)
		;
	return true;
}
