// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/common/message.h"
#include "cmd/njoin/dmesg.h"
#include "core/log/log.h"
#include "export/set_core.h"

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

enum status dmesg_write(struct njoin_run *run, struct error *lost, struct error *e)
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
