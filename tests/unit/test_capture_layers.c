// SPDX-License-Identifier: GPL-2.0-or-later
/* Captures with layers: what is in the members is judged by doc/format.md, section 10, alone. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "helper.h"
#include "io/source.h"
#include "layer_trial.h"

enum { MEGABYTE = 1 << 20 };

static const uint64_t sizes[] = {
	1, 4096, 4097, TRIAL_CHUNK, TRIAL_CHUNK + 1, 16 * TRIAL_CHUNK, 40 * TRIAL_CHUNK + 4097,
};

static const unsigned threads[] = { 0, 1, 2, 5 };	/* 0: serial mode */
static const unsigned outputs[] = { 1, 2, 3 };
static const unsigned longest[] = { 1, 4, 100 };

static void run(struct layer_trial *l)
{
	trial_run(&l->t);
	layer_trial_assert_perfect(l);
	ck_assert_uint_eq(l->t.failed, 0);
	layer_trial_free(l);
}

START_TEST(test_shapes)
{
	for (size_t n = 0; n < LENGTH(threads); n++)
		for (size_t k = 0; k < LENGTH(outputs); k++)
			for (size_t s = 0; s < LENGTH(longest); s++) {
				struct layer_trial l;

				layer_trial_init(&l, sizes[_i], outputs[k], longest[s], (unsigned)(_i + 7 * n + k));
				trial_set_threads(&l.t, threads[n]);
				l.disbelieved = (n + k + s) % 2;
				run(&l);
			}
}
END_TEST

/* Larger blocks than granules, and other sizes of chunks and cells. */
START_TEST(test_block_sizes)
{
	static const struct { uint32_t block, chunk; } shapes[] = {
		{ 4096, 4096 }, { 4096, 20480 }, { 8192, 8192 }, { 16384, 49152 }, { 65536, 65536 },
		{ 1 << 20, 1 << 20 },
	};

	for (size_t n = 0; n < 3; n++)
		for (int raw = 0; raw < 2; raw++) {
			struct layer_trial l;

			layer_trial_init(&l, shapes[_i].chunk * 5 + 100, 2, 10, (unsigned)_i);
			trial_set_threads(&l.t, threads[n]);
			l.t.settings.block_size = shapes[_i].block;
			l.t.settings.chunk_size = shapes[_i].chunk;
			if (raw) {
				l.t.settings.presets = presets_of(&codec_raw, 0);
				l.t.settings.codec_text = "raw";
			}
			l.disbelieved = raw;
			run(&l);
		}
}
END_TEST

/* What an output has of the first layer, in bytes. */
static uint64_t named_second(struct layer_trial *l)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < l->t.outputs; i++) {
		struct sink_stats stats = capture_get_sink(l->t.capture, i);

		sum += stats.state == SINK_DEAD ? 0 : stats.figures.named[CLASS_SECOND];
	}
	return sum;
}

/* Memory that is in the source twice is stored once; of a class that is left out, not at all. */
START_TEST(test_second_places)
{
	for (size_t n = 0; n < LENGTH(threads); n++) {
		struct layer_trial l;

		layer_trial_init(&l, sizes[LENGTH(sizes) - 1], 2, 3, 5);
		layer_trial_make_second(&l, 3, 1, 99);
		layer_trial_make_second(&l, 100, 40, 21);
		layer_trial_make_second(&l, 140, 7, 30);
		trial_set_threads(&l.t, threads[n]);
		trial_run(&l.t);
		layer_trial_assert_perfect(&l);
		ck_assert_uint_eq(named_second(&l), (uint64_t)48 * GRANULE);
		layer_trial_free(&l);
	}
}
END_TEST

/* With one layer nothing is left out, so nobody is asked; an output that fails is replaced as ever. */
START_TEST(test_one_layer)
{
	for (unsigned append = 0; append < 20; append += 4) {
		struct layer_trial l;

		layer_trial_init(&l, sizes[LENGTH(sizes) - 1], 2, 3, append);
		trial_set_threads(&l.t, threads[_i]);
		memset(l.classes, CLASS_KERNEL, divide_up(l.size, GRANULE));
		layer_trial_make_second(&l, 100, 40, 21);
		l.policy.layers = 1;
		l.policy.plan = class_table_plain();
		l.policy.plan.of[CLASS_SECOND] = class_entry(CLASS_TWICE, 0);
		l.t.memory[1].fail_append = append;
		l.t.memory[1].errnum = EIO;
		trial_run(&l.t);
		layer_trial_assert_perfect(&l);
		ck_assert_uint_eq(l.judged, 0);
		ck_assert_uint_eq(named_second(&l), (uint64_t)40 * GRANULE);
		layer_trial_free(&l);
	}
}
END_TEST

