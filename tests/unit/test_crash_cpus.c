// SPDX-License-Identifier: GPL-2.0-or-later
/* How many CPUs the capture kernel starts, from configurations of kdump. */
#include "config.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/memory/crash_cpus.h"
#include "helper.h"

static const char debian[] = "root/etc/default/kdump-tools", sysconfig[] = "root/etc/sysconfig/kdump";

static void make_directories(void)
{
	static const char *const names[] = { "root", "root/etc", "root/etc/default", "root/etc/sysconfig" };

	for (size_t i = 0; i < LENGTH(names); i++)
		ck_assert_int_eq(mkdir(names[i], 0700), 0);
}

static void assert_cpus(const char *file, const char *text, unsigned cpus)
{
	unsigned got;

	helper_write_file(file, text, strlen(text));
	got = crash_kernel_cpus("root");
	ck_assert_msg(got == cpus, "%s: %u and not %u", text, got, cpus);
}

START_TEST(test_none)
{
	ck_assert_uint_eq(crash_kernel_cpus("nowhere"), 1);
}
END_TEST

START_TEST(test_debian)
{
	make_directories();
	/* kdump-tools has a default of its own. */
	assert_cpus(debian, "", 1);
	assert_cpus(debian, "#KDUMP_CMDLINE_APPEND=\"nr_cpus=4\"\nUSE_KDUMP=1\n", 1);
	assert_cpus(debian, "KDUMP_CMDLINE_APPEND=\"reset_devices nr_cpus=4 irqpoll\"\n", 4);
	assert_cpus(debian, "KDUMP_CMDLINE_APPEND='nr_cpus=8 maxcpus=2'\n", 2);
	assert_cpus(debian, "KDUMP_CMDLINE_APPEND=\"irqpoll\"\n", CRASH_CPUS_ALL);
	assert_cpus(debian, "KDUMP_CMDLINE=\"nr_cpus=2\"\nKDUMP_CMDLINE_APPEND=\"nr_cpus=3\"\n", 2);
	/* The last line counts; an unfinished one, too. */
	assert_cpus(debian, "KDUMP_CMDLINE_APPEND=nr_cpus=1\n  export KDUMP_CMDLINE_APPEND=nr_cpus=6", 6);
	/* What is no number, or none of these words. */
	assert_cpus(debian, "KDUMP_CMDLINE_APPEND=\"nr_cpus=two xnr_cpus=2 nr_cpus=3x nr_cpus= nr_cpus=0\"\n",
		    CRASH_CPUS_ALL);
	assert_cpus(debian, "KDUMP_CMDLINE_APPEND=\"nr_cpus=99999999999999999999\"\n", CRASH_CPUS_ALL);
	assert_cpus(debian, "KDUMP_CMDLINE_APPEND=\"maxcpus=0\"\n", 1);
}
END_TEST

START_TEST(test_sysconfig)
{
	make_directories();
	assert_cpus(sysconfig, "", CRASH_CPUS_ALL);
	assert_cpus(sysconfig, "KDUMP_COMMANDLINE=\"\"\nKDUMP_COMMANDLINE_APPEND=\"irqpoll nr_cpus=1\"\n", 1);
	assert_cpus(sysconfig, "KDUMP_CPUS=32\n", 32);
	assert_cpus(sysconfig, "KDUMP_CPUS=\"0\"\nKDUMP_COMMANDLINE_APPEND=\"\"\n", CRASH_CPUS_ALL);
	assert_cpus(sysconfig, "KDUMP_CPUS=\"32\"\nKDUMP_COMMANDLINE_APPEND=\"maxcpus=4\"\n", 4);
	/* That of Debian is read first. */
	assert_cpus(debian, "", 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("crash_cpus");
	TCase *tcase = tcase_create("files");

	helper_use_directory(tcase);
	tcase_add_test(tcase, test_none);
	tcase_add_test(tcase, test_debian);
	tcase_add_test(tcase, test_sysconfig);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
