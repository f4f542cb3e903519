// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/signals.h"
#include "cmd/common/message.h"
#include "cmd/common/vmcore.h"
#include "cmd/makedumpfile/capture.h"
#include "cmd/makedumpfile/makedumpfile.h"
#include "cmd/makedumpfile/options.h"
#include "cmd/makedumpfile/original.h"
#include "cmd/makedumpfile/say.h"
#include "cmd/njoin/njoin.h"
#include "cmd/nsplit/mistakes.h"
#include "core/kinds/page_class.h"
#include "io/existing.h"
#include "set/dump.h"

/* What makedumpfile does besides a dump of memory, by njoin. */

/* Is VMCORE a dump in the kdump-compressed form, which njoin makes smaller? */
static bool makedumpfile_reads_dump(const struct makedumpfile_options *o)
{
	const struct names names = { .names = o->operands, .count = 1 };
	struct error ignored;
	bool all;

	/* An error is reported when it is opened. */
	return !dump_recognise_all(&names, &all, &ignored) && all;
}

static void inspect(void *arg, const struct vmcoreinfo *info, const struct dump *dump)
{
	const struct makedumpfile_options *o = arg;

	/* retrace-server looks for this line. */
	if (dump)
		say(o, SAY_DEBUG, "  dump_level       : %" PRIu32 "\n", dump->level);
	say_vmcoreinfo(o, info);
}

static enum status add_names(struct names *names, const struct makedumpfile_options *o, int first, int end,
			     struct error *e)
{
	enum status status = STATUS_OK;

	for (int i = first; i < end && !status; i++)
		status = names_append(names, o->operands[i], OUTPUTS_MAX, e);
	return status;
}

/* In the capture kernel, a mount may give every file to nobody, and what is refused there is lost. */
static bool reads_vmcore(const struct makedumpfile_options *o)
{
	return o->operand_count && strcmp(o->operands[0], vmcore_name) == 0;
}

/* The operands: members first, then outputs. */
static enum status set_files(struct njoin_options *j, const struct makedumpfile_options *o, struct error *e)
{
	int members = makedumpfile_first_output(o);
	enum status status = members ? add_names(&j->members, o, 0, members, e) :
				       names_append(&j->members, "-", 1, e);

	if (status)
		return status;
	if (o->dry_run)
		return names_append(&j->outputs, "/dev/null", 1, e);
	return add_names(&j->outputs, o, members, o->operand_count, e);
}

/* If this build does not have it, a larger dump is better than none.  NULL: pages of a dump stay as they are. */
static const struct codec *choose_codec(struct njoin_options *j, const struct makedumpfile_options *o)
{
	const struct codec *codec;
	struct error e;

	if (o->codec && !codec_find(o->codec, &codec, &j->level, &e))
		return codec;
	if (o->codec)
		message("%s; pages are not compressed", e.text);
	return o->codec || !makedumpfile_reads_dump(o) ? &codec_raw : NULL;
}

static void set_form(struct njoin_options *j, const struct makedumpfile_options *o)
{
	/* A kdump-compressed dump is written with seeks, which /dev/null does not have. */
	bool elf = o->elf || o->dry_run;

	j->format = elf ? NJOIN_ELF : NJOIN_KDUMP;
	j->format_given = true;
	/* makedumpfile reads them as zeros, too. */
	j->zero_left_out = elf;
	j->force |= o->dry_run;
	left_out_add_level(&j->left_out, o->levels[0]);
	j->raises_level = true;
	if (!elf)
		j->codec = choose_codec(j, o);
}

static enum status make_options(struct njoin_options *j, const struct makedumpfile_options *o, struct error *e)
{
	enum makedumpfile_job job = makedumpfile_job(o);
	enum status status = set_files(j, o, e);

