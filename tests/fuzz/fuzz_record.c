// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The input is a record (doc/format.md, section 5) of a set with chunks of 1 MiB. Its
 * header, run list, table and body are checked, and its blocks are unpacked.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "format/record.h"
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
			     stored == record->stored_length, "and cover the range");
	}
	free(raw);
}

static void check_header(const struct record *r)
{
	fuzz_require(r->source_length >= 1 && r->stored_length <= CHUNK && r->stored_length <= r->source_length &&
		     r->source_offset % r->cell_size + r->source_length <= r->cell_size &&
		     r->runs <= record_granules(r) && class_table_valid(&r->classes) &&
		     record_blocks(r) <= CHUNK / BLOCK_SIZE_MIN &&
		     record_length(r) >= record_end(r) &&
		     record_length(r) <= record_length_max(CHUNK, r->cell_size),
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

	if (record_reader_check(&r, &e) == STATUS_OK)
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
	status = record_decode(&record, raw, CHUNK);
	free(raw);
	if (status)
		return 0;
	check_header(&record);
	if (record_table_offset(&record) <= size)
		check_list(&record, input);
	if (record_end(&record) <= size)
		check_body(&record, input);
	return 0;
}
