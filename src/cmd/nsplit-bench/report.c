// SPDX-License-Identifier: GPL-2.0-or-later
/* The results of nsplit-bench, as a table and as JSON. */
#include "config.h"

#include <inttypes.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/json.h"
#include "base/text.h"
#include "cmd/common/common_options.h"
#include "cmd/common/message.h"
#include "cmd/nsplit-bench/nsplit_bench.h"

/* --- figures ------------------------------------------------------------- */

/* Is one of them marked in the table? */
static bool is_any_wide(const struct bench_results *r)
{
	bool wide = false;

	for (const struct cell *cell = r->cells; cell < r->cells + r->count; cell++)
		for (enum measure what = 0; what < MEASURES; what++) {
			struct figures f = cell_figures(cell, what);

			if (!measure_is_ceiling(what) && f.rate.count)
				wide |= summary_is_wide(&f.rate) || summary_is_wide(&f.share);
		}
	return wide;
}

void bench_warn(const struct bench_report *r)
{
	if (is_any_wide(r->results))
		message("unreliable figures, with fewer than %d rounds or a spread above %.0f %%; use more --rounds or a larger "
			"SOURCE", COUNT_FEW, 100 * SPREAD_WIDE);
}

/* This machine. */
struct machine {
	char processor[128];		/* "Intel(R) Xeon(R) Processor", or the architecture */
	unsigned cpus;			/* those that this process may use */
	char system[256];		/* "Linux 6.12.1" */
	char date[32];			/* today, "2026-11-21", UTC */
};

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

static struct machine machine_describe(void)
{
	time_t now = time(NULL);
	struct machine machine = { .cpus = threads_default() };
	struct utsname name;
	struct tm tm;

	if (uname(&name) == 0) {
		snprintf(machine.processor, sizeof(machine.processor), "%s", name.machine);
		snprintf(machine.system, sizeof(machine.system), "%s %s", name.sysname,
			 name.release);
	}
	find_processor(&machine);
	if (gmtime_r(&now, &tm))
		strftime(machine.date, sizeof(machine.date), "%Y-%m-%d", &tm);
	return machine;
}

const char *cell_describe(const struct cell *cell, char text[CELL_TEXT_LENGTH])
{
	snprintf(text, CELL_TEXT_LENGTH, "%s, ", cell->codec->text);
	if (cell->threads)
		text_append(text, CELL_TEXT_LENGTH, "%u thread%s", cell->threads, plural(cell->threads));
	else
		text_append(text, CELL_TEXT_LENGTH, "serial");
	text_append(text, CELL_TEXT_LENGTH, ", %u output%s, blocks of %" PRIu32 "K", cell->outputs,
		    plural(cell->outputs), cell->block_size / 1024);
	return text;
}

/* Bytes of the source per byte of the members. */
static double bench_ratio(const struct bench_report *r, const struct cell *cell)
{
	return cell->member_bytes ? (double)r->source->size / (double)cell->member_bytes : 0;
}

static const char *const caches_names[] = {
	[CACHES_NONE] = "not used",
	[CACHES_KEPT] = "kept",
	[CACHES_MEMBERS] = "members dropped before each measurement",
};

/* The cell whose captures have the greatest median rate; NULL: there is none. */
static const struct cell *fastest_of(const struct bench_results *r)
{
	const struct cell *fastest = NULL;
	double most = 0;

	for (const struct cell *cell = r->cells; cell < r->cells + r->count; cell++) {
		double rate = samples_summary(&cell->rate[MEASURE_CAPTURE]).median;

		if (rate <= most)
			continue;
		most = rate;
		fastest = cell;
	}
	return fastest;
}

/* --- the table ----------------------------------------------------------- */

/* MB/s with the significant digits. */
static void put_rate(FILE *file, double rate)
{
	rate /= 1e6;
	fprintf(file, rate < 10 ? " %7.2f" : rate < 100 ? " %7.1f" : " %7.0f", rate);
}

/* Figures that are unreliable are marked with "!"; a single value has no spread. */
static char mark(const struct summary *s)
{
	return summary_is_wide(s) ? '!' : ' ';
}

static void put_cell(FILE *file, const struct cell *cell)
{
	char threads[16] = "serial";

	if (cell->threads)
		snprintf(threads, sizeof(threads), "%u", cell->threads);
	fprintf(file, "%7s %-8s %7u %4" PRIu32 "K", threads, cell->codec->text, cell->outputs, cell->block_size / 1024);
}

