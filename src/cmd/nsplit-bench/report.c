// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/text.h"
#include "cmd/common/common_options.h"
#include "cmd/common/message.h"
#include "cmd/nsplit-bench/report.h"

/* --- the verdict in words ------------------------------------------------ */

const char *const verdict_names[JUDGED_KINDS] = {
	[JUDGED_CAPTURES] = "captures",
	[JUDGED_VERIFIES] = "verifies",
	[JUDGED_JOINS] = "joins",
	[JUDGED_CEILINGS] = "ceilings",
	[JUDGED_SHARES] = "shares",
};

const char *verdict_sentence(const struct verdict *v)
{
	bool speeds = verdict_speeds_reliable(v), shares = verdict_shares_reliable(v);

	if (v->few)
		return "With so few rounds, no figure is reliable; use more --rounds.";
	if (speeds && shares)
		return "The speeds and their shares of the ceiling are reliable.";
	if (speeds)
		return "The speeds are reliable; some of their shares of the ceiling are not.";
	if (shares)
		return "The shares of the ceiling are reliable; some of the speeds are not.";
	return "Some speeds and some shares of the ceiling are unreliable.";
}

/* Appends "3 of 10 captures" to a list. */
static void add_kind(char *list, size_t size, const struct verdict *v, enum judged kind)
{
	size_t unreliable = v->kinds[kind].figures - v->kinds[kind].reliable;

	if (unreliable)
		text_append(list, size, "%s%zu of %zu %s", *list ? ", " : "", unreliable,
			    v->kinds[kind].figures, verdict_names[kind]);
}

void verdict_warn(const struct verdict *v)
{
	char list[256] = "";

	for (int kind = 0; kind < JUDGED_KINDS; kind++)
		add_kind(list, sizeof(list), v, kind);
	if (list[0])
		message("unreliable: %s; use more --rounds or a larger SOURCE", list);
}

/* --- figures ------------------------------------------------------------- */

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

/* --- the best of a benchmark --------------------------------------------- */

/* The best result of a benchmark, in a sentence. */

enum { LINE_LENGTH = 160 };

/* A lower ratio is no gain worth a word. */
static const double SMALLER = 1.05;

/* "zstd:3 with 4 threads, 2 outputs and blocks of 16K captured" */
static void describe_cell(const struct cell *cell, bool outputs, bool blocks, char line[LINE_LENGTH])
{
	char threads[THREADS_TEXT_LENGTH];

	snprintf(line, LINE_LENGTH, "%s with %s", cell->codec->text,
		 cell->threads ? threads_describe(cell->threads, threads) : "--serial");
	if (outputs)
		text_append(line, LINE_LENGTH, "%s %u output%s", blocks ? "," : " and", cell->outputs,
			    plural(cell->outputs));
	if (blocks)
		text_append(line, LINE_LENGTH, " and blocks of %" PRIu32 "K", cell->block_size / 1024);
	text_append(line, LINE_LENGTH, " captured");
}

/* "8.0 GiB in 2.6 s, at 3,325 MB/s, and made it 1.9 times smaller" */
static void describe_result(const struct cell *cell, char line[LINE_LENGTH])
{
	char size[SIZE_TEXT_LENGTH], figure[FIGURE_TEXT_LENGTH];
	double ratio = bench_ratio(cell), seconds;
	struct summary rate;

	samples_summary(&cell->rate[MEASURE_CAPTURE], &rate);
	seconds = (double)cell->stored_bytes / rate.median;
	snprintf(line, LINE_LENGTH, "%s in ", size_format(cell->stored_bytes, size));
	text_append(line, LINE_LENGTH, seconds < 1 ? "%.2f ms" : "%.1f s", seconds < 1 ? 1e3 * seconds : seconds);
	text_append(line, LINE_LENGTH, ", at %s MB/s, and ", figure_format_rate(rate.median, figure));
	if (ratio < SMALLER)
		text_append(line, LINE_LENGTH, "did not make it smaller");
	else
		text_append(line, LINE_LENGTH, "made it %.1f times smaller", ratio);
}

const char *bench_best_doubt(const struct cell *cells, size_t count, const struct cell *fastest)
{
	switch (cells_fastest_trust(cells, count, fastest)) {
	case FASTEST_UNRELIABLE:
		return "but this speed is unreliable; use more --rounds or a larger SOURCE";
	case FASTEST_DOUBTFUL:
		return "but another may be faster, as some speeds are unreliable; use more --rounds";
	default:
		return "";
	}
}

void bench_put_best(const struct bench_report *r, bool outputs, bool blocks, FILE *file)
{
	char what[LINE_LENGTH], result[LINE_LENGTH];
	const struct cell *cells, *best;
	const char *doubt;
	size_t count;

	cells = bench_cells(r->bench, &count);
	best = cells_fastest(cells, count);
	if (!best)
		return;
	describe_cell(best, outputs, blocks, what);
	describe_result(best, result);
	doubt = bench_best_doubt(cells, count, best);
	fprintf(file, "Best: %s%c%s%s%s.\n", what,
		strlen("Best:  .") + strlen(what) + strlen(result) > REPORT_COLUMNS ? '\n' : ' ', result,
		*doubt ? ",\n" : "", doubt);
}
