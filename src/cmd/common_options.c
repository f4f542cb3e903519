// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "base/cpus.h"
#include "cmd/common_options.h"
#include "cmd/message.h"

const char *const choices_when[] = { "auto", "always", "never", NULL };

int options_result(enum status status, const struct error *e)
{
	if (!status)
		return OPTIONS_READ;
	if (status == STATUS_END)
		return EXIT_PERFECT;
	/* An empty text: option_table_read() says that getopt_long() has reported the error. */
	return e->text[0] ? message_usage_error(e) : message_try_help();
}

unsigned threads_default(void)
{
	return (unsigned)min_u64(cpus_allowed(), THREADS_MAX);
}