/* The cells of which this was measured. */
static void put_measure(const struct bench_report *r, enum measure what, const char *name, FILE *file)
{
	bool begun = false;

	for (const struct cell *cell = r->results->cells; cell < r->results->cells + r->results->count; cell++) {
		struct figures f = cell_figures(cell, what);
		double ratio = bench_ratio(r, cell);

		if (!f.rate.count)
			continue;
		if (!begun) {
			fprintf(file, "\n%7s %-8s %7s %5s", "threads", "codec", "outputs", "block");
			fprintf(file, " %5s  %5s %7s %7s %6s %7s%s\n", "share", "best", name, "fastest", "spread",
				"ceiling", what == MEASURE_CAPTURE ? " ratio" : "");
		}
		begun = true;
		put_cell(file, cell);
		fprintf(file, " %5.2f%c %5.2f", f.share.median, mark(&f.share), f.best);
		put_rate(file, f.rate.median);
		put_rate(file, f.rate.most);
		if (f.rate.count < 2)
			fprintf(file, " %6s", "- ");
		else
			fprintf(file, " %3.0f %%%c", 100 * f.rate.spread, mark(&f.rate));
		put_rate(file, f.ceiling.median);
		/* Five characters up to 99999, after rounding. */
		if (what == MEASURE_CAPTURE)
			fprintf(file, ratio < 99.995 ? " %5.2f" : ratio < 999.95 ? " %5.1f" : " %5.0f", ratio);
		putc('\n', file);
	}
}

static void put_rates(const struct numbers *rates, FILE *file)
{
	char size[SIZE_TEXT_LENGTH];

	for (size_t i = 0; i < rates->count; i++)
		fprintf(file, "%s%s/s", i ? ", " : "", size_format(rates->values[i], size));
}

static void put_disk_rates(const struct bench_settings *b, FILE *file)
{
	if (!b->disk_rates.count)
		return;
	fputs("emulated disks: ", file);
	put_rates(&b->disk_rates, file);
	if (b->later_rates.count)
		fprintf(file, "; after %g s: ", b->later);
	put_rates(&b->later_rates, file);
	putc('\n', file);
}

static void put_header(const struct bench_report *r, FILE *file)
{
	const struct bench_settings *b = &r->options->bench;
	const struct machine machine = machine_describe();
	char size[SIZE_TEXT_LENGTH];

	fprintf(file, "%s, %s\nprocessor: %s, %u CPU%s\nsystem: %s\n", PACKAGE_STRING, machine.date,
		machine.processor, machine.cpus, plural(machine.cpus), machine.system);
	fprintf(file, "source: %s, %s\n", r->source->name, size_format(r->source->size, size));
	fputs("outputs:", file);
	for (size_t i = 0; i < b->outputs.count; i++)
		fprintf(file, " %s", b->outputs.names[i]);
	putc('\n', file);
	put_disk_rates(b, file);
	fprintf(file, "page cache: %s\n", caches_names[r->results->caches]);
	fprintf(file, "%u round%s after %u to warm up%s\n", b->rounds, plural(b->rounds),
		b->warmups, r->whole ? "" : "; ended early, so the results are incomplete");
	fputs("MB/s: 10^6 bytes of the source per second, median; captures, and joins to a\n"
	      "file, include fsync; share: of the ceiling; best: of the fastest rounds\n", file);
}

static void put_conclusion(const struct bench_report *r, FILE *file)
{
	char text[CELL_TEXT_LENGTH];
	const struct cell *fastest = fastest_of(r->results);
	struct summary rate;

	if (is_any_wide(r->results))
		fprintf(file, "\nunreliable (!): fewer than %d rounds, or a spread above %.0f %%; use more --rounds\n"
			"or a larger SOURCE\n", COUNT_FEW, 100 * SPREAD_WIDE);
	else
		fputs("\nall figures are reliable\n", file);
	if (!fastest)
		return;
	rate = samples_summary(&fastest->rate[MEASURE_CAPTURE]);
	fprintf(file, "best: %s: %.*f MB/s%s, ratio %.2f\n", cell_describe(fastest, text),
		rate.median < 1e8, rate.median / 1e6, summary_is_wide(&rate) ? " (!)" : "", bench_ratio(r, fastest));
}

void bench_table(const struct bench_report *r, FILE *file)
{
	put_header(r, file);
	put_measure(r, MEASURE_CAPTURE, "capture", file);
	put_measure(r, MEASURE_VERIFY, "verify", file);
	put_measure(r, MEASURE_JOIN, "join", file);
	put_conclusion(r, file);
}

