// SPDX-License-Identifier: GPL-2.0-or-later
/* For nsplit --drill=crash: who saves the dump of this machine, where it is afterwards, and commands that look at it. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cmd/common/message.h"
#include "cmd/nsplit/check/kernel.h"
#include "cmd/nsplit/drill/drill.h"
#include "cmd/nsplit/options.h"

static const char elf_core[] = "# It is an ELF core, which has no checksums; open it with crash or gdb.";

/* A line of a comment; text of a configuration must not end it. */
static void comment(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void comment(const char *format, ...)
{
	char text[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	printf("# %s\n", text_make_printable(text));
}

/* --- who saves it ------------------------------------------------------------------- */

/* Comments of a shell script, on standard output: the program that kdump calls. */
static void crash_print_collector(const struct kdump_system *kdump)
{
	puts("#");
	switch (kdump->caller) {
	case KDUMP_CALLS_NSPLIT:
		comment("%s saves the dump with nsplit (%s).", kdump->name, kdump->program);
		break;
	case KDUMP_CALLS_LINK:
		comment("%s saves the dump with nsplit as makedumpfile (%s).", kdump->name, kdump->program);
		break;
	case KDUMP_CALLS_OTHER:
		comment("%s saves the dump with %s, which is not nsplit.", kdump->name, kdump->program);
		break;
	case KDUMP_CALLS_MISSING:
		comment("%s calls %s, which does not exist, so there would be no dump.", kdump->name, kdump->collector);
		break;
	default:
		puts(kdump->kind == KDUMP_UNKNOWN ? "# nsplit does not know which kdump system is installed here." :
						    "# No kdump system that nsplit knows is installed here.");
	}
	if (*kdump->disabled)
		comment("%s: %s, so no capture kernel will be loaded after the next boot.", kdump->name,
			kdump->disabled);
}

/* --- words of the shell --------------------------------------------------------------- */

/* In quotes.  now: it becomes a pattern, because it is the time of the crash; NULL: there is none. */
static void print_word(const char *word, const char *now)
{
	putchar('\'');
	while (*word) {
		if (now && strncmp(word, now, strlen(now)) == 0) {
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

/* --- the dump of kdump ---------------------------------------------------------------- */

/* Its name in the directory of a dump, for the shell. */
static const char *file_of(const struct kdump_system *kdump)
{
	if (kdump->kind != KDUMP_TOOLS)
		return "vmcore";
	return kdump->caller == KDUMP_CALLS_NSPLIT ? "vmcore.*.nsplit" : "dump.*";
}

static bool is_elf(const struct kdump_system *kdump, const struct nsplit_options *o)
{
	return kdump->caller == KDUMP_CALLS_NSPLIT &&
	       (o->format == NSPLIT_ELF || strstr(kdump->options, "--format=elf"));
}

/* Not a member. */
static bool is_dump(const struct kdump_system *kdump, const struct nsplit_options *o)
{
	return kdump->caller != KDUMP_CALLS_NSPLIT || o->format == NSPLIT_KDUMP ||
	       strstr(kdump->options, "--format=kdump");
}

static void print_in_directory(const struct kdump_system *kdump, const struct nsplit_options *o)
{
	const char *file = file_of(kdump);

	comment("%s makes a new directory for each dump in %s.", kdump->name, kdump->directory);
	fputs("dump=$(ls -td ", stdout);
	print_word(kdump->directory, NULL);
	puts("/*/ | head -n 1)\nls -l \"$dump\"");
	puts("# If the dump is incomplete, its name contains \"incomplete\" or \"partial\".");
	if (kdump->more_disks)
		comment("Each further disk has another member, which njoin needs, too: see %s.",
			kdump->from_initramfs ? "/etc/nsplit-disks.conf" : "/etc/default/nsplit-kdump");
	if (is_elf(kdump, o)) {
		puts(elf_core);
		return;
	}
	printf("njoin --list \"$dump\"%s\nnjoin --verify \"$dump\"%s\n", file, file);
	if (is_dump(kdump, o))
		puts("# crash opens it as it is.");
	else
		printf("# crash opens the file that this makes of it:\n"
		       "njoin --format=kdump -o \"$dump\"vmcore.kdump \"$dump\"%s\n", file);
}

/* False: there is no kdump. */
static bool print_of_kdump(const struct kdump_system *kdump, const struct nsplit_options *o)
{
	if (kdump->caller == KDUMP_CALLS_NONE)
		return false;
	if (*kdump->target)
		comment("%s sends the dump to another machine: %s.  Verify it there.", kdump->name, kdump->target);
	else if (kdump->from_initramfs && (kdump->kind == KDUMP_TOOLS || kdump->kind == KDUMP_INITRAMFS))
		puts("# The initramfs saves it to /crash/YYYY-MM-DD-HHMMSS/vmcore on each disk of\n"
		     "# /etc/nsplit-disks.conf: mount them, and name all members.");
	else if (*kdump->directory == '/') {
		print_in_directory(kdump, o);
		return true;
	} else if (*kdump->config)
		comment("%s says which file system it is saved to: mount that.", kdump->config);
	puts("njoin --list FILE...\nnjoin --verify FILE...");
	return true;
}

/* --- the outputs of nsplit ------------------------------------------------------------ */

static bool can_be_read(const char *name)
{
	return *name != '|' && strcmp(name, "-") != 0 && strcmp(name, "null:") != 0;
}

static void print_of_nsplit(const struct nsplit_options *o)
{
	bool any = false;

	if (o->format == NSPLIT_ELF) {
		puts(elf_core);
		return;
	}
	if (o->filter)
		puts("# The filter has stored it; first undo what the filter does.");
	for (size_t i = 0; !o->filter && i + o->capture.fallbacks < o->outputs.count; i++) {
		if (!can_be_read(o->outputs.names[i]))
			continue;
		fputs(any ? " " : "njoin --verify ", stdout);
		print_word(o->outputs.names[i], o->now);
		any = true;
	}
	puts(any ? "" : "njoin --verify FILE...");
}

/* Commands for the shell, with comments.  o: of nsplit, with the outputs that it writes without a kdump. */
static void crash_print_result(const struct kdump_system *kdump, const struct nsplit_options *o)
{
	if (!print_of_kdump(kdump, o))
		print_of_nsplit(o);
}

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
