// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes cores into the current directory, for the tests of the programs' command lines:
 *	kinds	with pages of every class (made_kernel.h)
 *	doubted	the same, but in a way that the class user is not believed
 *	class	the class of each page frame of both, a line each: a word of --exclude, or "none"
 * It is built like a test, since made_core.c uses its assertions.
 */
#include "config.h"

#include <stdio.h>

#include "helper.h"
#include "made_kernel.h"

START_TEST(make_kinds)
{
	struct made_map mm;

	made_kernel_init(&mm);
	helper_write_file("kinds", mm.m.bytes, mm.m.size);
	made_kernel_point_to(&mm, MADE_USER);
	helper_write_file("doubted", mm.m.bytes, mm.m.size);
	made_map_free(&mm);
}
END_TEST

START_TEST(make_class)
{
	FILE *file = fopen("class", "w");

	ck_assert_ptr_nonnull(file);
	for (uint64_t pfn = 0; pfn < MADE_FRAMES; pfn++) {
		enum page_class c = made_kernel_class(pfn);

		fprintf(file, "%s\n", c == PAGE_CLASSES ? "none" : page_class_name(c));
	}
	ck_assert_int_eq(fclose(file), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("make_kinds_core");
	TCase *tcase = tcase_create("make_kinds_core");

	tcase_add_test(tcase, make_kinds);
	tcase_add_test(tcase, make_class);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
