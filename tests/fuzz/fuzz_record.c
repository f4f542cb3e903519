// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The input is a record (doc/format.md, sections 4 and 5) of a set with chunks of 1 MiB. Its
 * header, table and body are checked, and its blocks are unpacked.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

const size_t fuzz_prefix = 0;

enum { CHUNK = 1 << 20 };

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
	fuzz_require(record.source_length >= 1 && record.source_length <= CHUNK &&
		     record_length(&record) >= record_end(&record) &&
		     record_length(&record) <= record_length_max(CHUNK) &&
		     record_blocks(&record) >= 1 && record_blocks(&record) <= CHUNK / 4096,
		     "a record that is taken keeps the limits");
	if (record_end(&record) <= size)
		check_body(&record, input);
	return 0;
}
