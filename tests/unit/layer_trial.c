// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "format/record.h"
#include "helper.h"
#include "layer_trial.h"

/* --- the policy ----------------------------------------------------------- */

static void classify(void *arg, unsigned worker, uint64_t offset, uint32_t granules, struct runs *classes)
{
	struct layer_trial *l = arg;

	ck_assert_uint_eq(offset % l->t.settings.chunk_size, 0);
	ck_assert_uint_lt(worker, l->t.settings.threads);
	ck_assert_uint_eq(granules, divide_up(min_u64(l->t.settings.chunk_size, l->size - offset), GRANULE));
	for (uint32_t i = 0; i < granules; i++)
		runs_add(classes, __atomic_load_n(&l->classes[offset / GRANULE + i], __ATOMIC_RELAXED), 1);
	for (unsigned ms = 0; l->waits && l->judged && !l->taken && ms < 10000; ms++)
		usleep(1000);
}

/* While another worker may capture a unit again, of an output that failed. */
static void swap_classes(struct layer_trial *l)
{
	uint8_t *a = &l->classes[l->swapped[0]], *b = &l->classes[l->swapped[1]], class = *a;

	__atomic_store_n(a, *b, __ATOMIC_RELAXED);
	__atomic_store_n(b, class, __ATOMIC_RELAXED);
}

static void judge(void *arg, unsigned worker, unsigned after_all, struct class_table *classes,
		  char *reason)
{
	struct layer_trial *l = arg;

	(void)worker;
	ck_assert_uint_eq(after_all, LAYER_TRIAL_LAYERS - 1);
	ck_assert_uint_eq(reason[0], 0);
	l->judged++;
	swap_classes(l);
	if (l->stops) {
		capture_stop(l->t.capture);
		usleep(20000);		/* time for the writers to do what they must not */
	}
	classes->of[CLASS_ANONYMOUS] = class_entry(CLASS_LEFT_OUT, 0);
	classes->of[CLASS_FREE] = l->disbelieved ? class_entry(CLASS_SAVED_AFTER_ALL, after_all) :
						    class_entry(CLASS_LEFT_OUT, 0);
	if (l->disbelieved)
		strcpy(reason, "free: not believed");
}

static struct class_table plan(void)
{
	struct class_table table = class_table_plain();

	table.of[CLASS_FIRST] = class_entry(CLASS_SAVED, 2);
	table.of[CLASS_MAP] = class_entry(CLASS_SAVED, 3);
	table.of[CLASS_CLEAN] = class_entry(CLASS_SAVED, 4);
	table.of[CLASS_ANONYMOUS] = class_entry(CLASS_PLANNED_OUT, 0);
	table.of[CLASS_FREE] = class_entry(CLASS_PLANNED_OUT, 0);
	table.of[CLASS_SECOND] = class_entry(CLASS_TWICE, 0);
	return table;
}

/* --- the checkpoints ------------------------------------------------------------- */

static void before_append(void *arg, const struct trial_sink *t, const void *bytes, size_t len)
{
	struct layer_trial *l = arg;
	struct layer_trial_checkpoint *m;
	struct footer f;
	unsigned number;

	if (len != FOOTER_LENGTH || footer_decode(&f, bytes))
		return;
	l->sealed[t - l->t.memory] = !f.checkpoint;
	if (!f.checkpoint)
		return;
	/* The first one: when the pass waits again, since another output has failed, a worker may still fill what it had claimed. */
	if (f.dangerous && !l->told[t - l->t.memory])
		l->told[t - l->t.memory] = f.offset + FOOTER_LENGTH;
	if (f.dangerous && l->stops_before_marked)
		capture_stop(l->t.capture);
	number = l->taken++;
	if (number >= LAYER_TRIAL_CHECKPOINTS)
		return;
	m = &l->checkpoints[number];
	m->sink = (unsigned)(t - l->t.memory);
	m->whole = f.whole;
	m->dangerous = f.dangerous;
	m->records = (uint32_t)f.records;
	m->index = f.index;
	m->offset = f.offset;
	for (unsigned i = 0; i < l->t.outputs; i++)
		m->safe[i] = l->t.settings.serial && l->t.memory[i].failed ? 0 : l->t.memory[i].safe;
	ck_assert(!f.stopped && (l->judged || !f.whole));
	for (unsigned i = 0; i < CLASSES; i++) {
		ck_assert(!f.whole || class_state(&f.set.classes, i) != CLASS_PLANNED_OUT);
		m->later += f.figures.later[i];
	}
}

