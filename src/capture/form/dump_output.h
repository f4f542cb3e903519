// SPDX-License-Identifier: GPL-2.0-or-later
/* The file that a dump becomes, for dump_writer.c and core_writer.c: of a sink that is written anywhere, or flattened. */
#ifndef NSPLIT_CAPTURE_FORM_DUMP_OUTPUT_H
#define NSPLIT_CAPTURE_FORM_DUMP_OUTPUT_H

#include "base/alignment.h"
#include "capture/form/dump_layout.h"
#include "capture/form/flattened.h"
#include "capture/form/form.h"

/* Bytes; a page at least, and with what may come before it in its first unit. */
enum { DUMP_BUFFER = 64 * 1024, DUMP_BUFFER_MEMORY = DUMP_BUFFER + ALIGNMENT };

struct dump_output {
	struct sink *sink;		/* borrowed */
	struct flattened flat;		/* of a sink that is written front to back; otherwise all zero */
	uint8_t *buffer;		/* DUMP_BUFFER_MEMORY bytes, ALIGNMENT aligned; owned */
	uint64_t holes;			/* bytes of the head that a file has not in its space */
	uint64_t shown;			/* flattened: the bytes of the stream that a reader needs for a page; 0: there is none */
};

/* Bytes of memory; source_size: no dump is much longer. */
size_t dump_output_memory(const struct sink *sink, uint64_t source_size);
/* dump_output_free() must be called in any case. */
enum status dump_output_init(struct dump_output *o, struct sink *sink, uint64_t source_size, struct error *e);
void dump_output_free(struct dump_output *o);

/* A character device, and null:, are written front to back, too. */
bool dump_output_is_flat(const struct sink *sink);

/*
 * Writes the head of the layout; first.  Long zeros in it become a hole of a file, and no piece of a flattened one.  later: the offset of 4 bytes that come last in a flattened file, since no
 * piece may replace another; 0: there are none.
 */
enum status dump_output_begin(struct dump_output *o, const struct form *f, const struct dump_layout *layout,
			      uint64_t later, struct error *e);
/* Appends whole units of the file at its end, which is at offset. */
enum status dump_output_append(struct dump_output *o, uint64_t offset, const uint8_t *bytes, size_t len,
			       struct error *e);
/*
 * Appends whole units in the buffer, which come before all pages; after a failure, the output is of no more use.  A unit of
 * zeros that cannot be written becomes a hole of a file.
 */
enum status dump_output_append_head(struct dump_output *o, uint64_t offset, size_t len, struct error *e);
/* Writes bytes of any place before the end. */
enum status dump_output_put(struct dump_output *o, uint64_t offset, const uint8_t *bytes, size_t len,
			    struct error *e);

/*
 * What was put up to now shows a page to readers, if the sink takes it: sets f->readable as soon as it has.  To be called
 * again after each call of the sink.
 */
void dump_output_shows(struct dump_output *o, struct form *f, bool page);
/* Of a failed output: is what the sink has taken still there, at its beginning at least? */
bool dump_output_is_there(struct dump_output *o);

/* Last: ends a flattened file, and sets its digest in the form if that is wanted. */
enum status dump_output_end(struct dump_output *o, struct form *f, struct error *e);

#endif
