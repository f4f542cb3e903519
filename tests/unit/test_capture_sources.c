// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Captures of sources with unreadable pages, of mapped files that are truncated meanwhile, and of
 * sources that fail once.
 */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "helper.h"
#include "io/source.h"
#include "trial.h"

enum { PAGE = 4096, SIZE = 20 * TRIAL_CHUNK + 5000 };

static const unsigned threads[] = { 0, 1, 2, 5 };	/* 0: serial mode */

static void init(struct trial *t, struct source *source, unsigned count, unsigned outputs)
{
	trial_init(t, source, outputs);
	trial_set_threads(t, count);
}

/* --- files that are cut short -------------------------------------------- */

static const enum mmap_mode modes[] = { MMAP_NEVER, MMAP_ALWAYS };

static void check_unreadable(struct trial *t, const uint8_t *want, uint64_t size,
			     uint64_t granules, unsigned ranges)
{
	struct member_facts facts[TRIAL_OUTPUTS];
	struct capture_progress progress;
	uint64_t offset = 0, length;
	struct copy copy;

	ck_assert_int_eq(t->status, STATUS_MISSING);
	ck_assert_str_eq(t->error.text, "part of the source could not be read");
	trial_read(t, want, size, &copy, facts);
	copy_assert_perfect(&copy);
	ck_assert(!capture_missing(t->capture, &offset, &length));
	progress = capture_get_progress(t->capture);
	ck_assert_uint_eq(divide_up(progress.figures.unreadable, GRANULE), granules);
	ck_assert_uint_eq(t->ranges, ranges);
	trial_free_facts(t, facts);
	copy_free(&copy);
}

/*
 * The file core, which holds these SIZE bytes, is cut after it was opened: what is left is
 * captured, the rest is unreadable and read as zeros, in bytes as well.
 */
static void check_truncated(uint8_t *bytes, size_t cut, enum mmap_mode mode, unsigned count)
{
	struct source *source;
	struct error e;
	struct trial t;

	ck_assert_int_eq(source_open(&source, "core", mode, &e), STATUS_OK);
	ck_assert_int_eq(truncate("core", (off_t)cut), 0);
	memset(bytes + cut, 0, SIZE - cut);
	init(&t, source, count, 2);
	t.why_unreadable = "core: ends early";
	trial_run(&t);
	check_unreadable(&t, bytes, SIZE, divide_up(SIZE - cut, PAGE),
			 (unsigned)(divide_up(SIZE, TRIAL_CHUNK) - cut / TRIAL_CHUNK));
	ck_assert_uint_eq(t.unreadable, SIZE - cut);
	trial_free(&t);
	source_close(source);
}

START_TEST(test_truncated)
{
	static const size_t lengths[] = { 0, PAGE, 5 * TRIAL_CHUNK, 5 * TRIAL_CHUNK + 2 * PAGE };
	size_t cut = lengths[_i / 2];
	uint8_t *bytes = trial_bytes_new(TRIAL_MIXED, SIZE);

	for (size_t n = 0; n < LENGTH(threads); n++) {
		helper_write_file("core", bytes, SIZE);
		check_truncated(bytes, cut, modes[_i % 2], threads[n]);
	}
	free(bytes);
}
END_TEST

/* --- pages that cannot be read ------------------------------------------- */

enum { BASE = 0x100000, AREA = 6 * TRIAL_CHUNK };

/*
 * The memory of this process as a source: nothing is mapped below BASE, and a page above it is
 * missing; the kernel returns EIO, as /proc/vmcore does for bad pages.
 */
