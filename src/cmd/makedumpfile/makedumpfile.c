// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/signals.h"
#include "cmd/common/message.h"
#include "cmd/common/vmcore.h"
#include "cmd/makedumpfile/capture.h"
#include "cmd/makedumpfile/convert.h"
#include "cmd/makedumpfile/makedumpfile.h"
#include "cmd/makedumpfile/original.h"
#include "cmd/makedumpfile/say.h"
#include "cmd/nsplit/mistakes.h"
#include "core/kinds/page_class.h"
#include "io/existing.h"

static const char name[] = "makedumpfile";

struct call {
	struct makedumpfile_options options;
	char **words;			/* the command line as it was; owned */
	sigset_t heeded;		/* see signals_heeded() */
	struct mistakes mistakes;
	char **argv;			/* which getopt_long() reorders */
};

bool makedumpfile_is_meant(int *argc, char **argv)
{
	if (*argc && strcmp(program_invocation_short_name, name) == 0)
		return true;
	if (*argc < 2 || strcmp(argv[1], "--as-makedumpfile") != 0)
		return false;
	for (int i = 1; i < *argc; i++)
		argv[i] = argv[i + 1];
	--*argc;
	program_invocation_short_name = (char *)name;
	return true;
}

/* --- the command line ----------------------------------------------------------------- */

static enum status set(void *arg, const struct option_call *call, struct error *e)
{
	struct call *c = arg;

	if (mistakes_check_value(&c->mistakes, call, e))
		return e->status;
	return option_set(&c->options, call, e);
}

/* In the capture kernel only. */
static void skip(void *arg, const struct option_entry *entry, struct error *e)
{
	struct call *c = arg;

	/* Without its value, the original program refuses it, but data must not be in the dump that was to be erased. */
	if (entry)
		makedumpfile_options_refuse(&c->options, entry);
	mistakes_skip(&c->mistakes, c->argv, e);
}

/* njoin and nsplit would take "-" for standard input or output; the original program does not. */
static void name_files(struct makedumpfile_options *o)
{
	static char file[] = "./-";

	for (int i = 0; i < o->operand_count; i++)
		if (strcmp(o->operands[i], "-") == 0)
			o->operands[i] = file;
}

static enum status read_words(struct call *c, int argc, struct error *e)
{
	bool forgiven = c->mistakes.forgiven;
	const struct option_reader reader = { .each = set, .skipped = forgiven ? skip : NULL, .arg = c };
	struct makedumpfile_options *o = &c->options;
	enum status status = option_table_read(&makedumpfile_option_table, argc, c->argv, &reader, e);

	if (status)
		return status;
	if (forgiven)
		argc = mistakes_drop_values(&c->mistakes, optind, argc, c->argv);
	o->operands = c->argv + optind;
	o->operand_count = argc - optind;
	name_files(o);
	/* The original program may do it, and knows what goes together. */
	if (o->refused.status)
		return STATUS_OK;
	status = makedumpfile_options_check(o, e);
	if (status && forgiven) {
		makedumpfile_options_forgive(o);
		status = makedumpfile_options_check(o, e);
	}
	return status;
}

/* --- the work ------------------------------------------------------------------------- */

/*
 * With -f, scripts replace a dump by the next one, and so does the original program.  An ELF core that is not replaced by
 * another one is more likely the source, in the place of the output.  In the capture kernel, it is not.
 */
static enum status refuse_held(const struct makedumpfile_options *o, const char *output, struct error *e)
{
	enum makedumpfile_job job = makedumpfile_job(o);
	enum holding holding = holding_of(output);
	struct stat source, existing;

	if (holding == HOLDS_OTHER || strcmp(o->operands[0], vmcore_name) == 0)
		return STATUS_OK;
	/* There is another sentence about the source itself. */
	if (stat(o->operands[0], &source) == 0 && stat(output, &existing) == 0 && output != o->operands[0] &&
	    source.st_dev == existing.st_dev && source.st_ino == existing.st_ino)
		return STATUS_OK;
	if (job != JOB_LOG && (holding != HOLDS_CORE || o->elf))
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "%s: is %s, which -f does not overwrite%s; VMCORE comes before it; remove it to "
			 "use the name", output, holding_text(holding), job == JOB_LOG ? " with a log" : "");
}

