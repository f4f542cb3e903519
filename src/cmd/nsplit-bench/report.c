// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/text.h"
#include "cmd/common/common_options.h"
#include "cmd/nsplit-bench/report.h"

/* Some architectures do not name the processor there. */
static void find_processor(struct machine *machine)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "model name : %127[^\n]", machine->processor) == 1)
			break;
	if (file)
		fclose(file);
}

void machine_describe(struct machine *machine)
{
	time_t now = time(NULL);
	struct utsname name;
	struct tm tm;

	*machine = (struct machine){ .cpus = threads_default() };
	if (uname(&name) == 0) {
		snprintf(machine->processor, sizeof(machine->processor), "%s", name.machine);
		snprintf(machine->system, sizeof(machine->system), "%s %s", name.sysname,
			 name.release);
	}
	find_processor(machine);
	if (gmtime_r(&now, &tm))
		strftime(machine->date, sizeof(machine->date), "%Y-%m-%d", &tm);
}

const char *threads_format(unsigned threads, char text[THREADS_TEXT_LENGTH])
{
	if (threads)
		snprintf(text, THREADS_TEXT_LENGTH, "%u", threads);
	else
		snprintf(text, THREADS_TEXT_LENGTH, "serial");
	return text;
}

const char *threads_describe(unsigned threads, char text[THREADS_TEXT_LENGTH])
{
	if (threads)
		snprintf(text, THREADS_TEXT_LENGTH, "%u thread%s", threads, plural(threads));
	else
		snprintf(text, THREADS_TEXT_LENGTH, "serial");
	return text;
}

const char *figure_format_rate(double rate, char text[FIGURE_TEXT_LENGTH])
{
	char digits[FIGURE_TEXT_LENGTH / 2], *to = text;
	size_t length;

	rate /= 1e6;
	snprintf(digits, sizeof(digits), "%.*f", rate < 10 ? 2 : rate < 100 ? 1 : 0, rate);
	length = strlen(digits);
	for (size_t i = 0; i < length; i++) {
		/* A comma before every third digit from the right. */
		if (i && rate >= 100 && (length - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return text;
}

const char *share_format(double share, char text[FIGURE_TEXT_LENGTH])
{
	snprintf(text, FIGURE_TEXT_LENGTH, "%.*f %%", share < 0.1 ? 1 : 0, 100 * share);
	return text;
}

double bench_ratio(const struct cell *cell)
{
	return cell->member_bytes ? (double)cell->stored_bytes / (double)cell->member_bytes : 0;
}

const char *caches_name(enum caches caches)
{
	switch (caches) {
	case CACHES_NONE:
		return "not used";
	case CACHES_KEPT:
		return "kept";
	case CACHES_MEMBERS:
		return "members dropped before each measurement";
	case CACHES_DROPPED:
		return "dropped before each measurement";
	default:
		return "source and members dropped before each measurement, where permitted";
	}
}
