// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/text.h"
#include "core/log/log_text.h"

enum { PREFIX_LENGTH = 32 };	/* "[18446744073.709551] " and more */

enum status log_flush(struct log *log, struct error *e)
{
	size_t len = log->used;

	log->used = 0;
	return len ? log->output->write(log->output->arg, log->line, len, e) : STATUS_OK;
}

static enum status put(struct log *log, const char *text, size_t len, struct error *e)
{
	while (len) {
		size_t some = min_u64(len, sizeof(log->line) - log->used);

		memcpy(log->line + log->used, text, some);
		log->used += some;
		text += some;
		len -= some;
		if (log->used == sizeof(log->line)) {
			enum status status = log_flush(log, e);

			if (status)
				return status;
		}
	}
	return STATUS_OK;
}

enum status log_bytes(struct log *log, const uint8_t *bytes, size_t len, struct error *e)
{
	return put(log, (const char *)bytes, len, e);
}

/*
 * Other bytes are written as numbers, as makedumpfile does, but for a carriage return.  It passes a char to
 * printf(), which is signed on x86_64, and reads only dumps of its own architecture: so in a dump
 * of x86_64, a byte above 0x7f is written with 8 digits.
 */
static enum status put_byte(struct log *log, uint8_t byte, struct error *e)
{
	bool sign = byte >= 0x80 && log->virt->core->machine == EM_X86_64;
	char number[16];
	int len;

	if (text_byte_is_printable(byte))
		return put(log, (const char *)&byte, 1, e);
	len = snprintf(number, sizeof(number), "\\x%s%02x", sign ? "ffffff" : "", byte);
	return put(log, number, (size_t)len, e);
}

enum status log_record(struct log *log, uint64_t nanoseconds, size_t len, struct error *e)
{
	char prefix[PREFIX_LENGTH], indent[PREFIX_LENGTH];
	size_t width = (size_t)snprintf(prefix, sizeof(prefix), "[%5" PRIu64 ".%06" PRIu64 "] ",
					nanoseconds / 1000000000, nanoseconds % 1000000000 / 1000);
	enum status status = put(log, prefix, width, e);

	/* Further lines of a text are indented. */
	memset(indent, ' ', sizeof(indent));
	for (size_t i = 0; i < len && !status; i++) {
		status = put_byte(log, log->text[i], e);
		if (!status && log->text[i] == '\n')
			status = put(log, indent, width, e);
	}
	log->count++;
	return status ? status : put(log, "\n", 1, e);
}

enum status log_lose(struct log *log, const struct error *why, struct error *e)
{
	if (core_bytes_end(why->status)) {
		*e = *why;
		return e->status;
	}
	if (!log->records_lost++)
		log->why = *why;
	return STATUS_OK;
}

enum status log_use_whole(struct log *log, const struct error *why, struct error *e)
{
	if (core_bytes_end(why->status)) {
		*e = *why;
		return e->status;
	}
	log->result->whole = *why;
	error_suffix(&log->result->whole, "; the whole log is written");
	return STATUS_OK;
}

enum status log_key(const struct log *log, const char *kind, const char *name, uint64_t most,
		    uint64_t *value, struct error *e)
{
	if (!vmcoreinfo_get(log->virt->info, kind, name, value))
		return error_set(e, STATUS_DAMAGED, "kernel log: VMCOREINFO has no %s(%s)", kind, name);
	if (*value > most)
		return error_set(e, STATUS_DAMAGED, "kernel log: VMCOREINFO has an invalid %s(%s): %"
				 PRIu64, kind, name, *value);
	return STATUS_OK;
}

enum status log_variable(const struct log *log, const char *name, size_t len, uint64_t *value,
			 struct error *e)
{
	uint8_t raw[8] = { 0 };
	uint64_t address;
	enum status status = log_key(log, "SYMBOL", name, UINT64_MAX, &address, e);

	if (status)
		return status;
	status = virt_read(log->virt, address, len, raw, e);
	if (status)
		return error_prefix(e, "kernel log: ");
	*value = get_le64(raw);
	return STATUS_OK;
}
