// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The dead kernel's log, as dmesg(1) would have shown it, found through VMCOREINFO: the printk
 * ring buffer of 5.10 and later (kernel/printk/printk_ringbuffer.h), the records of 3.5 to 5.9
 * (struct printk_log, at first struct log, in kernel/printk/printk.c), and the plain text before.
 *
 * The text is that of makedumpfile --dump-dmesg up to version 1.7.4, byte for byte.  Later ones
 * put the caller's number in each line, which these kernels' own dmesg does not.
 */
#ifndef NSPLIT_CORE_LOG_H
#define NSPLIT_CORE_LOG_H

#include "core/virt.h"

struct log_output {
	/* Takes the next len bytes of the text; lines may be cut anywhere. */
	enum status (*write)(void *arg, const char *text, size_t len, struct error *e);
	void *arg;
};

/*
 * Writes all of the log that can be had.  What cannot does not end it: lost->status is
 * STATUS_OK, or else lost tells how much of the log is not there, and why.  STATUS_USAGE or
 * STATUS_DAMAGED: the log cannot be found; STATUS_MISSING, or as core->bytes.read() returns:
 * what leads to it is not there.  STATUS_STOPPED at whichever byte is read, and what
 * output->write() returns, end it at once.
 */
enum status log_print(const struct virt *virt, const struct log_output *output,
		      struct error *lost, struct error *e);

#endif