/* --- the source ------------------------------------------------------------ */

static uint64_t granules_of(const struct layer_trial *l)
{
	return divide_up(l->size, GRANULE);
}

static void choose_classes(struct layer_trial *l, unsigned longest, unsigned seed)
{
	static const uint8_t some[] = {
		CLASS_KERNEL, CLASS_KERNEL, CLASS_MAP, CLASS_CLEAN, CLASS_ANONYMOUS, CLASS_FREE,
	};

	srand(seed);
	for (uint64_t i = 0; i < granules_of(l);) {
		uint8_t class = some[(size_t)rand() % LENGTH(some)];
		uint64_t end = min_u64(granules_of(l), i + 1 + (uint64_t)rand() % longest);

		for (; i < end; i++)
			l->classes[i] = class;
	}
}

void layer_trial_init(struct layer_trial *l, uint64_t size, unsigned outputs, unsigned longest,
		      unsigned seed)
{
	*l = (struct layer_trial){
		.policy = {
			.layers = LAYER_TRIAL_LAYERS, .plan = plan(), .classify = classify,
			.judge = judge, .arg = l,
		},
		.size = size,
	};
	l->bytes = trial_bytes_new(TRIAL_MIXED, size);
	l->classes = helper_pages(granules_of(l) + 1);
	choose_classes(l, longest, seed);
	trial_source_init(&l->source, l->bytes, size);
	trial_init(&l->t, &l->source.source, outputs);
	l->t.settings.policy = &l->policy;
	for (unsigned i = 0; i < outputs; i++) {
		l->t.memory[i].before_append = before_append;
		l->t.memory[i].arg = l;
	}
}

void layer_trial_free(struct layer_trial *l)
{
	trial_free(&l->t);
	free(l->bytes);
	free(l->classes);
}

void layer_trial_make_second(struct layer_trial *l, uint64_t first, uint64_t count, uint64_t target)
{
	struct second_place *p = &l->second.list[l->second.count++];

	*p = (struct second_place){ first * GRANULE, count * GRANULE, target * GRANULE };
	memset(l->classes + first, CLASS_SECOND, count);
	memcpy(l->bytes + p->offset, l->bytes + p->target, p->length);
	l->policy.second = &l->second;
}

/* Some in a unit, some in several, and the urgent ones first.  A granule of another class is not of them. */
void layer_trial_make_first(struct layer_trial *l)
{
	static const uint8_t at[LAYER_TRIAL_FIRST][2] = { { 3, 2 }, { 100, 40 }, { 5, 1 }, { 60, 1 }, { 99, 3 } };

	for (unsigned i = 0; i < LAYER_TRIAL_FIRST; i++) {
		l->first[i] = (struct range){ (uint64_t)at[i][0] * GRANULE, (uint64_t)at[i][1] * GRANULE };
		memset(l->classes + at[i][0], CLASS_FIRST, at[i][1]);
	}
	l->classes[60] = CLASS_FREE;
	l->policy.first = (struct first_ranges){ l->first, LAYER_TRIAL_FIRST, 2 };
}

/* Marked granules are read when all outputs that can have said so, and synced that. */
static void before_read(void *arg, uint64_t offset)
{
	struct layer_trial *l = arg;

	if (!class_is_marked(l->classes[offset / GRANULE]))
		return;
	l->touched++;
	for (unsigned i = 0; i < l->t.outputs; i++) {
		const struct trial_sink *t = &l->t.memory[i];

		if (t->safe && t->rewinds && !t->knows_space && !l->sealed[i] && trial_state(&l->t, i) == SINK_TAKING)
			ck_assert(l->told[i] && t->safe >= l->told[i]);
	}
}

void layer_trial_make_marked(struct layer_trial *l)
{
	memset(l->classes + 20, CLASS_OFFLINE, 1);
	memset(l->classes + 70, CLASS_OFFLINE, 11);
	l->policy.plan.of[CLASS_OFFLINE] = class_entry(CLASS_SAVED, LAYER_TRIAL_LAYERS);
	l->policy.guarded = true;
	l->source.before = before_read;
	l->source.arg = l;
}

/* --- what became of it ----------------------------------------------------- */

static bool is_left_out(const struct layer_trial *l, uint8_t class)
{
	return class == CLASS_ANONYMOUS || (class == CLASS_FREE && !l->disbelieved);
}

