// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/signals.h"
#include "base/text.h"
#include "cmd/common/message.h"
#include "cmd/common/operands.h"
#include "cmd/makedumpfile/makedumpfile.h"
#include "cmd/njoin/njoin.h"
#include "cmd/nsplit/nsplit.h"
#include "cmd/nsplit/options.h"
#include "core/kinds/page_class.h"
#include "io/existing.h"
#include "set/dump.h"

/* --- what makedumpfile prints, word for word, since programs read it ------------------ */

/* With -L, no file of njoin may grow beyond it; write() then fails with EFBIG. */
static void limit_size(const struct makedumpfile_options *o)
{
	struct rlimit limit = { .rlim_cur = (rlim_t)o->limit, .rlim_max = RLIM_INFINITY };
	struct rlimit now;

	if (!o->limit)
		return;
	if (getrlimit(RLIMIT_FSIZE, &now) == 0)
		limit.rlim_max = now.rlim_max;
	if (setrlimit(RLIMIT_FSIZE, &limit) < 0)
		message("-L: the size cannot be limited: %s", strerror(errno));
}

enum { LINE_LENGTH = 1024 };

/* On standard output; with -F, which needs that for the dump, on standard error.  Without the program's name. */
__attribute__((format(printf, 3, 4)))
static void say(const struct makedumpfile_options *o, unsigned bit, const char *format, ...)
{
	char line[LINE_LENGTH];
	va_list ap;

	if (!makedumpfile_says(o, bit))
		return;
	va_start(ap, format);
	if (o->flattened) {
		vsnprintf(line, sizeof(line), format, ap);
		message_lines(line);
	} else {
		/* Names of files can be longer. */
		vprintf(format, ap);
	}
	va_end(ap);
}

/* The operand as it was given: "-" is "./-" for nsplit and njoin. */
static const char *say_name(const char *operand)
{
	return strcmp(operand, "./-") == 0 ? "-" : operand;
}

static void say_end(const struct makedumpfile_options *o, bool good, const char *saved, const char *file)
{
	if (good && saved)
		say(o, SAY_COMMON, "\nThe %s saved to %s.\n", saved, say_name(file));
	say(o, SAY_COMMON, "\nmakedumpfile %s.\n", good ? "Completed" : "Failed");
	/* The dump is as good as it was. */
	if (!o->flattened && !message_flush_output())
		__fpurge(stdout);
}

/* With -D: what the kernel says of itself; SUSE's kdump looks for OSRELEASE and CRASHTIME. */
static void say_vmcoreinfo(const struct makedumpfile_options *o, const struct vmcoreinfo *info)
{
	const char *line = info->text, *end = line + info->size;

	say(o, SAY_DEBUG, "VMCOREINFO   :\n");
	while (line && line < end) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		int length = (int)((newline ? newline : end) - line);
		char printable[LINE_LENGTH];

		snprintf(printable, sizeof(printable), "%.*s", length, line);
		say(o, SAY_DEBUG, "  %s\n", text_make_printable(printable));
		line += length + 1;
	}
}

/* --- a dump of memory, by nsplit ------------------------------------------------------ */

/* The table of --show-stats and --message-level 16, as makedumpfile prints it (print_report() in its makedumpfile.c). */

