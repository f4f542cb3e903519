// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/nearest.h"
#include "helper.h"

static const char *const known[] = {
	"raw", "lzo", "lz4", "zstd", "quiet", "no-quiet", "compress", "chunksize", "mem-limit",
};

static const struct {
	const char *word, *best;
} words[] = {
	{ "lzop", "lzo" },
	{ "lz", "lzo" },		/* and not lz4, which comes later */
	{ "LZO", "lzo" },
	{ "zstdd", "zstd" },
	{ "zsdt", "zstd" },
	{ "quite", "quiet" },
	{ "noquiet", "no-quiet" },
	{ "compres", "compress" },
	{ "compression", "compress" },
	{ "comperss", "compress" },
	{ "chunk-size", "chunksize" },
	{ "memlimit", "mem-limit" },
	{ "frob", NULL },
	{ "quirks", NULL },		/* three changed: too many */
	{ "x", NULL },
	{ "xyz", NULL },
	{ "", NULL },
	{ "message-level", NULL },
	{ "quiet-quiet-quiet-quiet-quiet-quiet-quiet-quiet", NULL },
};

START_TEST(test_nearest)
{
	struct nearest n;

	nearest_begin(&n, words[_i].word);
	for (size_t i = 0; i < LENGTH(known); i++)
		nearest_offer(&n, known[i]);
	/* A candidate that is too long is not looked at. */
	nearest_offer(&n, "a-candidate-that-is-longer-than-any-word-may-be");
	if (words[_i].best)
		ck_assert_str_eq(n.best, words[_i].best);
	else
		ck_assert_ptr_null(n.best);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("nearest");
	TCase *tcase = tcase_create("nearest");

	tcase_add_loop_test(tcase, test_nearest, 0, LENGTH(words));
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
