// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/text.h"
#include "cmd/common/message.h"
#include "cmd/common/operands.h"
#include "cmd/njoin/njoin.h"
#include "core/elf.h"
#include "core/kinds/page_class.h"
#include "core/log.h"
#include "export/set_core.h"
#include "io/path.h"
#include "set/dump.h"
#include "set/plain.h"

/* --- opening the set --------------------------------------------------------------------- */

static enum status choose_range(struct njoin_input *in, const struct njoin_options *o, struct error *e)
{
	in->to = in->set.source_size;
	if (o->range_given) {
		in->from = o->from;
		in->to = o->from + o->length;
	}
	return njoin_check_range(in, o, e);
}

struct opening {
	struct progress progress;
	double started;
};

/* Signals keep their default action meanwhile, since nothing has been written yet. */
static void show_progress(struct opening *opening, const char *action, uint64_t done, uint64_t total)
{
	const struct progress_figures figures = {
		.done = done,
		.total = total,
		.action = action,
		.seconds = clock_seconds() - opening->started,
	};

	progress_tick(&opening->progress, &figures);
}

static void show_search(void *arg, uint64_t done, uint64_t all)
{
	show_progress(arg, "searched", done, all);
}

static void show_spooling(void *arg, uint64_t done)
{
	show_progress(arg, "copied from pipes", done, UINT64_MAX);
}

static bool any_stream(const struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		if (members_is_stream(names->names[i]))
			return true;
	return false;
}

/* Where members from pipes are copied to: beside the output, which needs as much space, if it is a file. */
static void choose_spool(const struct njoin_options *o, char directory[PATH_MAX])
{
	const char *fallback = getenv("TMPDIR");
	const char *output = o->outputs.count ? o->outputs.names[0] : "-";
	struct stat st;
	bool file = strcmp(output, "-") != 0 && (stat(output, &st) < 0 || S_ISREG(st.st_mode));
	char target[PATH_MAX];

	/* A link is followed when the output is written, too. */
	if (!file || !path_directory(realpath(output, target) ? target : output, directory))
		snprintf(directory, PATH_MAX, "%s", fallback && *fallback ? fallback : "/var/tmp");
}

/*
 * --info and --list describe damaged sets, too, but do not search files that have neither superblock
 * nor footer.  A stream can be read only once, so --salvage is needed to describe one that is damaged.
 */
static enum status open_members(struct set *set, const struct njoin_options *o,
				struct set_settings *settings, struct error *e)
{
	bool describes = o->mode == NJOIN_INFO || o->mode == NJOIN_LIST;
	enum status status;

	status = members_open(set, &o->members, settings, e);
	if (!status || status == STATUS_NO_MEMORY || settings->salvage || !describes ||
	    any_stream(&o->members))
		return status;
	set_close(set);
	settings->salvage = true;
	return members_open(set, &o->members, settings, e);
}

/* A mistake is found before hours are spent on a stream, which cannot be read again. */
static enum status probe_early(const struct njoin_options *o, const struct set *set, struct error *e)
{
	struct njoin_outputs outputs = { 0 };
	enum status status = njoin_probe_outputs(&outputs, o, set, e);

	njoin_free_outputs(&outputs);
	return status;
}

static enum status njoin_open_set(struct njoin_input *in, struct njoin_options *o, struct njoin_findings *findings,
			   struct error *e)
{
	struct opening opening = { .started = clock_seconds() };
	char spool[PATH_MAX];
	struct set_settings settings = {
		.plain = true,
		.random_access = o->format == NJOIN_KDUMP ||
				 (o->mode != NJOIN_WRITE && o->mode != NJOIN_VERIFY),
		.spool = spool,
		.salvage = o->salvage,
		.search = o->salvage,
		.warn = njoin_report_damage,
		.unfinished = members_report_unfinished,
		.arg = findings,
		.watch = { .searching = show_search, .spooling = show_spooling, .arg = &opening },
	};
	enum status status;

