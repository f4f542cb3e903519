// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line of makedumpfile, and the original program beside nsplit. */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/option_table.h"
#include "base/signals.h"
#include "cmd/common/common_options.h"
#include "cmd/common/message.h"
#include "cmd/makedumpfile/makedumpfile.h"
#include "cmd/nsplit/options.h"
#include "codec/codec.h"
#include "set/dump.h"

/* --- the original program ------------------------------------------------------------- */

const char original_name[] = "makedumpfile.distrib";

/* Besides $PATH, which in a capture image may lack them. */
static const char *const directories = "/usr/sbin:/usr/bin:/sbin:/bin";

/* A link to this program would execute itself forever. */
static bool is_this_program(const char *path)
{
	struct stat self, other;

	return !stat("/proc/self/exe", &self) && !stat(path, &other) && self.st_dev == other.st_dev &&
	       self.st_ino == other.st_ino;
}

/* Finds it in a list like $PATH. */
static bool find_in(const char *list, char path[PATH_MAX])
{
	while (list && *list) {
		int length = (int)strcspn(list, ":");
		int made = snprintf(path, PATH_MAX, "%.*s/%s", length, list, original_name);

		if (length && made < PATH_MAX && access(path, X_OK) == 0 && !is_this_program(path))
			return true;
		list += length + (list[length] == ':');
	}
	return false;
}

bool original_find(char path[PATH_MAX])
{
	return find_in(getenv("PATH"), path) || find_in(directories, path);
}

void original_run(char **argv, const sigset_t *heeded, const char *why)
{
	char path[PATH_MAX];

	if (!original_find(path))
		return;
	message("%s; %s takes over", why, path);
	message_end();
	signals_release(heeded);
	execv(path, argv);
	message("%s: %s", path, strerror(errno));
}

/* --- the table ------------------------------------------------------------------------ */

/* The options of makedumpfile 1.7.8 (its print_info.c and makedumpfile.c, longopts), and what becomes of each. */

enum { LEVEL_MAX = 31 };

static enum status set_codec(void *settings, const struct option_call *call, struct error *e)
{
	static const char names[][2][8] = { { "c", "zlib" }, { "l", "lzo" }, { "p", "snappy" }, { "z", "zstd" } };
	struct makedumpfile_options *o = settings;

	(void)e;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i][0][0] == call->entry->letter)
			o->codec = names[i][1];
	return STATUS_OK;
}

/* As atoi() takes it: what is no number is 0.  *end: behind the number. */
static long number_of(const char *text, char **end)
{
	return strtol(text, end, 10);
}

static enum status refuse_levels(const char *text, struct error *e)
{
	if (!strchr(text, ','))
		return error_set(e, STATUS_USAGE, "-d: '%s' is not a dump level, which is a number from 0 to %d", text,
				 LEVEL_MAX);
	return error_set(e, STATUS_USAGE, "-d: '%s' is not a list of up to %d dump levels from 0 to %d", text, LEVELS_MAX,
			 LEVEL_MAX);
}

/* "31" or "1,31".  makedumpfile takes a word for 0, and no level as well: SUSE's KDUMP_DUMPLEVEL may be empty. */
static enum status set_levels(void *settings, const struct option_call *call, struct error *e)
{
	struct makedumpfile_options *o = settings;
	unsigned levels[LEVELS_MAX] = { 0 }, count = 0;
	const char *text = call->text;

	while (*(text += strspn(text, ","))) {
		char *end;
		long level = number_of(text, &end);

		if (level < 0 || level > LEVEL_MAX || count == LEVELS_MAX)
			return refuse_levels(call->text, e);
		if (end == text || (*end && *end != ','))
			message("-d: '%.*s' is taken for %ld, as by the original program", (int)strcspn(text, ","), text,
				level);
		levels[count++] = (unsigned)level;
		while (*text && *text != ',')
			text++;
	}
	memcpy(o->levels, levels, sizeof(levels));
	o->level_count = count ? count : 1;
	return STATUS_OK;
}

