// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "codec/codec.h"
#include "helper.h"
#include "layer_random.h"

enum { GRANULES_MAX = LAYER_RANDOM_CELLS * LAYER_RANDOM_CELL / GRANULE, CELL = LAYER_RANDOM_CELL / GRANULE };

/* What the capture is to do with the source. */
struct plan {
	struct layer_random *r;
	unsigned granules, kernel;	/* the first ones are stored in layer 1 */
	struct run truth[GRANULES_MAX];	/* of layer 1; .granules is 1 */
	struct second_places places;
	unsigned layers;		/* until the capture ends or is killed */
	bool killed;
};

uint64_t layer_random_number(struct layer_random *r, uint64_t limit)
{
	uint64_t x = r->state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return (x ^ x >> 31) % limit;
}

static bool one_in(struct layer_random *r, unsigned n)
{
	return !layer_random_number(r, n);
}

/* --- the source ------------------------------------------------------------ */

static void add_second_place(struct plan *p, unsigned at, unsigned length, unsigned target)
{
	uint64_t offset = (uint64_t)GRANULE * at, first = (uint64_t)GRANULE * target;

	p->places.list[p->places.count++] =
		(struct second_place){ offset, (uint64_t)GRANULE * length, first };
	memcpy(p->r->source + offset, p->r->source + first, (uint64_t)GRANULE * length);
	for (unsigned i = at; i < at + length; i++)
		p->truth[i] = (struct run){ RUN_NAMED, CLASS_SECOND, 1 };
}

static void choose_kinds(struct plan *p)
{
	static const unsigned classes[] = { CLASS_MAP, CLASS_ANONYMOUS, CLASS_FREE, 13 };
	struct layer_random *r = p->r;

	for (unsigned at = 0; at < p->kernel; at++)
		p->truth[at] = (struct run){ .granules = 1 };
	for (unsigned at = p->kernel; at < p->granules;) {
		unsigned left = 1 + (unsigned)layer_random_number(r, 6);
		struct run run = { .granules = 1 };

		if (one_in(r, 2))
			run = (struct run){ RUN_NAMED, classes[layer_random_number(r, 4)], 1 };
		else if (one_in(r, 12))
			run.kind = RUN_UNREADABLE;
		while (left-- && at < p->granules)
			p->truth[at++] = run;
	}
}

/* Zeros that layer 1 does not store; those of a class that is left out are kept all the same. */
static void choose_holes(struct plan *p)
{
	for (unsigned at = p->kernel; at < p->granules;) {
		unsigned left = 1 + (unsigned)layer_random_number(p->r, 4);
		bool hole = one_in(p->r, 10);

		for (; left-- && at < p->granules; at++) {
			uint64_t offset = (uint64_t)GRANULE * at;

			if (!hole || p->truth[at].kind == RUN_UNREADABLE)
				continue;
			p->truth[at] = (struct run){ RUN_ZERO, CLASS_KERNEL, 1 };
			memset(p->r->source + offset, 0, min_u64(GRANULE, p->r->size - offset));
		}
	}
}

/* Of whole granules.  Their first places are anywhere else, of any class, perhaps left out or unreadable. */
static void choose_second_places(struct plan *p)
{
	unsigned whole = (unsigned)(p->r->size / GRANULE);
	bool second[GRANULES_MAX] = { false };

	if (one_in(p->r, 3))
		return;
	for (unsigned i = p->kernel; i < whole; i++) {
		unsigned left = 1 + (unsigned)layer_random_number(p->r, CELL);

		if (!one_in(p->r, 8))
			continue;
		for (; left && i + left <= whole; left--, i++)
			second[i] = true;
	}
	for (unsigned i = 0, length; i < whole; i += length) {
		unsigned target = (unsigned)layer_random_number(p->r, whole), most = 0;

		length = 1;
		if (!second[i])
			continue;
		while (target + most < whole && !second[target + most])
			most++;
		if (!most || p->places.count == SECOND_PLACES_MAX) {
			second[i] = false;
			continue;
		}
		while (length < most && i + length < whole && second[i + length])
			length++;
		add_second_place(p, i, length, target);
	}
}

/* --- the capture ----------------------------------------------------------- */

static unsigned layer_of(const struct superblock *sb, unsigned class_number)
{
	return class_layer(&sb->classes, class_number);
}

/* What the pass of a layer finds; sometimes a page is no longer of its class. */
static struct run found(const struct plan *p, const struct superblock *sb, unsigned layer, unsigned i)
{
	struct run run = p->truth[i];
	bool wanted = run.kind == RUN_NAMED && layer_of(sb, run.class_number) == layer;

	if (layer == 1) {
		if (run.kind == RUN_NAMED && !p->r->stable && one_in(p->r, 60))
			run.kind = RUN_STORED;
		return run;
	}
	if (!wanted || one_in(p->r, 60))
		return (struct run){ RUN_ELSEWHERE, 0, 1 };
	run.kind = one_in(p->r, 20) ? RUN_UNREADABLE : RUN_STORED;
	return run;
}

