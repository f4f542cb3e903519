// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>

#include "base/bytes.h"
#include "base/names.h"
#include "base/size.h"
#include "base/text.h"
#include "bench/fake.h"
#include "capture/memory/crash_kernel.h"
#include "cmd/common/message.h"
#include "cmd/common/progress.h"
#include "cmd/common/vmcore.h"
#include "cmd/njoin/njoin.h"
#include "cmd/nsplit/check/memory.h"
#include "cmd/nsplit/drill/drill.h"
#include "cmd/nsplit/drill/outputs.h"
#include "cmd/nsplit/drill/process.h"
#include "cmd/nsplit/drill/run.h"
#include "cmd/nsplit/estimate/estimate.h"
#include "cmd/nsplit/options.h"
#include "cmd/nsplit/probe.h"
#include "cmd/nsplit/space.h"
#include "io/path.h"

/* The result of a capture of a drill, in one sentence. */

enum drill_verified {
	VERIFIED_NOTHING,	/* the capture has failed or was stopped */
	NOT_STORED,		/* null: */
	NOT_VERIFIED,		/* a part is where njoin cannot read it */
	NO_CHECKSUMS,
	VERIFIED,
	VERIFIED_DAMAGED,
};

struct drill_result {
	unsigned outputs, failed;
	enum drill_verified verified;
	unsigned here;		/* outputs that are files or devices of this machine */
	bool removed;		/* nothing of it is left in these */
	/* By drill_result_take(): */
	int exit_status;
	struct error why;	/* why it is not EXIT_PERFECT; STATUS_OK: unknown, or it is */
	struct error failure;	/* if outputs failed: of the first one */
	bool captured;		/* the figures are known */
	bool memory_short;	/* for a capture, which was tried even so */
	uint64_t source_bytes, member_bytes;
	double seconds;
	uint64_t memory;	/* bytes that there were; UINT64_MAX: no limit */
	bool limited, peak_known;
	uint64_t peak;
};

enum { LENGTH = 1600 };

static void drill_result_take(struct drill_result *r, const struct drill_run *run)
{
	const struct drill_figures *f = run->figures;

	r->exit_status = run->exit_status;
	r->why = f->why;
	r->failure = f->failure;
	r->captured = f->known;
	r->memory_short = f->memory_short;
	r->source_bytes = f->source_bytes;
	r->member_bytes = f->member_bytes;
	r->seconds = f->seconds;
	r->memory = run->memory;
	r->limited = run->limited;
	r->peak_known = run->peak_known;
	r->peak = run->peak;
}

/* Would a crash have made a complete dump, with all outputs, and is nothing left of the drill? */
static bool drill_result_good(const struct drill_result *r)
{
	return r->exit_status == EXIT_PERFECT && r->captured && !r->memory_short && !r->failed &&
	       r->removed && r->verified != VERIFIED_NOTHING && r->verified != VERIFIED_DAMAGED;
}

static void append_figures(const struct drill_result *r, char text[LENGTH])
{
	char size[SIZE_TEXT_LENGTH], rate[SIZE_TEXT_LENGTH], written[SIZE_TEXT_LENGTH];

	text_append(text, LENGTH, "%s in %.1f s, %s/s; %s written", size_format(r->source_bytes, size),
		    r->seconds, rate_format(r->source_bytes, r->seconds, rate),
		    size_format(r->member_bytes, written));
}

static void append_memory(const struct drill_result *r, char text[LENGTH])
{
	char peak[SIZE_TEXT_LENGTH], memory[SIZE_TEXT_LENGTH];

	if (r->memory == UINT64_MAX)
		return;
	size_format(r->memory, memory);
	if (r->limited && r->peak_known)
		text_append(text, LENGTH, "; at most %s of %s of memory", size_format(r->peak, peak), memory);
	else
		text_append(text, LENGTH, r->limited ? "; within %s of memory" : "; planned for %s of memory", memory);
}

