// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>

#include "cmd/common/message.h"
#include "cmd/nsplit/check/kernel.h"
#include "cmd/nsplit/drill/crash.h"
#include "cmd/nsplit/drill/crash_result.h"

static const char before[] =
"# These commands crash this machine: all programs end without saving anything, and\n"
"# the machine is down until it has restarted.  nsplit has executed none of them.\n"
"# Execute them one at a time, as root.\n";

static const char commands[] =
"\n"
"# The setup must be in order; this prints problems only.\n"
"nsplit --check-params\n"
"# What programs have written must be on the disks.\n"
"sync\n"
"# The crash.  The setting kernel.sysrq does not matter: it concerns keyboards.\n"
"echo c > /proc/sysrq-trigger\n"
"\n"
"# After the restart: what did the capture kernel save, and is it complete?\n";

/* What prevents a dump comes first: then there is no use in a crash. */
static void print_kernel(const struct crash_kernel *kernel)
{
	struct findings found = { 0 };

	nsplit_check_kernel(&found, kernel);
	for (size_t i = 0; i < found.count; i++)
		if (found.list[i].severity == FOUND_ERROR)
			printf("# DO NOT CRASH IT NOW: %s.\n#\n", found.list[i].text);
	fputs(before, stdout);
	for (size_t i = 0; i < found.count; i++) {
		if (found.list[i].severity == FOUND_UNCHECKED)
			printf("#\n# Not known here: %s.\n", found.list[i].text);
		else if (found.list[i].severity == FOUND_GOOD || found.list[i].severity == FOUND_WARNING)
			printf("#\n# The kernel: %s.\n", found.list[i].text);
	}
	findings_free(&found);
}

int drill_print_crash(const struct nsplit_options *o, const struct crash_machine *machine)
{
	const struct crash_kernel kernel = crash_kernel_of(machine->root);

	print_kernel(&kernel);
	crash_print_collector(&machine->kdump);
	fputs(commands, stdout);
	crash_print_result(&machine->kdump, o);
	return message_flush_output() ? EXIT_PERFECT : EXIT_FAILED;
}