/* A record from granule at on; returns where the next one may begin. */
static unsigned add_record(struct plan *p, unsigned layer, unsigned at)
{
	struct maker *m = &p->r->members[layer_random_number(p->r, p->r->count)];
	unsigned end = (unsigned)min_u64(round_down(at, CELL) + CELL, p->granules);
	unsigned most = 1 + (unsigned)layer_random_number(p->r, CELL), stored = 0, said = 0, count = 0;
	struct run runs[CELL];

	for (; at + count < end && count < most; count++) {
		runs[count] = found(p, &m->superblock, layer, at + count);
		if (runs[count].kind == RUN_STORED && ++stored > MAKER_CHUNK / GRANULE)
			break;
		said += runs[count].kind != RUN_ELSEWHERE;
	}
	if (said)
		maker_add_layered(m, p->r->source, layer, (uint64_t)GRANULE * at, runs, count);
	return at + count;
}

static void run_pass(struct plan *p, unsigned layer)
{
	bool stops = p->killed && layer == p->layers;

	for (unsigned at = 0; at < p->granules;) {
		at = add_record(p, layer, at);
		if (stops && one_in(p->r, 8))
			return;
		/* A sink has failed. */
		if (one_in(p->r, 8))
			add_record(p, layer, (unsigned)layer_random_number(p->r, at));
	}
}

static void set_class(struct layer_random *r, unsigned number, enum class_state state,
		      unsigned layer)
{
	for (unsigned i = 0; i < r->count; i++)
		r->members[i].superblock.classes.of[number] = class_entry(state, layer);
}

static void decide(struct plan *p)
{
	bool trusted = !one_in(p->r, 4);

	set_class(p->r, CLASS_FREE, trusted ? CLASS_LEFT_OUT : CLASS_SAVED_AFTER_ALL, trusted ? 0 : 4);
}

static void add_marks(struct plan *p, unsigned layer)
{
	for (unsigned i = 0; i < p->r->count; i++)
		if (one_in(p->r, 2))
			maker_add_checkpoint(&p->r->members[i], layer);
}

static void end_capture(struct plan *p)
{
	bool one_open = p->killed && one_in(p->r, 2);

	if (p->killed && !one_open)
		return;
	for (unsigned i = one_open; i < p->r->count; i++)
		maker_add_footer(&p->r->members[i]);
}

static void capture(struct plan *p)
{
	struct layer_random *r = p->r;

	p->killed = one_in(r, 4);
	p->layers = p->killed ? 1 + (unsigned)layer_random_number(r, 4) : 4;
	for (unsigned i = 0; i < r->count; i++)
		maker_begin(&r->members[i]);
	for (unsigned layer = 1; layer <= p->layers; layer++) {
		run_pass(p, layer);
		if (p->killed && layer == p->layers)
			break;
		if (layer == 1)
			decide(p);
		add_marks(p, layer);
	}
	end_capture(p);
}

/* --- the interface --------------------------------------------------------- */

/* Of the source in r. */
static void make(struct layer_random *r, unsigned kernel)
{
	struct plan *p = calloc(1, sizeof(*p));
	bool raw;

	ck_assert_ptr_nonnull(p);
	p->r = r;
	p->granules = (unsigned)divide_up(r->size, GRANULE);
	p->kernel = kernel;
	r->count = 1 + (unsigned)layer_random_number(r, LAYER_RANDOM_MEMBERS);
	raw = one_in(r, 2);
	choose_kinds(p);
	choose_holes(p);
	choose_second_places(p);
	for (unsigned i = 0; i < r->count; i++) {
		maker_init(&r->members[i], i, r->count, r->size);
		maker_set_layers(&r->members[i].superblock, LAYER_RANDOM_CELL);
		if (r->id)
			r->members[i].superblock.id = *r->id;
		r->members[i].superblock.second = p->places;
		if (raw)
			r->members[i].codec = &codec_raw;
	}
	set_class(r, CLASS_MAP, CLASS_SAVED, 2);
	set_class(r, CLASS_ANONYMOUS, CLASS_SAVED, 3);
	set_class(r, CLASS_FREE, CLASS_PLANNED_OUT, 0);
	set_class(r, 13, CLASS_SAVED, 2);
	set_class(r, CLASS_SECOND, CLASS_TWICE, 0);
	capture(p);
	free(p);
}

static void make_any(struct layer_random *r)
{
	uint64_t granules;

	granules = 1 + layer_random_number(r, GRANULES_MAX);
	r->size = GRANULE * granules - layer_random_number(r, 2) * layer_random_number(r, GRANULE);
	r->source = maker_source(r->size);
	make(r, 0);
}