	choose_spool(o, spool);
	if (any_stream(&o->members) && probe_early(o, &in->set, e))
		return e->status;
	members_skip_absent(&o->members);
	progress_init(&opening.progress, o->progress, o->quiet);
	settings.watch.interval = progress_interval(&opening.progress);
	status = open_members(&in->set, o, &settings, e);
	/* Only if a line was shown, since most sets are not searched. */
	if (opening.progress.due > settings.watch.interval)
		progress_end(&opening.progress);
	if (status)
		return status;
	findings->plain = set_is_made(&in->set);
	findings->dump = in->set.members[0].dump;
	members_report_in_use(&in->set);
	if (o->verbose && !findings->plain)
		members_report(&in->set);
	return choose_range(in, o, e);
}

static enum status njoin_check_dump(const struct set *set, struct njoin_options *o, struct error *e)
{
	unsigned absent = set_absent_classes(set), gone = absent & ~o->left_out.classes;
	const struct member *m = set->members;
	const char *other = m->dump->other_machine;

	if (o->mode == NJOIN_WRITE && !o->format_given)
		o->format = NJOIN_KDUMP;
	if (*other)
		message("%s: the header names the machine '%s', which njoin does not know; %s is assumed", m->name, other,
			machine_name(m->dump->machine));
	else if (m->dump->machine_assumed)
		message("%s: nothing in the dump says of which machine it is; %s is assumed", m->name,
			machine_name(m->dump->machine));
	for (size_t i = 0; i < m->dump->findings.count; i++)
		message("%s", m->dump->findings.names[i]);
	if (o->mode != NJOIN_INFO && dump_check_pages(set, e))
		return e->status;
	if (o->range_given && o->format == NJOIN_KDUMP)
		return error_set(e, STATUS_USAGE, "%s: is a dump, of which --range requires --format=elf", m->name);
	if (o->mode == NJOIN_WRITE && o->format == NJOIN_ELF && m->dump->runs >= CORE_HEADERS_MAX)
		return error_set(e, STATUS_USAGE, "%s: an ELF core of it would have %zu program headers, and one with more "
				 "than %d cannot be read; leave out --format=elf", m->name, m->dump->runs + 1,
				 CORE_HEADERS_MAX);
	if (!o->left_out.given || !gone)
		return STATUS_OK;
	if (o->raises_level) {
		o->left_out.classes |= absent;
		message("%s: was made with dump level %" PRIu32 ", which the new dump has, too", m->name, m->dump->level);
		return STATUS_OK;
	}
	return error_set(e, STATUS_USAGE, "%s: was made with dump level %" PRIu32 ", so pages that are asked for "
			 "are not there; use a level that leaves them out, too, such as %u", m->name, m->dump->level,
			 dump_level_of_classes(absent | o->left_out.classes));
}

/* --- --dmesg: the kernel log in the core -------------------------------------------------- */

struct log_copy {
	struct njoin_run *run;
	struct set_core source;
	bool terminal;
	uint64_t written;
};

/*
 * Called before each read and write.  The first request to stop takes effect at the next of them,
 * so there is no second one to handle.  Without signal_fd, signals have their default action.
 */
static enum status read_signals(struct njoin_run *run, struct error *e)
{
	while (run->signal_fd >= 0 && signals_next(run->signal_fd, &run->stop))
		continue;
	return run->stop.signal ? error_set(e, STATUS_STOPPED, "stopped") : STATUS_OK;
}

static enum status read_core(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	struct log_copy *l = arg;
	enum status status = read_signals(l->run, e);

	return status ? status : range_read(&l->source.reader, offset, len, dst, e);
}

/* message_close_output() reports errors of standard output. */
static enum status to_stdout(const char *text, size_t len)
{
	return fwrite(text, 1, len, stdout) == len ? STATUS_OK : STATUS_END;
}

static enum status put(struct log_copy *l, const char *text, size_t len, struct error *e)
{
	const struct njoin_outputs *outputs = &l->run->outputs;
	enum status status;

	if (!outputs->count)
		return to_stdout(text, len);
	status = read_signals(l->run, e);
	if (!status)
		status = output_file_write(outputs->files, l->written, (const uint8_t *)text, len, e);
	l->written += len;
	return status;
}

