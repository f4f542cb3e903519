// SPDX-License-Identifier: GPL-2.0-or-later
/* The results of nsplit-bench as JSON; nsplit-bench(1), JSON, describes the keys. */
#include "config.h"

#include "base/json.h"
#include "cmd/nsplit-bench/report.h"

static void put_rate(struct json *json, const char *name, const struct samples *samples)
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

static void put_share(struct json *json, const char *name, const struct cell *cell,
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

static void put_latency(struct json *json, const struct samples *latency)
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

static void put_cell(struct json *json, const struct cell *cell)
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
	put_share(json, "share", cell, MEASURE_CAPTURE);
	put_rate(json, "capture", &cell->rate[MEASURE_CAPTURE]);
	put_rate(json, "ceiling", cell_ceiling(cell, MEASURE_CAPTURE));
	put_rate(json, "memcpy", &cell->rate[MEASURE_COPY]);
	put_share(json, "verify_share", cell, MEASURE_VERIFY);
	put_rate(json, "verify", &cell->rate[MEASURE_VERIFY]);
	put_share(json, "join_share", cell, MEASURE_JOIN);
	put_rate(json, "join", &cell->rate[MEASURE_JOIN]);
	put_rate(json, "unpack_ceiling", cell_ceiling(cell, MEASURE_VERIFY));
	put_latency(json, &cell->latency);
	json_close_object(json);
}

static void put_machine(struct json *json, const struct machine *machine)
{
	json_object(json, "machine");
	json_text(json, "processor", machine->processor);
	json_number(json, "cpus", machine->cpus);
	json_text(json, "system", machine->system);
	json_close_object(json);
}

static void put_rates(struct json *json, const char *key, const struct numbers *rates)
{
	json_array(json, key);
	for (size_t i = 0; i < rates->count; i++)
		json_number(json, NULL, rates->values[i]);
	json_close_array(json);
}

/* Only if pages were to be left out. */
static void put_left_out(struct json *json, const struct bench_report *r)
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

static void put_outputs(struct json *json, const struct bench_settings *b)
{
	json_array(json, "outputs");
	for (size_t i = 0; i < b->outputs.count; i++)
		json_text(json, NULL, b->outputs.names[i]);
	json_close_array(json);
	put_rates(json, "disk_rates", &b->disk_rates);
	if (b->later_rates.count) {
		put_rates(json, "later_disk_rates", &b->later_rates);
		json_real(json, "later", b->later);
	}
}

static void put_verdict(struct json *json, const struct verdict *v)
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
static void put_best(struct json *json, const struct cell *cells, size_t count)
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
	put_machine(&json, &r->machine);
	json_text(&json, "source", r->source->name);
	json_number(&json, "source_size", r->source->size);
	put_left_out(&json, r);
	put_outputs(&json, b);
	json_number(&json, "chunk_size", b->chunk_size);
	json_text(&json, "page_cache", caches_name(bench_caches(r->bench)));
	json_number(&json, "rounds", b->rounds);
	json_number(&json, "warmup", b->warmups);
	json_bool(&json, "whole", r->whole);
	json_text(&json, "timed", "first open to last close, fsync included");
	json_array(&json, "cells");
	for (size_t i = 0; i < count; i++)
		put_cell(&json, &cells[i]);
	json_close_array(&json);
	put_verdict(&json, &r->verdict);
	put_best(&json, cells, count);
	json_end(&json);
}
