// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Dump writer: the form of a dump in the kdump-compressed form (format/kdump.h), which crash and other programs open
 * as it is.  One output has all of it.
 *
 * A file or block device: the headers and bitmaps, which say that the dump is incomplete, an empty area for the
 * descriptors, a page of zeros, and then the pages in the order in which they come.  Descriptors are gathered, and
 * written to their places only after the pages are safe, so that none of them ever points to what is not there.
 *
 * A pipe or a command: the same, flattened (dump_output.h).
 *
 * A page that could not be read, or did not come, gets a descriptor of a length that no reader accepts.  One of
 * zeros would do for a file, but not for a flattened one, where crash takes another page for it.
 */
#ifndef NSPLIT_CAPTURE_FORM_DUMP_WRITER_H
#define NSPLIT_CAPTURE_FORM_DUMP_WRITER_H

#include "capture/form/dump_layout.h"
#include "capture/form/form.h"

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
