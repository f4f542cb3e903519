// SPDX-License-Identifier: GPL-2.0-or-later
/* The outputs of a drill: what is there before, and removing afterwards what the drill has made, and nothing else. */
#ifndef NSPLIT_CMD_NSPLIT_DRILL_OUTPUTS_H
#define NSPLIT_CMD_NSPLIT_DRILL_OUTPUTS_H

#include <time.h>

#include "cmd/nsplit/drill/process.h"
#include "cmd/nsplit/options.h"

enum drill_place {
	DRILL_FILE,		/* a file that does not exist yet */
	DRILL_DEVICE,		/* a block device that is blank */
	DRILL_FILTERED,		/* the $FILE of --filter, which need not be a file here */
	DRILL_ELSEWHERE,	/* a command, a pipe, standard output: it cannot be read again here */
	DRILL_NOWHERE,		/* null: */
	DRILL_REFUSED,		/* what the capture refuses: a directory, a block device without force */
};

/* STATUS_USAGE: what is there must not be touched, and the sentence says why. */
enum status drill_place_of(const struct nsplit_options *o, const char *name, enum drill_place *place,
			   struct error *e);

/*
 * Replaces the name of a file by one that ends in ".drill".  STATUS_USAGE: there is such a file, of a drill that was
 * killed or of somebody else.
 */
enum status drill_rename(const struct nsplit_options *o, char **name, enum drill_place place, struct error *e);

/*
 * In the capture kernel: removes the file that a drill of this output has left, since the dump may need its space: a core,
 * dump or member of this user, of that name.  False: there is none.
 */
bool drill_remove_left(const char *output);

/* What the capture has made of an output; see drill/figures.h. */
struct drill_made {
	bool failed;		/* it was skipped or given up, or is full */
	bool holds;		/* there are records in it, and they count */
	bool hung;		/* it does not answer and must not be touched */
	bool ours;		/* the capture has created this file, written to this device, or run this command */
	dev_t device;		/* and inode: of the file */
	ino_t inode;
	uint64_t bytes;		/* of a device: it was written up to there, and at its end */
};

/* What tells a file of a capture that did not live to tell. */
struct drill_mark {
	const struct uuid *uuid;	/* in the superblock of a member */
	enum nsplit_format format;
	time_t begin;			/* before the capture; the file did not exist then */
};

/* Whether a file has this name, which need not be what the filter has stored. */
bool drill_is_there(const char *name);

/*
 * Removes the file, or overwrites with zeros what was written to the device.  made: NULL if the capture did not live to
 * tell; then a device is of the drill if it is not blank any more, and mark says whether a file is.  If anything is left,
 * returns a sentence about it.
 */
enum status drill_remove(const char *name, enum drill_place place, const struct drill_made *made,
			 const struct drill_mark *mark, struct drill_signals *signals, struct error *e);

#endif
