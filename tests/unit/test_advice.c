// SPDX-License-Identifier: GPL-2.0-or-later
/* The sentence of an estimate. */
#include "config.h"

#include "estimate/advice.h"
#include "helper.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

static const struct {
	struct advice advice;
	const char *text;
} sentences[] = {
	{ { .crashkernel = 256 * MIB, .threads = 4, .level = 31, .bytes = 11 * GIB, .seconds = 40.4, .where = "/var/crash",
	    .outputs = 1, .space_known = true, .space = 34 * GIB, .dumps = 3 },
	  "crashkernel=256M, -j4, -d 31: 11.0 GiB in about 40 s; /var/crash has room for 3" },
	{ { .crashkernel = 512 * MIB, .reserved = 192 * MIB, .threads = 1, .bytes = 500 * MIB, .seconds = 0.2,
	    .where = "/dev/sdb", .outputs = 1, .space_known = true, .space = GIB, .dumps = 1 },
	  "crashkernel=512M (now 192M), -j1, -d 0: 500.0 MiB in about 1 s; /dev/sdb has room for 1" },
	{ { .crashkernel = 2 * GIB, .threads = 8, .level = 31, .bytes = 40 * GIB, .seconds = 601, .outputs = 2,
	    .space_known = true, .space = 20 * GIB },
	  "crashkernel=2G, -j8, -d 31: 40.0 GiB in about 10 min; it does not fit: the outputs have only 20.0 GiB" },
	{ { .threads = 2, .level = 16, .bytes = GIB, .seconds = 119.4, .at_least = true, .where = "|ssh host",
	    .outputs = 1 },
	  "-j2, -d 16: 1.0 GiB in at least 119 s; whether it fits is unknown" },
	{ { .threads = 2, .level = 16, .bytes = GIB, .seconds = 9000, .at_least = true },
	  "-j2, -d 16: 1.0 GiB in at least 2.5 h" },
	{ { .crashkernel = 128 * MIB, .threads = 2, .bytes = GIB, .seconds = 3, .where = "/mnt", .outputs = 1,
	    .space_known = true, .space = 4096 },
	  "crashkernel=128M, -j2, -d 0: 1.0 GiB in about 3 s; it does not fit: /mnt has only 4.0 KiB" },
};

START_TEST(test_sentence)
{
	char text[ADVICE_LENGTH];

	ck_assert_str_eq(advice_format(&sentences[_i].advice, text), sentences[_i].text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("advice");
	TCase *tcase = tcase_create("sentences");

	tcase_add_loop_test(tcase, test_sentence, 0, LENGTH(sentences));
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
