// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/json.h"
#include "base/text.h"
#include "bench/bench.h"
#include "cmd/common/common_options.h"
#include "cmd/common/message.h"
#include "cmd/nsplit-bench/report.h"

/* Columns of a terminal, for tables and text. */
enum { REPORT_COLUMNS = 80 };

enum { FIGURE_TEXT_LENGTH = 32 };

/* --- the verdict in words ------------------------------------------------ */

/* Also keys of the JSON. */
static const char *const verdict_names[JUDGED_KINDS] = {
	[JUDGED_CAPTURES] = "captures",
	[JUDGED_VERIFIES] = "verifies",
	[JUDGED_JOINS] = "joins",
	[JUDGED_CEILINGS] = "ceilings",
	[JUDGED_SHARES] = "shares",
};

/* A sentence: what may be concluded from the figures. */
static const char *verdict_sentence(const struct verdict *v)
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

/* "2", or "serial" for 0. */
static const char *threads_format(unsigned threads, char text[THREADS_TEXT_LENGTH])
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

/* Of bytes per second, MB/s: "1,234", "12.3" or "0.52". */
static const char *figure_format_rate(double rate, char text[FIGURE_TEXT_LENGTH])
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

/* Bytes of the source per byte of the members, without pages that were left out. */
static double bench_ratio(const struct cell *cell)
{
	return cell->member_bytes ? (double)cell->stored_bytes / (double)cell->member_bytes : 0;
}

static const char *caches_name(enum caches caches)
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

/* A clause to add if the fastest cell (cells_fastest()) may not be the fastest one; otherwise "". */
static const char *bench_best_doubt(const struct cell *cells, size_t count, const struct cell *fastest)
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

/*
 * A sentence about the fastest capture, with its numbers of outputs and blocks if these are asked for, and whether it
 * can be trusted.
 */
static void bench_put_best(const struct bench_report *r, bool outputs, bool blocks, FILE *file)
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

/* --- the table ----------------------------------------------------------- */

/* A column of the combination is left out if all have the same value, to fit 80 columns. */
struct table {
	const struct bench_report *report;
	FILE *file;
	const struct cell *cells;
	size_t count;
	bool outputs, blocks;
};

/* MB/s with the significant digits; "-" if not measured. */
static void put_rate(FILE *file, const struct samples *samples, bool fastest)
{
	struct summary s;
	double rate;

	if (!samples_summary(samples, &s)) {
		fprintf(file, " %7s", "-");
		return;
	}
	rate = (fastest ? s.most : s.median) / 1e6;
	fprintf(file, rate < 10 ? " %7.2f" : rate < 100 ? " %7.1f" : " %7.0f", rate);
}

/* "-" for a single value; marked with "!" if the figure is unreliable. */
static void put_spread(FILE *file, const struct summary *s)
{
	if (!s || s->count < 2)
		fprintf(file, " %6s", "- ");
	else
		fprintf(file, " %3.0f %%%c", 100 * s->spread,
			summary_is_wide(s) ? '!' : ' ');
}

static void put_share(FILE *file, const struct cell *cell, enum measure what)
{
	struct summary share;
	bool there = cell_share(cell, what, &share);

	if (there)
		fprintf(file, " %5.2f", share.median);
	else
		fprintf(file, " %5s", "-");
	put_spread(file, there ? &share : NULL);
	if (there)
		fprintf(file, " %5.2f", cell_best(cell, what));
	else
		fprintf(file, " %5s", "-");
}

/* A rate, its fastest round, its spread. */
static void put_measure(FILE *file, const struct samples *samples)
{
	struct summary s;
	bool there = samples_summary(samples, &s);

	put_rate(file, samples, false);
	put_rate(file, samples, true);
	put_spread(file, there ? &s : NULL);
}