/* Where the granule is stored: here, or in the first place. */
static uint64_t first_place(const struct layer_trial *l, uint64_t i)
{
	for (uint32_t k = 0; k < l->second.count; k++) {
		const struct second_place *p = &l->second.list[k];

		if (i * GRANULE >= p->offset && i * GRANULE < p->offset + p->length)
			return i - p->offset / GRANULE + p->target / GRANULE;
	}
	return i;
}

static char expected(const struct layer_trial *l, uint64_t i)
{
	i = first_place(l, i);
	if (is_left_out(l, l->classes[i]))
		return ORACLE_LEFT_OUT;
	return l->unreadable && l->unreadable[i] ? ORACLE_UNREADABLE : ORACLE_STORED;
}

static void compare(const struct layer_trial *l, const struct oracle *o)
{
	ck_assert_uint_eq(o->granules, granules_of(l));
	for (uint64_t i = 0; i < o->granules; i++) {
		char want = expected(l, i);
		uint64_t at = i * GRANULE, len = min_u64(GRANULE, l->size - at);

		ck_assert_msg(o->map[i] == want, "granule %llu of class %u: %c, not %c",
			      (unsigned long long)i, l->classes[i], o->map[i], want);
		ck_assert_msg(want != ORACLE_STORED || !memcmp(o->source + at, l->bytes + at, len),
			      "granule %llu differs", (unsigned long long)i);
	}
}

static bool counts(struct layer_trial *l, unsigned sink)
{
	enum sink_state state = trial_state(&l->t, sink);

	return state != SINK_DEAD && state != SINK_RESERVED;
}

/* The footers say together what became of each class, and each of its own member what sink_stats does. */
static void check_footers(struct layer_trial *l)
{
	uint64_t kept[CLASSES] = { 0 }, named[CLASSES] = { 0 }, all = 0;

	for (unsigned i = 0; i < l->t.outputs; i++) {
		const struct trial_sink *m = &l->t.memory[i];
		struct sink_stats stats;
		struct footer f;

		if (!counts(l, i))
			continue;
		stats = capture_get_sink(l->t.capture, i);
		ck_assert_uint_ge(m->length, FOOTER_LENGTH);
		ck_assert(!footer_decode(&f, m->bytes + m->length - FOOTER_LENGTH));
		ck_assert(!f.checkpoint && !f.stopped);
		ck_assert_uint_eq(f.whole, l->policy.layers == 1 ? 1 : l->policy.guarded ? 6 : l->disbelieved ? 5 : 4);
		ck_assert_str_eq(f.reason, l->disbelieved ? "free: not believed" : "");
		ck_assert_uint_eq(f.records, stats.records);
		ck_assert_uint_eq(f.source_bytes, stats.source_bytes);
		ck_assert_mem_eq(&f.figures, &stats.figures, sizeof(stats.figures));
		for (unsigned c = 0; c < CLASSES; c++) {
			kept[c] += f.figures.first[c] + f.figures.later[c];
			named[c] += f.figures.named[c];
		}
	}
	for (unsigned c = 0; c < CLASSES; c++)
		all += c == CLASS_KERNEL ? kept[c] : named[c];
	ck_assert_uint_eq(all, l->size);
	ck_assert_uint_eq(kept[CLASS_ANONYMOUS], 0);
	ck_assert_uint_eq(kept[CLASS_FIRST], named[CLASS_FIRST]);
	ck_assert_uint_eq(kept[CLASS_OFFLINE], named[CLASS_OFFLINE]);
	ck_assert_uint_eq(kept[CLASS_MAP], named[CLASS_MAP]);
	ck_assert_uint_eq(kept[CLASS_CLEAN], named[CLASS_CLEAN]);
	ck_assert_uint_eq(kept[CLASS_FREE], l->disbelieved ? named[CLASS_FREE] : 0);
}

static void read_members(struct layer_trial *l, struct oracle *o)
{
	struct oracle_member members[TRIAL_OUTPUTS];
	unsigned count = 0;

	for (unsigned i = 0; i < l->t.outputs; i++)
		if (counts(l, i))
			members[count++] = (struct oracle_member){ l->t.memory[i].bytes,
								  l->t.memory[i].length };
	oracle_read(o, members, count);
}

void layer_trial_assert_members(struct layer_trial *l)
{
	struct oracle o;

	read_members(l, &o);
	compare(l, &o);
	oracle_free(&o);
}