static uint64_t records_of(const struct trial_sink *t)
{
	struct footer f;

	ck_assert(!footer_decode(&f, t->bytes + t->length - FOOTER_LENGTH));
	return f.records;
}

/* Pages of zeros are holes of a sparse source: most of the source, and some other pages. */
static void make_holes(struct layer_trial *l)
{
	uint64_t granules = l->size / GRANULE;

	for (uint64_t i = 0; i < granules; i++)
		if (i % 5 == 2 || i % 64 >= 20 || (i > granules / 2 && i < 3 * granules / 4))
			memset(l->bytes + i * GRANULE, 0, GRANULE);
	l->source.source.sparse = true;
}

static void never_in_hole(void *arg, uint64_t offset)
{
	const struct layer_trial *l = arg;

	ck_assert_msg(!bytes_are_zero(l->bytes + offset, min_u64(GRANULE, l->size - offset)),
		      "byte %llu of a hole is read", (unsigned long long)offset);
}

/*
 * Holes of the source are neither read nor stored; what is there is zeros, unless it is left out.  Some are of a
 * class that a later layer would store.
 */
START_TEST(test_holes)
{
	for (size_t n = 0; n < LENGTH(threads); n++)
		for (unsigned blocks = 1; blocks <= 4; blocks *= 4) {
			struct layer_trial l;

			layer_trial_init(&l, sizes[LENGTH(sizes) - 1] - 777 * (n % 2), 2, 3, (unsigned)n);
			trial_set_threads(&l.t, threads[n]);
			layer_trial_make_second(&l, 100, 40, 21);
			make_holes(&l);
			/* Both places are holes, or none is. */
			memcpy(l.bytes + 100 * GRANULE, l.bytes + 21 * GRANULE, 40 * GRANULE);
			l.t.settings.block_size = blocks * GRANULE;
			/* What is captured after all is read. */
			l.disbelieved = n % 2;
			l.source.before = l.disbelieved ? NULL : never_in_hole;
			l.source.arg = &l;
			run(&l);
		}
}
END_TEST

/*
 * Records with as many runs as they can have; of the second pattern, also with as many stored granules, that
 * do not become smaller: each record has two units.
 */
START_TEST(test_longest_records)
{
	static const uint8_t patterns[][4] = {
		{ CLASS_KERNEL, CLASS_CLEAN, CLASS_FREE, CLASS_ANONYMOUS },
		{ CLASS_KERNEL, CLASS_FREE, CLASS_KERNEL, CLASS_FREE },
	};
	const uint8_t *pattern = patterns[_i % 2];
	const uint64_t size = 16 * MEGABYTE;
	struct layer_trial l;

	layer_trial_init(&l, size, 2, 1, 3);
	trial_set_threads(&l.t, threads[_i / 2]);
	l.t.settings.chunk_size = MEGABYTE;
	l.t.settings.presets = presets_of(&codec_raw, 0);
	l.t.settings.codec_text = "raw";
	for (uint64_t i = 0; i < size / GRANULE; i++)
		l.classes[i] = pattern[i % LENGTH(patterns[0])];
	for (uint64_t i = 0; i < size; i += 8)
		put_le64(l.bytes + i, i * 0x9e3779b97f4a7c15);
	trial_run(&l.t);
	layer_trial_assert_perfect(&l);
	if (_i % 2)
		ck_assert_uint_eq(records_of(&l.t.memory[0]) + records_of(&l.t.memory[1]), size / MEGABYTE / 2);
	layer_trial_free(&l);
}
END_TEST

/* --- unreadable pages ------------------------------------------------------- */

enum { UNIT_SIZE = 4 * MEGABYTE, BASE = UNIT_SIZE, AREA = 3 * UNIT_SIZE };

/*
 * The memory of this process from BASE on as a source: the kernel returns EIO for what is not mapped.
 * False: the addresses are in use on this machine.
 */
