// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/system.h"
#include "base/text.h"
#include "capture/memory/memory_plan.h"
#include "cmd/common/operands.h"
#include "cmd/nsplit/nsplit.h"
#include "cmd/nsplit/probe.h"
#include "io/existing.h"
#include "io/path.h"
#include "io/sink.h"

/* --- the capture --------------------------------------------------------- */

/* By their states now: an output that is full may still be lost. */
static void count_outputs(struct nsplit *nsplit, struct progress_figures *figures)
{
	for (unsigned i = 0; i < nsplit->count; i++) {
		struct sink_stats stats = capture_get_sink(nsplit->capture, i);

		figures->failed += stats.state == SINK_DEAD;
		figures->full += stats.state == SINK_FULL;
	}
}

static void write_stage(const struct nsplit *nsplit, const struct capture_progress *p,
			char stage[PROGRESS_STAGE_LENGTH])
{
	if (p->syncing)
		snprintf(stage, PROGRESS_STAGE_LENGTH, "syncing %u output%s", p->syncing,
			 plural(p->syncing));
	else if (p->ending)
		snprintf(stage, PROGRESS_STAGE_LENGTH, "waiting for %u command%s", p->ending,
			 plural(p->ending));
	else if (nsplit->stop.signal)
		snprintf(stage, PROGRESS_STAGE_LENGTH, "stopping");
}

static void current_figures(struct nsplit *nsplit, struct progress_figures *figures)
{
	struct capture_progress p = capture_get_progress(nsplit->capture);

	*figures = (struct progress_figures){
		.done = p.source_bytes,
		.total = p.source_size,
		.moved = p.member_bytes,
		.verb = "written",
		.ratio = capture_ratio(&p),
		.seconds = p.seconds,
	};
	write_stage(nsplit, &p, figures->stage);
	count_outputs(nsplit, figures);
}

/*
 * A call of fsync() cannot be interrupted, and without it the members have no footers; and only the
 * exit status of a command says whether it stored its input.  So the first request waits for them,
 * like those that come earlier; only the second one ends the process.
 */
static void report_stopping(const struct nsplit *nsplit, const struct capture_progress *p)
{
	const char *signal = strsignal(nsplit->stop.signal);

	if (p->syncing)
		message("%s: waiting for %u output%s to be synced; a second signal ends this at once",
			signal, p->syncing, plural(p->syncing));
	else if (p->ending)
		message("%s: waiting for %u command%s to end; a second signal ends this at once",
			signal, p->ending, plural(p->ending));
	else
		message("%s: closing the %s", signal, nsplit->options.capture.dump ? "dump" : "members");
}

static void on_request(struct nsplit *nsplit, enum request request)
{
	struct progress_figures figures;
	struct capture_progress progress;

	if (request == REQUEST_REPORT) {
		current_figures(nsplit, &figures);
		progress_now(&figures);
		return;
	}
	if (request == REQUEST_STOP_NOW) {
		/* A parent that receives two requests kills this process. */
		if (!nsplit->parent)
			signals_raise(nsplit->stop.latest);
		return;
	}
	progress = capture_get_progress(nsplit->capture);
	/* Before the message, since standard error may be slow or stopped. */
	capture_stop(nsplit->capture);
	report_stopping(nsplit, &progress);
}

static void tick(void *arg)
{
	struct nsplit *nsplit = arg;
	struct progress_figures figures;
	enum request request;

	while ((request = signals_next(nsplit->signal_fd, &nsplit->stop)))
		on_request(nsplit, request);
	current_figures(nsplit, &figures);
	progress_tick(&nsplit->progress, &figures);
}

