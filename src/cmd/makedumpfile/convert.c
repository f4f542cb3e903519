// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/signals.h"
#include "cmd/common/message.h"
#include "cmd/makedumpfile/convert.h"
#include "cmd/makedumpfile/limit.h"
#include "cmd/makedumpfile/original.h"
#include "cmd/makedumpfile/say.h"
#include "cmd/njoin/njoin.h"
#include "core/kinds/page_class.h"
#include "set/dump.h"

bool makedumpfile_reads_dump(const struct makedumpfile_options *o)
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

int makedumpfile_convert(const struct makedumpfile_options *o, char **argv, const sigset_t *heeded)
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