static bool open_memory(struct source *source, uint8_t *want)
{
	static char name[] = "memory";
	uint8_t *area = mmap((void *)(uintptr_t)BASE, AREA, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (area != (uint8_t *)(uintptr_t)BASE)
		return false;
	memcpy(area, want + BASE, AREA);
	ck_assert_int_eq(munmap(area + TRIAL_CHUNK + PAGE, PAGE), 0);
	memset(want + BASE + TRIAL_CHUNK + PAGE, 0, PAGE);
	*source = (struct source){
		.ops = &source_file_ops,
		.name = name,
		.fd = open("/proc/self/mem", O_RDONLY),
		.direct_fd = -1,
		.size = BASE + AREA,
		.interrupt_fd = -1,
	};
	return source->fd >= 0;
}

START_TEST(test_bad_pages)
{
	uint8_t *want = helper_pages(BASE + AREA);
	struct source source;
	struct trial t;

	memset(want + BASE, 0x5a, AREA);
	if (!open_memory(&source, want)) {
		/* The addresses are in use on this machine; test_truncated covers most of this. */
		free(want);
		return;
	}
	init(&t, &source, threads[_i], 3);
	t.settings.block_size = 2 * PAGE;
	t.why_unreadable = "memory: Input/output error";
	trial_run(&t);
	check_unreadable(&t, want, BASE + AREA, BASE / PAGE + 1, BASE / TRIAL_CHUNK + 1);
	ck_assert_uint_eq(t.unreadable, BASE + PAGE);
	trial_free(&t);
	close(source.fd);
	munmap((void *)(uintptr_t)BASE, AREA);
	free(want);
}
END_TEST

/* --- faults that go away ------------------------------------------------- */

/* Shows a mapping of an empty file in the place of one chunk; the file itself is whole. */
struct faulty {
	struct source_ops ops;
	const uint8_t *bytes, *poison;
};

static enum status faulty_get(struct source_reader *r, uint64_t offset, size_t want,
			      const uint8_t **data, size_t *got, struct error *e)
{
	const struct faulty *f = r->source->state;
	uint64_t chunk = offset / TRIAL_CHUNK;

	if (chunk % 5 == 4)
		return error_set(e, STATUS_SYSTEM, "not now");
	*got = min_u64(want, 2 * PAGE);
	*data = chunk % 5 == 2 && offset % TRIAL_CHUNK ? f->poison : f->bytes + offset;
	return STATUS_OK;
}

/* After a fault during packing, or if a window cannot be mapped, the pages are read. */
START_TEST(test_passing_faults)
{
	uint8_t *bytes = trial_bytes_new(TRIAL_MIXED, SIZE);
	struct faulty faulty = { .ops = source_file_ops, .bytes = bytes };
	struct source *source;
	struct error e;
	int empty;

	helper_write_file("core", bytes, SIZE);
	helper_write_file("empty", "", 0);
	empty = open("empty", O_RDONLY);
	faulty.poison = mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, empty, 0);
	ck_assert_ptr_ne(faulty.poison, MAP_FAILED);
	ck_assert_int_eq(source_open(&source, "core", MMAP_NEVER, &e), STATUS_OK);
	ck_assert_int_eq(sigbus_install(&e), STATUS_OK);
	faulty.ops.get = faulty_get;
	faulty.ops.close = NULL;	/* the file has no holes, so no state of its own */
	source->ops = &faulty.ops;
	source->may_fault = true;
	source->state = &faulty;
	for (size_t n = 0; n < LENGTH(threads); n++) {
		const struct codec *codec = codec_entries()[_i].codec;
		struct trial t;

		if (!codec)
			continue;
		init(&t, source, threads[n], 2);
		t.settings.presets = presets_of(codec, codec->level_default);
		trial_run(&t);
		trial_assert_perfect(&t, bytes, SIZE);
		trial_free(&t);
	}
	source_close(source);
	close(empty);
	free(bytes);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("capture_sources");
	TCase *holes = tcase_create("holes");

	helper_use_directory(holes);
	tcase_set_timeout(holes, 60);
	tcase_add_loop_test(holes, test_truncated, 0, 8);
	tcase_add_loop_test(holes, test_bad_pages, 0, LENGTH(threads));
	tcase_add_loop_test(holes, test_passing_faults, 0, 7);
	suite_add_tcase(suite, holes);
	return helper_run(suite);
}