/* --- JSON; nsplit-bench(1), JSON, describes the keys --------------------- */

static void json_rates(struct json *json, const char *key, const struct numbers *rates)
{
	json_array(json, key);
	for (size_t i = 0; i < rates->count; i++)
		json_number(json, NULL, rates->values[i]);
	json_close_array(json);
}

static void json_rate(struct json *json, const char *name, const struct samples *samples)
{
	struct summary s = samples_summary(samples);

	if (!s.count)
		return;
	json_object(json, name);
	json_number(json, "median", (uint64_t)s.median);
	json_number(json, "least", (uint64_t)s.least);
	json_number(json, "most", (uint64_t)s.most);
	if (s.count > 1)
		json_real(json, "spread", s.spread);
	json_array(json, "rounds");
	for (size_t i = 0; i < samples->count; i++)
		json_number(json, NULL, (uint64_t)samples->values[i]);
	json_close_array(json);
	json_close_object(json);
}

static void json_share(struct json *json, const char *name, const struct figures *f)
{
	if (!name || !f->share.count)
		return;
	json_object(json, name);
	json_real(json, "median", f->share.median);
	json_real(json, "least", f->share.least);
	json_real(json, "most", f->share.most);
	json_real(json, "best", f->best);
	if (f->share.count > 1)
		json_real(json, "spread", f->share.spread);
	json_close_object(json);
}

static void json_cell(struct json *json, const struct bench_report *r, const struct cell *cell)
{
	/* Ceilings have no share. */
	static const struct {
		const char *rate, *share;
	} names[MEASURES] = {
		[MEASURE_COPY] = { "memcpy", NULL }, [MEASURE_PACK] = { "ceiling", NULL },
		[MEASURE_CAPTURE] = { "capture", "share" }, [MEASURE_UNPACK] = { "unpack_ceiling", NULL },
		[MEASURE_VERIFY] = { "verify", "verify_share" }, [MEASURE_JOIN] = { "join", "join_share" },
	};

	json_object(json, NULL);
	json_number(json, "threads", cell->threads);
	json_text(json, "codec", cell->codec->text);
	json_number(json, "outputs", cell->outputs);
	json_number(json, "block_size", cell->block_size);
	if (cell->rate[MEASURE_CAPTURE].count) {
		json_number(json, "stored_bytes", r->source->size);
		json_number(json, "bytes", cell->member_bytes);
		json_real(json, "ratio", bench_ratio(r, cell));
	}
	for (enum measure what = 0; what < MEASURES; what++) {
		struct figures f = cell_figures(cell, what);

		json_share(json, names[what].share, &f);
		json_rate(json, names[what].rate, &cell->rate[what]);
	}
	json_close_object(json);
}

static void json_outputs(struct json *json, const struct bench_settings *b)
{
	json_array(json, "outputs");
	for (size_t i = 0; i < b->outputs.count; i++)
		json_text(json, NULL, b->outputs.names[i]);
	json_close_array(json);
	json_rates(json, "disk_rates", &b->disk_rates);
	if (b->later_rates.count) {
		json_rates(json, "later_disk_rates", &b->later_rates);
		json_real(json, "later", b->later);
	}
}

void bench_json(const struct bench_report *r, FILE *file)
{
	const struct bench_settings *b = &r->options->bench;
	const struct machine machine = machine_describe();
	struct json json;

	json_begin(&json, file);
	json_text(&json, "version", PACKAGE_VERSION);
	json_text(&json, "date", machine.date);
	json_object(&json, "machine");
	json_text(&json, "processor", machine.processor);
	json_number(&json, "cpus", machine.cpus);
	json_text(&json, "system", machine.system);
	json_close_object(&json);
	json_text(&json, "source", r->source->name);
	json_number(&json, "source_size", r->source->size);
	json_outputs(&json, b);
	json_number(&json, "chunk_size", b->chunk_size);
	json_text(&json, "page_cache", caches_names[r->results->caches]);
	json_number(&json, "rounds", b->rounds);
	json_number(&json, "warmup", b->warmups);
	json_bool(&json, "whole", r->whole);
	json_text(&json, "timed", "first open to last close, fsync included");
	json_array(&json, "cells");
	for (size_t i = 0; i < r->results->count; i++)
		json_cell(&json, r, &r->results->cells[i]);
	json_close_array(&json);
	json_end(&json);
}