	j->force = j->overwrite_dumps = o->force;
	j->any_owner = reads_vmcore(o);
	j->quiet = !makedumpfile_says(o, SAY_COMMON);
	j->progress = makedumpfile_says(o, SAY_PROGRESS) ? PROGRESS_ALWAYS : PROGRESS_NEVER;
	j->keeps_pages = true;
	if (o->threads)
		j->threads = o->threads;
	if (status)
		return status;
	if (job == JOB_DUMP) {
		set_form(j, o);
	} else if (job == JOB_LOG) {
		j->mode = NJOIN_DMESG;
		j->log_part = o->partial_log ? LOG_SINCE_CLEAR : LOG_WHOLE;
		j->inspect = inspect;
		j->inspect_arg = (void *)o;
	} else {
		/* What there is of a dump that is cut. */
		j->salvage = true;
		j->format = NJOIN_KDUMP;
	}
	return STATUS_OK;
}

static void say_parts(const struct makedumpfile_options *o)
{
	say(o, SAY_COMMON, "\nThe dumpfiles are saved to ");
	for (int i = 1; i + 1 < o->operand_count; i++)
		say(o, SAY_COMMON, "%s, ", say_name(o->operands[i]));
	say(o, SAY_COMMON, "and %s.\n", say_name(o->operands[o->operand_count - 1]));
}

/* Of a dump of memory, files that nsplit has made are removed if any of them fails. */
static bool nothing_is_left(const struct makedumpfile_options *o)
{
	if (makedumpfile_job(o) != JOB_DUMP || makedumpfile_reads_dump(o))
		return false;
	for (int i = 1; i < o->operand_count; i++)
		if (access(o->operands[i], F_OK) == 0)
			return false;
	return true;
}

/*
 * -R, --reassemble, --dump-dmesg, --split, and dumps of dumps.  If nothing is left of --split, the original program
 * takes over; argv and heeded are for that.  Returns the exit status.
 */
static int makedumpfile_convert(const struct makedumpfile_options *o, char **argv, const sigset_t *heeded)
{
	const char *saved = makedumpfile_job(o) == JOB_LOG ? "dmesg log is" : "dumpfile is";
	struct njoin_options j;
	struct error e;
	int status = EXIT_FAILED;

	signals_hold_requests();
	message_begin(true);
	say_ignored(o);
	limit_size(o);
	njoin_options_init(&j);
	if (make_options(&j, o, &e))
		message("%s", e.text);
	else
		status = njoin_run(&j);
	njoin_options_free(&j);
	if (status && nothing_is_left(o))
		original_run(argv, heeded, "nothing was written");
	if (!status && makedumpfile_job(o) == JOB_DUMP && o->split) {
		say_parts(o);
		saved = NULL;
	}
	say_end(o, !status, saved, o->flattened ? "STDOUT" : o->operands[o->operand_count - 1]);
	return status ? EXIT_FAILED : EXIT_PERFECT;
}

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
 * another one is more likely the source, in the place of the output, and a compressed file is no dump that either program
 * has written there.  In the capture kernel, nothing is refused.
 */
static enum status refuse_held(const struct makedumpfile_options *o, const char *output, struct error *e)
{
	enum makedumpfile_job job = makedumpfile_job(o);
	enum holding holding = HOLDS_OTHER;
	struct stat source, existing;

	/* Before a device is read there, which could hang. */
	if (vmcore_absent(vmcore_name))
		holding = holding_of(output);
	if (holding == HOLDS_OTHER)
		return STATUS_OK;
	/* There is another sentence about the source itself. */
	if (stat(o->operands[0], &source) == 0 && stat(output, &existing) == 0 && output != o->operands[0] &&
	    source.st_dev == existing.st_dev && source.st_ino == existing.st_ino)
		return STATUS_OK;
	if (job != JOB_LOG && holding != HOLDS_PACKED && (holding != HOLDS_CORE || o->elf))
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
		if (refuse_held(o, output, e))
			return e->status;
		if (captures(o) || !owner_refuse_name(output, false, e))
			continue;
		if (!reads_vmcore(o))
			return e->status;
		message("warning: %s; continuing, since this may be the only copy", e->text);
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
