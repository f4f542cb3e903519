// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <pthread.h>
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

/* Begins again, of no more pages than it was begun with. */
static void restart(struct page_choice *c, uint64_t count)
{
	c->count = count;
	for (uint64_t i = 0; i < count / WORD; i++)
		atomic_init(&c->bits[i], UINT64_MAX);
	if (count % WORD)
		atomic_init(&c->bits[count / WORD], ~bits_from(count));
}

enum status page_choice_begin(struct page_choice *c, uint64_t count, struct error *e)
{
	*c = (struct page_choice){ .count = count };
	/* At least one each: an allocation of 0 bytes may be NULL. */
	c->bits = calloc(words(c) + 1, sizeof(*c->bits));
	c->before = calloc(groups(c) + 1, sizeof(*c->before));
	if (!c->bits || !c->before)
		return error_system(e, ENOMEM, "list of pages");
	restart(c, count);
	return STATUS_OK;
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

/*
 * Of the bits.  Others have another one, but for one case in very many: multiplying by an odd number and adding what was
 * shifted down are both one to one.
 */
static uint64_t checksum(const struct page_choice *c)
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

uint64_t page_choice_find(const struct page_choice *c, uint64_t n)
{
	uint64_t group = values_up_to(c->before, sizeof(*c->before), groups(c), n) - 1;
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

/* --- by parts ----------------------------------------------------------------- */

/*
 * Small parts, since one is lost as a whole, and whoever asks for one waits.  Those are held in which all workers are,
 * and the writer not far behind.  Parts of fewer pages would save no memory.
 */
enum { PARTS_MAX = 4096, HELD = 16, PART_MIN = 512 };

struct part {
	uint64_t before, kept;		/* pages kept in the parts before, and in this one */
	uint64_t checksum;
	bool lost;			/* under the lock */
};

/* The bits of a part. */
struct held {
	struct page_choice choice;
	uint64_t part;			/* its number; UINT64_MAX: there is none yet */
	uint64_t asked;			/* when it was last asked for, counted in questions */
};

struct page_parts {
	uint64_t count, per_part, parts_count, kept;
	struct page_part_maker maker;
	struct part *parts;		/* owned */
	atomic_bool making;		/* a part, by the thread that has the lock */
	/*
	 * Held while a part is asked, and while it is made: whoever asks for another one meanwhile will mostly ask for
	 * this one next.
	 */
	pthread_mutex_t lock;
	/* Under the lock: */
	struct held held[HELD];
	uint64_t questions;
};

uint64_t page_parts_size(uint64_t count)
{
	return max_u64(PART_MIN, divide_up(count, PARTS_MAX));
}

size_t page_parts_memory(uint64_t count)
{
	uint64_t part = page_parts_size(count);

	return sizeof(struct page_parts) + (size_t)divide_up(count, part) * sizeof(struct part) +
	       HELD * page_choice_memory(min_u64(part, count));
}

void page_parts_free(struct page_parts *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < HELD; i++)
		page_choice_free(&p->held[i].choice);
	free(p->parts);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

static enum status allocate(struct page_parts *p, struct error *e)
{
	enum status status = STATUS_OK;

	p->parts = calloc(p->parts_count + 1, sizeof(*p->parts));
	if (!p->parts)
		return error_system(e, ENOMEM, "list of pages");
	for (unsigned i = 0; i < HELD && !status; i++)
		status = page_choice_begin(&p->held[i].choice, min_u64(p->per_part, p->count), e);
	return status;
}

enum status page_parts_new(struct page_parts **parts, uint64_t count, uint64_t part,
			   const struct page_part_maker *maker, struct error *e)
{
	struct page_parts *p = calloc(1, sizeof(*p));
	enum status status;

	if (!p)
		return error_system(e, ENOMEM, "list of pages");
	p->count = count;
	p->per_part = part;
	p->parts_count = divide_up(count, part);
	p->maker = *maker;
	pthread_mutex_init(&p->lock, NULL);
	status = allocate(p, e);
	if (status)
		page_parts_free(p);
	else
		*parts = p;
	return status;
}

/* --- making ---------------------------------------------------------------- */

static uint64_t first_of(const struct page_parts *p, uint64_t part)
{
	return part * p->per_part;
}

static uint64_t length_of(const struct page_parts *p, uint64_t part)
{
	return min_u64(p->per_part, p->count - first_of(p, part));
}

static void make(struct page_parts *p, uint64_t part, struct page_choice *choice)
{
	restart(choice, length_of(p, part));
	p->maker.make(p->maker.arg, first_of(p, part), choice);
	page_choice_end(choice);
}

uint64_t page_parts_count(struct page_parts *p)
{
	struct page_choice *choice = &p->held[0].choice;

	p->kept = 0;
	for (unsigned i = 0; i < HELD; i++)
		p->held[i].part = UINT64_MAX;
	for (uint64_t i = 0; i < p->parts_count; i++) {
		make(p, i, choice);
		p->parts[i] = (struct part){
			.before = p->kept, .kept = choice->kept, .checksum = checksum(choice),
		};
		p->kept += choice->kept;
	}
	return p->kept;
}

/* With the lock. */
static void make_again(struct page_parts *p, uint64_t part, struct page_choice *choice)
{
	struct part *known = &p->parts[part];
	uint64_t length = length_of(p, part);

	if (!known->lost) {
		make(p, part, choice);
		if (choice->kept == known->kept && checksum(choice) == known->checksum)
			return;
		known->lost = true;
		p->maker.lost(p->maker.arg, first_of(p, part), length, known->kept);
	}
	restart(choice, length);
	page_choice_leave_out(choice, known->kept, length - known->kept);
	page_choice_end(choice);
}

/* The bits of a part, until release(): of those that are held, or in place of those that were asked for least recently. */
static const struct page_choice *hold(struct page_parts *p, uint64_t part)
{
	struct held *h = p->held;

	pthread_mutex_lock(&p->lock);
	for (struct held *other = p->held; h->part != part && other < p->held + HELD; other++)
		if (other->part == part || other->asked < h->asked)
			h = other;
	if (h->part != part) {
		p->making = true;
		make_again(p, part, &h->choice);
		p->making = false;
		h->part = part;
	}
	h->asked = ++p->questions;
	return &h->choice;
}

static void release(struct page_parts *p)
{
	pthread_mutex_unlock(&p->lock);
}

/* --- asking ---------------------------------------------------------------- */

/* Parts that keep all of their pages, or none, need no bits. */
static bool keeps_all(const struct page_parts *p, uint64_t part)
{
	return p->parts[part].kept == length_of(p, part);
}

uint64_t page_parts_before(struct page_parts *p, uint64_t rank)
{
	uint64_t part = rank / p->per_part, before, within;
	if (rank >= p->count)
		return p->kept;
	before = p->parts[part].before;
	within = rank - first_of(p, part);
	if (!p->parts[part].kept || !within)
		return before;
	if (keeps_all(p, part))
		return before + within;
	before += page_choice_before(hold(p, part), within);
	release(p);
	return before;
}

/* Parts that keep nothing begin with the same page as the next one, so the last one of them is found. */
uint64_t page_parts_find(struct page_parts *p, uint64_t n)
{
	uint64_t part = values_up_to(&p->parts->before, sizeof(*p->parts), p->parts_count, n) - 1;
	uint64_t within = n - p->parts[part].before;

	if (!keeps_all(p, part)) {
		within = page_choice_find(hold(p, part), within);
		release(p);
	}
	return first_of(p, part) + within;
}

/* The same in one part, at *within. */
static uint64_t next_in_part(struct page_parts *p, uint64_t part, uint64_t *within, uint64_t end, uint64_t *before)
{
	const struct page_choice *choice;
	uint64_t count;

	*before = p->parts[part].before + *within;
	if (keeps_all(p, part))
		return end - *within;
	if (!p->parts[part].kept) {
		*within = end;
		return 0;
	}
	choice = hold(p, part);
	count = page_choice_next(choice, within, end);
	*before = p->parts[part].before + page_choice_before(choice, *within);
	release(p);
	return count;
}

uint64_t page_parts_next(struct page_parts *p, uint64_t *rank, uint64_t end, uint64_t *before)
{
	uint64_t count = 0;

	while (*rank < end && !count) {
		uint64_t part = *rank / p->per_part, first = first_of(p, part), within = *rank - first;

		count = next_in_part(p, part, &within, min_u64(end - first, length_of(p, part)), before);
		*rank = first + within;
	}
	return count;
}

bool page_parts_making(struct page_parts *p)
{
	return p->making;
}

bool page_parts_lost(struct page_parts *p, uint64_t rank)
{
	bool lost;

	pthread_mutex_lock(&p->lock);
	lost = p->parts[rank / p->per_part].lost;
	pthread_mutex_unlock(&p->lock);
	return lost;
}