static void append_verified(const struct drill_result *r, char text[LENGTH])
{
	static const char *const verified[] = {
		[VERIFIED_NOTHING] = "", [NOT_STORED] = "; nothing was stored",
		[NOT_VERIFIED] = "; not verified, since not all of it can be read here",
		[NO_CHECKSUMS] = "; not verified, since an ELF core has no checksums",
		[VERIFIED] = "; verified", [VERIFIED_DAMAGED] = "; damaged",
	};

	text_append(text, LENGTH, "%s", verified[r->verified]);
	if (!r->here)
		return;
	text_append(text, LENGTH, "%s", r->verified == VERIFIED && r->removed ? " and removed" :
		    r->removed ? "; removed" : "; not removed");
}

/* fallback: its name, or NULL.  quiet: a good result is not reported. */
static void drill_result_report(const struct drill_result *r, const char *fallback, bool quiet)
{
	bool good = drill_result_good(r);
	char text[LENGTH] = "";

	if (good && quiet)
		return;
	if (r->captured) {
		append_figures(r, text);
		append_memory(r, text);
		if (r->memory_short)
			text_append(text, LENGTH, "; the memory is too small for a capture");
		if (r->failed)
			text_append(text, LENGTH, "; %u of %u output%s failed: %s", r->failed, r->outputs,
				    plural(r->outputs), r->failure.text);
		append_verified(r, text);
	} else {
		text_append(text, LENGTH, "nothing was captured");
	}
	if (!good && r->why.status && !(r->captured && r->failed))
		text_append(text, LENGTH, r->captured ? "; %s" : ": %s", r->why.text);
	if (fallback)
		message("drill%s: fallback %s: %s", good ? "" : " failed", fallback, text);
	else
		message("drill%s: %s", good ? "" : " failed", text);
}

/* What a drill captures in place of /proc/vmcore. */

/* Bytes of a core for outputs that have to be sent elsewhere. */
enum { DRILL_SMALL = 16 << 20 };

enum { UNIT = 1 << 20, NAME_LENGTH = 60 };

/* How many bytes a crash of this machine is expected to keep, before they are compressed. */
static uint64_t drill_expected_size(const struct nsplit_options *o)
{
	uint64_t kept = nsplit_estimate_kept(o);

	if (!kept)
		kept = nsplit_space_kept(o, crash_kernel_source(crash_machine_root()));
	return max_u64(round_down(kept, UNIT), DRILL_SMALL);
}

/*
 * A core of that size, made up in memory, of which only 64 MiB are used.  They belong to this process, whichever
 * process reads them.
 */
static enum status drill_make_core(struct source **source, uint64_t size, struct error *e)
{
	char name[NAME_LENGTH];

	/* Compresses to between a quarter and a half, and takes the time for it, as the memory of most machines does. */
	snprintf(name, sizeof(name), "fake:%" PRIu64 ",pattern=text", size);
	return fake_open(source, name, e);
}

/* Opens /proc/fakevmcore.  False: the module is not loaded. */
static bool drill_open_module(struct source **source, enum mmap_mode mmap)
{
	struct error ignored;

	return !source_open(source, "/proc/fakevmcore", mmap, &ignored);
}

/* Whether made-up data fits: if not, a drill would fill the disks of a running system. */

enum {
	DIVISOR = 2,	/* made-up text has at most half of its size when it is compressed */
	MARGIN = 20,	/* this part of a file system stays free for the other programs of the system */
};

static bool is_compressed(const struct nsplit_options *o)
{
	return o->format != NSPLIT_ELF && strcmp(o->capture.codec_text, "raw") != 0;
}

/* Without the blocks that are reserved for root, although a dump may use them, and without the margin. */
static void leave_margin(const char *name, struct space *space)
{
	char directory[PATH_MAX];
	struct statvfs fs;
	uint64_t free, margin;

	if (!path_directory(name, directory) || statvfs(directory, &fs) < 0)
		return;
	free = min_u64(space->bytes, (uint64_t)fs.f_bavail * fs.f_frsize);
	margin = (uint64_t)fs.f_blocks * fs.f_frsize / MARGIN;
	space->bytes = free > margin ? free - margin : 0;
}

/* What a drill may use.  False: it is unknown, as for a command. */
static bool space_of(const char *name, enum drill_place place, struct space *space)
{
	if ((place != DRILL_FILE && place != DRILL_DEVICE) || !space_of_name(name, space))
		return false;
	if (place == DRILL_FILE)
		leave_margin(name, space);
	return true;
}

