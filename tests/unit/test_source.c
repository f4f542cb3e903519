// SPDX-License-Identifier: GPL-2.0-or-later
/* Positioned sources, read and mapped; surviving SIGBUS. */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "corpus.h"
#include "helper.h"
#include "io/source.h"

enum { PAGE = 4096, CHUNK = 1 << 20, SIZE = 2 * CHUNK + 12345 };

static uint8_t *make_file(void)
{
	uint8_t *bytes = helper_pages(SIZE);

	corpus_fill(CORPUS_RANDOM, 1, bytes, SIZE);
	helper_write_file("core", bytes, SIZE);
	return bytes;
}

static struct source *open_source(const char *name, enum mmap_mode mmap)
{
	struct source *s;
	struct error e;

	ck_assert_msg(source_open(&s, name, mmap, &e) == STATUS_OK, "%s", e.text);
	return s;
}

static void init_reader(struct source_reader *r, struct source *s, uint32_t block,
			uint32_t chunk)
{
	struct error e;

	ck_assert_int_eq(source_reader_init(r, s, block, chunk, READ_TO_BUFFER, &e), STATUS_OK);
}

/* --- opening ------------------------------------------------------------- */

START_TEST(test_open_refused)
{
	struct source *s;
	struct error e;

	ck_assert_int_eq(source_open(&s, "nowhere", MMAP_AUTO, &e), STATUS_SYSTEM);
	ck_assert_str_eq(e.text, "nowhere: No such file or directory");
	ck_assert_int_eq(source_open(&s, ".", MMAP_AUTO, &e), STATUS_SYSTEM);
	ck_assert_str_eq(e.text, ".: Is a directory");
}
END_TEST

/* --- holes --------------------------------------------------------------- */

enum { HOLE = 64 * PAGE };

