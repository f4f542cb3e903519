// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that are full: rewinding, holding space, truncating. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "helper.h"
#include "io/sink.h"

enum { LEN = 5 * ALIGNMENT, HELD = 2 * ALIGNMENT, LONGEST_TAIL = 100 * ALIGNMENT };

/* Bytes that the file system stores for the file. */
static uint64_t taken(int fd)
{
	struct stat st;

	ck_assert_int_eq(fstat(fd, &st), 0);
	return (uint64_t)st.st_blocks * 512;
}

/* Writes what an append that fails half-way leaves in the file. */
static void leave_tail(const struct sink *s, size_t len)
{
	uint8_t *bytes = helper_noise(len);

	ck_assert_uint_eq(pwrite(s->fd, bytes, len, (off_t)s->length), len);
	/* Otherwise blocks may be allocated later. */
	ck_assert_int_eq(fsync(s->fd), 0);
	free(bytes);
}

static const size_t tails[] = { ALIGNMENT, 3 * ALIGNMENT, 4 * ALIGNMENT, LONGEST_TAIL };

/* A failed append does not change the length, and what it wrote is not part of the file. */
START_TEST(test_tail)
{
	uint8_t *bytes = helper_noise(LEN);
	struct sink s;
	struct error e;

	helper_open_sink(&s, "new", false);
	helper_append(&s, bytes, HELD);
	leave_tail(&s, tails[_i]);
	helper_append(&s, bytes + HELD, ALIGNMENT);
	helper_append(&s, bytes + HELD + ALIGNMENT, LEN - HELD - ALIGNMENT);
	ck_assert_int_eq(sink_sync(&s, &e), STATUS_OK);
	helper_close_sink(&s);
	helper_assert_file("new", bytes, LEN);
	free(bytes);
}
END_TEST

/* Bytes after the new length keep their blocks until the file is truncated. */
START_TEST(test_rewind)
{
	uint8_t *bytes = helper_noise(LEN), *zeros = helper_pages(ALIGNMENT);
	uint64_t before;
	struct sink s;
	struct error e;

	helper_open_sink(&s, "new", false);
	ck_assert(sink_rewinds(&s));
	helper_append(&s, bytes, HELD);
	leave_tail(&s, LONGEST_TAIL);
	s.length += LONGEST_TAIL;
	before = taken(s.fd);
	sink_rewind(&s, HELD);
	ck_assert_uint_eq(s.length, HELD);
	ck_assert_uint_eq(taken(s.fd), before);
	helper_append(&s, bytes + HELD, ALIGNMENT);
	ck_assert_int_eq(sink_reserve(&s, zeros, ALIGNMENT, &e), STATUS_OK);
	ck_assert_uint_eq(s.length, HELD + ALIGNMENT);
	ck_assert_uint_eq(s.reserved, ALIGNMENT);
	ck_assert_int_eq(sink_truncate(&s, &e), STATUS_OK);
	ck_assert_int_eq(helper_file_size("new"), HELD + 2 * ALIGNMENT);
	ck_assert_uint_lt(taken(s.fd), before);
	/* The held bytes are overwritten by the next append. */
	helper_append(&s, bytes + HELD + ALIGNMENT, ALIGNMENT);
	ck_assert_uint_eq(s.reserved, 0);
	ck_assert_int_eq(sink_sync(&s, &e), STATUS_OK);
	helper_close_sink(&s);
	helper_assert_file("new", bytes, HELD + 2 * ALIGNMENT);
	free(bytes);
	free(zeros);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("sink_full");
	TCase *files = tcase_create("full files");

	helper_use_directory(files);
	tcase_set_timeout(files, 30);
	tcase_add_loop_test(files, test_tail, 0, LENGTH(tails));
	tcase_add_test(files, test_rewind);
	suite_add_tcase(suite, files);
	return helper_run(suite);
}