/*
 * places: of all outputs.  size: bytes of the data.  STATUS_SYSTEM: the outputs but fallbacks, together, have too little
 * space for as much of it as may be written, and a margin.  If the space of one is unknown, that is no error.
 */
static enum status drill_space_check(const struct nsplit_options *o, const enum drill_place *places, uint64_t size,
				     struct error *e)
{
	const size_t count = o->outputs.count - o->capture.fallbacks;
	const uint64_t most = is_compressed(o) ? size / DIVISOR : size;
	char here[SIZE_TEXT_LENGTH], needed[SIZE_TEXT_LENGTH];
	struct space usable[MEMBERS_MAX] = { 0 };

	for (size_t i = 0; i < count; i++)
		if (!space_of(o->outputs.names[i], places[i], &usable[i]))
			return STATUS_OK;
	if (space_sum(usable, count) >= most)
		return STATUS_OK;
	return error_set(e, STATUS_SYSTEM, "%s%s: the drill may write %s, and can use %s, since it leaves 5 %% of a file "
			 "system free; free some space, add outputs, or use a smaller --drill-size", o->outputs.names[0],
			 count > 1 ? " and others" : "", size_format(most, needed),
			 size_format(space_sum(usable, count), here));
}

/* The memory and the CPUs that a capture would have in the capture kernel of this system. */

struct drill_limits {
	uint64_t memory;	/* bytes; UINT64_MAX: unknown */
	unsigned cpus;
	bool no_dump;		/* a crash would make no dump, however the capture goes; that was reported, */
	struct error why;	/* and this is the reason */
};

/* False: the capture kernel leaves no memory, which was reported. */
static bool drill_limits_find(const struct nsplit_options *o, const struct crash_machine *machine,
			      struct drill_limits *limits)
{
	struct crash_kernel kernel;
	char size[SIZE_TEXT_LENGTH];

	*limits = (struct drill_limits){
		.memory = o->drill_memory ? o->drill_memory : UINT64_MAX,
		.cpus = crash_machine_cpus(machine),
	};
	if (o->drill_memory)
		return true;
	kernel = crash_machine_kernel(machine, &o->outputs);
	limits->no_dump = vmcore_absent(o->source) && !crash_machine_is_ready(&kernel, &limits->why);
	if (!kernel.reserved_known || !kernel.reserved)
		return true;
	limits->memory = nsplit_limits_for(&kernel).memory.bytes;
	if (!limits->memory)
		message("drill failed: of the %s that crashkernel= reserves, a capture kernel leaves nothing to programs",
			size_format(kernel.reserved, size));
	return limits->memory;
}

/* Verifies what a drill has captured, as njoin --verify does, in a process of its own. */

static int verify_members(const struct names *members, enum progress_mode progress, bool quiet)
{
	struct njoin_options j;
	enum status made = STATUS_OK;
	struct error e;
	int status = EXIT_FAILED;

	signals_hold_requests();
	message_begin(true);
	njoin_options_init(&j);
	j.mode = NJOIN_VERIFY;
	j.progress = progress;
	j.quiet = quiet;
	for (size_t i = 0; i < members->count && !made; i++)
		made = names_append(&j.members, members->names[i], MEMBERS_MAX, &e);
	if (made)
		message("drill: %s", e.text);
	else
		status = njoin_run(&j);
	njoin_options_free(&j);
	status = message_close_output(status);
	message_end();
	return status;
}

/* Messages say what is wrong with the members.  False: something is, or a signal has ended it. */
static bool drill_verify(const struct names *members, enum progress_mode progress, bool quiet,
			 struct drill_signals *signals)
{
	struct error e;
	pid_t child;
	int status;

