// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "core/log/log_text.h"

static bool has_symbol(const struct virt *virt, const char *name)
{
	uint64_t ignored;

	return vmcoreinfo_get(virt->info, "SYMBOL", name, &ignored);
}

/* By the symbols in VMCOREINFO, not by the version: distributors backport changes. */
static enum status print(struct log *log, struct error *e)
{
	if (has_symbol(log->virt, "prb"))
		return log_ring(log, e);
	if (has_symbol(log->virt, "log_first_idx"))
		return log_records(log, e);
	if (has_symbol(log->virt, "log_end"))
		return log_plain(log, e);
	return error_set(e, STATUS_USAGE, "kernel log: not found with VMCOREINFO; the kernel was built "
			 "without it, or its form is not supported");
}

/* If the log ended early, lost already says so. */
static void report_lost(const struct log *log)
{
	struct error *lost = &log->result->lost;

	if (lost->status)
		error_suffix(lost, "; %" PRIu64 " record%s could not be read: %s",
			     log->records_lost, plural(log->records_lost), log->why.text);
	else
		error_set(lost, STATUS_MISSING, "kernel log: %" PRIu64 " record%s could not be "
			  "read: %s", log->records_lost, plural(log->records_lost),
			  log->why.text);
}

enum status log_print(const struct virt *virt, enum log_part part, const struct log_output *output,
		      struct log_result *result, struct error *e)
{
	struct log *log = calloc(1, sizeof(*log));
	enum status status;

	*result = (struct log_result){ 0 };
	if (!log)
		return error_system(e, ENOMEM, "buffer of the log");
	log->virt = virt;
	log->part = part;
	log->output = output;
	log->result = result;
	status = print(log, e);
	if (!status)
		status = log_flush(log, e);
	if (log->records_lost)
		report_lost(log);
	free(log);
	return status;
}
