// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The input is a record (doc/format.md, sections 4, 5, 14 and 15) of a set with chunks of 1 MiB. Its
 * header, run list, table and body are checked, and its blocks are unpacked.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "format/runs.h"
#include "fuzz.h"

const size_t fuzz_prefix = 0;

enum { CHUNK = 1 << 20 };

/* A list that is taken covers the range once, and its stored runs are the stored bytes. */
static void check_list(const struct record *record, const uint8_t *input)
{
	uint8_t *raw = fuzz_copy(input, record_table_offset(record));
	struct run_cursor c = run_cursor_begin(record, raw);
	uint64_t at = record->source_offset, stored = 0;
	struct run_place p;

	if (run_list_check(record, raw) == STATUS_OK) {
		while (run_cursor_next(&c, &p)) {
			fuzz_require(p.offset == at && p.length >= 1 && p.stored_at == stored,
				     "runs follow each other");
			at += p.length;
			stored += p.run.kind == RUN_STORED ? p.length : 0;
		}
		fuzz_require(at == record->source_offset + record->source_length &&
			     stored == record->gathered.stored_length, "and cover the range");
	}
	free(raw);
}

static void check_gathered(const struct record *record)
{
	const struct gathered *g = &record->gathered;

	fuzz_require(g->stored_length <= CHUNK && record->source_length <= g->cell_size &&
		     record->source_offset / g->cell_size ==
		     (record->source_offset + record->source_length - 1) / g->cell_size &&
		     g->runs <= record_granules(record) && g->aliases <= RECORD_ALIASES_MAX &&
		     class_table_valid(&g->classes) &&
		     record_length(record) <= record_length_max_gathered(CHUNK, g->cell_size),
		     "a gathered record that is taken keeps the limits");
}

static void check_plain(const struct record *record)
{
	fuzz_require(record->source_length >= 1 && record->source_length <= CHUNK &&
		     record_length(record) <= record_length_max(CHUNK) &&
		     record_blocks(record) >= 1 && record_blocks(record) <= CHUNK / 4096,
		     "a record that is taken keeps the limits");
}

static void check_body(const struct record *record, const uint8_t *input)
{
	struct member member = { .name = (char []){ "input" }, .fd = -1 };
	struct record_reader r = {
		.raw = fuzz_copy(input, record_end(record)),
		.record = *record,
		.member = &member,
	};
	struct error e;

	/* The record reader does not unpack gathered records yet. */
	if (record_reader_check(&r, &e) == STATUS_OK && !record->gathered.layer)
		fuzz_unpack_record(&r);
	record_reader_free(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	struct record record;
	uint8_t *raw;
	enum status status;

	if (size < RECORD_HEADER_LENGTH)
		return 0;
	raw = fuzz_copy(input, RECORD_HEADER_LENGTH);
	status = record_decode_with(&record, raw, CHUNK, FEATURE_LAYERS);
	free(raw);
	if (status)
		return 0;
	fuzz_require(record_length(&record) >= record_end(&record), "its length does not overflow");
	if (record.gathered.layer)
		check_gathered(&record);
	else
		check_plain(&record);
	if (record.gathered.layer && record_table_offset(&record) <= size)
		check_list(&record, input);
	if (record_end(&record) <= size)
		check_body(&record, input);
	return 0;
}