static bool open_memory(struct layer_trial *l, struct source *source)
{
	static char name[] = "memory";
	void *at = (void *)(uintptr_t)BASE;
	uint8_t *area = mmap(at, AREA, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (area != at)
		return false;
	memcpy(area, l->bytes + BASE, AREA);
	for (uint64_t i = BASE / GRANULE; i < l->size / GRANULE; i++)
		if (l->unreadable[i])
			ck_assert_int_eq(munmap(area + i * GRANULE - BASE, GRANULE), 0);
	*source = (struct source){
		.ops = &source_file_ops,
		.name = name,
		.fd = open("/proc/self/mem", O_RDONLY),
		.direct_fd = -1,
		.size = l->size,
		.interrupt_fd = -1,
	};
	ck_assert_int_ge(source->fd, 0);
	return true;
}

/*
 * Every other page of a unit that is almost full, which makes as many runs as a record may have; the next
 * unit is empty in this layer, and the one after that does not fit the record.
 */
START_TEST(test_unreadable)
{
	bool unreadable[(BASE + AREA) / GRANULE] = { 0 };
	struct layer_trial l;
	struct source source;

	layer_trial_init(&l, BASE + AREA, 2, 1, 3);
	trial_set_threads(&l.t, threads[_i]);
	l.t.settings.chunk_size = UNIT_SIZE;
	l.t.source = &source;
	l.unreadable = unreadable;
	for (uint64_t i = 0; i < l.size / GRANULE; i++)
		l.classes[i] = i * GRANULE / UNIT_SIZE % 2 ? CLASS_CLEAN : CLASS_ANONYMOUS;
	l.classes[BASE / GRANULE] = CLASS_ANONYMOUS;
	for (uint64_t i = BASE / GRANULE + 1; i < (BASE + UNIT_SIZE) / GRANULE; i += 2)
		unreadable[i] = true;
	if (open_memory(&l, &source)) {
		trial_run(&l.t);
		ck_assert_int_eq(l.t.status, STATUS_MISSING);
		ck_assert_str_eq(l.t.error.text, "part of the source could not be read");
		layer_trial_assert_members(&l);
		ck_assert_uint_eq(l.t.unreadable, UNIT_SIZE / 2);
		munmap((void *)(uintptr_t)BASE, AREA);
		close(source.fd);
	}
	layer_trial_free(&l);
}
END_TEST

/* --- failures -------------------------------------------------------------- */

/* An output that fails at any time: the others take what it held, of all layers. */
START_TEST(test_lost)
{
	for (size_t n = 0; n < LENGTH(threads); n++)
		for (unsigned append = 1; append < 30; append += 3) {
			struct layer_trial l;

			layer_trial_init(&l, sizes[LENGTH(sizes) - 1], 2 + append % 2, 4, append);
			trial_set_threads(&l.t, threads[n]);
			l.t.memory[1].fail_append = append;
			l.t.memory[1].errnum = EIO;
			l.disbelieved = append % 4 == 1;
			trial_run(&l.t);
			layer_trial_assert_perfect(&l);
			layer_trial_free(&l);
		}
}
END_TEST

/* One that is full keeps what it holds, but for the last records. */
START_TEST(test_full)
{
	for (size_t n = 0; n < LENGTH(threads); n++)
		for (uint64_t space = 16384; space < 600000; space += 36000) {
			struct layer_trial l;

			layer_trial_init(&l, sizes[LENGTH(sizes) - 1], 2, 4, (unsigned)space);
			trial_set_threads(&l.t, threads[n]);
			l.t.memory[0].fail_behind = space;
			l.t.memory[0].errnum = ENOSPC;
			l.t.memory[0].rewinds = true;
			trial_run(&l.t);
			layer_trial_assert_perfect(&l);
			layer_trial_free(&l);
		}
}
END_TEST

/*
 * So many records that the outputs begin several index segments; then one is full at different places
 * of them, and the other takes the rest.
 */
START_TEST(test_segments)
{
	for (uint64_t space = 0; space < 4 << 20; space += space ? 150000 : 1 << 20) {
		struct layer_trial l;
		struct sink_stats stats;
		uint64_t records = 0;

		layer_trial_init(&l, 2500 * 4096, 2, 4, 7);
		trial_set_threads(&l.t, threads[_i]);
		l.t.settings.chunk_size = l.t.settings.block_size = 4096;
		if (space)
			l.t.memory[0].fail_behind = space;
		l.t.memory[0].errnum = ENOSPC;
		l.t.memory[0].rewinds = true;
		trial_run(&l.t);
		layer_trial_assert_perfect(&l);
		for (unsigned i = 0; i < 2; i++) {
			stats = capture_get_sink(l.t.capture, i);
			records += stats.records;
		}
		ck_assert_uint_ge(records, 1000);
		layer_trial_free(&l);
	}
}
END_TEST

/* Pages 5 and other exchange their classes after the first layer; page 7 is of the class of page 6. */
static void init_changed(struct layer_trial *l, unsigned count, uint8_t five, uint8_t six, uint64_t other)
{
	layer_trial_init(l, 4 * TRIAL_CHUNK, 2, 1, 9);
	trial_set_threads(&l->t, count);
	memset(l->classes, CLASS_KERNEL, 4 * TRIAL_CHUNK / GRANULE);
	l->classes[5] = five;
	l->classes[6] = six;
	l->classes[7] = six;
	l->swapped[0] = 5;
	l->swapped[1] = other;
}

static void assert_changed(struct layer_trial *l)
{
	trial_run(&l->t);
	ck_assert_int_eq(l->t.status, STATUS_MISSING);
	ck_assert_ptr_nonnull(strstr(l->t.error.text, "whose use has changed"));
	layer_trial_free(l);
}

/* A page that is of no layer any more is missing.  The other page is in a unit where no later layer looks. */
START_TEST(test_changed)
{
	const uint64_t other = 2 * TRIAL_CHUNK / GRANULE;
	struct layer_trial l;

	init_changed(&l, threads[_i], CLASS_CLEAN, CLASS_KERNEL, other);
	assert_changed(&l);
	/* This class was planned to be left out. */
	init_changed(&l, threads[_i], CLASS_FREE, CLASS_KERNEL, other);
	l.disbelieved = true;
	assert_changed(&l);
}
END_TEST

/* A page that another layer stores than was planned is not missing. */
START_TEST(test_changed_layer)
{
	static const uint8_t others[] = { CLASS_MAP, CLASS_CLEAN };

	for (size_t i = 0; i < LENGTH(others); i++) {
		struct layer_trial l;

		init_changed(&l, threads[_i], others[i], CLASS_FREE, 6);
		l.disbelieved = true;
		run(&l);
	}
}
END_TEST

/*
 * A unit of which a later layer found nothing any more, because its page is of another class by then, and
 * which is captured again because the output with its first layer failed: that ends, and what is missing
 * is said.
 */
START_TEST(test_empty_again)
{
	for (unsigned append = 1; append < 16; append++) {
		struct layer_trial l;

		layer_trial_init(&l, 8 * TRIAL_CHUNK, 2, 1, append);
		trial_set_threads(&l.t, threads[_i]);
		memset(l.classes, CLASS_KERNEL, 8 * TRIAL_CHUNK / GRANULE);
		/* The first one is all that its unit has of this layer; in the last unit, nothing is stored. */
		l.classes[1] = CLASS_CLEAN;
		memset(l.classes + 7 * TRIAL_CHUNK / GRANULE, CLASS_FREE, TRIAL_CHUNK / GRANULE);
		l.swapped[0] = 1;
		l.swapped[1] = 5 * TRIAL_CHUNK / GRANULE;
		l.t.memory[append % 2].fail_append = append;
		l.t.memory[append % 2].errnum = EIO;
		trial_run(&l.t);
		ck_assert_msg(l.t.status == STATUS_OK || l.t.status == STATUS_MISSING, "%s", l.t.error.text);
		if (l.t.status == STATUS_OK)
			layer_trial_assert_told(&l);
		else
			ck_assert_ptr_nonnull(strstr(l.t.error.text, "whose use has changed"));
		layer_trial_free(&l);
	}
}
END_TEST

/* A request to stop while it is decided what is left out: the footers say what was decided. */
START_TEST(test_stopped_while_judging)
{
	for (size_t n = 0; n < LENGTH(threads); n++) {
		struct layer_trial l;

		layer_trial_init(&l, sizes[LENGTH(sizes) - 1], 2, 4, 9);
		trial_set_threads(&l.t, threads[n]);
		l.stops = true;
		trial_run(&l.t);
		ck_assert_int_eq(l.t.status, STATUS_STOPPED);
		layer_trial_assert_told(&l);
		layer_trial_free(&l);
	}
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("capture_layers");

	tcase_add_loop_test(tcase, test_shapes, 0, LENGTH(sizes));
	tcase_add_loop_test(tcase, test_block_sizes, 0, 6);
	tcase_add_test(tcase, test_second_places);
	tcase_add_loop_test(tcase, test_one_layer, 0, LENGTH(threads));
	tcase_add_test(tcase, test_holes);
	tcase_add_loop_test(tcase, test_longest_records, 0, 2 * LENGTH(threads));
	tcase_add_loop_test(tcase, test_unreadable, 0, LENGTH(threads));
	tcase_add_test(tcase, test_lost);
	tcase_add_test(tcase, test_full);
	tcase_add_loop_test(tcase, test_segments, 0, LENGTH(threads));
	tcase_add_loop_test(tcase, test_changed, 0, LENGTH(threads));
	tcase_add_loop_test(tcase, test_changed_layer, 0, LENGTH(threads));
	tcase_add_loop_test(tcase, test_empty_again, 0, LENGTH(threads));
	tcase_add_test(tcase, test_stopped_while_judging);
	return helper_run_case("capture_layers", tcase);
}
