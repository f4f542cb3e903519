// SPDX-License-Identifier: GPL-2.0-or-later
/* Trials of outputs, and how many dumps they have room for. */
#include "config.h"

#include <string.h>
#include <unistd.h>

#include "estimate/room.h"
#include "helper.h"
#include "io/sink.h"

START_TEST(test_dumps)
{
	struct room_output of[2] = {
		{ .space_known = true, .space = { .bytes = 1000 } },
		{ .space_known = true, .space = { .bytes = 3000, .is_device = true } },
	};
	struct room room = { .of = of, .count = 1, .space_known = true, .bytes = 1000 };

	ck_assert_uint_eq(room_dumps_of(&of[0], 300), 3);
	ck_assert_uint_eq(room_dumps_of(&of[0], 1001), 0);
	ck_assert_uint_eq(room_dumps_of(&of[0], 0), 0);
	ck_assert_uint_eq(room_dumps_of(&of[1], 300), 1);
	ck_assert_uint_eq(room_dumps_of(&of[1], 3001), 0);
	ck_assert_uint_eq(room_dumps(&room, 300), 3);
	room.count = 2;
	room.bytes = 4000;
	ck_assert_uint_eq(room_dumps(&room, 3500), 1);
	ck_assert_uint_eq(room_dumps(&room, 100), 1);
	room.space_known = false;
	ck_assert_uint_eq(room_dumps(&room, 100), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("room");
	TCase *files = tcase_create("files"), *tcase = tcase_create("numbers");

	helper_use_directory(files);
	suite_add_tcase(suite, files);
	tcase_add_test(tcase, test_dumps);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
