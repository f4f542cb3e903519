// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the printk ring buffer was last cleared: the kernel's variable clear_seq.  Since Linux 5.13
 * it is a struct latched_seq (kernel/printk/printk.c): a counter and two copies of the number.  The
 * kernel makes the counter odd, writes the first copy, makes the counter even, and writes the
 * second.  If it crashed meanwhile, the lowest bit of the counter selects the copy that is intact.
 */
#include "config.h"

#include "base/bytes.h"
#include "core/log/log_text.h"

enum { VAL_MAX = 256 };		/* for the offset of the copies: 8, or more with lockdep */

enum status log_clear_seq(const struct log *log, uint64_t *seq, struct error *e)
{
	uint8_t raw[VAL_MAX + 16];
	uint64_t size, val, address;
	enum status status;

	if (!vmcoreinfo_get(log->virt->info, "SIZE", "latched_seq", &size))
		return log_variable(log, "clear_seq", 8, seq, e);
	status = log_key(log, "OFFSET", "latched_seq.val", VAL_MAX, &val, e);
	if (!status)
		status = log_key(log, "SYMBOL", "clear_seq", UINT64_MAX, &address, e);
	if (status)
		return status;
	status = virt_read(log->virt, address, val + 16, raw, e);
	if (status)
		return error_prefix(e, "kernel log: ");
	*seq = get_le64(raw + val + 8 * (raw[0] & 1));
	return STATUS_OK;
}
