// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "helper.h"

START_TEST(test_set)
{
	struct error e = { .errnum = 5 };

	ck_assert_int_eq(error_set(&e, STATUS_DAMAGED, "%s: at %d", "a", 7), STATUS_DAMAGED);
	ck_assert_int_eq(e.status, STATUS_DAMAGED);
	ck_assert_int_eq(e.errnum, 0);
	ck_assert_str_eq(e.text, "a: at 7");
}
END_TEST

START_TEST(test_system)
{
	struct error e;

	ck_assert_int_eq(error_system(&e, ENOSPC, "/mnt/%s", "disk3"), STATUS_SYSTEM);
	ck_assert_int_eq(e.status, STATUS_SYSTEM);
	ck_assert_int_eq(e.errnum, ENOSPC);
	ck_assert_str_eq(e.text, "/mnt/disk3: No space left on device");
	ck_assert_int_eq(error_system(&e, ENOMEM, "x"), STATUS_NO_MEMORY);
	ck_assert_int_eq(e.status, STATUS_NO_MEMORY);
	ck_assert_int_eq(e.errnum, ENOMEM);
	ck_assert_str_eq(e.text, "x: Cannot allocate memory");
}
END_TEST

START_TEST(test_prefix)
{
	struct error e;

	error_system(&e, EIO, "read");
	ck_assert_int_eq(error_prefix(&e, "member %d: ", 3), STATUS_SYSTEM);
	ck_assert_int_eq(e.errnum, EIO);
	ck_assert_str_eq(e.text, "member 3: read: Input/output error");
	error_prefix(&e, "%s", "");
	ck_assert_str_eq(e.text, "member 3: read: Input/output error");
}
END_TEST

/* A long text is truncated, and the memory after it is not changed. */
START_TEST(test_long_texts)
{
	struct { struct error e; char canary[16]; } guarded;
	char name[2 * sizeof(guarded.e.text)];

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	memset(guarded.canary, 'c', sizeof(guarded.canary));
	ck_assert_int_eq(error_set(&guarded.e, STATUS_CUT, "%s", name), STATUS_CUT);
	ck_assert_uint_eq(strlen(guarded.e.text), sizeof(guarded.e.text) - 1);
	ck_assert_int_eq(error_system(&guarded.e, EIO, "%s", name), STATUS_SYSTEM);
	ck_assert_uint_eq(strlen(guarded.e.text), sizeof(guarded.e.text) - 1);
	error_set(&guarded.e, STATUS_CUT, "the end");
	error_prefix(&guarded.e, "%s", name);
	ck_assert_uint_eq(strlen(guarded.e.text), sizeof(guarded.e.text) - 1);
	error_set(&guarded.e, STATUS_CUT, "%.700s", name);
	error_prefix(&guarded.e, "%.100s", name);
	ck_assert_uint_eq(strlen(guarded.e.text), sizeof(guarded.e.text) - 1);
	for (size_t i = 0; i < sizeof(guarded.canary); i++)
		ck_assert_int_eq(guarded.canary[i], 'c');
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("error");
	TCase *tcase = tcase_create("error");

	tcase_add_test(tcase, test_set);
	tcase_add_test(tcase, test_system);
	tcase_add_test(tcase, test_prefix);
	tcase_add_test(tcase, test_long_texts);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
