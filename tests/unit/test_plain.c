// SPDX-License-Identifier: GPL-2.0-or-later
/* Plain files in place of a set; tests/cli/njoin-plain.sh reads them with njoin. */
#include "config.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "helper.h"
#include "set/plain.h"
#include "set/read/range.h"
#include "set/read/walk.h"

enum { CHUNK = 1 << 20, SIZE = 5 * CHUNK + 4096 * 3 + 777, THREADS = 3 };

/* What a walk delivered. */
struct taken {
	uint8_t bytes[SIZE];
	struct range unreadable;	/* the latest */
};

static enum status take(void *arg, const struct delivery *piece, struct error *e)
{
	struct taken *t = arg;

	(void)e;
	if (piece->data)
		memcpy(t->bytes + piece->offset, piece->data, piece->length);
	return STATUS_OK;
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

static void walk_over(struct set *set, struct taken *t)
{
	const struct walk_settings settings = {
		.mode = WALK_BYTES,
		.threads = THREADS,
		.ordered = true,
		.to = UINT64_MAX,
		.deliver = take,
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

	ck_assert_msg(plain_open(set, "core", &e) == STATUS_OK, "%s", e.text);
	ck_assert(set_is_plain(set));
}

/* The file is cut short after it was opened, within a block: that one is lost, too. */
START_TEST(test_cut)
{
	enum { END = 2 * CHUNK + 5000, LOST = 2 * CHUNK + 4096 };
	uint8_t *bytes = helper_noise(SIZE), byte;
	struct taken *t = calloc(1, sizeof(*t));
	struct range_reader reader;
	struct error e;
	struct set set;

	memcpy(bytes, ELFMAG, SELFMAG);
	helper_write_file("core", bytes, SIZE);
	open_plain(&set);
	ck_assert_int_eq(truncate("core", END), 0);
	walk_over(&set, t);
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

int main(void)
{
	Suite *suite = suite_create("plain");
	TCase *tcase = tcase_create("plain");

	helper_use_directory(tcase);
	tcase_add_test(tcase, test_cut);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
