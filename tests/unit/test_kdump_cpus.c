// SPDX-License-Identifier: GPL-2.0-or-later
/* How many CPUs the capture kernel starts, from the configurations of the kdump systems. */
#include "config.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helper.h"
#include "system/kdump_system.h"

static void make_directories(void)
{
	static const char *const names[] = {
		"root", "root/etc", "root/etc/default", "root/etc/sysconfig", "root/usr", "root/usr/sbin", "root/usr/bin",
	};

	for (size_t i = 0; i < LENGTH(names); i++)
		ck_assert_int_eq(mkdir(names[i], 0700), 0);
}

static void assert_cpus(const char *file, const char *text, unsigned cpus)
{
	struct kdump_system kdump;

	helper_write_file(file, text, strlen(text));
	kdump_system_find("root", &kdump);
	ck_assert_msg(kdump.cpus == cpus, "%s: %u and not %u", text, kdump.cpus, cpus);
}

START_TEST(test_none)
{
	struct kdump_system kdump;

	kdump_system_find("nowhere", &kdump);
	ck_assert_uint_eq(kdump.cpus, 1);
}
END_TEST

START_TEST(test_debian)
{
	static const char file[] = "root/etc/default/kdump-tools";

	make_directories();
	helper_write_file("root/usr/sbin/kdump-config", "", 0);
	/* kdump-tools has a default of its own. */
	assert_cpus(file, "", 1);
	assert_cpus(file, "#KDUMP_CMDLINE_APPEND=\"nr_cpus=4\"\nUSE_KDUMP=1\n", 1);
	assert_cpus(file, "KDUMP_CMDLINE_APPEND=\"reset_devices nr_cpus=4 irqpoll\"\n", 4);
	assert_cpus(file, "KDUMP_CMDLINE_APPEND='nr_cpus=8 maxcpus=2'\n", 2);
	assert_cpus(file, "KDUMP_CMDLINE_APPEND=\"irqpoll\"\n", 0);
	assert_cpus(file, "KDUMP_CMDLINE=\"nr_cpus=2\"\nKDUMP_CMDLINE_APPEND=\"nr_cpus=3\"\n", 2);
	/* The last line counts; an unfinished one, too. */
	assert_cpus(file, "KDUMP_CMDLINE_APPEND=nr_cpus=1\nKDUMP_CMDLINE_APPEND=nr_cpus=6", 6);
	/* What is no number, or none of these words. */
	assert_cpus(file, "KDUMP_CMDLINE_APPEND=\"nr_cpus=two xnr_cpus=2 nr_cpus=3x nr_cpus= nr_cpus=0\"\n", 0);
	assert_cpus(file, "KDUMP_CMDLINE_APPEND=\"nr_cpus=99999999999999999999\"\n", 0);
	assert_cpus(file, "KDUMP_CMDLINE_APPEND=\"maxcpus=0\"\n", 1);
}
END_TEST

static const char sysconfig[] = "root/etc/sysconfig/kdump";

START_TEST(test_fedora)
{
	make_directories();
	helper_write_file("root/usr/bin/kdumpctl", "", 0);
	assert_cpus(sysconfig, "", 0);
	assert_cpus(sysconfig, "KDUMP_COMMANDLINE=\"\"\nKDUMP_COMMANDLINE_APPEND=\"irqpoll nr_cpus=1\"\n", 1);
}
END_TEST

START_TEST(test_suse)
{
	make_directories();
	helper_write_file("root/usr/sbin/mkdumprd", "", 0);
	assert_cpus(sysconfig, "", 32);
	assert_cpus(sysconfig, "KDUMP_CPUS=4\n", 4);
	assert_cpus(sysconfig, "KDUMP_CPUS=\"0\"\nKDUMP_COMMANDLINE_APPEND=\"\"\n", 0);
	assert_cpus(sysconfig, "KDUMP_CPUS=\"32\"\nKDUMP_COMMANDLINE_APPEND=\"maxcpus=4\"\n", 4);
	assert_cpus(sysconfig, "KDUMP_CPUS=\"0\"\nKDUMP_COMMANDLINE_APPEND=\"maxcpus=4\"\n", 4);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kdump_cpus");
	TCase *tcase = tcase_create("files");

	helper_use_directory(tcase);
	tcase_add_test(tcase, test_none);
	tcase_add_test(tcase, test_debian);
	tcase_add_test(tcase, test_fedora);
	tcase_add_test(tcase, test_suse);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
