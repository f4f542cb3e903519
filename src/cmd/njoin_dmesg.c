// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>

#include "cmd/message.h"
#include "cmd/njoin_dmesg.h"
#include "core/log.h"
#include "export/set_core.h"

/* Where the text goes. */
struct place_of_text {
	struct run *run;
	uint64_t written;
};

/* What standard output did not take is told when the program ends (message_close_output). */
static enum status to_stdout(const char *text, size_t len)
{
	return fwrite(text, 1, len, stdout) == len ? STATUS_OK : STATUS_END;
}

static enum status write_text(void *arg, const char *text, size_t len, struct error *e)
{
	struct place_of_text *p = arg;
	struct run *run = p->run;
	enum status status;
	int signal;

	if (!run->outputs_count)
		return to_stdout(text, len);
	while ((signal = signals_next(run->signal_fd)))
		if (signal_asks_to_stop(signal))
			stop_ask(&run->stop, signal);
	if (run->stop.signal)
		return error_set(e, STATUS_STOPPED, "stopped");
	status = output_write(run->outputs, p->written, (const uint8_t *)text, len, e);
	p->written += len;
	return status;
}

static enum status print(struct place_of_text *p, const struct core *core, struct error *lost,
			 struct error *e)
{
	struct log_output output = { .write = write_text, .arg = p };
	struct vmcoreinfo info;
	struct virt virt = { .core = core, .info = &info };
	enum status status = vmcoreinfo_find(core, &info, e);

	return status ? status : log_print(&virt, &output, lost, e);
}

enum status dmesg_write(struct run *run, bool *lost, struct error *e)
{
	struct place_of_text place = { .run = run };
	struct error what = { 0 };
	struct set_core source;
	enum status status = set_core_open(&source, &run->set, e);

	if (!status)
		status = print(&place, &source.core, &what, e);
	set_core_close(&source);
	if (!status && run->outputs_count)
		status = output_finish(run->outputs, place.written, e);
	if (status)
		return status;
	if (what.status)
		message("%s", what.text);
	*lost = what.status;
	return STATUS_OK;
}