/* Logs before Linux 3.5 may contain any byte.  A file gets it; a terminal gets its number. */
static enum status write_text(void *arg, const char *text, size_t len, struct error *e)
{
	struct log_copy *l = arg;
	enum status status = STATUS_OK;

	if (!l->terminal)
		return put(l, text, len, e);
	for (size_t i = 0; i < len && !status; i++) {
		char number[8];
		int digits = snprintf(number, sizeof(number), "\\x%02x", (unsigned char)text[i]);

		status = text_byte_is_printable((uint8_t)text[i]) ? put(l, text + i, 1, e)
								  : put(l, number, (size_t)digits, e);
	}
	return status;
}

static enum status print(struct log_copy *l, struct error *lost, struct error *e)
{
	struct log_output output = { .write = write_text, .arg = l };
	struct core *core = &l->source.core;
	struct log_result result = { 0 };
	struct vmcoreinfo info;
	struct virt virt;
	enum status status = vmcoreinfo_find(core, &info, e);

	core->bytes.read = read_core;
	core->bytes.arg = l;

	if (!status && l->run->options->inspect)
		l->run->options->inspect(l->run->options->inspect_arg, &info, l->run->input->set.members->dump);
	if (!status) {
		virt_init(&virt, core, &info);
		status = log_print(&virt, l->run->options->log_part, &output, &result, e);
	}
	*lost = result.lost;
	if (!status && result.whole.status)
		message("%s", result.whole.text);
	/* The operands are right, but the core has no log. */
	if (status == STATUS_USAGE)
		status = e->status = STATUS_UNSUPPORTED;
	return status;
}

/*
 * Writes the log to the output, which is open, or to standard output if none was given.  STATUS_OK:
 * *lost is that of log_print().  STATUS_END: standard output accepts no more.
 * STATUS_STOPPED: stopped by a signal.
 */
static enum status dmesg_write(struct njoin_run *run, struct error *lost, struct error *e)
{
	const struct njoin_outputs *outputs = &run->outputs;
	struct log_copy l = {
		.run = run,
		.terminal = isatty(outputs->count ? outputs->files->fd : STDOUT_FILENO),
	};
	enum status status = set_core_open(&l.source, &run->input->set, e);

	if (!status)
		status = print(&l, lost, e);
	set_core_close(&l.source);
	if (!status && outputs->count)
		status = output_file_finish(outputs->files, l.written, e);
	return status;
}

enum { DAMAGE_LISTED = 100 };

/*
 * --dmesg uses one thread, which does not look at signals while it waits for the reader of a
 * stream.  So with a stream, signals keep their default action: there is no file to remove.
 */
static enum status open_log_output(struct njoin_run *run, struct error *e)
{
	enum status status = STATUS_OK;

	signals_prepare();
	if (njoin_seekable(&run->outputs))
		status = signals_open(&run->signal_fd, e);
	return status ? status : njoin_open_outputs(&run->outputs, e);
}

/* Data that was not found in the core may be in a member that was not given. */
static enum njoin_finding not_found(const struct set *set, const struct error *e)
{
	enum njoin_finding finding = njoin_failed(e);

	if (e->status == STATUS_MISSING)
		members_report_missing(set);
	return finding;
}

static enum njoin_finding print_log(struct njoin *njoin)
{
	const struct set *set = &njoin->input.set;
	struct njoin_run *run = &njoin->run;
	struct error e, lost = { 0 };
	enum status status = njoin_probe_outputs(&run->outputs, &njoin->options, set, &e);

	if (!status && run->outputs.count)
		status = open_log_output(run, &e);
	if (!status)
		status = dmesg_write(run, &lost, &e);
	if (status == STATUS_STOPPED)
		njoin_die(run);
	/* message_close_output() reports errors of standard output. */
	if (status == STATUS_END)
		return FOUND_FAILURE;
	if (status)
		return not_found(set, &e);
	if (lost.status)
		not_found(set, &lost);
	return lost.status || njoin->findings.damage.count ? FOUND_INCOMPLETE : FOUND_PERFECT;
}

static enum njoin_finding print_list(struct njoin *njoin)
{
	const struct set *set = &njoin->input.set;
	bool complete;
	struct error e;

