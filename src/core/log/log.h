// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The log of the crashed kernel, as dmesg(1) shows it.  VMCOREINFO says where it is, and in which
 * of three forms: the printk ring buffer of 5.10 and later (kernel/printk/printk_ringbuffer.h), the
 * records of 3.5 to 5.9 (struct printk_log, at first struct log, in kernel/printk/printk.c), or the
 * plain text of older kernels.
 *
 * The output is the same, byte for byte, as that of makedumpfile --dump-dmesg up to version 1.7.4,
 * except for carriage returns.  Later versions add the number of the caller to each line, which
 * dmesg(1) on these kernels does not.
 */
#ifndef NSPLIT_CORE_LOG_LOG_H
#define NSPLIT_CORE_LOG_LOG_H

#include "core/virt/virt.h"

struct log_output {
	/* Receives the next len bytes of the text; calls do not follow lines. */
	enum status (*write)(void *arg, const char *text, size_t len, struct error *e);
	void *arg;
};

/*
 * Writes all of the log that can be read.  If some of it cannot, the rest is written, and lost says
 * how much is missing, and why; otherwise lost->status is STATUS_OK.
 *
 * STATUS_USAGE, STATUS_DAMAGED: the log cannot be found.  STATUS_MISSING, or as core->bytes.read()
 * returns: the variables that lead to it cannot be read.  STATUS_STOPPED from any read, and a
 * failure of output->write(), end the function at once.
 */
enum status log_print(const struct virt *virt, const struct log_output *output,
		      struct error *lost, struct error *e);

#endif
