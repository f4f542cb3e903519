// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * make_layered_core LEVEL HOW MEMBER...: writes a set with layers of the core with pages of every class
 * (made_kernel.h; make_kinds_core writes the core itself), as a capture with this dump level does, for
 * the tests of the programs' command lines.
 *
 * Layer 1 is the kernel, 2 the memory map, 3 everything else that is wanted, and 4 what was taken back.  The
 * kernel image is in the core twice, and stored once.  HOW is one of
 *	whole		nothing went wrong
 *	after-all	user pages were to be left out, and are in layer 4
 *	killed-1	killed after the mark of layer 1; killed-2 and killed-3 likewise
 *	undecided	killed in layer 1
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "codec/codec.h"
#include "helper.h"
#include "layer_maker.h"
#include "made_kernel.h"

enum { CELL = 1 << 20, CELL_GRANULES = CELL / GRANULE, MEMBERS_MOST = 8 };

static const char *how;
static unsigned level, count;
static char **names;

struct plan {
	struct made_map mm;
	struct maker members[MEMBERS_MOST];
	struct class_table classes;
	uint64_t size;
};

static bool is(const char *word)
{
	return strcmp(how, word) == 0;
}

static unsigned layer_class_of(uint64_t pfn)
{
	bool huge = pfn >= MADE_HUGETLB && pfn < MADE_HUGETLB + MADE_HUGETLBS;
	bool offline = pfn >= MADE_OFFLINE && pfn < MADE_OFFLINE + MADE_OFFLINES;

	switch (made_kernel_class(pfn)) {
	case PAGE_CLASS_CACHE:
		return CLASS_CLEAN;
	case PAGE_CLASS_PRIVATE:
		return CLASS_PRIVATE;
	case PAGE_CLASS_USER:
		return huge ? CLASS_HUGETLB : CLASS_ANONYMOUS;
	case PAGE_CLASS_FREE:
		return offline ? CLASS_OFFLINE : CLASS_FREE;
	default:
		return CLASS_KERNEL;
	}
}

static bool is_in(const struct segment *s, uint64_t offset)
{
	return offset >= s->offset && offset < s->offset + s->filesz;
}

/* What layer 1 says of a granule. */
static struct run first_run(const struct plan *p, uint64_t offset)
{
	const struct segment *memory = &p->mm.segments[0], *map = &p->mm.segments[1];
	struct run run = { RUN_STORED, CLASS_KERNEL, 1 };

	if (is_in(&p->mm.segments[2], offset))
		run.class_number = CLASS_SECOND;
	else if (is_in(map, offset))
		run.class_number = CLASS_MAP;
	else if (is_in(memory, offset))
		run.class_number = layer_class_of((memory->paddr + (offset - memory->offset)) / GRANULE);
	if (run.class_number)
		run.kind = RUN_NAMED;
	return run;
}

static struct run find_run(const struct plan *p, unsigned layer, uint64_t offset)
{
	struct run run = first_run(p, offset);

	if (layer == 1)
		return run;
	if (run.kind == RUN_NAMED && class_layer(&p->classes, run.class_number) == layer)
		return (struct run){ RUN_STORED, run.class_number, 1 };
	return (struct run){ RUN_ELSEWHERE, 0, 1 };
}

static struct maker *member_of(struct plan *p, unsigned layer, uint64_t cell)
{
	return &p->members[(cell + layer) % count];
}

static void add_cell(struct plan *p, unsigned layer, uint64_t cell)
{
	struct run runs[CELL_GRANULES];
	uint64_t at = cell * CELL, end = min_u64(at + CELL, p->size);
	uint32_t n = 0;
	bool said = false;

	for (; at < end; at += GRANULE) {
		runs[n] = find_run(p, layer, at);
		said |= runs[n++].kind != RUN_ELSEWHERE;
	}
	if (said)
		maker_add_layered(member_of(p, layer, cell), p->mm.m.bytes, layer, cell * CELL, runs, n);
}

static void run_pass(struct plan *p, unsigned layer)
{
	uint64_t cells = divide_up(p->size, CELL);

	if (is("undecided") && layer == 1)
		cells /= 2;
	for (uint64_t cell = 0; cell < cells; cell++)
		add_cell(p, layer, cell);
}

/* --- classes -------------------------------------------------------------------------- */

static void set_table(struct plan *p)
{
	for (unsigned i = 0; i < count; i++)
		p->members[i].superblock.classes = p->classes;
}