/* Two holes, each followed by a page of data, and a third hole at the end. */
static struct source *open_sparse(enum mmap_mode mmap)
{
	uint8_t page[PAGE];
	int fd = open("sparse", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	memset(page, 1, PAGE);
	ck_assert_int_eq(pwrite(fd, page, PAGE, HOLE - PAGE), PAGE);
	ck_assert_int_eq(pwrite(fd, page, PAGE, 2 * HOLE - PAGE), PAGE);
	ck_assert_int_eq(ftruncate(fd, 3 * HOLE + 100), 0);
	close(fd);
	return open_source("sparse", mmap);
}

static void assert_next(const struct source *s, uint64_t offset, uint64_t end, uint64_t from,
			uint64_t to)
{
	uint64_t got_from = 1, got_to = 1;

	source_next_data(s, offset, end, &got_from, &got_to);
	ck_assert_uint_eq(got_from, from);
	ck_assert_uint_eq(got_to, to);
	source_next_data(s, offset, end, &got_from, NULL);
	ck_assert_uint_eq(got_from, from);
}

START_TEST(test_holes)
{
	struct source *s = open_sparse(MMAP_NEVER);
	uint64_t size = s->size;

	if (!s->sparse) {		/* a file system without holes */
		source_close(s);
		return;
	}
	ck_assert_uint_lt(s->stored, size);
	assert_next(s, 0, size, HOLE - PAGE, HOLE);
	assert_next(s, 0, HOLE - PAGE, HOLE - PAGE, HOLE - PAGE);
	assert_next(s, 0, 5, 5, 5);
	assert_next(s, HOLE - PAGE, size, HOLE - PAGE, HOLE);
	assert_next(s, HOLE - 10, HOLE - 5, HOLE - 10, HOLE - 5);
	assert_next(s, HOLE, size, 2 * HOLE - PAGE, 2 * HOLE);
	assert_next(s, 2 * HOLE, size, size, size);
	/* A truncated part is not reported as a hole, so reading it fails. */
	ck_assert_int_eq(truncate("sparse", HOLE + 10), 0);
	assert_next(s, 0, size, HOLE - PAGE, HOLE);
	assert_next(s, HOLE, size, HOLE, size);
	assert_next(s, HOLE, HOLE + 10, HOLE + 10, HOLE + 10);
	assert_next(s, HOLE, HOLE + 11, HOLE, HOLE + 11);
	source_close(s);
}
END_TEST

/* Of a large file, the parts of which something is known are long, and end within a hole or data. */
START_TEST(test_large_holes)
{
	enum { STEP = 37 * 1024 * 1024 / 2 + PAGE, DATA = 64 * 1024 * 1024 };
	uint64_t size = (uint64_t)65 << 30, at = size / 3 / PAGE * PAGE, from, to;
	int fd = open("large", O_WRONLY | O_CREAT | O_TRUNC, 0600);
	struct source *s;

	for (uint64_t offset = at; offset < at + DATA; offset += PAGE)
		ck_assert_int_eq(pwrite(fd, "data", 4, (off_t)offset), 4);
	ck_assert_int_eq(ftruncate(fd, (off_t)size), 0);
	close(fd);
	s = open_source("large", MMAP_NEVER);
	for (int round = 0; round < 2; round++)
		for (uint64_t offset = round * PAGE; s->sparse && offset < size; offset += STEP) {
			source_next_data(s, offset, size, &from, &to);
			ck_assert_uint_eq(from, offset < at ? at : offset < at + DATA ? offset : size);
			ck_assert(from == size ? to == size : to > from && to <= at + DATA);
		}
	source_close(s);
	unlink("large");
}
END_TEST

/* --- faults -------------------------------------------------------------- */

struct touch {
	const volatile uint8_t *at;
	size_t len;
	uint64_t sum;
	int rounds;
};

static void touch(void *arg)
{
	struct touch *t = arg;

	t->rounds++;
	for (size_t i = 0; i < t->len; i += 64)
		t->sum += t->at[i];
	t->rounds++;
}

/* A file is truncated while mapped; what is left can still be read carefully. */
START_TEST(test_truncated)
{
	uint8_t *bytes = make_file();
	struct source *s = open_source("core", MMAP_ALWAYS);
	struct source_reader r;
	struct touch t = { .len = CHUNK };
	const uint8_t *data;
	struct error e;
	size_t got;

	init_reader(&r, s, PAGE, CHUNK);
	ck_assert_int_eq(source_get(&r, 0, CHUNK, &data, &got, &e), STATUS_OK);
	ck_assert_uint_eq(got, CHUNK);
	t.at = data;
	ck_assert(sigbus_survive(touch, &t));
	ck_assert_int_eq(t.rounds, 2);
	ck_assert_int_eq(truncate("core", 3 * PAGE), 0);
	for (int i = 0; i < 3; i++) {		/* repeatedly: the handler stays installed */
		t.rounds = 0;
		ck_assert(!sigbus_survive(touch, &t));
		ck_assert_int_eq(t.rounds, 1);
	}
	t.len = 3 * PAGE;
	ck_assert(sigbus_survive(touch, &t));
	ck_assert_int_eq(source_get_carefully(&r, 2 * PAGE, PAGE, &data, &got, &e), STATUS_OK);
	ck_assert_uint_eq(got, PAGE);
	ck_assert_mem_eq(data, bytes + 2 * PAGE, PAGE);
	ck_assert_int_eq(source_get_carefully(&r, 3 * PAGE, PAGE, &data, &got, &e), STATUS_END);
	source_reader_free(&r);
	source_close(s);
	free(bytes);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("source");
	TCase *positioned = tcase_create("positioned"), *faults = tcase_create("faults");

	helper_use_directory(positioned);
	tcase_set_timeout(positioned, 180);
	tcase_add_test(positioned, test_open_refused);
	tcase_add_test(positioned, test_holes);
	tcase_add_test(positioned, test_large_holes);
	suite_add_tcase(suite, positioned);
	helper_use_directory(faults);
	tcase_add_test(faults, test_truncated);
	suite_add_tcase(suite, faults);
	return helper_run(suite);
}
