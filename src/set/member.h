// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Members: one output of a capture, opened to be read.
 *
 * A seekable member (file, block device) is known by its index before anything is
 * unpacked.  A stream (pipe, "-") tells what it holds as it goes by.
 * Nothing in a member is trusted: see doc/format.md, sections 2 and 9.
 */
#ifndef NSPLIT_SET_MEMBER_H
#define NSPLIT_SET_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/footer.h"
#include "format/index.h"
#include "format/superblock.h"
#include "io/identity.h"

/* In the superblock of a member of which it is not known. */
#define MEMBER_NUMBER_UNKNOWN UINT32_MAX

/* Where a record lies. */
struct location {
	struct index_entry entry;
	uint32_t member;	/* its position in the set's array */
	bool duplicate;		/* another place holds the same range, or it is left out */
};

struct member {
	char *name;			/* "standard input" for "-"; owned */
	int fd;
	bool is_stream;
	bool in_use;			/* a device that could not be opened for exclusive use */
	uint64_t size;			/* bytes of a seekable member */
	struct identity identity;
	struct superblock superblock;
	bool superblock_lost;		/* it is the footer's, then; or, without a footer: */
	bool identity_assumed;		/* it says only what is known of others, or of its records */
	bool needs_search;		/* its records are not known: no index */
	bool has_footer;
	struct footer footer;
	bool size_told;			/* that it disagrees with others on the source's size */
	uint64_t rest;			/* a stream: where something else stands behind it, or 0 */
	struct location *locations;		/* in the order of the member; owned */
	size_t count;
};

/*
 * Opens a file, device or "-" and reads its superblock; with salvage a damaged one is made
 * up for by the footer.  The error names the member.  member_close() is due in
 * any case.
 */
enum status member_open(struct member *m, const char *name, bool salvage, struct error *e);
void member_close(struct member *m);

/*
 * After member_open() has failed: can it be searched for records from beginning to end?
 */
bool member_can_be_searched(const struct member *m, enum status failure);

/* Is the footer, by all that identifies a capture and a member of it, this member's? */
bool member_owns_footer(const struct member *m, const struct footer *footer);

/* Finds the footer and reads the index of a seekable member (section 10). */
enum status member_load_index(struct member *m, struct error *e);

/* Notes a record; the places grow as needed. */
enum status member_add_location(struct member *m, const struct index_entry *entry,
			     struct error *e);

/*
 * Reads len bytes at offset of a seekable member: STATUS_CUT if it ends before,
 * STATUS_SYSTEM with the offset in the text.
 */
enum status member_read(const struct member *m, void *bytes, size_t len, uint64_t offset,
			struct error *e);

/*
 * Whether a stream's end may not be the member's: what stands behind its footer, and
 * was taken for no part of it, may be damaged records.  If so, that is in e.
 */
bool member_has_rest(const struct member *m, struct error *e);

/* "NAME: damaged at byte OFFSET: WHAT", and its kin for the other verdicts of a decoder. */
enum status member_verdict(const struct member *m, enum status status, uint64_t offset,
			   const char *what, struct error *e);

#endif
