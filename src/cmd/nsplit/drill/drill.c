// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <time.h>

#include "base/size.h"
#include "cmd/common/vmcore.h"
#include "cmd/nsplit/drill/drill.h"
#include "cmd/nsplit/drill/crash.h"
#include "cmd/nsplit/drill/limits.h"
#include "cmd/nsplit/drill/report.h"
#include "cmd/nsplit/drill/source.h"
#include "cmd/nsplit/drill/space.h"
#include "cmd/nsplit/drill/verify.h"
#include "cmd/nsplit/probe.h"

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
	bool failed;				/* beside what the last line is about */
};

static void fail(struct drill *d, const struct error *e)
{
	message("drill: %s", e->text);
	d->failed = true;
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
		if (!try_outputs(d, i, 1, 0, source, &result))
			d->failed = true;
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

	d->failed = !crash_machine_report_call(d->machine, o, "drill");
	if (!main_outputs(d))
		return d->failed ? EXIT_FAILED : refuse_no_output(d);
	if (!drill_limits_find(o, d->machine, &d->limits))
		return EXIT_FAILED;
	d->failed |= d->limits.no_dump;
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
		message("drill failed: see the messages above");
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