static void put_cell(const struct table *t, const struct cell *cell)
{
	char threads[THREADS_TEXT_LENGTH];

	fprintf(t->file, "%7s %-8s", threads_format(cell->threads, threads), cell->codec->text);
	if (t->outputs)
		fprintf(t->file, " %7u", cell->outputs);
	if (t->blocks)
		fprintf(t->file, " %4" PRIu32 "K", cell->block_size / 1024);
}

static void put_cell_heading(const struct table *t)
{
	fprintf(t->file, "%7s %-8s", "threads", "codec");
	if (t->outputs)
		fprintf(t->file, " %7s", "outputs");
	if (t->blocks)
		fprintf(t->file, " %5s", "block");
}

static void put_measure_heading(const struct table *t, const char *name)
{
	putc('\n', t->file);
	put_cell_heading(t);
	fprintf(t->file, " %5s %6s %5s %7s %7s %6s %7s", "share", "spread", "best", name, "fastest",
		"spread", "ceiling");
}

static void put_rates_of(const struct table *t, const struct cell *cell, enum measure what)
{
	put_cell(t, cell);
	put_share(t->file, cell, what);
	put_measure(t->file, &cell->rate[what]);
	put_rate(t->file, cell_ceiling(cell, what), false);
}

/* Five characters up to 99999, after rounding. */
static void put_ratio(FILE *file, double ratio)
{
	fprintf(file, ratio < 99.995 ? " %5.2f" : ratio < 999.95 ? " %5.1f" : " %5.0f", ratio);
}

static void put_captures(const struct table *t)
{
	put_measure_heading(t, "capture");
	fprintf(t->file, " %5s\n", "ratio");
	for (const struct cell *cell = t->cells; cell < t->cells + t->count; cell++) {
		if (!cell->rate[MEASURE_CAPTURE].count)
			continue;
		put_rates_of(t, cell, MEASURE_CAPTURE);
		put_ratio(t->file, bench_ratio(cell));
		putc('\n', t->file);
	}
}

/* The share of the ceiling by which the engine is said to keep up. */
static const double KEEPS_UP = 0.9;

static void put_engine_of(const struct table *t, const struct cell *cells, size_t count)
{
	size_t kept = cells_keeping_up(cells, count, KEEPS_UP);
	char threads[THREADS_TEXT_LENGTH];

	if (!cells[0].rate[MEASURE_CAPTURE].count)
		return;
	fprintf(t->file, "\nengine: %s", cells->codec->text);
	if (t->outputs)
		fprintf(t->file, ", %u output%s", cells->outputs, plural(cells->outputs));
	if (t->blocks)
		fprintf(t->file, ", blocks of %" PRIu32 "K", cells->block_size / 1024);
	if (kept)
		fprintf(t->file, ": 90 %% of the ceiling or more up to %s\n",
			threads_describe(cells[kept - 1].threads, threads));
	else
		fputs(": less than 90 % of the ceiling\n", t->file);
}

/* Codecs that sleep show the engine alone. */
static void put_engine(const struct table *t)
{
	size_t threads = t->report->options->bench.threads.count;

	for (size_t i = 0; i < t->count; i += threads)
		if (sleep_codec_named(t->cells[i].codec->text))
			put_engine_of(t, t->cells + i, threads);
}

static void put_reads(const struct table *t, enum measure what, const char *name)
{
	bool begun = false;

	for (const struct cell *cell = t->cells; cell < t->cells + t->count; cell++) {
		if (!cell->rate[what].count)
			continue;
		if (!begun) {
			put_measure_heading(t, name);
			putc('\n', t->file);
		}
		begun = true;
		put_rates_of(t, cell, what);
		putc('\n', t->file);
	}
}

static void put_latencies_heading(const struct table *t)
{
	fprintf(t->file, "\n4 KiB at random, microseconds\n");
	put_cell_heading(t);
	fprintf(t->file, " %8s %8s %8s %8s\n", "median", "90 %", "99 %", "slowest");
}

