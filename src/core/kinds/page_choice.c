// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"
#include "core/kinds/page_choice.h"

enum {
	WORD = 64,			/* pages in a word */
	GROUP_WORDS = 16,
	GROUP = GROUP_WORDS * WORD,	/* pages in a group, whose first rank is known */
};

/* The bits of a word from this one on. */
static uint64_t bits_from(uint64_t bit)
{
	return UINT64_MAX << bit % WORD;
}

/* Bits that other threads change at the same time are of other pages, so no order is needed. */
static uint64_t word(const struct page_choice *c, uint64_t i)
{
	return atomic_load_explicit(&c->bits[i], memory_order_relaxed);
}

static uint64_t words(const struct page_choice *c)
{
	return divide_up(c->count, WORD);
}

static uint64_t groups(const struct page_choice *c)
{
	return divide_up(c->count, GROUP);
}

size_t page_choice_memory(uint64_t count)
{
	return (size_t)(divide_up(count, WORD) + divide_up(count, GROUP) + 2) * sizeof(uint64_t);
}

enum status page_choice_begin(struct page_choice *c, uint64_t count, struct error *e)
{
	*c = (struct page_choice){ .count = count };
	/* At least one each: an allocation of 0 bytes may be NULL. */
	c->bits = calloc(words(c) + 1, sizeof(*c->bits));
	c->before = calloc(groups(c) + 1, sizeof(*c->before));
	if (!c->bits || !c->before)
		return error_system(e, ENOMEM, "list of pages");
	page_choice_restart(c, count);
	return STATUS_OK;
}

void page_choice_restart(struct page_choice *c, uint64_t count)
{
	c->count = count;
	for (uint64_t i = 0; i < count / WORD; i++)
		atomic_init(&c->bits[i], UINT64_MAX);
	if (count % WORD)
		atomic_init(&c->bits[count / WORD], ~bits_from(count));
}

enum status page_choice_copy(struct page_choice *c, const struct page_choice *other, struct error *e)
{
	enum status status = page_choice_begin(c, other->count, e);

	for (uint64_t i = 0; i < words(c) && !status; i++)
		atomic_init(&c->bits[i], word(other, i));
	if (!status)
		page_choice_end(c);
	return status;
}

void page_choice_free(struct page_choice *c)
{
	free(c->bits);
	free(c->before);
	*c = (struct page_choice){ 0 };
}

void page_choice_leave_out(struct page_choice *c, uint64_t rank, uint64_t count)
{
	uint64_t end = rank + count;

	while (rank < end) {
		uint64_t next = min_u64(end, round_down(rank, WORD) + WORD);
		uint64_t out = bits_from(rank) & (next % WORD ? ~bits_from(next) : UINT64_MAX);

		atomic_fetch_and_explicit(&c->bits[rank / WORD], ~out, memory_order_relaxed);
		rank = next;
	}
}

void page_choice_end(struct page_choice *c)
{
	c->kept = 0;
	for (uint64_t i = 0; i < words(c); i++) {
		if (i % GROUP_WORDS == 0)
			c->before[i / GROUP_WORDS] = c->kept;
		c->kept += (uint64_t)__builtin_popcountll(word(c, i));
	}
}

/* Multiplying by an odd number and adding what was shifted down are both one to one. */
uint64_t page_choice_checksum(const struct page_choice *c)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < words(c); i++) {
		sum = (sum ^ word(c, i)) * 0x9e3779b97f4a7c15;
		sum ^= sum >> 32;
	}
	return sum;
}

bool page_choice_keeps(const struct page_choice *c, uint64_t rank)
{
	return word(c, rank / WORD) >> rank % WORD & 1;
}

uint64_t page_choice_before(const struct page_choice *c, uint64_t rank)
{
	uint64_t i = rank / GROUP * GROUP_WORDS, before;

	if (rank >= c->count)
		return c->kept;
	before = c->before[rank / GROUP];
	for (; i < rank / WORD; i++)
		before += (uint64_t)__builtin_popcountll(word(c, i));
	return before + (uint64_t)__builtin_popcountll(word(c, i) & ~bits_from(rank));
}

struct sought {
	const struct page_choice *c;
	uint64_t n;
};

static bool begins_up_to(const void *arg, size_t i)
{
	const struct sought *s = arg;

	return s->c->before[i] <= s->n;
}

uint64_t page_choice_find(const struct page_choice *c, uint64_t n)
{
	const struct sought sought = { .c = c, .n = n };
	uint64_t group = search_first(groups(c), begins_up_to, &sought) - 1;
	uint64_t i = group * GROUP_WORDS, left = n - c->before[group], bits;

	while (left >= (uint64_t)__builtin_popcountll(word(c, i)))
		left -= (uint64_t)__builtin_popcountll(word(c, i++));
	bits = word(c, i);
	for (; left; left--)
		bits &= bits - 1;
	return i * WORD + (uint64_t)__builtin_ctzll(bits);
}

/* The first rank from this one on, below end, that is kept, or is not; end if there is none. */
static uint64_t next(const struct page_choice *c, uint64_t rank, uint64_t end, bool kept)
{
	while (rank < end) {
		uint64_t bits = word(c, rank / WORD);

		bits = (kept ? bits : ~bits) & bits_from(rank);
		rank = round_down(rank, WORD);
		if (bits)
			return min_u64(end, rank + (uint64_t)__builtin_ctzll(bits));
		rank += WORD;
	}
	return end;
}

uint64_t page_choice_next(const struct page_choice *c, uint64_t *rank, uint64_t end)
{
	*rank = next(c, *rank, end, true);
	return next(c, *rank, end, false) - *rank;
}
