// SPDX-License-Identifier: GPL-2.0-or-later
/* The roots of members, computed again by walks: doc/format.md, section 9. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "helper.h"
#include "walked.h"

/* The offset of the first record of a member, and of the footer from its end. */
enum { FIRST = SUPERBLOCK_LENGTH, LAST = FOOTER_LENGTH };

/* A member of the set of the walked_files; its chunks are stored as they are. */
static void make_member(struct maker *m, const uint8_t *source, uint32_t number, bool rooted)
{
	maker_init(m, number, WALKED_MEMBERS, WALKED_SIZE);
	m->codec = &codec_raw;
	m->rooted = rooted;
	maker_begin(m);
	for (uint64_t offset = number * (uint64_t)MAKER_CHUNK; offset < WALKED_SIZE; offset += WALKED_MEMBERS * MAKER_CHUNK)
		maker_add_record(m, source, offset, (uint32_t)min_u64(MAKER_CHUNK, WALKED_SIZE - offset));
	maker_add_footer(m);
}

/* Another block in the first record, and checksums that agree. */
static void exchange(struct maker *m)
{
	uint8_t *raw = m->bytes + FIRST;
	struct record record;

	ck_assert_int_eq(record_decode(&record, raw, MAKER_CHUNK), STATUS_OK);
	raw[record_end(&record) - 1] ^= 1;
	put_le64(raw + 112, record_body_checksum(&record, raw));
	maker_reseal(raw);
}

/* Bit 2 of the flags says that there is a root. */
static void unroot(struct maker *m)
{
	uint8_t *raw = m->bytes + m->length - LAST;

	put_le32(raw + 496, get_le32(raw + 496) & 3);
	maker_reseal(raw);
}

static void change_root(struct maker *m)
{
	m->bytes[m->length - LAST + 904] ^= 1;
	maker_reseal(m->bytes + m->length - LAST);
}

static void damage(struct maker *m)
{
	m->bytes[FIRST + 130] ^= 1;
}

static const struct change {
	void (*change)(struct maker *m);	/* of member 1; NULL: none */
	enum root_verdict want;
	unsigned damaged;			/* records */
} changes[] = {
	{ NULL, ROOT_SAME, 0 },
	{ exchange, ROOT_DIFFERENT, 0 },
	{ change_root, ROOT_DIFFERENT, 0 },
	{ unroot, ROOT_NONE, 0 },
	{ damage, ROOT_UNKNOWN, 1 },
};

static void make_set(const struct change *change)
{
	uint8_t *source = maker_source(WALKED_SIZE);

	for (uint32_t i = 0; i < WALKED_MEMBERS; i++) {
		struct maker m;

		make_member(&m, source, i, true);
		if (i == 1 && change->change)
			change->change(&m);
		maker_write(&m, walked_files[i]);
		maker_free(&m);
	}
	free(source);
}

/* Checks all records. */
static struct roots *check(struct walked *t)
{
	struct roots *roots = NULL;
	struct error e;

	t->settings.mode = WALK_CHECK;
	t->settings.past_damage = true;
	ck_assert_int_eq(roots_new(&roots, &t->set, &e), STATUS_OK);
	ck_assert_ptr_nonnull(roots);
	t->settings.roots = roots;
	walked_run(t);
	ck_assert_int_eq(t->status, STATUS_OK);
	return roots;
}

static void assert_verdicts(const struct walked *t, const struct roots *roots, const struct change *change)
{
	uint8_t bytes[ROOT_LENGTH];

	for (unsigned i = 0; i < WALKED_MEMBERS; i++) {
		const struct footer *footer = &t->set.members[i].footer;
		enum root_verdict want = i == 1 ? change->want : ROOT_SAME;

		ck_assert_int_eq(roots_verdict(roots, i, bytes), want);
		if (want == ROOT_SAME || want == ROOT_DIFFERENT)
			ck_assert_int_eq(!memcmp(bytes, footer->root, ROOT_LENGTH), want == ROOT_SAME);
	}
	ck_assert_uint_eq(t->damaged, change->damaged);
}

START_TEST(test_files)
{
	const struct change *change = &changes[_i];

	make_set(change);
	for (int way = 0; way < WALKED_WAYS; way++) {
		struct roots *roots;
		struct walked t;

		walked_open_files(&t, way);
		roots = check(&t);
		assert_verdicts(&t, roots, change);
		roots_free(roots);
		walked_close(&t);
	}
}
END_TEST

/* A process writes the member to a pipe with the name of its file. */
static pid_t write_to_pipe(const char *name)
{
	size_t len;
	uint8_t *bytes = helper_read_file(name, &len);
	pid_t writer;

	ck_assert_int_eq(unlink(name), 0);
	ck_assert_int_eq(mkfifo(name, 0600), 0);
	writer = fork();
	if (writer == 0) {
		FILE *pipe = fopen(name, "w");

		_exit(pipe && fwrite(bytes, 1, len, pipe) == len && fclose(pipe) == 0 ? 0 : 1);
	}
	ck_assert_int_gt(writer, 0);
	free(bytes);
	return writer;
}

START_TEST(test_streams)
{
	const struct change *change = &changes[_i];
	pid_t writers[WALKED_MEMBERS];
	struct roots *roots;
	struct walked t;

	make_set(change);
	for (unsigned i = 0; i < WALKED_MEMBERS; i++)
		writers[i] = write_to_pipe(walked_files[i]);
	walked_open(&t, walked_files, WALKED_MEMBERS, 4);
	roots = check(&t);
	assert_verdicts(&t, roots, change);
	roots_free(roots);
	walked_close(&t);
	for (unsigned i = 0; i < WALKED_MEMBERS; i++)
		ck_assert_int_eq(waitpid(writers[i], NULL, 0), writers[i]);
}
END_TEST

/* An output that took no record is closed, too. */
START_TEST(test_no_records)
{
	uint8_t bytes[ROOT_LENGTH];
	struct roots *roots;
	struct maker m;
	struct walked t;

	maker_init(&m, 0, 1, 0);
	m.rooted = true;
	maker_begin(&m);
	maker_add_footer(&m);
	maker_write(&m, "m0");
	maker_free(&m);
	walked_open(&t, walked_files, 1, 2);
	roots = check(&t);
	ck_assert_int_eq(roots_verdict(roots, 0, bytes), ROOT_SAME);
	roots_free(roots);
	walked_close(&t);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("roots");
	TCase *tcase = tcase_create("roots");

	if (!digest_supported())
		return helper_skip("this build has no SHA-256");
	helper_use_directory(tcase);
	tcase_add_loop_test(tcase, test_files, 0, LENGTH(changes));
	tcase_add_loop_test(tcase, test_streams, 0, LENGTH(changes));
	tcase_add_test(tcase, test_no_records);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