static void sink_failed(void *arg, const struct sink_stats *stats, const struct sinks_left *left)
{
	/* An output that has finished counts, but accepts no chunks of the one that failed. */
	unsigned good = left->taking + left->ended;
	char kept[SIZE_TEXT_LENGTH + 16] = "given up", size[SIZE_TEXT_LENGTH];
	const struct nsplit *nsplit = arg;

	if (stats->state == SINK_FULL)
		snprintf(kept, sizeof(kept), "%s kept",
			 size_format(stats->records ? stats->member_bytes : 0, size));
	if (left->fallback)
		message("%s; %s, continuing on the fallback %s", stats->why.text, kept,
			left->fallback);
	else if (left->taking)
		message("%s; %s, continuing on %u output%s", stats->why.text, kept, good,
			plural(good));
	else if (left->ended)
		message("%s; %s, no other output accepts more", stats->why.text, kept);
	else if (nsplit->options.no_fallback)
		message("%s; %s", stats->why.text, kept);
	else if (stats->state == SINK_FULL && nsplit->options.capture.dump)
		message("%s; %s, no output is left; free some space, or use --fallback", stats->why.text, kept);
	else if (stats->state == SINK_FULL)
		message("%s; %s, no output is left; free some space, add outputs, or use --fallback",
			stats->why.text, kept);
	else
		message("%s; %s, no output is left", stats->why.text, kept);
}

/* Bytes of the source as it was opened. */
static void unreadable(void *arg, uint64_t offset, uint64_t length, const struct error *why)
{
	struct nsplit *nsplit = arg;
	uint64_t end = offset + length, at;

	for (; offset < end; offset += length) {
		enum message_entry entry;

		length = end - offset;
		at = source_original(nsplit->source, offset, &length);
		entry = at == UINT64_MAX ? ENTRY_OMITTED : message_list_next(&nsplit->unreadable);
		if (entry == ENTRY_LISTED)
			message("unreadable: bytes %" PRIu64 " to %" PRIu64 " (%s)", at, at + length - 1, why->text);
		else if (entry == ENTRY_FIRST_OMITTED)
			message("unreadable: further ranges are not listed; njoin -v lists all of them");
	}
}

static void fewer_threads(void *arg, unsigned wanted, unsigned workers, int errnum)
{
	(void)arg;
	if (workers)
		message("threads: only %u of %u workers could be created: %s; continuing with "
			"these", workers, wanted, strerror(errnum));
	else
		message("threads: no worker could be created: %s; continuing with one thread for "
			"everything", strerror(errnum));
}

/* The classes are named at the end, too: see report_kept_after_all(). */
static void saved_after_all(void *arg, const char *reason)
{
	(void)arg;
	message("pages that were to be left out are captured after all: %s", reason);
}

static void opens(void *arg, const struct sink *sink)
{
	const struct nsplit *nsplit = arg;

	if (!nsplit->options.quiet)
		message("%s: the kernel's pages are on the disk, and crash can open the dump from now on", sink->name);
}

/* Of a capture at 200 MB/s, 1 GB is lost at most. */
enum { CAUTIOUS_SECONDS = 5 };

/* According to the plan, or with less memory as long as the system refuses that much. */
static enum status make_with(struct nsplit *nsplit, struct memory_plan *plan, struct error *e)
{
	struct capture_settings *settings = &nsplit->options.capture;
	struct fit_note note = { .outcome = FIT_AS_WANTED };
	enum status status;

	do {
		/* Nothing is known of the pages that may stop the machine. */
		settings->cautious = nsplit->source->made_by_kernel && (!settings->policy || settings->policy->layers == 1) ?
				     CAUTIOUS_SECONDS : 0;
		nsplit_dump_set_codec(nsplit);
		status = capture_new(&nsplit->capture, settings, plan, nsplit->source,
				     nsplit->sinks, nsplit->count, e);
	} while (status == STATUS_NO_MEMORY &&
		 capture_fit_again(settings, nsplit->source, nsplit->sinks, nsplit->count, plan,
				   &note));
	if (!status && note.outcome != FIT_AS_WANTED)
		message("%s", note.text.text);
	return status;
}

/* Whatever fails with layers may succeed without them, and then with the settings that fitted at first. */
static enum status make_capture(struct nsplit *nsplit, struct memory_plan *plan, struct error *e)
{
	struct capture_settings *settings = &nsplit->options.capture, wanted = *settings;
	enum status status = make_with(nsplit, plan, e);

	if (!status || !settings->policy)
		return status;
	*settings = wanted;
	nsplit_dump_give_up(nsplit, e->text);
	status = capture_plan(settings, nsplit->source, nsplit->sinks, nsplit->count, plan, e);
	return status ? status : make_with(nsplit, plan, e);
}

