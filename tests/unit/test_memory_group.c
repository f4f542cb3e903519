// SPDX-License-Identifier: GPL-2.0-or-later
/* A memory cgroup for the processes of a drill: a real one, where it can be made, and reasons why it cannot. */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/memory/memory_group.h"
#include "helper.h"

static const uint64_t mib = 1 << 20;

/* --- simulated file systems ------------------------------------------------------- */

static void put_system(const char *controllers)
{
	static const char *const directories[] = {
		"proc", "proc/self", "cg", "cg/a", "cg/a/b",
	};
	static const char group[] = "0::/a/b\n", mounts[] = "30 21 0:26 / /cg rw - cgroup2 cgroup2 rw\n";

	for (size_t i = 0; i < LENGTH(directories); i++)
		ck_assert_int_eq(mkdir(directories[i], 0700), 0);
	helper_write_file("proc/self/cgroup", group, strlen(group));
	helper_write_file("proc/self/mountinfo", mounts, strlen(mounts));
	helper_write_file("cg/a/cgroup.subtree_control", controllers, strlen(controllers));
	helper_write_file("cg/a/b/cgroup.subtree_control", "", 0);
}

START_TEST(test_absent)
{
	struct memory_group group;
	struct error e;

	ck_assert_int_eq(memory_group_make(&group, "nowhere", mib, &e), STATUS_SYSTEM);
	ck_assert_str_eq(e.text, "no memory cgroup can be made: this system has no memory controller, or its groups "
			 "may have no children");
	ck_assert_str_eq(group.directory, "");
	ck_assert_int_eq(memory_group_remove(&group, &e), STATUS_OK);
}
END_TEST

START_TEST(test_not_delegated)
{
	struct memory_group group;
	struct error e;

	put_system("cpu memory-like pids\n");
	ck_assert_int_eq(memory_group_make(&group, ".", mib, &e), STATUS_SYSTEM);
	ck_assert_str_eq(group.directory, "");
}
END_TEST

/* It is made below the ancestor whose children may have limits; and removed again, since it has no limit here. */
START_TEST(test_ancestor)
{
	struct memory_group group;
	char text[200];
	struct error e;

	put_system("cpu memory pids\n");
	ck_assert_int_eq(memory_group_make(&group, ".", mib, &e), STATUS_SYSTEM);
	snprintf(text, sizeof(text), "./cg/a/nsplit-drill.%ld: the limit of the memory cgroup: No such file or directory",
		 (long)getpid());
	ck_assert_str_eq(e.text, text);
	ck_assert_int_eq(rmdir("cg/a/b"), -1);
	ck_assert_int_eq(unlink("cg/a/cgroup.subtree_control"), 0);
	ck_assert_int_eq(unlink("cg/a/b/cgroup.subtree_control"), 0);
	ck_assert_int_eq(rmdir("cg/a/b"), 0);
	ck_assert_int_eq(rmdir("cg/a"), 0);
}
END_TEST

/* --- a real group --------------------------------------------------------------- */

static void touch(uint64_t bytes)
{
	uint8_t *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		_exit(2);
	for (uint64_t i = 0; i < bytes; i += 4096)
		*(volatile uint8_t *)(memory + i) = 1;
}

static int wait_for_child(pid_t child)
{
	int status;

	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return status;
}

/* How a process ends that touches so much memory in the group. */
static int ends_with(const struct memory_group *group, uint64_t bytes)
{
	pid_t child = fork();
	struct error e;

	if (!child) {
		if (memory_group_enter(group, &e))
			_exit(1);
		touch(bytes);
		_exit(0);
	}
	return wait_for_child(child);
}

/* False: none can be made here. */
static bool make_group(struct memory_group *group)
{
	struct error e;

	if (!memory_group_make(group, "", 32 * mib, &e))
		return true;
	printf("not tested with a real group: %s\n", e.text);
	return false;
}

START_TEST(test_real)
{
	struct memory_group group;
	uint64_t peak;
	struct error e;
	int status;

	if (!make_group(&group))
		return;
	ck_assert_int_eq(ends_with(&group, 16 * mib), 0);
	if (memory_group_peak(&group, &peak)) {
		ck_assert_uint_ge(peak, 16 * mib);
		ck_assert_uint_le(peak, 32 * mib);
	}
	ck_assert_uint_eq(memory_group_kills(&group), 0);
	status = ends_with(&group, 64 * mib);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	ck_assert_msg(memory_group_remove(&group, &e) == STATUS_OK, "%s", e.text);
	ck_assert_str_eq(group.directory, "");
}
END_TEST

START_TEST(test_left_over)
{
	struct memory_group group;
	char directory[PATH_MAX], byte = 0;
	int entered[2], status;
	struct error e;
	pid_t child;

	if (!make_group(&group))
		return;
	ck_assert_int_eq(pipe(entered), 0);
	snprintf(directory, sizeof(directory), "%s", group.directory);
	child = fork();
	if (!child) {
		if (memory_group_enter(&group, &e) || write(entered[1], &byte, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(entered[1]);
	/* Nothing, if it has ended. */
	ck_assert_int_eq(read(entered[0], &byte, 1), 1);
	close(entered[0]);
	ck_assert_msg(memory_group_remove(&group, &e) == STATUS_OK, "%s", e.text);
	ck_assert_int_ne(access(directory, F_OK), 0);
	kill(child, SIGKILL);
	status = wait_for_child(child);
	ck_assert(WIFSIGNALED(status));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("memory_group");
	TCase *tcase = tcase_create("groups");

	helper_use_directory(tcase);
	tcase_add_test(tcase, test_absent);
	tcase_add_test(tcase, test_not_delegated);
	tcase_add_test(tcase, test_ancestor);
	tcase_add_test(tcase, test_real);
	tcase_add_test(tcase, test_left_over);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