static enum status set_messages(void *settings, const struct option_call *call, struct error *e)
{
	struct makedumpfile_options *o = settings;
	char *end;
	long level = number_of(call->text, &end);

	if (level < 0 || level > SAY_ALL)
		return error_set(e, STATUS_USAGE, "%s: '%s' is not a number from 0 to %d", call->called, call->text,
				 SAY_ALL);
	o->says = (unsigned)level;
	return STATUS_OK;
}

/* No thread, or what is no number, is the default there. */
static enum status set_threads(void *settings, const struct option_call *call, struct error *e)
{
	struct makedumpfile_options *o = settings;
	char *end;
	long threads = number_of(call->text, &end);

	(void)e;
	o->threads = (uint32_t)min_u64(threads > 0 ? (uint64_t)threads : 0, call->entry->most);
	return STATUS_OK;
}

static enum status print_version(void *settings, const struct option_call *call, struct error *e)
{
	char path[PATH_MAX];

	(void)settings;
	(void)call;
	(void)e;
	printf("makedumpfile: version 1.7.8 (%s)\n", PACKAGE_STRING);
	for (const struct codec_entry *entry = codec_entries(); entry->name; entry++)
		if (kdump_flag(entry->id) && entry->id != CODEC_ZLIB && entry->codec != &codec_lzohc)
			printf("%s\t%s\n", entry->name, entry->codec ? "enabled" : "disabled");
	printf("original program\t%s\n", original_find(path) ? path : "not found");
	return STATUS_END;
}

#define FIELD(field) OPTION_FIELD(struct makedumpfile_options, field)
#define FLAG(letter, help, field) { "", letter, NULL, help, option_set_bool, FIELD(field) }

/* Options of which note() knows what they are by their headings in --help. */
static const char ignored[] = "Accepted, and ignored";
static const char left[] = "Left to the original program, makedumpfile.distrib, or refused without it";