	if (drill_fork(signals, &child, &e)) {
		message("drill: %s", e.text);
		return false;
	}
	if (!child)
		exit(verify_members(members, progress, quiet));
	status = drill_wait(signals, child);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

struct drill {
	struct nsplit *nsplit;
	struct crash_machine *machine;
	struct drill_signals signals;
	struct drill_figures *figures;
	enum drill_place places[MEMBERS_MAX];	/* of all outputs */
	struct source *source;			/* for the outputs but fallbacks; NULL: that of the options */
	struct drill_limits limits;
	bool not_limited;			/* and that was reported */
	time_t begin;
	bool unknown[MEMBERS_MAX];		/* where the filter has stored this output */
	bool sent;				/* something to a command or a filter */
	bool left;				/* something that was to be removed */
	bool failed;				/* beside what the last line is about, */
	struct error why;			/* and the first reason */
};

static void note_failure(struct drill *d, const struct error *why)
{
	if (!d->failed)
		d->why = *why;
	d->failed = true;
}

static void fail(struct drill *d, const struct error *e)
{
	message("drill: %s", e->text);
	note_failure(d, e);
}

static size_t main_outputs(const struct drill *d)
{
	const struct nsplit_options *o = &d->nsplit->options;

	return o->outputs.count - o->capture.fallbacks;
}

/* --- before the captures ------------------------------------------------------------ */

/* Files have names of their own, so that a crash during the drill finds the name of the dump free. */
static bool find_places(struct drill *d)
{
	struct nsplit_options *o = &d->nsplit->options;
	bool good = true;
	struct error e;

	for (size_t i = 0; i < o->outputs.count; i++) {
		if (!drill_place_of(o, o->outputs.names[i], &d->places[i], &e) &&
		    !drill_rename(o, &o->outputs.names[i], d->places[i], &e))
			continue;
		message("drill: %s", e.text);
		good = false;
	}
	return good;
}

static bool any_elsewhere(const struct drill *d)
{
	for (size_t i = 0; i < main_outputs(d); i++)
		if (d->places[i] == DRILL_ELSEWHERE)
			return true;
	return false;
}

static enum status choose_source(struct drill *d, struct error *e)
{
	const struct nsplit_options *o = &d->nsplit->options;
	uint64_t size = o->drill_size;
	enum status status = STATUS_OK;

	if (!size && !vmcore_absent(o->source))
		return STATUS_OK;
	if (!size && any_elsewhere(d))
		size = DRILL_SMALL;
	if (size || !drill_open_module(&d->source, o->mmap))
		status = drill_make_core(&d->source, size ? size : drill_expected_size(o), e);
	return status;
}

static void report_beginning(const struct drill *d)
{
	const struct nsplit_options *o = &d->nsplit->options;
	char size[SIZE_TEXT_LENGTH], memory[SIZE_TEXT_LENGTH];

	if (o->quiet)
		return;
	if (d->source && o->left_out.classes)
		message("drill: which pages are left out is not tried, since made-up data has no memory map; its size "
			"stands for what is kept");
	message("drill: source: %s%s; memory: %s; CPUs: %u", d->source ? size_format(d->source->size, size) : o->source,
		d->source ? " of made-up data" : "",
		d->limits.memory == UINT64_MAX ? "as much as there is" : size_format(d->limits.memory, memory),
		d->limits.cpus);
}

/* --- a capture ---------------------------------------------------------------------- */

/* Of the outputs of a capture, of which first is the first one among all. */
static const enum drill_place *places_of(const struct drill *d, size_t first)
{
	return d->places + first;
}

/* What njoin can read here.  False: not all of what was captured. */
static bool find_members(const struct drill *d, const struct drill_run *run, size_t first, struct names *members)
{
	struct error e;

	for (size_t i = 0; i < run->outputs.count; i++) {
		enum drill_place place = places_of(d, first)[i];

		if (!run->figures->made[i].holds)
			continue;
		if ((place != DRILL_FILE && place != DRILL_DEVICE) ||
		    names_append(members, run->outputs.names[i], MEMBERS_MAX, &e))
			return false;
	}
	return members->count;
}

static enum drill_verified verify(struct drill *d, const struct drill_run *run, size_t first)
{
	const struct nsplit_options *o = &d->nsplit->options;
	struct names members = { .count = 0 };
	enum drill_verified verified = NOT_VERIFIED;

