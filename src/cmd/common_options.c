// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "base/cpus.h"
#include "base/size.h"
#include "cmd/common_options.h"

unsigned threads_default(void)
{
	return (unsigned)min_u64(cpus_allowed(), THREADS_MAX);
}

enum status threads_parse(const char *option, const char *text, unsigned *threads,
			  struct error *e)
{
	uint64_t number;
	enum status status = number_parse(text, option, 1, THREADS_MAX, &number, e);

	if (!status)
		*threads = (unsigned)number;
	return status;
}

enum status choice_parse(const char *option, const char *text, int *choice, struct error *e)
{
	static const char *const choices[] = { "auto", "always", "never" };

	if (!text)
		text = "always";
	for (int i = 0; i < 3; i++) {
		if (strcmp(text, choices[i]) == 0) {
			*choice = i;
			return STATUS_OK;
		}
	}
	return error_set(e, STATUS_USAGE, "%s takes auto, always or never, not '%s'", option,
			 text);
}
