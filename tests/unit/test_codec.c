// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of codecs: names, numbers and levels. */
#include "config.h"

#include "codec/codec.h"
#include "helper.h"

static void find_ok(const char *text, const char *name, int level)
{
	const struct codec *codec = NULL;
	struct error e = { 0 };
	int found = -99;

	ck_assert_msg(codec_find(text, &codec, &found, &e) == STATUS_OK, "%s: %s", text,
		      e.text);
	ck_assert_str_eq(codec->name, name);
	ck_assert_int_eq(found, level);
}

static void find_fails(const char *text, const char *message)
{
	const struct codec *codec;
	struct error e = { 0 };
	int level;

	ck_assert_int_eq(codec_find(text, &codec, &level, &e), STATUS_USAGE);
	ck_assert_int_eq(e.status, STATUS_USAGE);
	ck_assert_str_eq(e.text, message);
}

START_TEST(test_find)
{
	find_ok("raw", "raw", 0);
	find_ok("lzo", "lzo", 0);
	find_ok("lzohc", "lzohc", 0);
	find_fails("raw:", "codec 'raw' takes no level");
	find_fails("foo:3", "unknown codec 'foo'; --list-codecs lists them");
	find_fails("lz", "unknown codec 'lz'; do you mean 'lzo'? --list-codecs lists all");
	find_fails("LZO", "unknown codec 'LZO'; do you mean 'lzo'? --list-codecs lists all");
	find_fails("gzip", "unknown codec 'gzip'; --list-codecs lists them");
	find_fails("lzo9", "unknown codec 'lzo9'; do you mean 'lzo'? --list-codecs lists all");
	find_fails("xz", "unknown codec 'xz'; --list-codecs lists them");
}
END_TEST

START_TEST(test_find_zstd)
{
#ifdef HAVE_ZSTD
	find_ok("zstd", "zstd", 1);
	find_fails("zstd99", "unknown codec 'zstd99'; --list-codecs lists them");
	find_fails("zstd:99", "zstd: level 99 is out of range; use 1 to 22");
	find_fails("zstd:-5", "zstd: level -5 is out of range; use 1 to 22");
	find_fails("zstd:99999999999999999999",
		   "zstd: level 99999999999999999999 is out of range; use 1 to 22");
	find_fails("zstd:3x", "zstd: level '3x' is not a number");
	find_fails("zstd:", "zstd: level '' is not a number");
	find_fails("zstd: 3", "zstd: level ' 3' is not a number");
	find_fails("zstd:-", "zstd: level '-' is not a number");
#else
	find_fails("zstd", "codec 'zstd' was left out of this build");
	find_fails("zstd:3", "codec 'zstd' was left out of this build");
#endif
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("table");

	tcase_add_test(tcase, test_find);
	tcase_add_test(tcase, test_find_zstd);
	return helper_run_case("codec", tcase);
}
