// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kdump-compressed dump in place of a set, whoever has written it: one file, or the files of a split
 * dump.
 *
 * It is opened as a set of one member whose source is the core that the dump was made of, as far as the
 * dump has it: an ELF header, notes, and program headers of all memory, then the pages of the dump in
 * the order of their addresses.  The records of the member are made when they are loaded; a page is
 * copied into them as it is packed.  So everything that reads a set reads a dump, on any number of
 * threads.
 *
 * The form has no checksums.  A page counts if its descriptor leads into the file, and if it unpacks to
 * a page; any other is unreadable.  The headers have to be there.  Of a flattened dump that is cut, the
 * pages that the rest of the bitmaps has are not known.
 */
#ifndef NSPLIT_SET_DUMP_H
#define NSPLIT_SET_DUMP_H

#include <stdbool.h>

#include "base/array.h"
#include "codec/codec.h"
#include "core/uts.h"
#include "format/kdump.h"
#include "set/dump_file.h"
#include "set/read/reader.h"

/*
 * The most program headers of a dump: one for each sequence of pages that are in the dump, or are not.  Each
 * takes about 200 bytes of memory.
 */
enum { DUMP_HEADERS_MAX = 1 << 24 };

struct dump_notes {
	uint8_t *bytes;				/* owned; NULL: none */
	uint64_t size;
};

/* One of the files, with the descriptors of consecutive pages. */
struct dump_part {
	struct dump_file file;
	uint64_t first_page, end_page;		/* page frames; of a file that is not split: all */
	uint64_t first_rank, end_rank;		/* of these pages, among all of the dump */
	uint64_t descriptors;			/* offset */
	struct kdump_header header;
	struct dump_notes notes;
	bool level_differs;			/* from that of most parts */
	char *unusable;				/* why it has no headers and pages; NULL: it has.  Owned. */
};

struct dump {
	struct dump_part *parts;		/* by rank; owned */
	size_t count;
	uint32_t block_size;			/* of the dump: what a bit and a descriptor stand for */
	uint32_t page_size;			/* of the kernel: QEMU writes larger blocks, for arm64 */
	uint32_t flags;				/* the status of the header: KDUMP_... */
	uint32_t level;				/* what was left out, as its writer says */
	uint64_t phys_base;			/* as its writer says */
	uint32_t version;			/* of the form */
	bool split;				/* the files are of a split dump, perhaps not all of them */
	struct names findings;			/* sentences about damage of headers and bitmaps, whatever was used instead */
	struct uts uts;				/* of the header; no release: it has no names */
	uint16_t machine;			/* as in an ELF header */
	bool machine_assumed;			/* nothing in the dump says which it is, or: */
	char other_machine[UTS_TEXT];		/* the name in the header, which is not known; empty: none */
	bool erased_lost;			/* a text that says what was erased cannot be read */
	struct core notes;			/* only its notes, which are borrowed from head */
	uint64_t pages;				/* blocks that are in the dump */
	uint64_t memory;			/* blocks of memory, in the dump or not */
	uint8_t *head;				/* of the core: everything before the first page; owned */
	uint64_t head_size;			/* a multiple of the page size */
	size_t runs;				/* program headers with memory, behind the first one */
};

/*
 * Do all of these files begin as dumps?  They need not be intact.  A failure: some do, and another one is
 * neither a dump nor a member, or cannot be read.
 */
enum status dump_recognise_all(const struct names *names, bool *all, struct error *e);

/*
 * Opens the files as set_open() does.  STATUS_DAMAGED: a header or bitmap is not there, or wrong.
 * STATUS_USAGE: the files are not the parts of one dump, or of a machine that is not supported.
 */
enum status dump_open(struct set *set, const struct names *names, struct error *e);
/*
 * The same for a file that is open, such as a copy of a stream, and then belongs to the set, also after
 * a failure.
 */
enum status dump_open_file(struct set *set, struct dump_file *file, struct error *e);
void dump_free(struct dump *d);
/* STATUS_DAMAGED: the dump has no memory.  It can be described, and not be read. */
enum status dump_check_pages(const struct set *set, struct error *e);

/*
 * Makes the record at a location.  What cannot be read is unreadable, so the only failures are
 * STATUS_NO_MEMORY and STATUS_UNSUPPORTED, if a page is packed with a codec that this build does not
 * have.
 */
enum status dump_load(struct record_reader *r, const struct set *set, const struct location *location,
		      struct error *e);

/*
 * Reads a block of the source.  r has the state of codecs, and space for a packed page.  STATUS_MISSING: it is a page that
 * is not there.
 */
enum status dump_read_block(struct record_reader *r, const struct set *set, uint64_t number, uint8_t *block,
			    struct error *e);

/*
 * The ranges of the source whose pages are not in the files, by their descriptors; sorted and merged.
 * A page that is there may turn out to be damaged.  Call range_list_free() in any case.
 */
enum status dump_absent_find(const struct dump *d, struct range_list *list, struct error *e);

/* The physical address of a byte of the source that is in a page, and how many follow it in memory, too. */
uint64_t dump_address(const struct dump *d, uint64_t offset, uint64_t *length);

/* Bytes that all files take on their disks. */
uint64_t dump_stored(const struct dump *d);
/* The codec of most pages, as the header says: "raw", if that says none. */
const char *dump_codec_name(const struct dump *d);
/* Do other files of a split dump have pages, beside those that are unusable? */
bool dump_lacks_files(const struct dump *d);
/*
 * False if it is cut, a file of it is unusable, or it says itself that it is incomplete.  Otherwise, pages may
 * be missing nevertheless.
 */
bool dump_is_complete(const struct dump *d);
/* True if nothing was found to be damaged, either. */
bool dump_is_intact(const struct dump *d);

/* --- which codecs the kdump-compressed form has, and their flags (format/kdump.h) --- */

/* The flag of pages that are compressed with a codec; 0: the form does not support the codec. */
uint32_t kdump_flag(enum codec_id id);

/* The same as a question; raw pages have no flag, and are in the form. */
bool kdump_has_codec(enum codec_id id);

#endif
