// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "corpus.h"
#include "helper.h"
#include "io/sink.h"

/* Set in the process that forks the tests, and inherited by them. */
static char base[PATH_MAX - 32];

int helper_run(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

int helper_run_case(const char *name, TCase *tcase)
{
	Suite *suite = suite_create(name);

	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}

int helper_skip(const char *why)
{
	printf("skipped: %s\n", why);
	return 77;
}

static void make_base(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(base, sizeof(base), "%s/nsplit-test.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(base));
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static void remove_base(void)
{
	ck_assert_int_eq(chdir("/"), 0);
	nftw(base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void enter_fresh(void)
{
	char directory[PATH_MAX];

	snprintf(directory, sizeof(directory), "%s/XXXXXX", base);
	ck_assert_ptr_nonnull(mkdtemp(directory));
	ck_assert_int_eq(chdir(directory), 0);
}

void helper_use_directory(TCase *tcase)
{
	tcase_add_unchecked_fixture(tcase, make_base, remove_base);
	tcase_add_checked_fixture(tcase, enter_fresh, NULL);
}

void helper_write_file(const char *name, const void *bytes, size_t len)
{
	FILE *file = fopen(name, "w");

	ck_assert_msg(file != NULL, "cannot make %s", name);
	ck_assert_uint_eq(fwrite(bytes, 1, len, file), len);
	ck_assert_int_eq(fclose(file), 0);
}

uint8_t *helper_read_file(const char *name, size_t *len)
{
	FILE *file = fopen(name, "r");
	uint8_t *bytes;

	ck_assert_msg(file != NULL, "cannot open %s", name);
	*len = (size_t)helper_file_size(name);
	bytes = helper_pages(*len);
	ck_assert_uint_eq(fread(bytes, 1, *len, file), *len);
	fclose(file);
	return bytes;
}

void helper_assert_file(const char *name, const uint8_t *bytes, size_t len)
{
	size_t got_len;
	uint8_t *got = helper_read_file(name, &got_len);

	ck_assert_uint_eq(got_len, len);
	ck_assert_int_eq(memcmp(got, bytes, len), 0);
	free(got);
}

long helper_file_size(const char *name)
{
	struct stat st;

	return lstat(name, &st) < 0 ? -1 : (long)st.st_size;
}

uint8_t *helper_pages(size_t len)
{
	size_t size = round_up(len ? len : 1, ALIGNMENT);
	uint8_t *bytes = aligned_alloc(ALIGNMENT, size);

	ck_assert_ptr_nonnull(bytes);
	memset(bytes, 0, size);
	return bytes;
}

uint8_t *helper_noise(size_t len)
{
	uint8_t *bytes = helper_pages(len);

	corpus_fill(CORPUS_RANDOM, 9, bytes, len);
	return bytes;
}

void helper_open_sink(struct sink *s, const char *name, bool force)
{
	struct error e;

	ck_assert_msg(sink_probe(s, name, NULL, force ? PERMIT_OVERWRITE | PERMIT_DUMPS : 0, DIRECT_AUTO, &e) == STATUS_OK, "%s", e.text);
	ck_assert_msg(sink_open(s, &e) == STATUS_OK, "%s", e.text);
}

void helper_append(struct sink *s, const uint8_t *bytes, size_t len)
{
	struct error e;
	uint64_t before = s->length;

	ck_assert_msg(sink_append(s, bytes, len, &e) == STATUS_OK, "%s", e.text);
	ck_assert_uint_eq(s->length, before + len);
}

void helper_close_sink(struct sink *s)
{
	struct error e;

	ck_assert_int_eq(sink_close(s, &e), STATUS_OK);
	sink_free(s);
}
