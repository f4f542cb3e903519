// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Classes of pages, and which layer of a set stores each.  doc/format.md, section 7.  They are finer
 * than the classes of dump levels (core/kinds/page_class.h), so that layers can be ordered by value.
 */
#ifndef NSPLIT_FORMAT_CLASSES_H
#define NSPLIT_FORMAT_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

/* The numbers are those of the file format.  Later versions may use the others. */
enum layer_class {
	CLASS_KERNEL,		/* kernel pages, and pages that could not be classified */
	CLASS_MAP,		/* the memory map */
	CLASS_PRIVATE,		/* page cache with private data of a file system */
	CLASS_DIRTY,		/* other page cache that was not written back */
	CLASS_CLEAN,		/* the rest of the page cache */
	CLASS_ANONYMOUS,
	CLASS_HUGETLB,
	CLASS_CPU_FREE,		/* probably free */
	CLASS_FREE,
	CLASS_UNACCEPTED,
	CLASS_OFFLINE,		/* not to be read */
	CLASS_POISONED,		/* not to be read */
	CLASS_SECOND,		/* in a second place: stored in the first */
	CLASSES = 16
};

enum { LAYERS_MAX = 15 };

/* In the order in which the state of a class may change. */
enum class_state {
	CLASS_SAVED = 0,
	CLASS_PLANNED_OUT = 1,	/* to be left out if what is known of the kernel can be trusted */
	CLASS_LEFT_OUT = 2,
	CLASS_SAVED_AFTER_ALL = 3,
	CLASS_TWICE = 4,	/* of CLASS_SECOND only: what is there follows from the first place */
	CLASS_STATES
};

/* As in the file: a byte for each class. */
struct class_table {
	uint8_t of[CLASSES];
};

/* "cpu-free"; "class 12" for those without a name.  number is less than CLASSES. */
const char *layer_class_name(unsigned number);

/* layer is 0 for the states in which the class has none. */
uint8_t class_entry(enum class_state state, unsigned layer);
enum class_state class_state(const struct class_table *table, unsigned number);
unsigned class_layer(const struct class_table *table, unsigned number);

/* All classes are saved in layer 1. */
struct class_table class_table_plain(void);
bool class_table_is_plain(const struct class_table *table);

bool class_table_valid(const struct class_table *table);

/*
 * Adds what another piece of the set states.  The result does not depend on the order in which the
 * pieces are found, and is valid.
 */
void class_table_merge(struct class_table *table, const struct class_table *other);

#endif