/* After a capture that has written a dump. */
static void statistics_print(const struct makedumpfile_options *o, struct nsplit *nsplit)
{
	const struct pages *pages = &nsplit->dump.pages;
	uint64_t original = pages->in_core, remaining = pages->count, size = pages->page_size;
	struct class_amounts amounts = { 0 };
	const uint64_t *of = amounts.left_out;
	struct capture_progress p;

	if (!makedumpfile_says(o, SAY_REPORT))
		return;
	p = capture_get_progress(nsplit->capture);
	if (p.layers > 1)
		amounts = capture_class_amounts(&p);
	/* They are in the dump, but share one page: makedumpfile counts them as excluded, too. */
	if (nsplit->options.left_out.zero)
		remaining -= min_u64(p.blocks[BLOCK_ZERO], pages->count);
	const struct {
		const char *name;
		uint64_t pages;
	} rows[] = {
		{ "\nOriginal pages  : ", original },
		{ "  Excluded pages   : ", original - remaining },
		{ "    Pages filled with zero  : ", pages->count - remaining },
		{ "    Non-private cache pages : ", (of[CLASS_CLEAN] + of[CLASS_DIRTY]) / size },
		{ "    Private cache pages     : ", of[CLASS_PRIVATE] / size },
		{ "    User process data pages : ", (of[CLASS_ANONYMOUS] + of[CLASS_HUGETLB]) / size },
		{ "    Free pages              : ", (of[CLASS_FREE] + of[CLASS_CPU_FREE] + of[CLASS_UNACCEPTED]) / size },
		{ "    Hwpoison pages          : ", of[CLASS_POISONED] / size },
		{ "    Offline pages           : ", of[CLASS_OFFLINE] / size },
		{ "  Remaining pages  : ", remaining },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		say(o, SAY_REPORT, "%s0x%016" PRIx64 "\n", rows[i].name, rows[i].pages);
	say(o, SAY_REPORT, "  (The number of pages is reduced to %" PRIu64 "%%.)\n", original ? remaining * 100 / original : 100);
	say(o, SAY_REPORT, "Memory Hole     : 0x%016" PRIx64 "\n", pages->end - min_u64(original, pages->end));
	say(o, SAY_REPORT, "--------------------------------------------------\n");
	say(o, SAY_REPORT, "Total pages     : 0x%016" PRIx64 "\n", pages->end);
	say(o, SAY_REPORT, "Write bytes     : %" PRIu64 "\n", p.member_bytes);
}

struct call {
	struct makedumpfile_options options;
	char **words;			/* the command line as it was; owned */
	sigset_t heeded;		/* see signals_heeded() */
	/*
	 * Of nsplit: the original program cannot take over, since the output may have been created, or it would destroy
	 * one that was refused.  Shared with the parent, which needs it if the process that works ends.
	 */
	_Atomic bool *begun;
	struct nsplit nsplit;
};

/* --- options of nsplit ---------------------------------------------------------------- */

/* The codec of the command line, with a level that the file has for it; otherwise that of the file. */
static void choose_capture_codec(struct nsplit_options *n, const struct makedumpfile_options *o)
{
	const struct codec *codec = presets_single(&n->capture.presets);
	struct error e;

	if (o->elf) {
		settings_init_codec(n);
	} else if (!o->codec && !(codec && kdump_has_codec(codec->id))) {
		message("%s: compress: the dump cannot have the codec %s; pages are not compressed", n->config,
			n->codec_text);
		settings_init_codec(n);
	} else if (o->codec && (!codec || strcmp(codec->name, o->codec) != 0) &&
		   setting_choose_codec(n, o->codec, &e)) {
		message("%s; pages are not compressed", e.text);
		settings_init_codec(n);
	}
}

/* Removes settings for dumps to several disks, and those that the command line has here. */
static void forget_outputs(struct nsplit_options *n)
{
	names_free(&n->configured);
	names_free(&n->also);
	names_free(&n->fallbacks);
	n->filter = NULL;
	n->capture.stripe = false;
	/* kdump renames the dump, and does not know a file beside it. */
	n->capture.digest = false;
	/* Nobody who calls makedumpfile expects these. */
	n->read_all = false;
	settings_init_sizes(n);
}

static enum status read_config(struct nsplit_options *n, const struct makedumpfile_options *o, struct error *e)
{
	enum status status;

	settings_init(n);
	n->capture.threads = 0;
	/* A wrong line must not cost the dump, nor a file that cannot be read. */
	status = nsplit_config_read(n, &mistake_printer, e);
	if (status)
		return status;
	/* No command of the file is run in any case. */
	if (n->config_unsafe.status)
		message("warning: %s", n->config_unsafe.text);
	forget_outputs(n);
	if (!n->capture.threads)
		n->capture.threads = o->threads ? o->threads : threads_default();
	return STATUS_OK;
}

/* --check-params: a wrong line of nsplit.conf would be skipped at the crash, so it is an error before. */
static enum status check_config(struct error *e)
{
	struct nsplit_options n;
	enum status status;

	settings_init(&n);
	status = nsplit_config_read(&n, NULL, e);
	if (!status && n.config_unsafe.status) {
		*e = n.config_unsafe;
		status = e->status;
	}
	nsplit_options_free(&n);
	return status;
}

/* A name that means something else to nsplit is that of a file here. */
static enum status add_output(struct nsplit_options *n, const char *name, struct error *e)
{
	bool special = *name == '|' || !strcmp(name, "null:");
	enum status status;
	char *literal;

	if (!special)
		return names_append(&n->outputs, name, 1, e);
	if (asprintf(&literal, "./%s", name) < 0)
		return error_system(e, ENOMEM, "the name of the output");
	status = names_append(&n->outputs, literal, 1, e);
	free(literal);
	return status;
}

static void set_level(struct nsplit_options *n, unsigned level)
{
	n->left_out = (struct left_out_option){ 0 };
	left_out_add_level(&n->left_out, level);
}

static enum status make_capture_options(struct nsplit_options *n, const struct makedumpfile_options *o, struct error *e)
{
	enum status status = read_config(n, o, e);
	char path[PATH_MAX];

	if (status)
		return status;
	choose_capture_codec(n, o);
	n->format = o->elf ? NSPLIT_ELF : NSPLIT_KDUMP;
	n->force = n->overwrite_dumps = n->overwrite_devices = o->force;
	n->quiet = !makedumpfile_says(o, SAY_COMMON);
	n->verbose = makedumpfile_says(o, SAY_DEBUG);
	n->progress = makedumpfile_says(o, SAY_PROGRESS) ? PROGRESS_ALWAYS : PROGRESS_NEVER;
	n->no_fallback = true;
	if (o->no_mmap)
		n->mmap = MMAP_NEVER;
	n->source = o->operands[0];
	/* At the crash, a member is better than nothing, but not than what the original program can do. */
	n->dump_required = strcmp(n->source, vmcore_name) != 0 || original_find(path);
	n->required = 1;
	if (o->limit)
		n->capture.limits.size = o->limit;
	set_level(n, o->levels[0]);
	if (o->dry_run || o->flattened)
		return names_append(&n->outputs, o->dry_run ? "null:" : "-", 1, e);
	return add_output(n, o->operands[1], e);
}

/* --- the original program takes over -------------------------------------------------- */

static void take_over(const struct call *c, const char *why)
{
	if (!*c->begun)
		original_run(c->words, &c->heeded, why);
}

/* In the parent. */
static void ended(void *arg, int wait_status)
{
	const struct call *c = arg;
	char why[160];

	if (WIFEXITED(wait_status) && !WEXITSTATUS(wait_status))
		return;
	if (WIFSIGNALED(wait_status))
		snprintf(why, sizeof(why), "nothing was written: nsplit was ended by signal %d (%s)",
			 WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
	else
		snprintf(why, sizeof(why), "nothing was written");
	take_over(c, why);
}

/* Memory of both processes.  Without it, the original program never takes over. */
static _Atomic bool *share_begun(void)
{
	static _Atomic bool alone = true;
	void *shared = mmap(NULL, sizeof(alone), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return &alone;
	return shared;
}

/* --- the capture ---------------------------------------------------------------------- */

static bool is_full(const struct nsplit *nsplit)
{
	struct sink_stats stats;

	if (!nsplit->capture || nsplit->hung)
		return false;
	stats = capture_get_sink(nsplit->capture, 0);
	return stats.state == SINK_FULL;
}

/* With the first dump level for which there is space; what was sent cannot be taken back. */
static int run_levels(struct call *c)
{
	const struct makedumpfile_options *o = &c->options;
	struct nsplit *nsplit = &c->nsplit;
	int status = nsplit_run(nsplit);

	for (unsigned i = 1; status && i < o->level_count && !o->flattened && is_full(nsplit); i++) {
		say(o, SAY_COMMON, "Retry to create a dumpfile by dump_level(%u).\n", o->levels[i]);
		nsplit_reset(nsplit);
		/* The file is of the attempt before. */
		nsplit->options.force = nsplit->options.overwrite_dumps = true;
		set_level(&nsplit->options, o->levels[i]);
		status = nsplit_run(nsplit);
	}
	return status;
}

/*
 * Writes the dump, and prints what makedumpfile prints at the end.  Until the output is opened, the original program
 * takes over after a failure.  Returns the exit status.
 */
static int capture_memory(struct call *c)
{
	const struct supervisor supervisor = { .ended = ended, .arg = c };
	const struct makedumpfile_options *o = &c->options;
	struct nsplit *nsplit = &c->nsplit;
	enum status made;
	struct error e;
	int status = EXIT_FAILED;
	char path[PATH_MAX];
	bool alone;

	nsplit_begin(nsplit);
	/* A member in place of a dump is no success: whoever reads it needs njoin. */
	nsplit->all_or_failed = true;
	nsplit->begun = c->begun = share_begun();
	made = make_capture_options(&nsplit->options, o, &e);
	nsplit_supervise(nsplit, &supervisor);
	makedumpfile_say_ignored(o);
	alone = !nsplit->parent;
	if (made) {
		message("%s", e.text);
	} else {
		status = run_levels(c) ? EXIT_FAILED : EXIT_PERFECT;
		if (!status)
			statistics_print(o, nsplit);
	}
	/* The original program says it for itself. */
	if (!status || *c->begun || !original_find(path))
		say_end(o, !status, "dumpfile is", o->flattened ? "STDOUT" : o->operands[1]);
	status = nsplit_end(nsplit, status);
	if (status && alone)
		take_over(c, "nothing was written");
	return status;
}

/* --- what makedumpfile does besides, by njoin ----------------------------------------- */

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
	/* A dry run reads the dump, and needs no compression. */
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
 * takes over.  Returns the exit status.
 */
static int convert(const struct call *c)
{
	const struct makedumpfile_options *o = &c->options;
	const char *saved = makedumpfile_job(o) == JOB_LOG ? "dmesg log is" : "dumpfile is";
	struct njoin_options j;
	struct error e;
	int status = EXIT_FAILED;

	signals_hold_requests();
	message_begin();
	makedumpfile_say_ignored(o);
	limit_size(o);
	njoin_options_init(&j);
	if (make_options(&j, o, &e))
		message("%s", e.text);
	else
		status = njoin_run(&j);
	njoin_options_free(&j);
	if (status && nothing_is_left(o))
		original_run(c->words, &c->heeded, "nothing was written");
	if (!status && makedumpfile_job(o) == JOB_DUMP && o->split) {
		say_parts(o);
		saved = NULL;
	}
	say_end(o, !status, saved, o->flattened ? "STDOUT" : o->operands[o->operand_count - 1]);
	return status ? EXIT_FAILED : EXIT_PERFECT;
}

static const char name[] = "makedumpfile";

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
		return check_config(&e) ? fail(c, &e) : EXIT_PERFECT;
	if (refuse_existing(o, &e))
		return fail(c, &e);
	if (captures(o))
		return capture_memory(c);
	return check_again(c, &e) ? fail(c, &e) : convert(c);
}

static int run(struct call *c, int argc, char **argv)
{
	struct error e;
	enum status status = makedumpfile_options_read(&c->options, argc, argv, &e);

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
	struct call c = { .words = calloc((size_t)argc + 1, sizeof(*argv)) };
	int status;

	if (!c.words) {
		message("%s", strerror(ENOMEM));
		return EXIT_FAILED;
	}
	memcpy(c.words, argv, (size_t)argc * sizeof(*argv));
	signals_heeded(&c.heeded);
	status = message_close_output(run(&c, argc, argv));
	message_end();
	free(c.words);
	return status;
}
