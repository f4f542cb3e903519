// SPDX-License-Identifier: GPL-2.0-or-later
/* What the set lacks of the source: what is missing, and what the capture left out. */
#ifndef NSPLIT_CMD_NJOIN_MISSING_H
#define NSPLIT_CMD_NJOIN_MISSING_H

#include "cmd/njoin/njoin.h"

/* Finds what is missing or left out, by the indexes and, with layers, the heads of records; once. */
enum status njoin_find_absent(struct njoin *njoin, struct error *e);

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
 * True if data is missing in the range that is wanted, or the capture was stopped before it reached
 * the end of the source.  Before a walk, the indexes of the members determine this; after it, what
 * the walk delivered.  Members that are missing do not count if the others hold their data.
 */
bool njoin_is_incomplete(const struct njoin *njoin);

/* Lists what is missing: members, then ranges; with layers, also the classes and the complete layers. */
void njoin_report_missing(const struct njoin *njoin);

#endif
