// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "cmd/common/message.h"
#include "cmd/nsplit/drill/crash.h"

static const char before[] =
"# These commands crash this machine: all programs end without saving anything, and\n"
"# the machine is down until it has restarted.  nsplit has executed none of them.\n"
"# Execute them one at a time, as root.\n"
"\n"
"# The setup must be in order; this prints problems only.\n"
"nsplit --check-params\n"
"# What programs have written must be on the disks.\n"
"sync\n"
"# The crash.  The setting kernel.sysrq does not matter: it concerns keyboards.\n"
"echo c > /proc/sysrq-trigger\n"
"\n"
"# After the restart: what did the capture kernel save, and is it complete?  The\n"
"# scripts of kdump may have moved it to a directory with the time in its name.\n";

/* For the shell.  {now} is the time of the crash, so it becomes a pattern. */
static void print_word(const char *word, const char *now)
{
	putchar('\'');
	while (*word) {
		if (strncmp(word, now, strlen(now)) == 0) {
			fputs("'*'", stdout);
			word += strlen(now);
		} else if (*word == '\'') {
			fputs("'\\''", stdout);
			word++;
		} else {
			putchar(*word++);
		}
	}
	putchar('\'');
}

static bool can_be_read(const char *name)
{
	return *name != '|' && strcmp(name, "-") != 0 && strcmp(name, "null:") != 0;
}

static void print_outputs(const struct nsplit_options *o)
{
	bool any = false;

	if (o->format == NSPLIT_ELF) {
		puts("# It is an ELF core, which has no checksums; open it with crash or gdb.");
		return;
	}
	if (o->filter) {
		puts("# The filter has stored it; first undo what the filter does.\nnjoin --verify FILE...");
		return;
	}
	for (size_t i = 0; i + o->capture.fallbacks < o->outputs.count; i++) {
		if (!can_be_read(o->outputs.names[i]))
			continue;
		fputs(any ? " " : "njoin --verify ", stdout);
		print_word(o->outputs.names[i], o->now);
		any = true;
	}
	puts(any ? "" : "njoin --verify FILE...");
}

int drill_print_crash(const struct nsplit_options *o)
{
	fputs(before, stdout);
	print_outputs(o);
	return message_flush_output() ? EXIT_PERFECT : EXIT_FAILED;
}
