// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/bytes.h"
#include "base/supervise.h"
#include "cmd/common/vmcore.h"
#include "cmd/makedumpfile/capture.h"
#include "cmd/makedumpfile/original.h"
#include "cmd/makedumpfile/say.h"
#include "cmd/nsplit/load_config.h"
#include "cmd/nsplit/mistakes.h"
#include "cmd/nsplit/nsplit.h"
#include "cmd/nsplit/setting_values.h"
#include "cmd/nsplit/settings.h"
#include "core/kinds/page_class.h"
#include "export/kdump.h"

/* The table of --show-stats and --message-level 16, as makedumpfile prints it (print_report() in its makedumpfile.c). */

/* Numbers of pages. */
struct statistics {
	uint64_t original, remaining, zero, cache, private, user, free, poisoned, offline, end;
	uint64_t written;		/* bytes */
};

static void count_left_out(struct statistics *s, const struct capture_progress *p, uint32_t page_size)
{
	struct class_amounts amounts;
	const uint64_t *of = amounts.left_out;

	capture_class_amounts(p, &amounts);
	s->cache = (of[CLASS_CLEAN] + of[CLASS_DIRTY]) / page_size;
	s->private = of[CLASS_PRIVATE] / page_size;
	s->user = (of[CLASS_ANONYMOUS] + of[CLASS_HUGETLB]) / page_size;
	s->free = (of[CLASS_FREE] + of[CLASS_CPU_FREE] + of[CLASS_UNACCEPTED]) / page_size;
	s->poisoned = of[CLASS_POISONED] / page_size;
	s->offline = of[CLASS_OFFLINE] / page_size;
}

static void count(struct statistics *s, struct nsplit *nsplit)
{
	const struct pages *pages = &nsplit->dump.pages;
	struct capture_progress p;

	capture_get_progress(nsplit->capture, &p);
	*s = (struct statistics){
		.original = pages->in_core, .end = pages->end, .written = p.member_bytes,
		/* They are in the dump, but share one page: makedumpfile counts them as excluded, too. */
		.zero = nsplit->options.left_out.zero ? min_u64(p.blocks[BLOCK_ZERO], pages->count) : 0,
	};
	s->remaining = pages->count - s->zero;
	if (p.layers > 1)
		count_left_out(s, &p, pages->page_size);
}

/* After a capture that has written a dump. */
static void statistics_print(const struct makedumpfile_options *o, struct nsplit *nsplit)
{
	struct statistics s;

	if (!makedumpfile_says(o, SAY_REPORT))
		return;
	count(&s, nsplit);
	say(o, SAY_REPORT, "\nOriginal pages  : 0x%016" PRIx64 "\n", s.original);
	say(o, SAY_REPORT, "  Excluded pages   : 0x%016" PRIx64 "\n", s.original - s.remaining);
	say(o, SAY_REPORT, "    Pages filled with zero  : 0x%016" PRIx64 "\n", s.zero);
	say(o, SAY_REPORT, "    Non-private cache pages : 0x%016" PRIx64 "\n", s.cache);
	say(o, SAY_REPORT, "    Private cache pages     : 0x%016" PRIx64 "\n", s.private);
	say(o, SAY_REPORT, "    User process data pages : 0x%016" PRIx64 "\n", s.user);
	say(o, SAY_REPORT, "    Free pages              : 0x%016" PRIx64 "\n", s.free);
	say(o, SAY_REPORT, "    Hwpoison pages          : 0x%016" PRIx64 "\n", s.poisoned);
	say(o, SAY_REPORT, "    Offline pages           : 0x%016" PRIx64 "\n", s.offline);
	say(o, SAY_REPORT, "  Remaining pages  : 0x%016" PRIx64 "\n", s.remaining);
	say(o, SAY_REPORT, "  (The number of pages is reduced to %" PRIu64 "%%.)\n",
	    s.original ? s.remaining * 100 / s.original : 100);
	say(o, SAY_REPORT, "Memory Hole     : 0x%016" PRIx64 "\n", s.end - min_u64(s.original, s.end));
	say(o, SAY_REPORT, "--------------------------------------------------\n");
	say(o, SAY_REPORT, "Total pages     : 0x%016" PRIx64 "\n", s.end);
	say(o, SAY_REPORT, "Write bytes     : %" PRIu64 "\n", s.written);
}

/* How far it is: the parent needs it if the process that works ends. */
enum stage {
	PREPARING,
	REFUSED,			/* an output, which the original program might destroy */
	WRITING,			/* the output may have been created */
};

enum { WHY_LENGTH = 160 };

struct job {
	const struct makedumpfile_options *options;
	char **argv;
	struct nsplit nsplit;
	_Atomic int *stage;		/* shared with the parent */
};

/* --- options of nsplit ---------------------------------------------------------------- */

static bool form_has(const struct presets *presets)
{
	const struct codec *codec = presets_single(presets);

	return codec && kdump_has_codec(codec->id);
}

