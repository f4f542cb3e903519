// SPDX-License-Identifier: GPL-2.0-or-later
/* Trials of outputs, and how many dumps they have room for. */
#include "config.h"

#include <dirent.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system.h"
#include "estimate/room.h"
#include "helper.h"
#include "io/sink.h"

static unsigned count_files(void)
{
	DIR *directory = opendir(".");
	unsigned count = 0;

	ck_assert_ptr_nonnull(directory);
	while (readdir(directory))
		count++;
	closedir(directory);
	/* Without "." and "..". */
	return count - 2;
}

/* Two outputs of one file system, and others that are not tried. */
START_TEST(test_look)
{
	static const char *const names[] = { "a", "b", "null:", "|cat > /dev/null" };
	static const char *const why[] = { "", "", "it stores nothing", "a command is not run for a trial" };
	struct sink sinks[LENGTH(names)] = { 0 };
	struct room room;
	struct error e;

	for (size_t i = 0; i < LENGTH(names); i++)
		ck_assert_int_eq(sink_probe(&sinks[i], names[i], 0, DIRECT_AUTO, &e), STATUS_OK);
	ck_assert_int_eq(room_look(&room, sinks, LENGTH(names), 0, &e), STATUS_OK);
	ck_assert(!room.space_known && !room.rate_known);
	for (size_t i = 2; i < LENGTH(names); i++) {
		ck_assert(!room.of[i].tried && !room.of[i].space_known);
		ck_assert_str_eq(room.of[i].why.text, why[i]);
	}
	/* Unless the disk of the tests is full. */
	if (room.of[0].tried) {
		ck_assert(room.of[1].tried);
		ck_assert_uint_eq(room.of[0].trial.bytes, room.of[1].trial.bytes);
		ck_assert_double_eq(room.rate, (double)room.of[0].trial.bytes / room.of[0].trial.seconds);
		ck_assert_uint_gt(room.tried.bytes, 0);
		ck_assert_uint_eq(room.tried.bytes, room.of[0].trial.bytes);
		ck_assert_double_gt(room.tried.cpu_seconds, 0);
	}
	ck_assert_uint_eq(count_files(), 0);
	/* There is no process left. */
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	room_free(&room);
	for (size_t i = 0; i < LENGTH(names); i++)
		sink_free(&sinks[i]);
}
END_TEST

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

/* Each test has a process of its own, unless somebody looks at it with a debugger. */
START_TEST(test_background)
{
	background_enter();
	ck_assert_int_eq(getpriority(PRIO_PROCESS, 0), 19);
	ck_assert_int_eq(sched_getscheduler(0), SCHED_IDLE);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("room");
	TCase *files = tcase_create("files"), *tcase = tcase_create("numbers");

	helper_use_directory(files);
	tcase_add_test(files, test_look);
	suite_add_tcase(suite, files);
	tcase_add_test(tcase, test_dumps);
	tcase_add_test(tcase, test_background);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
