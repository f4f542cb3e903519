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
 * A stream's length is not known.  Address space for this many chunks is set aside, and memory
 * is taken for the first of them; 256 GiB come in so many of 1 MiB.  For each 4096 more, the
 * kernel must find a page.
 */
static const uint64_t STREAM_CHUNKS_MAX = (uint64_t)1 << 30;
enum { STREAM_CHUNKS = 256 * 1024 };

size_t ledger_memory(uint64_t chunks)
{
	return chunks == UINT64_MAX ? STREAM_CHUNKS : chunks;
}

static void *map_for_stream(void)
{
	void *memory = mmap(NULL, STREAM_CHUNKS_MAX, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	memory_touch(memory, STREAM_CHUNKS);
	return memory;
}

enum status ledger_init(struct ledger *l, uint64_t chunks, struct error *e)
{
	bool stream = chunks == UINT64_MAX;

	*l = (struct ledger){
		.chunks = stream ? 0 : chunks,
		.ended = !stream,
		.again_possible = !stream,
	};
	l->mapped = stream ? STREAM_CHUNKS_MAX : max_u64(chunks, 1);
	l->holder = stream ? map_for_stream() : memory_map(l->mapped);
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

bool ledger_fetched(struct ledger *l, uint64_t chunk)
{
	if (chunk >= l->mapped) {
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