/* Nothing is split if nothing is written. */
static bool captures(const struct makedumpfile_options *o)
{
	return makedumpfile_job(o) == JOB_DUMP && (!o->split || o->dry_run) && !makedumpfile_reads_dump(o);
}

/* Of a capture, nsplit.conf may allow any owner. */
static enum status refuse_existing(const struct makedumpfile_options *o, struct error *e)
{
	for (int i = makedumpfile_first_output(o); i < o->operand_count; i++) {
		const char *output = o->operands[i];

		if (access(output, F_OK) != 0)
			continue;
		if (!o->force)
			return error_set(e, STATUS_USAGE, "%s: exists; use -f to overwrite it", output);
		if (refuse_held(o, output, e) || (!captures(o) && owner_refuse_name(output, false, e)))
			return e->status;
	}
	return STATUS_OK;
}

static int fail(const struct call *c, const struct error *e)
{
	message("%s", e->text);
	if (!c->options.check)
		say_end(&c->options, false, NULL, NULL);
	return EXIT_FAILED;
}

/* What a dump of a dump cannot be.  Pages that were to be left out must not be in it without a word. */
static enum status check_again(const struct call *c, struct error *e)
{
	const struct makedumpfile_options *o = &c->options;

	if (makedumpfile_job(o) != JOB_DUMP)
		return STATUS_OK;
	if (o->flattened) {
		error_set(e, STATUS_UNSUPPORTED, "-F: a dump of a dump is written to a file only");
		original_run(c->words, &c->heeded, e->text);
		return e->status;
	}
	if (o->elf && dump_level_classes(o->levels[0]))
		return error_set(e, STATUS_UNSUPPORTED, "-E: an ELF core of a dump has all of its pages; make a dump with -d, "
				 "then an ELF core of that without -d");
	return STATUS_OK;
}

static int work(struct call *c)
{
	const struct makedumpfile_options *o = &c->options;
	char path[PATH_MAX];
	struct error e;

	if (o->refused.status) {
		original_run(c->words, &c->heeded, o->refused.text);
		e = o->refused;
		if (!original_find(path))
			error_suffix(&e, "; %s, which could do it, was not found", original_name);
		return fail(c, &e);
	}
	if (o->check)
		return makedumpfile_check_config(&e) ? fail(c, &e) : EXIT_PERFECT;
	if (refuse_existing(o, &e))
		return fail(c, &e);
	if (captures(o))
		return makedumpfile_capture(o, c->words);
	return check_again(c, &e) ? fail(c, &e) : makedumpfile_convert(o, c->words, &c->heeded);
}

static int run(struct call *c, int argc)
{
	struct error e;
	enum status status = read_words(c, argc, &e);

	if (status == STATUS_END)
		return EXIT_PERFECT;
	if (!status)
		return work(c);
	message("%s", e.text);
	say(&c->options, SAY_COMMON, "Commandline parameter is invalid.\n"
	    "Try `makedumpfile --help' for more information.\n");
	if (!c->options.check)
		say_end(&c->options, false, NULL, NULL);
	return EXIT_FAILED;
}

int makedumpfile_main(int argc, char **argv)
{
	struct call c = { .argv = argv, .words = calloc((size_t)argc + 1, sizeof(*argv)) };
	int status;

	if (!c.words) {
		message("%s", strerror(ENOMEM));
		return EXIT_FAILED;
	}
	memcpy(c.words, argv, (size_t)argc * sizeof(*argv));
	signals_heeded(&c.heeded);
	makedumpfile_options_init(&c.options);
	mistakes_init(&c.mistakes, argc, argv);
	status = message_close_output(run(&c, argc));
	message_end();
	mistakes_free(&c.mistakes);
	free(c.words);
	return status;
}
