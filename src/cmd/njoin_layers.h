// SPDX-License-Identifier: GPL-2.0-or-later
/* The left-out and the missing parts of a set with layers, and messages about them. */
#ifndef NSPLIT_CMD_NJOIN_LAYERS_H
#define NSPLIT_CMD_NJOIN_LAYERS_H

#include "cmd/njoin.h"

/* Finds what is missing or left out, by the indexes and, with layers, the heads of records; once. */
enum status njoin_find_absent(struct njoin *njoin, struct error *e);

/* With layers, after that: the next range at or after *offset that no member holds; false if none. */
bool njoin_next_missing(const struct njoin *njoin, uint64_t *offset, uint64_t *length);

/*
 * Must everything that is missing be known before the first byte is written?  A file gets its name only
 * if it is complete; devices and streams cannot be rewound, and a kdump-compressed file depends on it.
 */
bool njoin_must_be_complete(const struct njoin *njoin);

/*
 * STATUS_USAGE if the output is to be an ELF file and the capture left pages out of the range, unless the
 * user has said that they may be zeros, as --salvage does, too: a debugger cannot tell these from zeros in
 * memory.
 */
enum status njoin_refuse_left_out(struct njoin *njoin, struct error *e);

/*
 * After a walk, or njoin_find_absent(): one line with what is missing, by class, if that is known, and
 * one with the layers of which nothing is.
 */
void njoin_report_missing_classes(const struct njoin *njoin);

/* After a walk: one line with the bytes that were left out, by class, if any were. */
void njoin_report_layers(const struct njoin *njoin);

#endif
