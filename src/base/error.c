// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum status error_set(struct error *e, enum status status, const char *format, ...)
{
	va_list ap;

	e->status = status;
	e->errnum = 0;
	va_start(ap, format);
	vsnprintf(e->text, sizeof(e->text), format, ap);
	va_end(ap);
	return status;
}

enum status error_system(struct error *e, int errnum, const char *format, ...)
{
	/* glibc's strerror() is not thread-safe; its GNU strerror_r() is. */
	char buffer[128];
	const char *reason = strerror_r(errnum, buffer, sizeof(buffer));
	va_list ap;

	e->status = errnum == ENOMEM ? STATUS_NO_MEMORY : STATUS_SYSTEM;
	e->errnum = errnum;
	va_start(ap, format);
	vsnprintf(e->text, sizeof(e->text), format, ap);
	va_end(ap);
	return error_suffix(e, ": %s", reason);
}

enum status error_suffix(struct error *e, const char *format, ...)
{
	size_t used = strlen(e->text);
	va_list ap;

	va_start(ap, format);
	vsnprintf(e->text + used, sizeof(e->text) - used, format, ap);
	va_end(ap);
	return e->status;
}

enum status error_prefix(struct error *e, const char *format, ...)
{
	char old[sizeof(e->text)];
	va_list ap;

	memcpy(old, e->text, sizeof(old));
	va_start(ap, format);
	vsnprintf(e->text, sizeof(e->text), format, ap);
	va_end(ap);
	return error_suffix(e, "%s", old);
}
