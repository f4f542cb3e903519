// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Core writer: the form of an ELF core.  Each page has a place that is known from the beginning (dump_layout.h), and is
 * not compressed.  One output has all of it: a file or block device, or anything else flattened (flattened.h).
 *
 * The form has no mark for pages that could not be read or did not come.  They are zeros.
 */
#ifndef NSPLIT_CAPTURE_FORM_CORE_WRITER_H
#define NSPLIT_CAPTURE_FORM_CORE_WRITER_H

#include "capture/form/dump_layout.h"
#include "capture/form/form.h"

/* Bytes of memory of a writer to this sink. */
size_t core_writer_memory(const struct sink *sink, uint64_t source_size);
/* The layout is borrowed.  form_free() frees the writer. */
enum status core_writer_new(struct form **form, struct sink *sink, const struct dump_layout *layout,
			    uint64_t source_size, struct error *e);

#endif
