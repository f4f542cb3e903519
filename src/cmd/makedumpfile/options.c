// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>

#include "cmd/makedumpfile/options.h"
#include "cmd/nsplit/mistakes.h"

bool makedumpfile_says(const struct makedumpfile_options *o, unsigned bit)
{
	return (o->says | o->says_too) & bit;
}

const char *makedumpfile_option_spelled(const struct option_entry *entry, char text[OPTION_SPELLED_LENGTH])
{
	if (entry->letter)
		snprintf(text, OPTION_SPELLED_LENGTH, "-%c", entry->letter);
	else
		snprintf(text, OPTION_SPELLED_LENGTH, "--%s", entry->name);
	return text;
}

enum makedumpfile_job makedumpfile_job(const struct makedumpfile_options *o)
{
	return o->rearrange ? JOB_REARRANGE : o->reassemble ? JOB_REASSEMBLE : o->log ? JOB_LOG : JOB_DUMP;
}

int makedumpfile_first_output(const struct makedumpfile_options *o)
{
	enum makedumpfile_job job = makedumpfile_job(o);

	return job == JOB_REARRANGE ? 0 : job == JOB_REASSEMBLE ? o->operand_count - 1 : 1;
}

/* How many operands there have to be; *more: at least. */
static int operands_wanted(const struct makedumpfile_options *o, bool *more)
{
	enum makedumpfile_job job = makedumpfile_job(o);

	*more = job == JOB_REASSEMBLE || (o->split && job == JOB_DUMP);
	if (job == JOB_REARRANGE)
		return 1;
	if (job == JOB_REASSEMBLE)
		return 2;
	if (o->split)
		return 3;
	return o->flattened ? 1 : 2;
}

/* What --help calls the operand that follows so many. */
static const char *name_of_operand(const struct makedumpfile_options *o, int given)
{
	switch (makedumpfile_job(o)) {
	case JOB_REARRANGE:
		return "DUMPFILE";
	case JOB_REASSEMBLE:
		return given ? "the DUMPFILE to be made" : "a DUMPFILE";
	case JOB_LOG:
		return given ? "LOGFILE" : "VMCORE";
	default:
		return !given ? "VMCORE" : o->split && given > 1 ? "a second DUMPFILE, which --split requires," : "DUMPFILE";
	}
}

static enum status check_operands(const struct makedumpfile_options *o, struct error *e)
{
	bool more;
	int wanted = operands_wanted(o, &more), given = o->operand_count;
	const char *next = name_of_operand(o, given);

	if (given < wanted)
		return error_set(e, STATUS_USAGE, "the name of %s is missing", next);
	if (given > wanted && !more)
		return error_set(e, STATUS_USAGE, "'%s' is one name too many%s", o->operands[wanted],
				 o->flattened ? ": -F writes to standard output" : "");
	return STATUS_OK;
}

/* What -R and --reassemble copy is neither filtered nor compressed again. */
static bool changes_pages(const struct makedumpfile_options *o)
{
	return o->codec || o->levels[0] || o->elf || o->flattened || o->vmlinux || o->vmcoreinfo;
}

static enum status check_copy(const struct makedumpfile_options *o, const char *option, struct error *e)
{
	if (changes_pages(o))
		return error_set(e, STATUS_USAGE, "%s cannot be combined with -c, -l, -p, -z, -d, -E, -F, -x or -i", option);
	if (o->rearrange && o->reassemble)
		return error_set(e, STATUS_USAGE, "-R cannot be combined with --reassemble");
	if (o->dry_run)
		return error_set(e, STATUS_USAGE, "--dry-run cannot be combined with %s", option);
	return check_operands(o, e);
}

/* Two options of which makedumpfile takes only one. */
static enum status check_pairs(const struct makedumpfile_options *o, struct error *e)
{
	const struct {
		bool both;
		const char *text;
	} pairs[] = {
		{ o->elf && o->codec, "-E cannot be combined with -c, -l, -p or -z: an ELF core is not compressed" },
		{ o->vmlinux && o->vmcoreinfo, "-x cannot be combined with -i" },
		{ o->flattened && o->split, "-F cannot be combined with --split" },
		{ o->elf && o->split, "-E cannot be combined with --split" },
		{ o->threads && o->split, "--num-threads cannot be combined with --split" },
		{ o->threads && o->elf, "--num-threads cannot be combined with -E" },
		{ o->log && o->split, "--split cannot be combined with --dump-dmesg" },
		{ o->log && o->dry_run, "--dry-run cannot be combined with --dump-dmesg" },
		{ o->partial_log && !o->log, "--partial-dmesg requires --dump-dmesg" },
		{ o->excludes_map && !o->work_dir, "-e requires --work-dir" },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (pairs[i].both)
			return error_set(e, STATUS_USAGE, "%s", pairs[i].text);
	return STATUS_OK;
}

enum status makedumpfile_options_check(const struct makedumpfile_options *o, struct error *e)
{
	enum makedumpfile_job job = makedumpfile_job(o);
	enum status status;

	if (job == JOB_REARRANGE || job == JOB_REASSEMBLE)
		return check_copy(o, job == JOB_REARRANGE ? "-R" : "--reassemble", e);
	status = check_pairs(o, e);
	return status ? status : check_operands(o, e);
}

/* Of the first pair that check_pairs() refuses, the option goes that changes the form less. */
static void drop_one(struct makedumpfile_options *o)
{
	if (o->elf && o->codec)
		o->codec = NULL;
	else if (o->vmlinux && o->vmcoreinfo)
		o->vmcoreinfo = NULL;
	else if (o->split && (o->flattened || o->elf))
		o->split = false;
	else if (o->threads && (o->split || o->elf))
		o->threads = 0;
	else if (o->log && o->split)
		o->split = false;
	else if (o->log && o->dry_run)
		o->dry_run = false;
	else if (o->partial_log && !o->log)
		o->partial_log = false;
	else
		o->excludes_map = false;
}

static void forgive_pairs(struct makedumpfile_options *o)
{
	struct error e;

	while (check_pairs(o, &e)) {
		mistake_print(&e);
		drop_one(o);
	}
}

static void forgive_operands(struct makedumpfile_options *o)
{
	int wanted;
	struct error e;
	bool more;

	if (o->split && o->operand_count == 2) {
		error_set(&e, STATUS_USAGE, "--split requires more than one DUMPFILE");
		mistake_print(&e);
		o->split = false;
	}
	wanted = operands_wanted(o, &more);
	if (o->operand_count <= wanted || more)
		return;
	check_operands(o, &e);
	mistake_print(&e);
	o->operand_count = wanted;
}

/* They take no dump of the crash. */
static void forgive_copy(struct makedumpfile_options *o)
{
	struct error e;

	if (!o->rearrange && !o->reassemble)
		return;
	if (makedumpfile_options_check(o, &e))
		mistake_print(&e);
	o->rearrange = o->reassemble = false;
}

void makedumpfile_options_forgive(struct makedumpfile_options *o)
{
	forgive_copy(o);
	forgive_pairs(o);
	forgive_operands(o);
}
