// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file that a dump becomes, for dump_writer.c and core_writer.c: of a sink that is written anywhere, or flattened; and
 * the pages of a chunk.
 */
#ifndef NSPLIT_CAPTURE_FORM_DUMP_OUTPUT_H
#define NSPLIT_CAPTURE_FORM_DUMP_OUTPUT_H

#include "base/bytes.h"
#include "capture/form/dump_writer.h"
#include "capture/form/form.h"
#include "format/flattened.h"
#include "format/record.h"

/* --- the output ---------------------------------------------------------- */

/* Bytes; a page at least, and with what may come before it in its first unit. */
enum { DUMP_BUFFER = 64 * 1024, DUMP_BUFFER_MEMORY = DUMP_BUFFER + ALIGNMENT };

/* Both writers begin with this. */
struct dump_output {
	struct form form;
	const struct dump_layout *layout;	/* borrowed */
	bool is_flat;			/* the sink is written front to back, as character devices and null: are, too */
	struct flattened flat;		/* if it is; otherwise all zero */
	uint8_t *buffer;		/* DUMP_BUFFER_MEMORY bytes, ALIGNMENT aligned; owned */
	uint64_t holes;			/* bytes of the head that a file has not in its space */
	uint64_t shown;			/* flattened: the bytes of the stream that a reader needs for a page; 0: there is none */
};

/* Bytes of memory; source_size: no dump is much longer. */
size_t dump_output_memory(const struct sink *sink, uint64_t source_size);
/* The layout is borrowed.  dump_output_free() must be called in any case. */
enum status dump_output_init(struct dump_output *o, const struct form_ops *ops, struct sink *sink,
			     const struct dump_layout *layout, uint64_t source_size, struct error *e);
void dump_output_free(struct dump_output *o);

/*
 * Writes the head of the layout; first.  Long zeros in it become a hole of a file, and no piece of a flattened one.
 * later: the offset of 4 bytes that come last in a flattened file, since no piece may replace another; 0: there are none.
 */
enum status dump_output_begin(struct dump_output *o, uint64_t later, struct error *e);
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

/* Of a flattened file: bytes that are gathered, with the headers of this number of further pieces, and the head before it is written. */
uint64_t dump_output_closing(const struct dump_output *o, uint64_t pieces);

/*
 * What was put up to now shows a page to readers, if the sink takes it: sets form.readable as soon as it has.  To be
 * called again after each call of the sink.
 */
void dump_output_shows(struct dump_output *o, bool page);
/* Of a failed output: is what the sink has taken still there, at its beginning at least? */
bool dump_output_is_there(struct dump_output *o);

/* Last: ends a flattened file, and sets its digest in the form if that is wanted; and makes everything safe. */
enum status dump_output_end(struct dump_output *o, struct error *e);

/* --- the pages of a chunk ------------------------------------------------ */

struct chunk_pages {
	const struct dump_layout *layout;	/* these two are borrowed */
	const struct chunk *chunk;
	struct run_cursor cursor;
	struct run_place place;		/* the run of the chunk that they are in: its kind says what they are */
	uint64_t next;			/* offset in the source */
	uint32_t block, payload;	/* the next block, and where it is in the payload */
};

struct chunk_pages chunk_pages_begin(const struct dump_layout *layout, const struct chunk *chunk);

/*
 * The next pages, all of them stored, zeros, or unreadable: c->place.run.kind.  For each page of those that are
 * stored, call chunk_pages_block() before the next call.  False: there are no more.
 */
bool chunk_pages_next(struct chunk_pages *c, struct dump_pages *pages);

/* The block of a page. */
struct page_block {
	enum block_kind kind;		/* not BLOCK_SAME: see struct packer, for_dump */
	uint32_t at, length;		/* in the payload */
};

struct page_block chunk_pages_block(struct chunk_pages *c);

/* dump_writer_new() and dump_writer_memory() for an ELF core. */
size_t core_writer_memory(const struct sink *sink, uint64_t source_size);
enum status core_writer_new(struct form **form, struct sink *sink, const struct dump_layout *layout,
			    uint64_t source_size, struct error *e);

#endif