/* Those that nothing is set by: see note(). */
static const struct option_entry entries[] = {
	{ NULL, .help = "Does the same" },
	{ "", 'c', NULL, "compress pages with zlib", .set = set_codec },
	{ "", 'l', NULL, "compress pages with LZO", .set = set_codec },
	{ "", 'p', NULL, "compress pages with Snappy", .set = set_codec },
	{ "", 'z', NULL, "compress pages with Zstandard", .set = set_codec },
	{ "", 'd', "LEVEL", "leave out pages: the sum of 1 (zero), 2 (cache), 4 (private), 8 (user) and 16 (free); "
	  "the next of LEVEL,LEVEL,... if there is no space", .set = set_levels },
	FLAG('E', "write an ELF core, which is not compressed", elf),
	FLAG('F', "write the flattened form to standard output", flattened),
	FLAG('R', "turn a flattened dump on standard input into DUMPFILE", rearrange),
	FLAG('f', "overwrite DUMPFILE", force),
	{ "", 'L', "SIZE", "end DUMPFILE at SIZE bytes", option_set_size, FIELD(limit), .least = 1, .most = OFFSET_MAX },
	FLAG('D', "print more, as --message-level with 8", debug),
	{ "num-threads", 0, "N", "compress on N threads (default: one per usable CPU)", .set = set_threads,
	  .most = THREADS_MAX },
	{ "split", 0, NULL, "write several DUMPFILEs, each a part", option_set_bool, FIELD(split) },
	{ "reassemble", 0, NULL, "make one DUMPFILE of its parts", option_set_bool, FIELD(reassemble) },
	{ "dump-dmesg", 0, NULL, "write the kernel log", option_set_bool, FIELD(log) },
	{ "partial-dmesg", 0, NULL, "with --dump-dmesg, only what came after the log was last cleared",
	  option_set_bool, FIELD(partial_log) },
	{ "message-level", 0, "N", "what to print: the sum of 1 (progress), 2 (common), 4 (errors, which are always "
	  "printed), 8 (debug) and 16 (report)", .set = set_messages },
	{ "show-stats", 0, NULL, "print page counts, as --message-level with 16", option_set_bool, FIELD(report) },
	{ "dry-run", 0, NULL, "read and compress everything, but write nothing", option_set_bool, FIELD(dry_run) },
	{ "non-mmap", 0, NULL, "never map VMCORE", option_set_bool, FIELD(no_mmap) },
	{ "check-params", 0, NULL, "only check the command line and nsplit.conf", option_set_bool, FIELD(check) },
	OPTION_HELP,
	{ "", 'v', NULL, "print versions and codecs, and whether there is an original program", .set = print_version },

	{ NULL, .help = ignored },
	{ "", 'x', "VMLINUX", "VMCORE describes its kernel", option_set_text, FIELD(vmlinux) },
	{ "", 'i', "VMCOREINFO", "VMCORE describes its kernel", option_set_text, FIELD(vmcoreinfo) },
	{ "", 'b', "ORDER", "nsplit has no page cache to size", .set = NULL },
	FLAG('e', "the memory map is kept, so that crash can use it", excludes_map),
	{ "cyclic-buffer", 0, "SIZE", "the bitmap is kept in memory", .set = NULL },
	{ "splitblock-size", 0, "SIZE", "parts have equal numbers of pages", .set = NULL },
	{ "work-dir", 0, "DIRECTORY", "there are no temporary files", option_set_text, FIELD(work_dir) },

	{ NULL, .help = left },
	{ "config", 0, "FILE", "nsplit does not erase data from a dump", .set = NULL },
	{ "eppic", 0, "FILE", "nsplit does not erase data from a dump", .set = NULL },
	{ "", 'g', "VMCOREINFO", "nsplit needs no such file, since VMCORE describes its kernel", .set = NULL },
	{ "diskset", 0, "VMCORE", "nsplit does not read sadump's formats", .set = NULL },
	{ "mem-usage", 0, NULL, "use 'nsplit --estimate' in the running system, or 'njoin --list' with a core", .set = NULL },
	{ "vtop", 0, "ADDRESS", "use the vtop command of crash", .set = NULL },
	{ "", 'X', NULL, "nsplit does not filter the memory of Xen", .set = NULL },
	{ "xen-syms", 0, "FILE", "nsplit does not filter the memory of Xen", .set = NULL },
	{ "xen-vmcoreinfo", 0, "FILE", "nsplit does not filter the memory of Xen", .set = NULL },
	{ "xen_phys_start", 0, "ADDRESS", "nsplit does not filter the memory of Xen", .set = NULL },
};

static const struct option_table table = {
	.program = "nsplit-makedumpfile",
	.usage =
"Usage: makedumpfile [OPTION]... VMCORE DUMPFILE\n"
"  or:  makedumpfile -F [OPTION]... VMCORE > FLATTENED\n"
"  or:  makedumpfile -R DUMPFILE < FLATTENED\n"
"  or:  makedumpfile --split [OPTION]... VMCORE DUMPFILE DUMPFILE...\n"
"  or:  makedumpfile --reassemble DUMPFILE... DUMPFILE\n"
"  or:  makedumpfile --dump-dmesg [OPTION]... VMCORE LOGFILE\n"
"Works like makedumpfile, by means of nsplit and on all CPUs.\n",
	.entries = entries,
	.count = sizeof(entries) / sizeof(entries[0]),
	.notes =
"Threads, codec and limits may be set in /etc/nsplit.conf.  If a dump fails\n"
"before its output is opened, makedumpfile.distrib, the original program, takes\n"
"over.\n"
"\n"
"Exit status: 0: the dump is complete; 1: it is not, or there is none.\n",
};

/* "-x" or "--split", as it is given. */
static const char *spelled(const struct option_entry *entry, char text[OPTION_NAME_LENGTH])
{
	if (entry->letter)
		snprintf(text, OPTION_NAME_LENGTH, "-%c", entry->letter);
	else
		snprintf(text, OPTION_NAME_LENGTH, "--%s", entry->name);
	return text;
}

