// SPDX-License-Identifier: GPL-2.0-or-later
/* The fields that only the header of a gathered record has.  doc/format.md, section 14. */
#ifndef NSPLIT_FORMAT_GATHERED_H
#define NSPLIT_FORMAT_GATHERED_H

#include "base/unit.h"
#include "format/classes.h"

/* In a set with layers, the source is divided into granules of this size; bytes. */
enum { GRANULE = UNIT };

/* The run list of a gathered record: see runs.h. */
enum { RUN_LENGTH = 4, RUN_TARGET_LENGTH = 8, RECORD_ALIASES_MAX = 1024 };

/* From the first target of a record to the end of the last one; bytes. */
#define RECORD_TARGETS_MAX ((uint64_t)1 << 26)

/* Fields of gathered records; all zero in others. */
struct gathered {
	uint32_t runs;
	uint32_t aliases;		/* runs of the kind RUN_ALIAS */
	uint32_t stored_length;		/* bytes of the source that are stored */
	unsigned layer;			/* 1 to LAYERS_MAX; 0: this is not a gathered record */
	uint16_t named;			/* a bit for each class of runs of the kind RUN_NAMED */
	struct class_table classes;
	uint32_t cell_size;		/* bytes */
	uint64_t list_checksum;
};

/* These write and read only these fields of the header, and check nothing. */
void gathered_encode(const struct gathered *g, uint8_t *raw);
void gathered_decode(struct gathered *g, const uint8_t *raw);

#endif
