// SPDX-License-Identifier: GPL-2.0-or-later
/* The pages of a dump, one by one: their descriptors, and their bytes.  For set/dump*.c only. */
#ifndef NSPLIT_SET_DUMP_PAGE_H
#define NSPLIT_SET_DUMP_PAGE_H

#include "codec/codec.h"
#include "format/kdump.h"
#include "set/dump.h"

enum { DUMP_BATCH = 64 };

/* The descriptors of consecutive pages that are in one file, or in none of those that were given. */
struct dump_batch {
	const struct dump_part *part;
	uint64_t count;			/* pages, at least one */
	/* At most DUMP_BATCH, or NULL if there is none of all these pages, which may be any number. */
	const struct kdump_descriptor *descriptors;
	struct kdump_descriptor space[DUMP_BATCH];
};

/*
 * Those of the pages from rank on, and before end, which is greater.  A descriptor that cannot be read
 * is zeros.
 */
void dump_batch_read(struct dump_batch *b, const struct dump *d, uint64_t rank, uint64_t end);

/* Reads that of the i-th page of a file.  False: it is not there, or none. */
bool dump_descriptor_read(const struct dump *d, const struct dump_part *part, uint64_t i, struct kdump_descriptor *p);

/* Does the descriptor lead to bytes that are there, as far as can be said without reading them? */
bool dump_page_is_there(const struct dump *d, const struct dump_part *part, const struct kdump_descriptor *p);
/* Reads them, of which there are at most as many as a page has.  False: they are not there. */
bool dump_page_read(const struct dump *d, const struct dump_part *part, const struct kdump_descriptor *p,
		    uint8_t *bytes);

/*
 * How these bytes are packed: NULL if they are the page itself.  STATUS_DAMAGED: in no way that the
 * form has; STATUS_UNSUPPORTED: with a codec that this build does not have.
 */
enum status dump_page_codec(const struct dump *d, const struct kdump_descriptor *p, const struct codec **codec,
			    struct error *e);
/* Unpacks them.  STATUS_DAMAGED; STATUS_NO_MEMORY: for the state of the codec. */
enum status dump_page_unpack(struct record_reader *r, const struct codec *codec, const uint8_t *packed, uint32_t size,
			     uint8_t *page, uint32_t page_size);

#endif
