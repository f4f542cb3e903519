// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "cmd/common/members.h"
#include "cmd/common/message.h"
#include "cmd/njoin/describe.h"
#include "cmd/njoin/dump.h"
#include "cmd/njoin/missing.h"
#include "cmd/njoin/njoin.h"
#include "core/log/log.h"
#include "export/set_core.h"
#include "set/flat_core.h"

/* njoin --dmesg: the kernel log in the core. */

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
	complete = set_is_dump(set) ? dump_info_print(&njoin->options, set, &njoin->absent) :
				      info_print(&njoin->options, set, &njoin->absent);
	return complete && !njoin->findings.damage.count ? FOUND_PERFECT : FOUND_INCOMPLETE;
}

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
