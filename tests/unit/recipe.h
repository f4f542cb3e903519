// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Members from recipes: sets of test inputs as text, so that no binary data is stored.
 *
 * A recipe is a line, TARGET NAME STEP..., and a step is one of
 *
 *	codec=NAME block=N chunk=N size=N	settings of the members that follow
 *	uuid=N					begins another set, with its own source
 *	tag=N created=SECONDS			begins another capture with the same UUID
 *	member=NUMBER/MEMBERS			begins a member, with its superblock
 *	copy=I					adds a copy of member I of the recipe
 *	row=N					the records that follow have blocks of columns, of rows of N bytes; 0: not
 *	record=KIND@OFFSET+LENGTH		a record of corpus bytes, or of "mixed" ones
 *	unreadable=OFFSET+LENGTH		a record without data
 *	index footer				as in set_maker
 *	layers=CELL				the members that follow have layers, with cells of this
 *						size; 0: no layers
 *	second=OFFSET+LENGTH>TARGET		and another second place, whose granules are of class 12
 *	class=N:BYTE				what pieces that follow state of a class, in hexadecimal
 *	layered=KIND/LAYER@OFFSET:RUNS		a record of a layer, with runs as in layer_maker
 *	checkpoint=N					a checkpoint: layers 1 to N are whole
 *	packed=KIND+LENGTH			an input of fuzz_unpack
 *	core=KIND				an ELF core: x86, arm, xnum (x86), ragged (arm), tables (arm, with
 *						page tables); with a kernel log and cut short after it: ring, records or plain
 *	dump=MAP/VERSION/FIRST/END	begins a dump with such a map (made_dump.h), and adds zeros up to a multiple
 *						of 4096 bytes; END 0: it is not split
 *	flat=PIECE				flattens it, into pieces of so many bytes; negative: the last one first
 *	walk=FLAGS/THREADS[/FROM/TO]		the head of an input of fuzz_set, fuzz_core or fuzz_dump
 *	vaddr=ADDRESS				in that head: a kernel address, in hexadecimal
 *	drop=N cut=AT				removes the first N bytes; keeps only the bytes before AT
 *	lose=AT/N				removes N bytes from there
 *	put32=AT:VALUE put64=AT:VALUE		writes an integer; negative ones count down from 2^64
 *	flip=AT					flips the lowest bit of a byte
 *	swap=AT/AT				exchanges two units
 *	paste=AT/I/AT				overwrites a unit with one of member I, which may be this one
 *	reseal=AT rebody=AT			updates the checksums of a piece; those of a record's body as well
 *	relist=AT				the same, and that of its run list
 *	bytes=HEX zeros=N			appends bytes
 *	device=N				appends zeros up to N bytes, and repeats the footer at the end
 *	onto					writes this member over the one before, as on a used device,
 *						and removes that one from the recipe
 *	alone					removes the members before it from the recipe
 *
 * AT is an offset in bytes, or the N'th piece of a kind, optionally plus an offset: record0,
 * index1+64, footer0.  "last" is the last unit of the member.
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
	bool left_out;			/* it needs a codec that this build lacks */
	struct recipe_member {
		uint8_t *bytes;		/* owned */
		size_t length;
	} members[RECIPE_MEMBERS];
	unsigned count;
	uint8_t head[RECIPE_HEAD];	/* of walk= and vaddr= */
	bool has_head;
	uint8_t *source;		/* the bytes of the records or the pages of the dump, zeros elsewhere; owned */
	size_t source_length;
	char map[256];			/* of the latest dump */

	/* Used while it is made: */
	struct superblock settings;
	const struct codec *codec;
	struct maker member;
	bool begun;
	size_t source_capacity;
};

/*
 * Makes the members of one line, which is modified.  False: the line is empty or a comment.  Any
 * error fails the test.  Call recipe_free() in any case.
 */
bool recipe_read(struct recipe *r, char *line);
void recipe_free(struct recipe *r);

/*
 * Makes each recipe of standard input and passes it to serve(), unless it is left out.  All of this
 * is one test, because set_maker uses the assertions of check.  Returns the exit status for main().
 */
int recipe_run(void (*serve)(const struct recipe *r));

#endif
