// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What each granule of a set with layers is, by doc/format.md, section 10, found in the simplest way:
 * all members in memory, all pieces searched for, one granule after another.  It has no code of the
 * read side, which is compared with it.
 */
#ifndef NSPLIT_TESTS_UNIT_LAYER_ORACLE_H
#define NSPLIT_TESTS_UNIT_LAYER_ORACLE_H

#include <stdbool.h>
#include <stddef.h>

#include "format/superblock.h"
#include "format/record.h"

struct oracle_member {
	const uint8_t *bytes;
	size_t length;
};

/* The letters of the map; a granule in a second place is as the one in the first.  Zeros are stored. */
enum {
	ORACLE_STORED = 's',
	ORACLE_UNREADABLE = 'u',
	ORACLE_LEFT_OUT = 'l',
	ORACLE_MISSING = 'm',
};

struct oracle {
	struct superblock set;		/* features 0: no piece of a set with layers was found */
	struct class_table classes;	/* merged */
	size_t granules;
	char *map;			/* a letter for each granule, and a NUL; owned */
	uint8_t *source;		/* zeros where nothing is stored; owned */
};

void oracle_read(struct oracle *o, const struct oracle_member *members, unsigned count);
void oracle_free(struct oracle *o);

#endif
