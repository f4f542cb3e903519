// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes small cores into the current directory, for the tests of njoin's command line:
 *	ring	with a kernel log of 100 records, which was cleared after 60 of them
 *	long	with a log that is too long for any pipe
 *	empty	with a log without records
 *	bare	the same memory without VMCOREINFO
 *	mute	with VMCOREINFO, but without a log in it
 * It is built like a test, since made_core.c uses its assertions.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "helper.h"
#include "made_log.h"

static void write_core(struct made_log *m, const char *name)
{
	helper_write_file(name, m->core.bytes, m->core.size);
	made_log_free(m);
}

START_TEST(make_ring)
{
	struct made_log m;

	made_ring_init(&m, EM_X86_64, 8, 14, 0);
	for (unsigned n = 1; n <= 100; n++) {
		char text[64];

		snprintf(text, sizeof(text), "record number %03u of one hundred of them", n);
		made_ring_add(&m, n * 1000000, text, strlen(text));
	}
	made_ring_clear(&m, 60);
	write_core(&m, "ring");
}
END_TEST

/* Each byte of the texts is written as four. */
START_TEST(make_long)
{
	struct made_log m;
	char text[500];

	memset(text, 1, sizeof(text));
	made_ring_init(&m, EM_X86_64, 8, 17, 0);
	for (unsigned n = 1; n <= 250; n++)
		made_ring_add(&m, 0, text, sizeof(text));
	write_core(&m, "long");
}
END_TEST

START_TEST(make_others)
{
	struct made_log m;

	made_ring_init(&m, EM_X86_64, 8, 14, 0);
	write_core(&m, "empty");
	made_log_init(&m, EM_X86_64, NULL);
	write_core(&m, "bare");
	made_log_init(&m, EM_X86_64, "OSRELEASE=6.1.0-made\nPAGESIZE=4096\n");
	write_core(&m, "mute");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("cores");
	TCase *tcase = tcase_create("cores");

	tcase_add_test(tcase, make_ring);
	tcase_add_test(tcase, make_long);
	tcase_add_test(tcase, make_others);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
