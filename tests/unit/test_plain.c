// SPDX-License-Identifier: GPL-2.0-or-later
/* Plain files in place of a set: holes, sizes that are no multiples of anything, missing ends. */
#include "config.h"

#include <elf.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/range.h"
#include "helper.h"
#include "set/plain.h"
#include "set/read/range.h"
#include "set/read/walk.h"

enum { CHUNK = 1 << 20, SIZE = 5 * CHUNK + 4096 * 3 + 777, THREADS = 3 };

/* What a walk delivered. */
struct taken {
	uint8_t bytes[SIZE];
	atomic_ullong total, chunks;
	uint64_t unwanted;		/* this chunk, or UINT64_MAX */
	struct range unreadable;	/* the latest */
};

static enum status take(void *arg, const struct delivery *piece, struct error *e)
{
	struct taken *t = arg;

	(void)e;
	if (piece->data)
		memcpy(t->bytes + piece->offset, piece->data, piece->length);
	t->total += piece->length;
	return STATUS_OK;
}

static enum status take_record(void *arg, unsigned worker, const struct record_reader *r,
			       const struct extent *part, const uint8_t *blocks,
			       struct error *e)
{
	struct taken *t = arg;

	(void)worker;
	(void)blocks;
	(void)e;
	/* Holes come without a record. */
	ck_assert(part->kind == (r ? EXTENT_STORED : EXTENT_ZERO));
	ck_assert_uint_ne(part->offset / CHUNK, t->unwanted);
	t->chunks |= 1u << part->offset / CHUNK;
	return STATUS_OK;
}

static bool needs_no_blocks(void *arg, const struct record_reader *r)
{
	(void)arg;
	(void)r;
	return false;
}

static bool wants(void *arg, uint64_t offset, uint64_t length)
{
	const struct taken *t = arg;

	(void)length;
	return offset / CHUNK != t->unwanted;
}

static void note_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	struct taken *t = arg;

	t->unreadable = (struct range){ offset, length };
}

static void no_damage(void *arg, const struct error *e)
{
	(void)arg;
	ck_abort_msg("damage: %s", e->text);
}

static void walk_over(struct set *set, enum walk_mode mode, bool ordered, struct taken *t)
{
	const struct walk_settings settings = {
		.mode = mode,
		.threads = THREADS,
		.ordered = ordered,
		.to = UINT64_MAX,
		.deliver = take,
		.deliver_record = take_record,
		.needs_blocks = needs_no_blocks,
		.wants_record = wants,
		.deliver_arg = t,
		.unreadable = note_unreadable,
		.damaged = no_damage,
		.arg = t,
		.watch = { .fd = -1, .interval = 1 },
	};
	uint64_t offset = 0, length;
	struct walk *walk;
	struct error e;

	ck_assert_int_eq(walk_new(&walk, set, &settings, &e), STATUS_OK);
	ck_assert_msg(walk_run(walk, &e) == STATUS_OK, "%s", e.text);
	ck_assert(!walk_hole(walk, &offset, &length));
	walk_free(walk);
}

static void open_plain(struct set *set)
{
	struct error e;

	ck_assert(plain_recognise("core"));
	ck_assert_msg(plain_open(set, "core", &e) == STATUS_OK, "%s", e.text);
	ck_assert(set_is_plain(set));
}

/*
 * Holes that begin and end within blocks and chunks, and cover the last chunk; in a file system
 * without holes, these bytes are zeros.
 */
static const struct range holes[] = {
	{ 5000, 20000 }, { CHUNK - 8192, 16384 }, { 3 * CHUNK - 100, CHUNK + 200 },
	{ 5 * CHUNK - 5000, SIZE - (5 * CHUNK - 5000) },
};

