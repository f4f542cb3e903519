// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "capture/ledger.h"

/* holder[] is NOBODY, IN_FLIGHT, or the sink's number + 1: 254 sinks at most. */
enum { NOBODY = 0, IN_FLIGHT = 255 };

/*
 * A stream's length is not known.  There is memory for so many chunks from the start, and for so
 * many more each time that they are used up; 256 GiB come in so many of 1 MiB.
 */
enum { STREAM_CHUNKS = 256 * 1024 };

size_t ledger_memory(uint64_t chunks)
{
	return chunks == UINT64_MAX ? STREAM_CHUNKS : chunks;
}

enum status ledger_init(struct ledger *l, uint64_t chunks, struct error *e)
{
	bool stream = chunks == UINT64_MAX;

	*l = (struct ledger){
		.chunks = stream ? 0 : chunks,
		.ended = !stream,
		.again_possible = !stream,
	};
	l->mapped = max_u64(ledger_memory(chunks), 1);
	l->holder = memory_map(l->mapped);
	if (!l->holder)
		return error_system(e, ENOMEM, "ledger of %zu bytes", l->mapped);
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
	return l->next < l->chunks || l->homeless;
}

uint64_t ledger_claim(struct ledger *l)
{
	uint64_t chunk;

	if (l->homeless) {
		while (l->holder[l->search] != NOBODY)
			l->search++;
		chunk = l->search;
		l->homeless--;
	} else {
		chunk = l->next++;
	}
	l->holder[chunk] = IN_FLIGHT;
	l->flying++;
	return chunk;
}

void ledger_fetch(struct ledger *l)
{
	l->flying++;
}

/* The kernel may move it, but copies nothing; new pages are found when they are first written. */
static bool has_room(struct ledger *l, uint64_t chunk)
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
	if (!has_room(l, chunk)) {
		ledger_fetch_ended(l);
		return false;
	}
	l->holder[chunk] = IN_FLIGHT;
	l->chunks = max_u64(l->chunks, chunk + 1);
	l->next = l->chunks;
	return true;
}

void ledger_fetch_ended(struct ledger *l)
{
	l->flying--;
	l->ended = true;
}

void ledger_place(struct ledger *l, uint64_t chunk, unsigned sink)
{
	l->holder[chunk] = (uint8_t)(sink + 1);
	l->flying--;
}

static void make_homeless(struct ledger *l, uint64_t chunk)
{
	l->holder[chunk] = NOBODY;
	l->homeless++;
	l->search = min_u64(l->search, chunk);
}

void ledger_drop(struct ledger *l, uint64_t chunk)
{
	make_homeless(l, chunk);
	l->flying--;
}

void ledger_lift(struct ledger *l, uint64_t chunk)
{
	l->holder[chunk] = IN_FLIGHT;
	l->flying++;
}

void ledger_return(struct ledger *l, uint64_t chunk)
{
	make_homeless(l, chunk);
}

void ledger_retire(struct ledger *l, unsigned sink)
{
	uint8_t held = (uint8_t)(sink + 1);
	uint8_t *p = l->holder, *end = l->holder + l->next;

	while ((p = memchr(p, held, (size_t)(end - p)))) {
		make_homeless(l, (uint64_t)(p - l->holder));
		p++;
	}
}

bool ledger_missing(const struct ledger *l, uint64_t *first, uint64_t *end)
{
	const uint8_t *p = NULL;

	if (*first < l->chunks)
		p = memchr(l->holder + *first, NOBODY, l->chunks - *first);
	if (!p)
		return false;
	*first = (uint64_t)(p - l->holder);
	for (*end = *first + 1; *end < l->chunks && l->holder[*end] == NOBODY; ++*end)
		;
	return true;
}