	if (run->exit_status || d->signals.stop.signal)
		return VERIFIED_NOTHING;
	if (*places_of(d, first) == DRILL_NOWHERE)
		return NOT_STORED;
	if (run->figures->elf)
		return NO_CHECKSUMS;
	if (find_members(d, run, first, &members))
		verified = drill_verify(&members, o->progress, o->quiet, &d->signals) ? VERIFIED : VERIFIED_DAMAGED;
	names_free(&members);
	return verified;
}

/* run: its command or filter was. */
static void note_sent(struct drill *d, size_t output, const char *name, bool run)
{
	enum drill_place place = d->places[output];

	d->sent |= run && (place == DRILL_ELSEWHERE || place == DRILL_FILTERED);
	d->unknown[output] |= run && place == DRILL_FILTERED && !drill_is_there(name);
}

static void remove_all(struct drill *d, const struct drill_run *run, size_t first, struct drill_result *result)
{
	const struct nsplit_options *o = &d->nsplit->options;
	const struct drill_mark mark = { .uuid = &o->capture.id.uuid, .format = o->format, .begin = d->begin };
	const struct drill_figures *f = run->figures;
	struct error e;

	result->removed = true;
	for (size_t i = 0; i < run->outputs.count; i++) {
		enum drill_place place = places_of(d, first)[i];

		note_sent(d, first + i, run->outputs.names[i], !f->known || f->made[i].ours);
		result->here += place == DRILL_FILE || place == DRILL_DEVICE ||
				(place == DRILL_FILTERED && !d->unknown[first + i]);
		if (!drill_remove(run->outputs.names[i], place, f->known ? &f->made[i] : NULL, &mark, &d->signals, &e))
			continue;
		fail(d, &e);
		d->left = true;
		result->removed = false;
	}
}

/* Once, since it is the same for all captures. */
static void report_limit(struct drill *d, const struct drill_run *run)
{
	if (!run->why_not.status || d->not_limited)
		return;
	message("drill: the memory is planned for, but not limited: %s", run->why_not.text);
	d->not_limited = true;
}

/*
 * Captures to these outputs, and to the fallbacks behind them that are needed; verifies and removes what is there then.
 * Returns whether all of it worked without fallbacks.
 */
static bool try_outputs(struct drill *d, size_t first, size_t count, unsigned fallbacks, struct source *source,
			struct drill_result *result)
{
	const struct nsplit_options *o = &d->nsplit->options;
	struct drill_run run = {
		.nsplit = d->nsplit, .source = source, .memory = d->limits.memory, .cpus = d->limits.cpus,
		.fallbacks = fallbacks, .figures = d->figures,
	};
	enum status status = STATUS_OK;
	struct error e;