/*
 * The file of nsplit-drill for this output: the crash has ended the drill, and the dump may need its space.  It is a core,
 * dump or member of this user.
 */
static bool remove_left_of(const char *output)
{
	static const char suffix[] = ".drill";
	const int kept = NAME_MAX - (int)strlen(suffix), base = (int)(path_base(output) - output);
	bool removed = false;
	enum holding holding;
	struct stat st;
	char *name;

	if (asprintf(&name, "%.*s%.*s%s", base, output, kept, output + base, suffix) < 0)
		return false;
	if (lstat(name, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid()) {
		holding = holding_of(name);
		removed = (holding == HOLDS_CORE || holding == HOLDS_DUMP || holding == HOLDS_MEMBER) && unlink(name) == 0;
	}
	free(name);
	return removed;
}

static void remove_left_of_drill(const struct nsplit *nsplit)
{
	for (unsigned i = 0; i < nsplit->count; i++)
		if (nsplit->sinks[i].kind == SINK_FILE && remove_left_of(nsplit->sinks[i].name))
			message("%s: removed, since a drill that the crash interrupted had left it", nsplit->sinks[i].name);
}

/* According to the plan, or with less memory if the system refuses that much.  nsplit->capture is NULL if there was none. */
static enum status run_capture(struct nsplit *nsplit, struct memory_plan *plan, struct error *e)
{
	struct capture_watch watch = {
		.watch = { .tick = tick, .arg = nsplit },
		.sink_failed = sink_failed,
		.unreadable = unreadable,
		.fewer_threads = fewer_threads,
		.saved_after_all = saved_after_all,
		.opens = opens,
	};
	enum status status;

	status = make_capture(nsplit, plan, e);
	if (status)
		return status;
	if (nsplit->begun)
		*nsplit->begun = true;
	/* This is the capture kernel. */
	if (strcmp(nsplit->options.source, vmcore_name) == 0 && !nsplit->options.drill)
		remove_left_of_drill(nsplit);
	capture_open(nsplit->capture, &watch);
	/* After that: a signal may end the program while a pipe waits for its reader. */
	status = signals_open(&nsplit->signal_fd, e);
	if (status)
		return status;
	progress_init(&nsplit->progress, nsplit->options.progress, nsplit->options.quiet);
	watch.watch.fd = nsplit->signal_fd;
	watch.watch.interval = progress_interval(&nsplit->progress);
	return capture_run(nsplit->capture, e);
}

/* --- the program --------------------------------------------------------- */

static enum status choose_identity(struct nsplit *nsplit, struct error *e)
{
	struct capture_settings *settings = &nsplit->options.capture;
	struct capture_id *id = &settings->id;
	const char *date = getenv("SOURCE_DATE_EPOCH");
	uint64_t seconds;

	settings->creator = PACKAGE_STRING;
	settings->fixed_time = -1;
	if (date && *date) {
		if (number_parse(date, "SOURCE_DATE_EPOCH", 0, INT64_MAX, &seconds, e))
			return e->status;
		settings->fixed_time = (int64_t)seconds;
	} else {
		/* A UUID from the command line may have been used before, so the tag is random; 0 is reproducible. */
		if (random_bytes(&id->tag, sizeof(id->tag), e))
			return e->status;
		id->tag = id->tag ? id->tag : 1;
	}
	if (nsplit->options.uuid_given)
		return STATUS_OK;
	if (random_bytes(id->uuid.bytes, UUID_LENGTH, e))
		return e->status;
	uuid_from_random(&id->uuid);
	nsplit->options.uuid_given = true;
	return STATUS_OK;
}

/*
 * A command may print on standard output unless a member goes there.  A fallback has no patience of
 * its own: the engine limits how long it may wait for its reader.
 */
static void prepare_sinks(struct nsplit *nsplit)
{
	const struct capture_settings *settings = &nsplit->options.capture;
	bool mute = outputs_take_stdout(nsplit->sinks, nsplit->count);

	for (unsigned i = 0; i < nsplit->count; i++)
		sink_command_settings(&nsplit->sinks[i], mute, &nsplit->heeded);
	for (unsigned i = 0; i + settings->fallbacks < nsplit->count; i++)
		nsplit->sinks[i].patience = settings->sink_timeout;
}

static enum status probe_outputs(struct nsplit *nsplit, struct error *e)
{
	struct nsplit_options *o = &nsplit->options;
	enum status status;

	nsplit->sinks = calloc(o->outputs.count, sizeof(*nsplit->sinks));
	if (!nsplit->sinks)
		return error_system(e, ENOMEM, "%zu outputs", o->outputs.count);
	status = nsplit_probe(o, nsplit->source, nsplit->sinks, &nsplit->unusable, e);
	nsplit->count = (unsigned)o->outputs.count;
	if (nsplit->begun && status == STATUS_USAGE)
		*nsplit->begun = true;
	prepare_sinks(nsplit);
	return status;
}

/* What is tried, one after another. */
struct fitting {
	struct nsplit *nsplit;
	struct capture_settings wanted;
	struct limit limit;
	struct memory_plan *plan;
	struct fit_note note;
};

/* False: it does not fit, and less may be tried; if *status is not STATUS_OK, that cannot even be tried. */
static bool fits(struct fitting *f, enum status *status, struct error *e)
{
	struct nsplit *nsplit = f->nsplit;

	nsplit->options.capture = f->wanted;
	*status = capture_fit(&nsplit->options.capture, nsplit->source, nsplit->sinks, nsplit->count, &f->limit,
			      f->plan, &f->note, e);
	return !*status && f->note.outcome != FIT_NOT;
}

/* A dump does without a list of all pages before anything else becomes less. */
static bool fits_somehow(struct fitting *f, enum status *status, struct error *e)
{
	bool all = fits(f, status, e), as_wanted = all && f->note.outcome == FIT_AS_WANTED;

	if (as_wanted || !f->wanted.policy || !nsplit_dump_by_parts(f->nsplit, true))
		return all;
	if (fits(f, status, e)) {
		message("there is no memory for a list of all pages of the dump; parts of it are made again when they are "
			"needed, which takes longer");
		return true;
	}
	nsplit_dump_by_parts(f->nsplit, false);
	return all ? fits(f, status, e) : false;
}

/*
 * If memory is short, a message says what is used instead.  Leaving pages out takes some memory, so if even the
 * least with it is too much, nothing is left out.
 */
static enum status fit_memory(struct nsplit *nsplit, struct memory_plan *plan, struct error *e)
{
	struct fitting f = {
		.nsplit = nsplit, .wanted = nsplit->options.capture, .limit = nsplit_limit(nsplit), .plan = plan,
	};
	enum status status;
	bool good;

	/* The plan has the headers, too, whose memory is taken already. */
	if (f.limit.bytes < UINT64_MAX / 2)
		f.limit.bytes += f.wanted.headers * f.wanted.header_memory;
	good = fits_somehow(&f, &status, e);
	/* --mem-limit is too small, which must not cost the dump in the capture kernel. */
	if (status == STATUS_USAGE && strcmp(nsplit->options.source, vmcore_name) == 0) {
		mistake_print(e);
		f.wanted.memory_limit = 0;
		good = fits_somehow(&f, &status, e);
	}
	if (!good && f.wanted.policy) {
		page_policy_give_up(&nsplit->page_policy, "there is too little memory for it");
		f.wanted.policy = NULL;
		/* A member needs no headers for anything else. */
		if (nsplit->options.format == NSPLIT_MEMBERS)
			f.wanted.headers = 0;
		fits(&f, &status, e);
	}
	if (!status && f.note.outcome != FIT_AS_WANTED)
		message("%s", f.note.text.text);
	nsplit->memory_short = !status && f.note.outcome == FIT_NOT;
	return status;
}

static enum status prepare(struct nsplit *nsplit, struct memory_plan *plan, struct error *e)
{
	const struct nsplit_options *o = &nsplit->options;
	struct capture_settings *settings = &nsplit->options.capture;
	enum status status;

	status = choose_identity(nsplit, e);
	if (!status && !nsplit->source)
		status = nsplit_open_source(o, &nsplit->source, e);
	if (!status && nsplit->source->is_stream)
		status = nsplit_refuse_stream(o, nsplit->source, e);
	if (!status)
		status = probe_outputs(nsplit, e);
	if (!status)
		nsplit_set_headers(settings, o, nsplit->source, NULL);
	if (!status && o->format != NSPLIT_MEMBERS)
		status = nsplit_dump_open(nsplit, e);
	else if (!status && nsplit_has_policy(o, nsplit->source))
		settings->policy = nsplit_open_policy(nsplit);
	if (settings->stripe && settings->policy) {
		settings->stripe = false;
		message("--stripe is ignored: the most valuable pages of %s come first", nsplit->source->name);
	}
	if (!status)
		status = fit_memory(nsplit, plan, e);
	return status;
}

int nsplit_run(struct nsplit *nsplit)
{
	struct capture_limits *limits = &nsplit->options.capture.limits;
	struct memory_plan plan;
	enum status status;
	struct error e;

	/* Another run, with other options, has the rest of the time. */
	limits->began = limits->began ? limits->began : clock_seconds();
	status = prepare(nsplit, &plan, &e);

	if (status) {
		nsplit->why = e;
		message("%s", e.text);
		return status == STATUS_USAGE ? EXIT_USAGE : EXIT_FAILED;
	}
	if (nsplit->options.dry_run) {
		report_plan(stdout, nsplit, &plan);
		return nsplit->unusable ? EXIT_FAILED : EXIT_PERFECT;
	}
	if (nsplit->options.verbose)
		report_plan_as_message(nsplit, &plan);
	nsplit_dump_choose(nsplit);
	status = run_capture(nsplit, &plan, &e);
	if (status)
		nsplit->why = e;
	if (nsplit->capture)
		return nsplit_finish(nsplit, status, &e);
	message("%s", e.text);
	return EXIT_FAILED;
}

void nsplit_begin(struct nsplit *nsplit)
{
	*nsplit = (struct nsplit){ .signal_fd = -1, .unreadable.limit = RANGES_LISTED };
	signals_heeded(&nsplit->heeded);
	signals_prepare();
}

void nsplit_supervise(struct nsplit *nsplit, const struct supervisor *supervisor)
{
	const struct nsplit_options *o = &nsplit->options;

	/* --serial and --dry-run abandon no hanging output, so the child could always end. */
	if (!o->dry_run && !o->capture.serial)
		nsplit->parent = supervise(supervisor);
	message_begin();
}

void nsplit_reset(struct nsplit *nsplit)
{
	capture_free(nsplit->capture);
	for (unsigned i = 0; nsplit->sinks && i < nsplit->count; i++)
		sink_free(&nsplit->sinks[i]);
	free(nsplit->sinks);
	free(nsplit->digests);
	nsplit_dump_close(&nsplit->dump);
	page_policy_close(&nsplit->page_policy);
	source_close(nsplit->source);
	if (nsplit->signal_fd >= 0)
		close(nsplit->signal_fd);
	nsplit->capture = NULL;
	nsplit->sinks = NULL;
	nsplit->digests = NULL;
	nsplit->source = NULL;
	nsplit->signal_fd = -1;
	nsplit->count = nsplit->unusable = 0;
	nsplit->may_hang = false;
	nsplit->unreadable.count = 0;
	nsplit->options.capture.policy = NULL;
	nsplit->options.capture.dump = NULL;
}

int nsplit_end(struct nsplit *nsplit, int status)
{
	status = message_close_output(status);
	if (!nsplit->hung && nsplit_settle_messages(nsplit, status))
		message_end();
	if (nsplit->hung) {
		/* The thread that hangs still uses all of this, so nothing is freed. */
		supervise_release(nsplit->parent, status, nsplit->stop.signal);
		if (nsplit->stop.signal)
			signals_raise(nsplit->stop.signal);
		_exit(status);
	}
	nsplit_reset(nsplit);
	nsplit_options_free(&nsplit->options);
	return status;
}
