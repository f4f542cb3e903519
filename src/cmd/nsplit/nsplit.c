// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "base/size.h"
#include "base/supervise.h"
#include "capture/memory/memory_fit.h"
#include "cmd/nsplit/capture.h"
#include "cmd/nsplit/digest_file.h"
#include "cmd/nsplit/finish.h"
#include "cmd/nsplit/mistakes.h"
#include "cmd/nsplit/probe.h"
#include "cmd/nsplit/report.h"
#include "cmd/common/outputs.h"
#include "cmd/common/vmcore.h"
#include "io/sink_kinds.h"

static enum status fixed_time_from_environment(int64_t *seconds, struct error *e)
{
	const char *text = getenv("SOURCE_DATE_EPOCH");
	uint64_t number;
	enum status status;

	*seconds = -1;
	if (!text || !*text)
		return STATUS_OK;
	status = number_parse(text, "SOURCE_DATE_EPOCH", 0, INT64_MAX, &number, e);
	if (!status)
		*seconds = (int64_t)number;
	return status;
}

/*
 * A UUID from the command line may have been used before, so the tag is random; 0 is reproducible.
 */
static enum status choose_tag(struct capture_settings *settings, struct error *e)
{
	uint32_t *tag = &settings->id.tag;
	enum status status;

	if (settings->fixed_time >= 0)
		return STATUS_OK;
	status = random_bytes(tag, sizeof(*tag), e);
	if (!*tag)
		*tag = 1;
	return status;
}

enum status nsplit_choose_uuid(struct nsplit_options *o, struct error *e)
{
	struct uuid *uuid = &o->capture.id.uuid;
	enum status status;

	if (o->uuid_given)
		return STATUS_OK;
	status = random_bytes(uuid->bytes, UUID_LENGTH, e);
	uuid_from_random(uuid);
	o->uuid_given = !status;
	return status;
}

static enum status choose_identity(struct nsplit *nsplit, struct error *e)
{
	struct capture_settings *settings = &nsplit->options.capture;
	enum status status;

	settings->creator = PACKAGE_STRING;
	status = fixed_time_from_environment(&settings->fixed_time, e);
	if (!status)
		status = choose_tag(settings, e);
	return status ? status : nsplit_choose_uuid(&nsplit->options, e);
}

/*
 * A command may print on standard output unless a member goes there.  A fallback has no patience of
 * its own: the engine limits how long it may wait for its reader.
 */
static void prepare_sinks(struct nsplit *nsplit)
{
	const struct capture_settings *settings = &nsplit->options.capture;
	bool mute = outputs_take_stdout(nsplit->sinks, nsplit->count);

	for (unsigned i = 0; i < nsplit->count; i++) {
		sink_command_settings(&nsplit->sinks[i], mute, &nsplit->heeded);
		if (settings->digest && nsplit->options.force)
			nsplit->sinks[i].emptied = digest_file_remove;
	}
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
	nsplit->refused = status == STATUS_USAGE;
	prepare_sinks(nsplit);
	return status;
}

/* What is tried, one after another. */
struct fitting {
	struct nsplit *nsplit;
	struct capture_settings wanted;
	struct limits limits;
	struct memory_plan *plan;
	struct fit_note note;
};

/* False: it does not fit, and less may be tried; if *status is not STATUS_OK, that cannot even be tried. */
static bool fits(struct fitting *f, enum status *status, struct error *e)
{
	struct nsplit *nsplit = f->nsplit;

	nsplit->options.capture = f->wanted;
	*status = capture_fit(&nsplit->options.capture, nsplit->source, nsplit->sinks, nsplit->count, &f->limits,
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
		.nsplit = nsplit, .wanted = nsplit->options.capture, .limits = nsplit_limits(nsplit), .plan = plan,
	};
	enum status status;
	bool good;

	/* The plan has the headers, too, whose memory is taken already. */
	if (f.limits.memory.bytes < UINT64_MAX / 2)
		f.limits.memory.bytes += f.wanted.headers * f.wanted.header_memory;
	good = fits_somehow(&f, &status, e);
	/* --mem-limit is too small, which must not cost the dump in the capture kernel. */
	if (status == STATUS_USAGE && strcmp(nsplit->options.source, vmcore_name) == 0) {
		mistake_print(e);
		f.wanted.memory_limit = 0;
		good = fits_somehow(&f, &status, e);
	}
	if (!good && f.wanted.policy) {
		page_policy_give_up(&nsplit->layers, "there is too little memory for it");
		f.wanted.policy = NULL;
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
	enum status status;

	status = choose_identity(nsplit, e);
	if (!status && !nsplit->source)
		status = nsplit_open_source(o, &nsplit->source, e);
	if (!status && nsplit->source->is_stream)
		status = nsplit_refuse_stream(o, nsplit->source, e);
	if (!status)
		status = probe_outputs(nsplit, e);
	if (!status)
		nsplit_set_headers(&nsplit->options.capture, o, nsplit->source, NULL);
	if (!status && o->format != NSPLIT_MEMBERS)
		status = nsplit_dump_open(nsplit, e);
	else if (!status && o->left_out.given)
		nsplit->options.capture.policy = nsplit_open_policy(nsplit);
	if (!status)
		status = fit_memory(nsplit, plan, e);
	return status;
}

int nsplit_run(struct nsplit *nsplit)
{
	struct memory_plan plan;
	struct error e;
	enum status status = prepare(nsplit, &plan, &e);

	if (status) {
		message("%s", e.text);
		return status == STATUS_USAGE ? EXIT_USAGE : EXIT_FAILED;
	}
	if (nsplit->options.dry_run) {
		report_plan(stdout, &nsplit->options, nsplit->source, nsplit->sinks, &plan);
		return nsplit->unusable ? EXIT_FAILED : EXIT_PERFECT;
	}
	if (nsplit->options.verbose)
		report_plan_as_message(&nsplit->options, nsplit->source, nsplit->sinks, &plan);
	nsplit_dump_choose(nsplit);
	status = nsplit_capture(nsplit, &plan, &e);
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
	message_begin(!o->capture.serial);
}

void nsplit_reset(struct nsplit *nsplit)
{
	capture_free(nsplit->capture);
	for (unsigned i = 0; nsplit->sinks && i < nsplit->count; i++)
		sink_free(&nsplit->sinks[i]);
	free(nsplit->sinks);
	free(nsplit->digests);
	nsplit_dump_close(&nsplit->dump);
	page_policy_close(&nsplit->layers);
	source_close(nsplit->source);
	if (nsplit->signal_fd >= 0)
		close(nsplit->signal_fd);
	nsplit->capture = NULL;
	nsplit->sinks = NULL;
	nsplit->digests = NULL;
	nsplit->source = NULL;
	nsplit->signal_fd = -1;
	nsplit->count = nsplit->unusable = 0;
	nsplit->refused = nsplit->may_hang = false;
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