static void plan_class(struct plan *p, enum page_class of, unsigned number)
{
	bool out = dump_level_classes(level) & PAGE_CLASS_BIT(of);

	p->classes.of[number] = class_entry(out ? CLASS_PLANNED_OUT : CLASS_SAVED, out ? 0 : 3);
}

static void plan_classes(struct plan *p)
{
	p->classes = class_table_plain();
	p->classes.of[CLASS_MAP] = class_entry(CLASS_SAVED, 2);
	p->classes.of[CLASS_OFFLINE] = class_entry(CLASS_PLANNED_OUT, 0);
	plan_class(p, PAGE_CLASS_CACHE, CLASS_CLEAN);
	plan_class(p, PAGE_CLASS_PRIVATE, CLASS_PRIVATE);
	plan_class(p, PAGE_CLASS_USER, CLASS_ANONYMOUS);
	plan_class(p, PAGE_CLASS_USER, CLASS_HUGETLB);
	plan_class(p, PAGE_CLASS_FREE, CLASS_FREE);
	p->classes.of[CLASS_SECOND] = class_entry(CLASS_TWICE, 0);
	set_table(p);
}

static void set_reason(struct plan *p, const char *text)
{
	for (unsigned i = 0; i < count; i++)
		snprintf(p->members[i].footer.reason, sizeof(p->members[i].footer.reason), "%s", text);
}

/* After layer 1: what was to be left out is, or is not believed. */
static void decide(struct plan *p)
{
	for (unsigned i = 0; i < CLASSES; i++)
		if (class_state(&p->classes, i) == CLASS_PLANNED_OUT)
			p->classes.of[i] = class_entry(CLASS_LEFT_OUT, 0);
	if (is("after-all")) {
		p->classes.of[CLASS_ANONYMOUS] = class_entry(CLASS_SAVED_AFTER_ALL, 4);
		p->classes.of[CLASS_HUGETLB] = class_entry(CLASS_SAVED_AFTER_ALL, 4);
		set_reason(p, "user: 23 pointers in the kernel image lead to pages of this class");
	}
	set_table(p);
}

/* --- the capture ------------------------------------------------------------------------ */

/* The kernel image is in the memory around it, too. */
static void begin(struct plan *p)
{
	const struct segment *memory = &p->mm.segments[0], *image = &p->mm.segments[2];

	for (unsigned i = 0; i < count; i++) {
		struct maker *m = &p->members[i];

		maker_init(m, i, count, p->size);
		maker_set_layers(&m->superblock, CELL);
		m->superblock.chunk_size = CELL;
		maker_add_second(&m->superblock, image->offset, image->filesz,
				 memory->offset + (image->paddr - memory->paddr));
		m->codec = &codec_raw;
		snprintf(m->superblock.codec, sizeof(m->superblock.codec), "raw");
		snprintf(m->superblock.source, sizeof(m->superblock.source), "kinds");
	}
	plan_classes(p);
	for (unsigned i = 0; i < count; i++)
		maker_begin(&p->members[i]);
}

/* False: the capture was killed. */
static bool add_marks(struct plan *p, unsigned layer)
{
	char killed[16];

	for (unsigned i = 0; i < count; i++)
		maker_add_checkpoint(&p->members[i], layer);
	snprintf(killed, sizeof(killed), "killed-%u", layer);
	return !is(killed);
}

static void capture(struct plan *p)
{
	for (unsigned layer = 1; layer <= 4; layer++) {
		run_pass(p, layer);
		if (is("undecided"))
			return;
		if (layer == 1)
			decide(p);
		if (!add_marks(p, layer))
			return;
	}
	for (unsigned i = 0; i < count; i++)
		maker_add_footer(&p->members[i]);
}

START_TEST(make)
{
	struct plan *p = calloc(1, sizeof(*p));

	ck_assert_ptr_nonnull(p);
	made_kernel_init(&p->mm);
	p->size = p->mm.m.size;
	begin(p);
	capture(p);
	for (unsigned i = 0; i < count; i++) {
		maker_write(&p->members[i], names[i]);
		maker_free(&p->members[i]);
	}
	made_map_free(&p->mm);
	free(p);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *suite = suite_create("make_layered_core");
	TCase *tcase = tcase_create("make_layered_core");

	if (argc < 4 || argc > 3 + MEMBERS_MOST)
		return 2;
	level = (unsigned)atoi(argv[1]);
	how = argv[2];
	names = argv + 3;
	count = (unsigned)argc - 3;
	tcase_add_test(tcase, make);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
