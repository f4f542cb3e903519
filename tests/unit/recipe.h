// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Members from recipes: sets of test inputs as text, so that no binary is kept.
 *
 * A recipe is a line, TARGET NAME STEP..., and a step is one of
 *
 *	codec=NAME block=N chunk=N size=N	of the members to follow
 *	uuid=N					another set begins, with a source of its own
 *	tag=N created=SECONDS			another capture with the same UUID begins
 *	member=NUMBER/MEMBERS			a member begins, with its superblock
 *	copy=I					another copy of the I'th member made so far
 *	record=KIND@OFFSET+LENGTH		a record of corpus bytes, or of "mixed" ones
 *	unreadable=OFFSET+LENGTH		a record that has nothing
 *	index footer				as set_maker has them
 *	packed=KIND+LENGTH			an input of fuzz_unpack
 *	core=KIND				an ELF core: x86, arm, xnum (x86), ragged (arm); with a kernel log,
 *						ring, records or plain, and cut behind it
 *	walk=FLAGS/THREADS[/FROM/TO]		the head of an input of fuzz_set or fuzz_core
 *	drop=N cut=AT				the member without its first N bytes; its first AT
 *	put32=AT:VALUE put64=AT:VALUE		in the member; negative ones from 2^64 down
 *	flip=AT					its lowest bit
 *	swap=AT/AT				two units of the member
 *	paste=AT/I/AT				over a unit of the member, one of the I'th (or its own)
 *	reseal=AT rebody=AT			the checksums of the piece there; a record's body, too
 *	bytes=HEX zeros=N			more bytes of the member
 *	device=N				zeros up to N bytes, and the footer again at their end
 *	onto					the member before it was on the device already, and
 *						goes away
 *	alone					the members before it go away
 *
 * AT is a number of bytes, or the N'th piece of a kind in the member and perhaps more
 * bytes: record0, index1+64, footer0; last is its last unit.
 */
#ifndef NSPLIT_TESTS_UNIT_RECIPE_H
#define NSPLIT_TESTS_UNIT_RECIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "set_maker.h"

enum { RECIPE_HEAD = 16, RECIPE_MEMBERS = 8 };

struct recipe {
	const char *target, *name;	/* in the line */
	bool left_out;			/* it takes a codec that this build has not */
	struct recipe_member {
		uint8_t *bytes;		/* owned */
		size_t length;
	} members[RECIPE_MEMBERS];
	unsigned count;
	uint8_t head[RECIPE_HEAD];	/* of walk= */
	bool has_head;
	uint8_t *source;		/* what the records were made of, zeros elsewhere; owned */
	size_t source_length;

	/* While it is made: */
	struct superblock settings;
	const struct codec *codec;
	struct maker member;
	bool begun;
	size_t source_room;
};

/*
 * Makes what the line says, which is taken apart; false: it is empty or a comment.
 * Anything wrong fails the test.  recipe_free() is due in any case.
 */
bool recipe_read(struct recipe *r, char *line);
void recipe_free(struct recipe *r);

/*
 * Makes all recipes of standard input, one after another, and hands them to serve(), but for
 * those that are left out.  set_maker lives on check, so all this is its one test; returns
 * what main() returns.
 */
int recipe_run(void (*serve)(const struct recipe *r));

#endif
