// SPDX-License-Identifier: GPL-2.0-or-later
/* Member writer: the form of members.  Writes the pieces of one member to one sink, in the order of doc/format.md. */
#ifndef NSPLIT_CAPTURE_FORM_MEMBER_WRITER_H
#define NSPLIT_CAPTURE_FORM_MEMBER_WRITER_H

#include "capture/form/form.h"

/*
 * No space is reserved for the index and footer that close a member: a file system may have no way
 * to do that, or share its space with other outputs.  Instead a full member gives up its last
 * records, and index and footer are written over them.  So the entries of the last segment are kept
 * here after it was written, until a record follows it.
 */
struct member_writer {
	struct form form;
	struct superblock superblock;
	uint8_t *segment;		/* the current index segment; owned, with all below */
	struct record_figures *figures;	/* of the records in it */
	uint8_t *page;			/* a footer or superblock being built, or zeros */
	uint8_t *footer;		/* the last one that was synced */
	uint32_t entries;		/* in the segment */
	uint64_t written;		/* offset of the segment, once written with all entries; else 0 */
	uint64_t previous;		/* offset of the segment before, 0: none */
	struct root root;		/* of the records in the segments before; if a digest is wanted */
	uint32_t given_up;		/* records, since the member last had space */
	/* Of the records in the segment; NULL: there is one layer, and figures say all; owned with it. */
	struct layer_amounts *amounts;
};

/* Bytes of memory of one writer, with layers or without. */
size_t member_writer_memory(bool layers);
/* With layers if the superblock says so.  form_free() frees it. */
enum status member_writer_new(struct form **form, struct sink *sink, const struct superblock *superblock,
			      struct error *e);

#endif
