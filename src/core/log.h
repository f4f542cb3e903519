// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The log of the crashed kernel, as dmesg(1) shows it.  VMCOREINFO says where it is, and in which
 * of two forms: the printk ring buffer of 5.10 and later (kernel/printk/printk_ringbuffer.h), or the
 * records of 3.5 to 5.9 (struct printk_log, at first struct log, in kernel/printk/printk.c).
 *
 * The output is the same, byte for byte, as that of makedumpfile --dump-dmesg up to version 1.7.4,
 * except for carriage returns.  Later versions add the number of the caller to each line, which
 * dmesg(1) on these kernels does not.
 *
 * dmesg -C removes no records.  The kernel stores which record is the first one after it, and
 * dmesg(1) begins there.  Both variables are in kernel/printk/printk.c: clear_seq has the sequence
 * number of a record in the ring, and is a struct latched_seq since 5.13; clear_idx has the offset
 * of a record of 3.5 to 5.9, and is missing in VMCOREINFO of the older of these kernels.
 */
#ifndef NSPLIT_CORE_LOG_LOG_H
#define NSPLIT_CORE_LOG_LOG_H

#include "core/virt.h"

enum log_part {
	LOG_WHOLE,
	LOG_SINCE_CLEAR,	/* as with makedumpfile --partial-dmesg */
};

struct log_output {
	/* Receives the next len bytes of the text; calls do not follow lines. */
	enum status (*write)(void *arg, const char *text, size_t len, struct error *e);
	void *arg;
	/* No byte is read but those that are needed.  Otherwise there is a cache. */
	bool exact;
};

/* Whether the log that was written is complete, and the part that was wanted. */
struct log_result {
	struct error lost;	/* how much of it is missing, and why; STATUS_OK: nothing */
	/*
	 * Why the whole log was written instead of LOG_SINCE_CLEAR: VMCOREINFO lacks a key, or the
	 * position of the last clear cannot be read or is invalid.  STATUS_OK: this did not happen.
	 */
	struct error whole;
};

/*
 * Writes all of this part of the log that can be read.  If some of it cannot, the rest is written.
 * If it is unknown where the part begins, the whole log is written.  Fills the result, which is
 * valid only after STATUS_OK.
 *
 * STATUS_USAGE, STATUS_DAMAGED: the log cannot be found.  STATUS_MISSING, or as core->bytes.read()
 * returns: the variables that lead to it cannot be read.  STATUS_STOPPED from any read, and a
 * failure of output->write(), end the function at once.
 */
enum status log_print(const struct virt *virt, enum log_part part, const struct log_output *output,
		      struct log_result *result, struct error *e);

#endif
