// SPDX-License-Identifier: GPL-2.0-or-later
/* How many CPUs the capture kernel starts, from the configurations of the kdump systems. */
#include "config.h"

#include <string.h>
#include <sys/stat.h>

#include "helper.h"
#include "system/kdump_system.h"

/* What a kdump system is recognized by, and its configuration. */
struct machine {
	const char *program, *config;
};

static const struct machine
	debian = { "root/usr/sbin/kdump-config", "root/etc/default/kdump-tools" },
	fedora = { "root/usr/bin/kdumpctl", "root/etc/sysconfig/kdump" },
	suse = { "root/usr/sbin/mkdumprd", "root/etc/sysconfig/kdump" };

static const struct {
	const struct machine *machine;
	const char *text;		/* of the configuration */
	unsigned cpus;			/* 0: all of them */
} cases[] = {
	/* kdump-tools has a default of its own. */
	{ &debian, "", 1 },
	{ &debian, "#KDUMP_CMDLINE_APPEND=\"nr_cpus=4\"\nUSE_KDUMP=1\n", 1 },
	{ &debian, "KDUMP_CMDLINE_APPEND=\"reset_devices nr_cpus=4 irqpoll\"\n", 4 },
	{ &debian, "KDUMP_CMDLINE_APPEND='nr_cpus=8 maxcpus=2'\n", 2 },
	{ &debian, "KDUMP_CMDLINE_APPEND=\"irqpoll\"\n", 0 },
	{ &debian, "KDUMP_CMDLINE=\"nr_cpus=2\"\nKDUMP_CMDLINE_APPEND=\"nr_cpus=3\"\n", 2 },
	/* The last line counts; an unfinished one, too. */
	{ &debian, "KDUMP_CMDLINE_APPEND=nr_cpus=1\nKDUMP_CMDLINE_APPEND=nr_cpus=6", 6 },
	/* What is no number, or none of these words. */
	{ &debian, "KDUMP_CMDLINE_APPEND=\"nr_cpus=two xnr_cpus=2 nr_cpus=3x nr_cpus= nr_cpus=0\"\n", 0 },
	{ &debian, "KDUMP_CMDLINE_APPEND=\"nr_cpus=99999999999999999999\"\n", 0 },
	{ &debian, "KDUMP_CMDLINE_APPEND=\"maxcpus=0\"\n", 1 },

	{ &fedora, "", 0 },
	{ &fedora, "KDUMP_COMMANDLINE=\"\"\nKDUMP_COMMANDLINE_APPEND=\"irqpoll nr_cpus=1\"\n", 1 },

	{ &suse, "", 32 },
	{ &suse, "KDUMP_CPUS=4\n", 4 },
	{ &suse, "KDUMP_CPUS=\"0\"\nKDUMP_COMMANDLINE_APPEND=\"\"\n", 0 },
	{ &suse, "KDUMP_CPUS=\"32\"\nKDUMP_COMMANDLINE_APPEND=\"maxcpus=4\"\n", 4 },
	{ &suse, "KDUMP_CPUS=\"0\"\nKDUMP_COMMANDLINE_APPEND=\"maxcpus=4\"\n", 4 },
};

static void make_directories(void)
{
	static const char *const names[] = {
		"root", "root/etc", "root/etc/default", "root/etc/sysconfig", "root/usr", "root/usr/sbin", "root/usr/bin",
	};

	for (size_t i = 0; i < LENGTH(names); i++)
		ck_assert_int_eq(mkdir(names[i], 0700), 0);
}

START_TEST(test_files)
{
	const struct machine *machine = cases[_i].machine;
	const char *text = cases[_i].text;
	struct kdump_system kdump;

	make_directories();
	helper_write_file(machine->program, "", 0);
	helper_write_file(machine->config, text, strlen(text));
	kdump_system_find("root", &kdump);
	ck_assert_msg(kdump.cpus == cases[_i].cpus, "%s: %s: %u and not %u", machine->config, text, kdump.cpus,
		      cases[_i].cpus);
}
END_TEST

START_TEST(test_none)
{
	struct kdump_system kdump;

	kdump_system_find("nowhere", &kdump);
	ck_assert_uint_eq(kdump.cpus, 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kdump_cpus");
	TCase *tcase = tcase_create("files");

	helper_use_directory(tcase);
	tcase_add_loop_test(tcase, test_files, 0, LENGTH(cases));
	tcase_add_test(tcase, test_none);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
