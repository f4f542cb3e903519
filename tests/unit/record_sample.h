// SPDX-License-Identifier: GPL-2.0-or-later
/* Records for the tests of the format. */
#ifndef NSPLIT_TESTS_UNIT_RECORD_SAMPLE_H
#define NSPLIT_TESTS_UNIT_RECORD_SAMPLE_H

#include "format/record.h"

enum { SAMPLE_CHUNK = 1 << 20, SAMPLE_CELL = 16 << 20, SAMPLE_RUNS = 5 };

/* A run of each kind of layer 1, in a source whose last granule has 100 bytes. */
extern const struct run sample_runs[SAMPLE_RUNS];

/* Makes a record with sample_runs; returns its bytes, a unit, which the caller frees. */
uint8_t *sample_record(struct record *record);
/* The same without a list: five blocks, all stored, in a cell of SAMPLE_CHUNK bytes. */
uint8_t *sample_plain(struct record *record);

/* Encodes this list in a record of layer that covers its granules from offset; no blocks. */
uint8_t *sample_list(struct record *record, const struct run *runs, uint32_t count, unsigned layer,
		     uint64_t offset);

/* Updates all checksums after a change of header fields, runs or blocks. */
void sample_seal(struct record *record, uint8_t *raw);

#endif
