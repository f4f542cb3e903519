// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/size.h"
#include "cmd/choices.h"

unsigned threads_default(void)
{
	cpu_set_t set;
	long online;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return (unsigned)CPU_COUNT(&set);
	/* More than CPU_SETSIZE of them. */
	online = sysconf(_SC_NPROCESSORS_ONLN);
	return online < 1 ? 1 : online > THREADS_MAX ? THREADS_MAX : (unsigned)online;
}

enum status threads_parse(const char *text, unsigned *threads, struct error *e)
{
	uint64_t number;
	enum status status = number_parse(text, "--threads", 1, THREADS_MAX, &number, e);

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