void layer_trial_assert_perfect(struct layer_trial *l)
{
	struct capture_progress progress;
	uint64_t offset = 0, length;

	ck_assert_msg(l->t.status == STATUS_OK, "status %d: %s", l->t.status, l->t.error.text);
	ck_assert_uint_eq(l->judged, l->policy.layers > 1);
	layer_trial_assert_members(l);
	if (!l->t.failed)
		check_footers(l);
	ck_assert(!capture_missing(l->t.capture, &offset, &length));
	progress = capture_get_progress(l->t.capture);
	ck_assert_uint_eq(progress.source_bytes, l->size);
}

/* The layer that stores the granule; 0: none does. */
static unsigned layer_of(const struct layer_trial *l, uint64_t i)
{
	static const uint8_t layers[CLASSES] = {
		[CLASS_KERNEL] = 1, [CLASS_FIRST] = 2, [CLASS_MAP] = 3, [CLASS_CLEAN] = 4,
		[CLASS_OFFLINE] = 6,
	};

	i = first_place(l, i);
	return l->classes[i] == CLASS_FREE && l->disbelieved ? 5 : layers[l->classes[i]];
}

static void check_whole(const struct layer_trial *l, const struct layer_trial_checkpoint *m)
{
	struct oracle_member members[TRIAL_OUTPUTS];
	unsigned count = 0;
	struct oracle o;

	for (unsigned i = 0; i < l->t.outputs; i++)
		if (m->safe[i] && l->t.memory[i].syncs)
			members[count++] = (struct oracle_member){ l->t.memory[i].bytes, m->safe[i] };
	oracle_read(&o, members, count);
	ck_assert_uint_eq(o.granules, granules_of(l));
	for (uint64_t i = 0; i < o.granules; i++) {
		unsigned layer = layer_of(l, i);

		ck_assert_msg(!layer || (m->whole ? layer > m->whole : layer != 2) || o.map[i] == ORACLE_STORED,
			      "a checkpoint of %u layers: granule %llu of layer %u: %c", m->whole,
			      (unsigned long long)i, layer, o.map[i]);
	}
	oracle_free(&o);
}

static void check_index(const struct layer_trial *l, const struct layer_trial_checkpoint *m)
{
	const uint8_t *bytes = l->t.memory[m->sink].bytes;
	struct index_header header;
	uint32_t listed = 0;

	ck_assert_uint_gt(m->index, 0);
	for (uint64_t at = m->index; at; at = header.previous) {
		ck_assert_uint_lt(at, m->offset);
		ck_assert(!index_header_decode(&header, bytes + at));
		listed += header.count;
	}
	ck_assert_uint_eq(listed, m->records);
}

void layer_trial_assert_checkpoints(struct layer_trial *l)
{
	ck_assert_uint_le(l->taken, LAYER_TRIAL_CHECKPOINTS);
	for (unsigned i = 0; i < l->taken; i++) {
		ck_assert_uint_lt(l->checkpoints[i].whole, l->policy.guarded ? 6 : l->disbelieved ? 5 : 4);
		/* With a pipe, they say nothing of layers. */
		ck_assert(l->checkpoints[i].dangerous ? l->checkpoints[i].whole == 5 || !l->checkpoints[i].whole :
			  l->checkpoints[i].whole < 5);
		ck_assert(l->policy.first.count ? l->checkpoints[i].whole != 1 :
						  l->checkpoints[i].whole || l->checkpoints[i].dangerous);
		check_whole(l, &l->checkpoints[i]);
		check_index(l, &l->checkpoints[i]);
	}
}

static bool is_told(struct layer_trial *l, uint64_t at)
{
	uint64_t offset = 0, length;

	for (; capture_missing(l->t.capture, &offset, &length); offset += length)
		if (at >= offset && at < offset + length)
			return true;
	return false;
}

void layer_trial_assert_told(struct layer_trial *l)
{
	struct oracle o;

	read_members(l, &o);
	for (uint64_t i = 0; i < o.granules; i++)
		ck_assert_msg(o.map[i] != ORACLE_MISSING || is_told(l, i * GRANULE),
			      "granule %llu of class %u is missing, which was not reported",
			      (unsigned long long)i, l->classes[i]);
	for (unsigned i = 0; i < CLASSES; i++)
		ck_assert_int_ne(class_state(&o.classes, i), CLASS_PLANNED_OUT);
	oracle_free(&o);
}