	if (njoin_find_absent(njoin, &e) ||
	    list_print(&njoin->options, set, &njoin->absent, &complete, &e))
		return not_found(set, &e);
	return complete && !njoin->findings.damage.count ? FOUND_PERFECT : FOUND_INCOMPLETE;
}

static enum njoin_finding print_info(struct njoin *njoin)
{
	const struct set *set = &njoin->input.set;
	bool complete;
	struct error e;

	if ((set_has_layers(set) || set_is_dump(set)) && njoin_find_absent(njoin, &e))
		return njoin_failed(&e);
	complete = info_print(&njoin->options, set, &njoin->absent);
	return complete && !njoin->findings.damage.count ? FOUND_PERFECT : FOUND_INCOMPLETE;
}

/* ------------------------------------------------------------------------------------------- */

static enum njoin_finding run_mode(struct njoin *njoin)
{
	switch (njoin->options.mode) {
	case NJOIN_INFO:
		return print_info(njoin);
	case NJOIN_LIST:
		return print_list(njoin);
	case NJOIN_DMESG:
		return print_log(njoin);
	default:
		return njoin_join(njoin);
	}
}

/* True if this is done with a plain core, too. */
static bool takes_plain(const struct njoin_options *o)
{
	return o->mode == NJOIN_LIST || o->mode == NJOIN_DMESG ||
	       (o->mode == NJOIN_WRITE && o->format == NJOIN_KDUMP);
}

static enum njoin_finding run_all(struct njoin *njoin)
{
	struct njoin_options *o = &njoin->options;
	struct error e;
	enum njoin_finding finding;
	const struct dump_file *flat;
	bool hurt = false;

	njoin->run.began = clock_seconds();
	njoin->findings.damage.limit = DAMAGE_LISTED;
	njoin->findings.unreadable.limit = o->verbose ? UINT_MAX : RANGES_LISTED;
	if (njoin_open_set(&njoin->input, o, &njoin->findings, &e))
		return njoin_failed(&e);
	flat = set_flat_core(&njoin->input.set);
	/* It becomes an ELF core. */
	if (flat && o->mode == NJOIN_WRITE && !o->format_given)
		o->format = NJOIN_ELF;
	if (!(flat && o->mode == NJOIN_WRITE) && !takes_plain(o) && members_refuse_plain(&njoin->input.set, &e))
		return njoin_failed(&e);
	if (set_is_dump(&njoin->input.set) && njoin_check_dump(&njoin->input.set, o, &e))
		return njoin_failed(&e);
	if (flat)
		hurt = njoin_report_file(flat);
	finding = run_mode(njoin);
	return hurt && finding == FOUND_PERFECT ? FOUND_UNREADABLE : finding;
}

/* njoin(1), EXIT STATUS, describes this. */
static enum exit_status exit_status(const struct njoin_options *o, enum njoin_finding worst)
{
	bool lenient = o->salvage || o->mode == NJOIN_INFO || o->mode == NJOIN_LIST ||
		       o->mode == NJOIN_DMESG;

	switch (worst) {
	case FOUND_PERFECT:
		return EXIT_PERFECT;
	case FOUND_UNREADABLE:
		return EXIT_INCOMPLETE;
	case FOUND_INCOMPLETE:
		return lenient ? EXIT_INCOMPLETE : EXIT_FAILED;
	case FOUND_USAGE:
		return EXIT_USAGE;
	default:
		return EXIT_FAILED;
	}
}

int njoin_run(struct njoin_options *options)
{
	struct njoin njoin = {
		.options = *options,
		.run = { .options = &njoin.options, .input = &njoin.input, .signal_fd = -1 },
	};
	int status = (int)exit_status(&njoin.options, run_all(&njoin));

	walk_free(njoin.run.walk);
	kdump_export_free(&njoin.kdump);
	roots_free(njoin.roots);
	set_absent_free(&njoin.absent);
	njoin_free_outputs(&njoin.run.outputs);
	set_close(&njoin.input.set);
	if (njoin.run.signal_fd >= 0)
		close(njoin.run.signal_fd);
	*options = njoin.options;
	return status;
}
