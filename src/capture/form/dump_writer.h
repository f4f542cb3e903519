// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Dump writer: the form of a dump in the kdump-compressed form (format/kdump.h), which crash and other programs open
 * as it is.  One output has all of it.
 *
 * A file or block device: the headers and bitmaps, which say that the dump is incomplete, an empty area for the
 * descriptors, a page of zeros, and then the pages in the order in which they come.  Descriptors are gathered, and
 * written to their places only after the pages are safe, so that none of them ever points to what is not there.
 *
 * Pages follow each other without space between them, and those of few bytes that are equal share them.  All pages of
 * a chunk are in the file when append() returns: the last unit is filled up, and written once more with the pages of
 * the next chunk, unless it has been synced meanwhile.
 *
 * A pipe or a command: the same, flattened (dump_output.h).
 *
 * A page that could not be read, or did not come, gets a descriptor of a length that no reader accepts.  One of
 * zeros would do for a file, but not for a flattened one, where crash takes another page for it.
 */
#ifndef NSPLIT_CAPTURE_FORM_DUMP_WRITER_H
#define NSPLIT_CAPTURE_FORM_DUMP_WRITER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/form/form.h"

/* --- the layout ------------------------------------------------------------ */

/*
 * What a dump in the kdump-compressed form (format/kdump.h) has in which place, fixed before any page is written.
 *
 * The capture knows no kernel: its caller fills this in (cmd/nsplit/dump.h).  Each page of the dump has a rank, which
 * is the number of pages of the dump before it, by address.
 *
 * Of an ELF core, put_head() stores the headers, and the pages come behind them by rank.  Then there may be places of
 * pages that are not in the dump, which count, too.
 */

/* Pages that are consecutive in the source, and in rank. */
struct dump_pages {
	uint64_t offset;		/* of the first one in the source */
	uint64_t rank, count;
};

struct dump_layout {
	bool elf;			/* the form is that of an ELF core: see below */
	uint32_t page_size;		/* bytes; also the block size of the capture */
	uint32_t flag;			/* of packed pages: their codec; 0: raw */
	uint64_t beside;		/* bytes of the source that are no memory, and therefore in no page */
	uint64_t head;			/* bytes of headers and bitmaps, which come before the descriptors */
	uint64_t pages;			/* their number */
	/*
	 * The source lacks pages that should be in the dump, which is therefore incomplete.  It may turn out later, in any
	 * thread; pages that were not written then never are.
	 */
	atomic_bool cut;
	/*
	 * Stores len bytes of the head, which are marked as those of an incomplete dump.  It is asked for all of them in
	 * order, and counts in *bits, 0 at first, the bits of the bitmap of pages: for pages that have changed since they
	 * were chosen, others have a bit, and all of them are absent.
	 */
	void (*put_head)(const void *arg, uint64_t from, size_t len, uint8_t *dst, uint64_t *bits);
	/* The first byte of the head, at or after from, that may not be zero; the end of the head: none.  NULL: from. */
	uint64_t (*next_head)(const void *arg, uint64_t from, const uint64_t *bits);
	/* The first pages that begin at or after offset and before end.  False: there are none. */
	bool (*next_pages)(const void *arg, uint64_t offset, uint64_t end, struct dump_pages *pages);
	/*
	 * Pages that are not whole in any place of the source, because memory begins or ends within them: the next
	 * one from number *i on, its rank, and its bytes, or NULL if it cannot be read.  False: there are no more.
	 */
	bool (*next_ragged)(const void *arg, size_t *i, uint64_t *rank, const uint8_t **page);
	/* Do these functions wait for the source at the moment?  Then it is not an output that hangs.  NULL: they never do. */
	bool (*waits)(const void *arg);
	const void *arg;
};

/*
 * Bytes of memory of a writer to this sink; cell_size: the longest range of a chunk.  If the layout is that of an ELF
 * core, the writer is that of core_writer.c.
 */
size_t dump_writer_memory(const struct sink *sink, const struct dump_layout *layout, uint64_t source_size,
			  uint32_t cell_size);
/* The layout is borrowed.  form_free() frees the writer. */
enum status dump_writer_new(struct form **form, struct sink *sink, const struct dump_layout *layout,
			    uint64_t source_size, uint32_t cell_size, struct error *e);

#endif