	for (size_t i = first; i < first + count + fallbacks && !status; i++)
		status = names_append(&run.outputs, o->outputs.names[i], MEMBERS_MAX, &e);
	if (!status)
		status = drill_run(&run, &d->signals, &e);
	if (status) {
		fail(d, &e);
		result->why = e;
		names_free(&run.outputs);
		return false;
	}
	report_limit(d, &run);
	result->verified = verify(d, &run, first);
	remove_all(d, &run, first, result);
	result->failed = drill_figures_failed(d->figures, count);
	drill_result_take(result, &run);
	names_free(&run.outputs);
	return drill_result_good(result);
}

/* Each fallback gets a small capture of its own, since the outputs before it may not fail. */
static void try_fallbacks(struct drill *d)
{
	const struct nsplit_options *o = &d->nsplit->options;

	for (size_t i = main_outputs(d); i < o->outputs.count && !d->signals.stop.signal; i++) {
		struct drill_result result = { .outputs = 1 };
		struct source *source = NULL;
		struct error e;

		if (drill_make_core(&source, DRILL_SMALL, &e)) {
			fail(d, &e);
			return;
		}
		if (!try_outputs(d, i, 1, 0, source, &result)) {
			error_set(&e, STATUS_SYSTEM, "fallback %s has failed", o->outputs.names[i]);
			note_failure(d, &e);
		}
		if (!d->signals.stop.signal)
			drill_result_report(&result, o->outputs.names[i], o->quiet);
		source_close(source);
	}
}

/* --- after the captures ------------------------------------------------------------- */

static void name_what_stays(struct drill *d)
{
	const struct nsplit_options *o = &d->nsplit->options;

	for (size_t i = 0; i < o->outputs.count; i++) {
		const char *name = o->outputs.names[i];
		bool elsewhere = d->places[i] == DRILL_ELSEWHERE;

		d->left |= elsewhere || d->unknown[i];
		if (elsewhere && *name == '|')
			message("drill: what '%s' has stored is still there; remove it, or set drill-remove in nsplit.conf",
				name + 1);
		else if (d->unknown[i])
			message("drill: %s: it is not known where the filter has stored this; remove it, or set "
				"drill-remove in nsplit.conf", name);
	}
}

static void remove_elsewhere(struct drill *d)
{
	const struct names *commands = &d->nsplit->options.drill_remove;
	struct error e;

	if (!d->sent)
		return;
	if (!commands->count)
		name_what_stays(d);
	for (size_t i = 0; i < commands->count; i++) {
		if (!drill_shell(&d->signals, commands->names[i] + 1, &e))
			continue;
		error_prefix(&e, "drill-remove: ");
		fail(d, &e);
		d->left = true;
	}
}

static int refuse_no_output(const struct drill *d)
{
	const char *target = d->machine->kdump.target;
	struct error e;

	if (*target)
		error_set(&e, STATUS_USAGE, "no OUTPUT given; dumps of this system go to another machine (%s), which a drill "
			  "tries with an OUTPUT such as '|ssh ...', or a file on a file system that is mounted", target);
	else if (d->machine->asked)
		error_set(&e, STATUS_USAGE, "no OUTPUT given, and %s does not save to a directory of the running system; "
			  "name an OUTPUT where it saves", d->machine->kdump.name);
	else
		error_set(&e, STATUS_USAGE, "no OUTPUT given");
	return message_usage_error(&e);
}

static int run(struct drill *d)
{
	const struct nsplit_options *o = &d->nsplit->options;
	struct drill_result result = { .outputs = (unsigned)main_outputs(d) };
	struct error e;
	bool good;

	if (!crash_machine_report_call(d->machine, o, "drill", &e))
		note_failure(d, &e);
	if (!main_outputs(d))
		return d->failed ? EXIT_FAILED : refuse_no_output(d);
	if (!drill_limits_find(o, d->machine, &d->limits))
		return EXIT_FAILED;
	if (d->limits.no_dump)
		note_failure(d, &d->limits.why);
	if (!find_places(d))
		return EXIT_USAGE;
	if (choose_source(d, &e) || nsplit_choose_uuid(&d->nsplit->options, &e)) {
		message("drill: %s", e.text);
		return e.status == STATUS_USAGE ? EXIT_USAGE : EXIT_FAILED;
	}
	report_beginning(d);
	if (d->source && drill_space_check(o, d->places, d->source->size, &e)) {
		message("drill failed: %s", e.text);
		return EXIT_FAILED;
	}
	try_fallbacks(d);
	good = !d->signals.stop.signal &&
	       try_outputs(d, 0, main_outputs(d), o->capture.fallbacks, d->source, &result);
	remove_elsewhere(d);
	drill_signals_look(&d->signals);
	if (d->signals.stop.signal)
		return EXIT_FAILED;
	drill_result_report(&result, NULL, o->quiet);
	if (good && d->failed)
		message("drill failed: %s", d->why.text);
	return good && !d->failed ? EXIT_PERFECT : result.exit_status == EXIT_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

static int run_and_clean(struct drill *d)
{
	int status;

	d->figures = drill_figures_new();
	if (!d->figures) {
		message("drill: there is no memory for its figures");
		return EXIT_FAILED;
	}
	drill_signals_begin(&d->signals, &d->nsplit->heeded);
	status = run(d);
	source_close(d->source);
	drill_figures_free(d->figures);
	if (d->signals.stop.signal) {
		message("drill: interrupted%s", d->left ? "" : "; what it had written was removed");
		signals_raise(d->signals.stop.signal);
	}
	return status;
}

int nsplit_drill(struct nsplit *nsplit, struct crash_machine *machine)
{
	struct drill d = { .nsplit = nsplit, .machine = machine, .begin = time(NULL) };

	if (nsplit->options.drill == DRILL_CRASH)
		return drill_print_crash(&nsplit->options, machine);
	return run_and_clean(&d);
}