/* That an option was given which is ignored, or left to the original program. */
static void note(struct makedumpfile_options *o, const struct option_entry *entry)
{
	const struct option_entry *heading = entry;
	char text[OPTION_NAME_LENGTH];

	while (heading->name)
		heading--;
	if (heading->help == ignored)
		o->ignored[entry - entries] = true;
	else if (heading->help == left && !o->refused.status)
		error_set(&o->refused, STATUS_UNSUPPORTED, "%s: %s", spelled(entry, text), entry->help);
}

void makedumpfile_say_ignored(const struct makedumpfile_options *o)
{
	char text[OPTION_NAME_LENGTH];

	for (size_t i = 0; i < table.count && makedumpfile_says(o, SAY_COMMON); i++)
		if (o->ignored[i])
			message("ignored: %s: %s", spelled(&entries[i], text), entries[i].help);
}

/* --- what the options mean together -------------------------------------- */

bool makedumpfile_says(const struct makedumpfile_options *o, unsigned bit)
{
	return (o->says & bit) || (bit == SAY_DEBUG && o->debug) || (bit == SAY_REPORT && o->report);
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

/* What --help calls the operand that follows the first given ones. */
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

/* In the capture kernel (forgiven), those that are too many are left out, as far as a dump can be written without them. */
static enum status check_operands(struct makedumpfile_options *o, bool forgiven, struct error *e)
{
	bool more;
	int wanted = operands_wanted(o, &more), given = o->operand_count;
	const char *next = name_of_operand(o, given);

	if (forgiven && o->split && given == 2) {
		error_set(e, STATUS_USAGE, "--split requires more than one DUMPFILE");
		mistake_print(e);
		o->split = false;
		return check_operands(o, forgiven, e);
	}
	if (given < wanted)
		return error_set(e, STATUS_USAGE, "the name of %s is missing", next);
	if (given <= wanted || more)
		return STATUS_OK;
	error_set(e, STATUS_USAGE, "unexpected operand '%s'%s", o->operands[wanted],
		  o->flattened ? ": -F writes to standard output" : "");
	if (!forgiven)
		return e->status;
	mistake_print(e);
	o->operand_count = wanted;
	return STATUS_OK;
}

static enum status check_copy(struct makedumpfile_options *o, struct error *e)
{
	const char *option = o->rearrange ? "-R" : "--reassemble";

	/* What these copy is neither filtered nor compressed again. */
	if (o->codec || o->levels[0] || o->elf || o->flattened || o->vmlinux || o->vmcoreinfo)
		return error_set(e, STATUS_USAGE, "%s cannot be combined with -c, -l, -p, -z, -d, -E, -F, -x or -i", option);
	if (o->rearrange && o->reassemble)
		return error_set(e, STATUS_USAGE, "-R cannot be combined with --reassemble");
	if (o->dry_run)
		return error_set(e, STATUS_USAGE, "--dry-run cannot be combined with %s", option);
	return check_operands(o, false, e);
}

/* Two options of which makedumpfile takes only one.  In the capture kernel, the one goes that changes the form less. */
static enum status check_pairs(struct makedumpfile_options *o, bool forgiven, struct error *e)
{
	const struct {
		bool both;
		const char *text;
		void *dropped;
		size_t width;
	} pairs[] = {
		{ o->elf && o->codec, "-E cannot be combined with -c, -l, -p or -z: an ELF core is not compressed",
		  &o->codec, sizeof(o->codec) },
		{ o->vmlinux && o->vmcoreinfo, "-x cannot be combined with -i", &o->vmcoreinfo, sizeof(o->vmcoreinfo) },
		{ o->flattened && o->split, "-F cannot be combined with --split", &o->split, sizeof(o->split) },
		{ o->elf && o->split, "-E cannot be combined with --split", &o->split, sizeof(o->split) },
		{ o->threads && o->split, "--num-threads cannot be combined with --split", &o->threads, sizeof(o->threads) },
		{ o->threads && o->elf, "--num-threads cannot be combined with -E", &o->threads, sizeof(o->threads) },
		{ o->log && o->split, "--split cannot be combined with --dump-dmesg", &o->split, sizeof(o->split) },
		{ o->log && o->dry_run, "--dry-run cannot be combined with --dump-dmesg", &o->dry_run, sizeof(o->dry_run) },
		{ o->partial_log && !o->log, "--partial-dmesg requires --dump-dmesg", &o->partial_log,
		  sizeof(o->partial_log) },
		{ o->excludes_map && !o->work_dir, "-e requires --work-dir", &o->excludes_map, sizeof(o->excludes_map) },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (!pairs[i].both)
			continue;
		error_set(e, STATUS_USAGE, "%s", pairs[i].text);
		if (!forgiven)
			return e->status;
		mistake_print(e);
		memset(pairs[i].dropped, 0, pairs[i].width);
		return check_pairs(o, forgiven, e);
	}
	return STATUS_OK;
}

/* STATUS_USAGE: makedumpfile refuses these options together, or operands are missing or too many. */
static enum status check(struct makedumpfile_options *o, bool forgiven, struct error *e)
{
	enum status status;

	if ((o->rearrange || o->reassemble) && !forgiven)
		return check_copy(o, e);
	if (o->rearrange || o->reassemble) {
		/* They take no dump of the crash. */
		if (check_copy(o, e))
			mistake_print(e);
		o->rearrange = o->reassemble = false;
	}
	status = check_pairs(o, forgiven, e);
	return status ? status : check_operands(o, forgiven, e);
}

/* --- the command line ----------------------------------------------------------------- */

struct command_line {
	struct makedumpfile_options *options;
	struct mistakes mistakes;
	char **argv;			/* which getopt_long() reorders */
};

static enum status set(void *arg, const struct option_call *call, struct error *e)
{
	struct command_line *r = arg;
	enum status status = mistakes_check_value(&r->mistakes, call, e);

	if (!status)
		status = option_set(r->options, call, e);
	if (!status)
		note(r->options, call->entry);
	return status;
}

/* In the capture kernel only. */
static void skip(void *arg, const struct option_entry *entry, struct error *e)
{
	struct command_line *r = arg;

	/* Without its value, the original program refuses it, but data must not be in the dump that was to be erased. */
	if (entry)
		note(r->options, entry);
	mistakes_skip(&r->mistakes, r->argv, e);
}

static enum status read_words(struct command_line *r, int argc, struct error *e)
{
	/* njoin and nsplit would take "-" for standard input or output; the original program does not. */
	static char file[] = "./-";
	bool forgiven = r->mistakes.forgiven;
	const struct option_reader reader = { .each = set, .skipped = forgiven ? skip : NULL, .arg = r };
	struct makedumpfile_options *o = r->options;
	enum status status = option_table_read(&table, argc, r->argv, &reader, e);

	if (status)
		return status;
	if (forgiven)
		argc = mistakes_drop_values(&r->mistakes, optind, argc, r->argv);
	o->operands = r->argv + optind;
	o->operand_count = argc - optind;
	for (int i = 0; i < o->operand_count; i++)
		if (strcmp(o->operands[i], "-") == 0)
			o->operands[i] = file;
	/* The original program may do it, and knows what goes together. */
	if (o->refused.status)
		return STATUS_OK;
	status = check(o, false, e);
	return status && forgiven ? check(o, true, e) : status;
}

enum status makedumpfile_options_read(struct makedumpfile_options *o, int argc, char **argv, struct error *e)
{
	struct command_line r = { .options = o, .argv = argv };
	enum status status;

	*o = (struct makedumpfile_options){ .level_count = 1, .says = SAY_USUAL };
	mistakes_init(&r.mistakes, argc, argv);
	status = read_words(&r, argc, e);
	mistakes_free(&r.mistakes);
	return status;
}