static void put_latencies(const struct table *t)
{
	static const double shares[] = { 0.5, 0.9, 0.99, 1 };
	bool begun = false;

	for (const struct cell *cell = t->cells; cell < t->cells + t->count; cell++) {
		if (!cell->latency.count)
			continue;
		if (!begun)
			put_latencies_heading(t);
		begun = true;
		put_cell(t, cell);
		for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++)
			fprintf(t->file, " %8.1f",
				1e6 * samples_percentile(&cell->latency, shares[i]));
		putc('\n', t->file);
	}
}

/* A heading and items after it, which continue on further lines that are indented. */
struct list {
	FILE *file;
	size_t indent, column;
};

static struct list begin_list(FILE *file, const char *heading)
{
	size_t length = text_characters(heading);

	fputs(heading, file);
	return (struct list){ .file = file, .indent = length, .column = length };
}

static void put_item(struct list *list, const char *item)
{
	size_t length = 1 + text_characters(item);

	if (list->column > list->indent && list->column + length > REPORT_COLUMNS)
		fprintf(list->file, "\n%*s", (int)(list->column = list->indent), "");
	fprintf(list->file, " %s", item);
	list->column += length;
}

static void put_outputs(const struct names *outputs, FILE *file)
{
	struct list list = begin_list(file, "outputs:");

	for (size_t i = 0; i < outputs->count; i++)
		put_item(&list, outputs->names[i]);
	putc('\n', file);
}