void layer_random_make(struct layer_random *r, uint64_t seed)
{
	*r = (struct layer_random){ .state = seed };
	make_any(r);
}

void layer_random_make_stable(struct layer_random *r, uint64_t seed, const struct capture_id *id)
{
	*r = (struct layer_random){ .state = seed, .stable = true, .id = id };
	make_any(r);
}

void layer_random_make_of(struct layer_random *r, uint64_t seed, const uint8_t *source, uint64_t size,
			  unsigned kernel)
{
	ck_assert_uint_le(size, GRANULES_MAX * (uint64_t)GRANULE);
	*r = (struct layer_random){ .state = seed, .size = size, .source = helper_pages(size) };
	memcpy(r->source, source, size);
	make(r, kernel);
}

void layer_random_free(struct layer_random *r)
{
	for (unsigned i = 0; i < LAYER_RANDOM_MEMBERS; i++)
		maker_free(&r->members[i]);
	free(r->source);
}

static uint8_t *random_page(struct layer_random *r)
{
	struct maker *m = &r->members[layer_random_number(r, r->count)];

	return m->bytes + ALIGNMENT * layer_random_number(r, m->length / ALIGNMENT);
}

static void exchange(uint8_t *a, uint8_t *b)
{
	uint8_t page[ALIGNMENT];

	memcpy(page, a, ALIGNMENT);
	memmove(a, b, ALIGNMENT);
	memcpy(b, page, ALIGNMENT);
}

bool layer_random_damage(struct layer_random *r)
{
	struct maker *m = &r->members[layer_random_number(r, r->count)];

	switch (layer_random_number(r, 6)) {
	case 0:
		if (r->count > 1) {
			struct maker last = r->members[--r->count];

			r->members[r->count] = *m;
			*m = last;
		}
		break;
	case 1:
		m->length = ALIGNMENT + layer_random_number(r, m->length - ALIGNMENT + 1);
		break;
	case 2:
		memset(random_page(r), 0, ALIGNMENT);
		break;
	case 3:
		exchange(random_page(r), random_page(r));
		return true;
	default:
		m->bytes[layer_random_number(r, m->length)] ^= (uint8_t)(1u << layer_random_number(r, 8));
		break;
	}
	return false;
}

void layer_random_paste(struct layer_random *r, const struct layer_random *other)
{
	struct maker *to = &r->members[layer_random_number(r, r->count)];
	const struct maker *from = &other->members[layer_random_number(r, other->count)];
	size_t pages = to->length / ALIGNMENT, most = from->length / ALIGNMENT, count, at, of;

	if (!pages)
		return;
	at = layer_random_number(r, pages);
	of = layer_random_number(r, most);
	count = 1 + layer_random_number(r, 4);
	count = min_u64(count, min_u64(pages - at, most - of));
	memcpy(to->bytes + ALIGNMENT * at, from->bytes + ALIGNMENT * of, ALIGNMENT * count);
}

static void write_members(const struct layer_random *r)
{
	for (unsigned i = 0; i < r->count; i++) {
		char name[16];

		snprintf(name, sizeof(name), "m%u", i);
		maker_write(&r->members[i], name);
	}
}

static void ignore(void *arg, const struct error *e)
{
	(void)arg;
	(void)e;
}

enum status layer_random_open(const struct layer_random *r, struct set *set)
{
	const struct set_settings settings = {
		.salvage = true, .search = true, .warn = ignore,
	};
	struct names list = { 0 };
	enum status status;
	struct error e;

	write_members(r);
	for (unsigned i = 0; i < r->count; i++) {
		char name[16];

		snprintf(name, sizeof(name), "m%u", i);
		ck_assert_int_eq(names_expand(&list, name, MEMBERS_MAX, &e), STATUS_OK);
	}
	status = set_open(set, &list, &settings, &e);
	names_free(&list);
	return status;
}

void layer_random_read(const struct layer_random *r, struct oracle *o)
{
	struct oracle_member members[LAYER_RANDOM_MEMBERS];

	for (unsigned i = 0; i < r->count; i++)
		members[i] = (struct oracle_member){ r->members[i].bytes, r->members[i].length };
	oracle_read(o, members, r->count);
}

void layer_trial_begin(struct layer_trial *t, uint64_t seed, bool damaged)
{
	*t = (struct layer_trial){ .seed = seed };
	layer_random_make(&t->r, seed);
	for (uint64_t n = damaged ? 1 + seed % 3 : 0; n; n--)
		t->displaced |= layer_random_damage(&t->r);
	layer_random_read(&t->r, &t->o);
	t->opened = !layer_random_open(&t->r, &t->set) && t->o.map;
	t->comparable = t->opened && !t->displaced;
}

void layer_trial_end(struct layer_trial *t)
{
	set_close(&t->set);
	oracle_free(&t->o);
	layer_random_free(&t->r);
}
