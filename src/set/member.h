// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Members: files and devices written by a capture, opened for reading.
 *
 * The records of a file or block device are known from its index before any of them is read.  A stream (pipe, "-") is
 * copied to a file first (set/spool.h).  Nothing in a member is trusted: see doc/format.md, sections 3 and 11.
 */
#ifndef NSPLIT_SET_MEMBER_H
#define NSPLIT_SET_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/record.h"
#include "format/superblock.h"
#include "io/path.h"

/* In the superblock of a member that has neither superblock nor footer. */
#define MEMBER_NUMBER_UNKNOWN UINT32_MAX

/* Where a record is stored. */
struct location {
	struct index_entry entry;
	uint32_t member;	/* its index in set->members */
	bool follows;		/* it is not the first of its cell in the map */
};

/* The end of the range. */
static inline uint64_t location_end(const struct location *location)
{
	return location->entry.source_offset + location->entry.source_length;
}

struct dump;
struct source;

struct member {
	char *name;			/* "standard input" for "-"; owned */
	int fd;
	struct source *plain;		/* the file is the source itself (set/plain.h); owned */
	struct dump *dump;		/* a kdump-compressed dump (set/dump.h); owned */
	bool is_stream;			/* it was not copied yet, */
	bool is_copy;			/* or it was */
	bool in_use;			/* a device that could not be opened for exclusive use */
	uint64_t size;			/* bytes of a seekable member */
	struct identity identity;
	struct superblock superblock;
	bool superblock_lost;		/* superblock is that of the footer, or: */
	bool identity_assumed;		/* superblock was derived from other members or a record */
	bool needs_search;		/* without an index: its records have to be searched */
	bool has_footer;		/* it was closed: a checkpoint does not count */
	struct footer footer;		/* the latest one, or checkpoint, that was found */
	bool has_index;			/* locations is what the footer's index lists */
	struct class_table classes;	/* of this member: doc/format.md, section 7 */
	struct location *locations;	/* in the order of the member; owned */
	size_t count;
};

/* Does its footer have a root (format/superblock.h)? */
static inline bool member_has_root(const struct member *m)
{
	return m->has_footer && m->footer.has_root;
}

/*
 * While a device is open for exclusive use, it cannot be mounted, become part of a volume, or be opened by programs that
 * ask for exclusive use, such as nsplit and mkfs; nor can its disk, and its partitions.  fd is a descriptor of that name;
 * returns it, or in place of it one that holds the device.  One that is already in use is read nevertheless, and sets
 * *in_use.
 */
int member_hold_device(int fd, const char *name, bool *in_use);

/*
 * Opens a file, device or "-" and reads its superblock.  With salvage, the footer replaces a
 * damaged superblock.  The error names the member.  member_close() must be called even after a
 * failure.
 */
enum status member_open(struct member *m, const char *name, bool salvage, struct error *e);
void member_close(struct member *m);

/* After member_open() has failed: can the member be searched for records? */
bool member_can_be_searched(const struct member *m, enum status failure);

/* Where the footer of a seekable member must be, whether there is one or not. */
uint64_t member_footer_location(const struct member *m);

/* Is this the footer of this member of this capture? */
bool member_owns_footer(const struct member *m, const struct footer *footer);

/* Notes a footer, or checkpoint, behind the pieces that were read before. */
void member_take_footer(struct member *m, const struct footer *footer);

/*
 * Decodes the header of a record.  STATUS_FOREIGN: it is intact, but belongs to another set;
 * STATUS_DAMAGED also if it has other cells.
 */
enum status member_decode_record(const struct member *m, const uint8_t *raw, uint32_t chunk_size,
				 struct record *record);

/* Finds the footer, unless it is known, and reads the index of a seekable member. */
enum status member_load_index(struct member *m, struct error *e);

/* Adds a location. */
enum status member_add_location(struct member *m, const struct index_entry *entry,
				struct error *e);

/* Reads len bytes at offset of a seekable member.  STATUS_CUT: it ends before that. */
enum status member_read(const struct member *m, void *bytes, size_t len, uint64_t offset,
			struct error *e);

/*
 * Sets the error for a piece that was not accepted: "NAME: damaged at byte OFFSET: WHAT", or what
 * the status of the decoder says instead.
 */
enum status member_verdict(const struct member *m, enum status status, uint64_t offset,
			   const char *what, struct error *e);

#endif