/* The codec of the command line, with a level that the file has for it; otherwise that of the file. */
static void choose_codec(struct nsplit_options *n, const struct makedumpfile_options *o)
{
	const struct presets *configured = &n->capture.presets;
	const struct codec *codec = presets_single(configured);
	struct error e;

	if (o->elf) {
		settings_init_codec(n);
	} else if (!o->codec && !form_has(configured)) {
		message("%s: compress: the dump cannot have the codec %s; pages are not compressed", n->config,
			n->codec_text);
		settings_init_codec(n);
	} else if (o->codec && (!codec || strcmp(codec->name, o->codec) != 0) &&
		   setting_choose_codec(n, o->codec, &e)) {
		message("%s; pages are not compressed", e.text);
		settings_init_codec(n);
	}
}

/* What of the file is for dumps of several disks, or says what the command line says here. */
static void forget_outputs(struct nsplit_options *n)
{
	names_free(&n->configured);
	names_free(&n->also);
	names_free(&n->fallbacks);
	n->filter = NULL;
	n->capture.stripe = false;
	/* kdump renames the dump, and does not know a file beside it. */
	n->capture.digest = false;
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

enum status makedumpfile_check_config(struct error *e)
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

static enum status make_options(struct nsplit_options *n, const struct makedumpfile_options *o, struct error *e)
{
	enum status status = read_config(n, o, e);
	char path[PATH_MAX];

	if (status)
		return status;
	choose_codec(n, o);
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
	set_level(n, o->levels[0]);
	if (o->dry_run || o->flattened)
		return names_append(&n->outputs, o->dry_run ? "null:" : "-", 1, e);
	return add_output(n, o->operands[1], e);
}

/* --- the original program takes over -------------------------------------------------- */

static void note_writing(void *arg)
{
	struct job *job = arg;

	*job->stage = WRITING;
}

static void take_over(struct job *job, const char *why)
{
	if (*job->stage == PREPARING)
		original_run(job->argv, &job->nsplit.heeded, why);
}

/* In the parent. */
static void ended(void *arg, int wait_status)
{
	struct job *job = arg;
	char why[WHY_LENGTH];

	if (WIFEXITED(wait_status) && !WEXITSTATUS(wait_status))
		return;
	if (WIFSIGNALED(wait_status))
		snprintf(why, sizeof(why), "nothing was written: nsplit was ended by signal %d (%s)",
			 WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
	else
		snprintf(why, sizeof(why), "nothing was written");
	take_over(job, why);
}

/* Memory of both processes.  Without it, the original program never takes over. */
static _Atomic int *share_stage(void)
{
	static _Atomic int alone = WRITING;
	void *shared = mmap(NULL, sizeof(alone), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return &alone;
	*(_Atomic int *)shared = PREPARING;
	return shared;
}

/* --- the capture ---------------------------------------------------------------------- */

static bool is_full(const struct nsplit *nsplit)
{
	struct sink_stats stats;

	if (!nsplit->capture || nsplit->hung)
		return false;
	capture_get_sink(nsplit->capture, 0, &stats);
	return stats.state == SINK_FULL;
}

/* With the first dump level for which there is space. */
static int run_levels(struct job *job)
{
	const struct makedumpfile_options *o = job->options;
	struct nsplit *nsplit = &job->nsplit;
	int status = nsplit_run(nsplit);

	for (unsigned i = 1; status && i < o->level_count && is_full(nsplit); i++) {
		say(o, SAY_COMMON, "Retry to create a dumpfile by dump_level(%u).\n", o->levels[i]);
		nsplit_reset(nsplit);
		/* The file is of the attempt before. */
		nsplit->options.force = nsplit->options.overwrite_dumps = true;
		set_level(&nsplit->options, o->levels[i]);
		status = nsplit_run(nsplit);
	}
	if (nsplit->refused)
		*job->stage = REFUSED;
	return status;
}

int makedumpfile_capture(const struct makedumpfile_options *o, char **argv)
{
	struct job job = { .options = o, .argv = argv, .stage = share_stage() };
	const struct supervisor supervisor = { .ended = ended, .arg = &job };
	struct nsplit *nsplit = &job.nsplit;
	enum status made;
	struct error e;
	int status = EXIT_FAILED;
	char path[PATH_MAX];
	bool alone;

	nsplit_begin(nsplit);
	/* A member in place of a dump is no success: whoever reads it needs njoin. */
	nsplit->all_or_failed = true;
	nsplit->writing = note_writing;
	nsplit->writing_arg = &job;
	made = make_options(&nsplit->options, o, &e);
	nsplit_supervise(nsplit, &supervisor);
	say_ignored(o);
	alone = !nsplit->parent;
	if (made) {
		message("%s", e.text);
	} else {
		limit_size(o);
		status = run_levels(&job) ? EXIT_FAILED : EXIT_PERFECT;
		if (!status)
			statistics_print(o, nsplit);
	}
	/* The original program says it for itself. */
	if (!status || *job.stage != PREPARING || !original_find(path))
		say_end(o, !status, "dumpfile is", o->flattened ? "STDOUT" : o->operands[1]);
	status = nsplit_end(nsplit, status);
	if (status && alone)
		take_over(&job, "nothing was written");
	return status;
}