/* "left out: 6.8 GiB (clean 1.2 GiB, free 5.6 GiB)" */
static void put_left_out(const struct bench_report *r, FILE *file)
{
	struct list list = begin_list(file, "left out:");
	char text[CLASS_AMOUNTS_LENGTH], *next;

	class_amounts_format(bench_left_out(r->bench)->of_class, text);
	for (char *item = text; item; item = next) {
		next = strstr(item, ", ");
		if (next) {
			next[1] = '\0';
			next += 2;
		}
		put_item(&list, item);
	}
	putc('\n', file);
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

/* Settings that have no column. */
static void put_common(const struct table *t)
{
	const struct cell *cell = t->cells;

	if (t->outputs && t->blocks)
		return;
	fputs("every combination: ", t->file);
	if (!t->outputs)
		fprintf(t->file, "%u output%s%s", cell->outputs, plural(cell->outputs),
			t->blocks ? "\n" : ", ");
	if (!t->blocks)
		fprintf(t->file, "blocks of %" PRIu32 "K\n", cell->block_size / 1024);
}

static void put_header(const struct table *t)
{
	const struct bench_report *r = t->report;
	const struct bench_settings *b = &r->options->bench;
	char size[SIZE_TEXT_LENGTH];

	fprintf(t->file, "%s, %s\nprocessor: %s, %u CPU%s\nsystem: %s\n", PACKAGE_STRING,
		r->machine.date, r->machine.processor, r->machine.cpus, plural(r->machine.cpus),
		r->machine.system);
	fprintf(t->file, "source: %s, %s\n", r->source->name, size_format(r->source->size, size));
	if (r->options->left_out.given)
		put_left_out(r, t->file);
	put_outputs(&b->outputs, t->file);
	put_disk_rates(b, t->file);
	fprintf(t->file, "page cache: %s\n", caches_name(bench_caches(r->bench)));
	put_common(t);
	fprintf(t->file, "%u round%s after %u to warm up%s\n", b->rounds, plural(b->rounds),
		b->warmups, r->whole ? "" : "; ended early, so the results are incomplete");
	fputs("MB/s: 10^6 bytes of the source per second, median; captures, and joins to a\n"
	      "file, include fsync; share: of the ceiling; best: of the fastest rounds\n", t->file);
	if (r->options->left_out.given)
		fputs("speeds and ratios count only the pages that the members store\n", t->file);
}

static void put_verdict(const struct verdict *v, FILE *file)
{
	fprintf(file, "\n%-9s %8s %8s  %s\n", "verdict", "figures", "reliable", "widest spread");
	for (int kind = 0; kind < JUDGED_KINDS; kind++) {
		if (!v->kinds[kind].figures)
			continue;
		fprintf(file, "%-9s %8zu %8zu ", verdict_names[kind], v->kinds[kind].figures,
			v->kinds[kind].reliable);
		if (v->kinds[kind].rounds > 1)
			fprintf(file, "%12.0f %%\n", 100 * v->kinds[kind].widest);
		else
			fprintf(file, "%12s\n", "-");
	}
	fprintf(file, "%s\n", verdict_sentence(v));
	if (!v->few && !verdict_all_reliable(v))
		fprintf(file, "Unreliable (!): fewer than %d rounds or a spread above %.0f %%; use more "
			"--rounds\nor a larger SOURCE.\n", COUNT_FEW, 100 * SPREAD_WIDE);
}

static void find_columns(struct table *t)
{
	for (size_t i = 1; i < t->count; i++) {
		t->outputs |= t->cells[i].outputs != t->cells[0].outputs;
		t->blocks |= t->cells[i].block_size != t->cells[0].block_size;
	}
}

void bench_table(const struct bench_report *r, FILE *file)
{
	struct table t = { .report = r, .file = file };

	t.cells = bench_cells(r->bench, &t.count);
	find_columns(&t);
	put_header(&t);
	put_captures(&t);
	put_engine(&t);
	put_reads(&t, MEASURE_VERIFY, "verify");
	put_reads(&t, MEASURE_JOIN, "join");
	put_latencies(&t);
	put_verdict(&r->verdict, file);
	bench_put_best(r, t.outputs, t.blocks, file);
}

/* --- JSON; nsplit-bench(1), JSON, describes the keys --------------------- */

static void json_put_rate(struct json *json, const char *name, const struct samples *samples)
{
	struct summary s;

	if (!samples_summary(samples, &s))
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

static void json_put_share(struct json *json, const char *name, const struct cell *cell,
			   enum measure what)
{
	struct summary share;

	if (!cell_share(cell, what, &share))
		return;
	json_object(json, name);
	json_real(json, "median", share.median);
	json_real(json, "least", share.least);
	json_real(json, "most", share.most);
	json_real(json, "best", cell_best(cell, what));
	if (share.count > 1)
		json_real(json, "spread", share.spread);
	json_close_object(json);
}

static void json_latency(struct json *json, const struct samples *latency)
{
	if (!latency->count)
		return;
	json_object(json, "random_read");
	json_number(json, "reads", latency->count);
	json_real(json, "median", samples_percentile(latency, 0.5));
	json_real(json, "p90", samples_percentile(latency, 0.9));
	json_real(json, "p99", samples_percentile(latency, 0.99));
	json_real(json, "most", samples_percentile(latency, 1));
	json_close_object(json);
}

static void json_put_cell(struct json *json, const struct cell *cell)
{
	json_object(json, NULL);
	json_number(json, "threads", cell->threads);
	json_text(json, "codec", cell->codec->text);
	json_number(json, "outputs", cell->outputs);
	json_number(json, "block_size", cell->block_size);
	if (cell->member_bytes) {
		json_number(json, "stored_bytes", cell->stored_bytes);
		json_number(json, "bytes", cell->member_bytes);
		json_real(json, "ratio", bench_ratio(cell));
	}
	json_put_share(json, "share", cell, MEASURE_CAPTURE);
	json_put_rate(json, "capture", &cell->rate[MEASURE_CAPTURE]);
	json_put_rate(json, "ceiling", cell_ceiling(cell, MEASURE_CAPTURE));
	json_put_rate(json, "memcpy", &cell->rate[MEASURE_COPY]);
	json_put_share(json, "verify_share", cell, MEASURE_VERIFY);
	json_put_rate(json, "verify", &cell->rate[MEASURE_VERIFY]);
	json_put_share(json, "join_share", cell, MEASURE_JOIN);
	json_put_rate(json, "join", &cell->rate[MEASURE_JOIN]);
	json_put_rate(json, "unpack_ceiling", cell_ceiling(cell, MEASURE_VERIFY));
	json_latency(json, &cell->latency);
	json_close_object(json);
}

static void json_machine(struct json *json, const struct machine *machine)
{
	json_object(json, "machine");
	json_text(json, "processor", machine->processor);
	json_number(json, "cpus", machine->cpus);
	json_text(json, "system", machine->system);
	json_close_object(json);
}

static void json_rates(struct json *json, const char *key, const struct numbers *rates)
{
	json_array(json, key);
	for (size_t i = 0; i < rates->count; i++)
		json_number(json, NULL, rates->values[i]);
	json_close_array(json);
}

/* Only if pages were to be left out. */
static void json_left_out(struct json *json, const struct bench_report *r)
{
	const struct bench_left_out *left_out = bench_left_out(r->bench);

	if (!r->options->left_out.given)
		return;
	json_number(json, "dump_level", dump_level_of_classes(r->options->left_out.classes));
	if (left_out->kept_because[0])
		json_text(json, "kept_after_all", left_out->kept_because);
	json_array(json, "left_out");
	for (unsigned i = 0; i < CLASSES; i++) {
		if (!left_out->of_class[i])
			continue;
		json_object(json, NULL);
		json_text(json, "name", layer_class_name(i));
		json_number(json, "bytes", left_out->of_class[i]);
		json_close_object(json);
	}
	json_close_array(json);
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

static void json_verdict(struct json *json, const struct verdict *v)
{
	json_object(json, "verdict");
	for (int kind = 0; kind < JUDGED_KINDS; kind++) {
		if (!v->kinds[kind].figures)
			continue;
		json_object(json, verdict_names[kind]);
		json_number(json, "figures", v->kinds[kind].figures);
		json_number(json, "reliable", v->kinds[kind].reliable);
		if (v->kinds[kind].rounds > 1)
			json_real(json, "widest_spread", v->kinds[kind].widest);
		json_close_object(json);
	}
	json_text(json, "conclusion", verdict_sentence(v));
	json_close_object(json);
}

/* As indexes of cells. */
static void json_best(struct json *json, const struct cell *cells, size_t count)
{
	const struct cell *fastest = cells_fastest(cells, count);
	const char *doubt;

	if (!fastest)
		return;
	json_object(json, "best");
	json_number(json, "fastest", (uint64_t)(fastest - cells));
	json_number(json, "smallest", (uint64_t)(cells_smallest(cells, count) - cells));
	doubt = bench_best_doubt(cells, count, fastest);
	if (*doubt)
		json_text(json, "doubt", doubt);
	json_close_object(json);
}

void bench_json(const struct bench_report *r, FILE *file)
{
	const struct bench_settings *b = &r->options->bench;
	struct json json;
	size_t count;
	const struct cell *cells = bench_cells(r->bench, &count);

	json_begin(&json, file);
	json_text(&json, "version", PACKAGE_VERSION);
	json_text(&json, "date", r->machine.date);
	json_machine(&json, &r->machine);
	json_text(&json, "source", r->source->name);
	json_number(&json, "source_size", r->source->size);
	json_left_out(&json, r);
	json_outputs(&json, b);
	json_number(&json, "chunk_size", b->chunk_size);
	json_text(&json, "page_cache", caches_name(bench_caches(r->bench)));
	json_number(&json, "rounds", b->rounds);
	json_number(&json, "warmup", b->warmups);
	json_bool(&json, "whole", r->whole);
	json_text(&json, "timed", "first open to last close, fsync included");
	json_array(&json, "cells");
	for (size_t i = 0; i < count; i++)
		json_put_cell(&json, &cells[i]);
	json_close_array(&json);
	json_verdict(&json, &r->verdict);
	json_best(&json, cells, count);
	json_end(&json);
}