/* Returns the bytes of the file, which the caller frees. */
static uint8_t *make_sparse(void)
{
	uint8_t *bytes = helper_noise(SIZE);
	uint64_t at = 0;
	int fd = open("core", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	memcpy(bytes, ELFMAG, SELFMAG);
	for (size_t i = 0; i < LENGTH(holes); i++) {
		memset(bytes + holes[i].offset, 0, holes[i].length);
		ck_assert_int_eq(pwrite(fd, bytes + at, holes[i].offset - at, (off_t)at),
				 (ssize_t)(holes[i].offset - at));
		at = holes[i].offset + holes[i].length;
	}
	ck_assert_int_eq(ftruncate(fd, SIZE), 0);
	close(fd);
	return bytes;
}

START_TEST(test_walk)
{
	uint8_t *bytes = make_sparse();
	struct taken *t = calloc(1, sizeof(*t));
	struct set set;

	t->unwanted = UINT64_MAX;
	open_plain(&set);
	ck_assert_uint_eq(set.source_size, SIZE);
	walk_over(&set, WALK_BYTES, _i, t);
	ck_assert_uint_eq(t->total, SIZE);
	ck_assert_mem_eq(t->bytes, bytes, SIZE);
	ck_assert_uint_eq(t->unreadable.length, 0);
	set_close(&set);
	free(bytes);
	free(t);
}
END_TEST

/* A record that is not wanted is not read, and no hole either. */
START_TEST(test_unwanted)
{
	uint8_t *bytes = make_sparse();
	struct taken *t = calloc(1, sizeof(*t));
	struct set set;

	t->unwanted = 2;
	open_plain(&set);
	walk_over(&set, WALK_RECORDS, false, t);
	ck_assert_uint_eq(t->chunks, 0x3b);
	set_close(&set);
	free(bytes);
	free(t);
}
END_TEST

START_TEST(test_range)
{
	static const struct range ranges[] = {
		{ 0, SIZE }, { 0, 1 }, { 4999, 20002 }, { 4 * CHUNK - 1, 2 }, { SIZE - 1, 1 },
		{ 77, 3 * CHUNK },
	};
	uint8_t *bytes = make_sparse(), *read = malloc(SIZE);
	struct range_reader reader;
	struct error e;
	struct set set;

	open_plain(&set);
	ck_assert_int_eq(range_reader_init(&reader, &set, &e), STATUS_OK);
	for (size_t i = 0; i < LENGTH(ranges); i++) {
		const struct range *r = &ranges[i];

		memset(read, 0xff, SIZE);
		ck_assert_int_eq(range_read(&reader, r->offset, r->length, read, &e), STATUS_OK);
		ck_assert_mem_eq(read, bytes + r->offset, r->length);
	}
	range_reader_free(&reader);
	set_close(&set);
	free(bytes);
	free(read);
}
END_TEST

/* The file is cut short after it was opened, within a block: that one is lost, too. */
START_TEST(test_cut)
{
	enum { END = 2 * CHUNK + 5000, LOST = 2 * CHUNK + 4096 };
	uint8_t *bytes = helper_noise(SIZE), byte;
	struct taken *t = calloc(1, sizeof(*t));
	struct range_reader reader;
	struct error e;
	struct set set;

	t->unwanted = UINT64_MAX;
	memcpy(bytes, ELFMAG, SELFMAG);
	helper_write_file("core", bytes, SIZE);
	open_plain(&set);
	ck_assert_int_eq(truncate("core", END), 0);
	walk_over(&set, WALK_BYTES, true, t);
	memset(bytes + LOST, 0, SIZE - LOST);
	ck_assert_mem_eq(t->bytes, bytes, SIZE);
	ck_assert_uint_eq(t->unreadable.offset + t->unreadable.length, SIZE);

	ck_assert_int_eq(range_reader_init(&reader, &set, &e), STATUS_OK);
	ck_assert_int_eq(range_read(&reader, END - 1, 1, &byte, &e), STATUS_OK);
	ck_assert_int_eq(range_read(&reader, END, 1, &byte, &e), STATUS_MISSING);
	ck_assert_str_eq(e.text, "core: cut short: it ends before byte 2102153");
	range_reader_free(&reader);
	set_close(&set);
	free(bytes);
	free(t);
}
END_TEST

START_TEST(test_recognise)
{
	helper_write_file("three", ELFMAG, 3);
	helper_write_file("four", ELFMAG, 4);
	helper_write_file("other", "KDUMP   ", 8);
	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	ck_assert(!plain_recognise("three"));
	ck_assert(plain_recognise("four"));
	ck_assert(!plain_recognise("other"));
	ck_assert(!plain_recognise("pipe"));
	ck_assert(!plain_recognise("nowhere"));
	ck_assert(!plain_recognise("."));
	ck_assert(!plain_recognise("-"));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("plain");
	TCase *tcase = tcase_create("plain");

	helper_use_directory(tcase);
	tcase_add_loop_test(tcase, test_walk, 0, 2);
	tcase_add_test(tcase, test_unwanted);
	tcase_add_test(tcase, test_range);
	tcase_add_test(tcase, test_cut);
	tcase_add_test(tcase, test_recognise);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
