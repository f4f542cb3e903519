// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Definitions that all pieces of a member share: limits, identity, magic, checksum.  The reference is
 * doc/format.md, whose sections are cited here.
 */
#ifndef NSPLIT_FORMAT_FORMAT_H
#define NSPLIT_FORMAT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

enum {
	FORMAT_VERSION = 1,
	FORMAT_MAGIC_LENGTH = 8,
	UUID_LENGTH = 16,
};

/* The source is divided into granules of this size; bytes.  Section 2. */
enum { GRANULE = ALIGNMENT };

/* Section 11. */
#define BLOCK_SIZE_MIN ((uint32_t)4096)
#define BLOCK_SIZE_MAX ((uint32_t)1 << 20)
#define CHUNK_SIZE_MAX ((uint32_t)1 << 26)
#define CELL_SIZE_MAX ((uint32_t)1 << 26)
#define MEMBERS_MAX ((uint32_t)254)
#define SOURCE_SIZE_UNKNOWN UINT64_MAX

struct uuid {
	uint8_t bytes[UUID_LENGTH];
};

enum { UUID_TEXT_LENGTH = 36 };		/* without the NUL */

bool uuid_equal(const struct uuid *a, const struct uuid *b);
void uuid_format(const struct uuid *uuid, char text[UUID_TEXT_LENGTH + 1]);
/* False: text is not 8-4-4-4-12 hexadecimal digits. */
bool uuid_parse(const char *text, struct uuid *uuid);
/* Makes 16 random bytes a version 4 UUID (RFC 4122, 4.4). */
void uuid_from_random(struct uuid *uuid);

/*
 * Identifies the capture that a piece belongs to.  A user can give two captures the same UUID, but not the same
 * tag.
 */
struct capture_id {
	struct uuid uuid;
	uint32_t tag;			/* random; 0 in reproducible members */
};

bool capture_id_equal(const struct capture_id *a, const struct capture_id *b);

enum piece_kind {
	PIECE_NONE,		/* none of the magics */
	PIECE_SUPERBLOCK,
	PIECE_RECORD,
	PIECE_INDEX,
	PIECE_FOOTER,
};

/* Compares only the magic, of FORMAT_MAGIC_LENGTH bytes. */
enum piece_kind piece_kind(const uint8_t *bytes);
/* The magic of a kind other than PIECE_NONE: FORMAT_MAGIC_LENGTH bytes. */
const char *piece_magic(enum piece_kind kind);

/* Section 3. */
uint64_t format_checksum(const void *bytes, size_t len);

bool block_size_valid(uint64_t size);
bool chunk_size_valid(uint64_t size, uint32_t block_size);
/* Of a superblock or footer. */
bool cell_size_valid(uint64_t size, uint32_t chunk_size);

/* --- classes --------------------------------------------------------------- */

/*
 * Classes of pages, and which layer of a set stores each.  doc/format.md, section 7.  They are finer
 * than the classes of dump levels (core/kinds/page_class.h), so that layers can be ordered by value.
 */

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
	CLASS_FIRST,		/* what says why the kernel has crashed */
	CLASSES = 16
};

enum { LAYERS_MAX = 15 };

/* Offline and poisoned pages: reading one may stop a virtual machine, or this one.  Nobody reads them even by the way. */
static inline bool class_is_marked(unsigned number)
{
	return number == CLASS_OFFLINE || number == CLASS_POISONED;
}

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

/* "cpu-free"; "class 14" for those without a name.  number is less than CLASSES. */
const char *layer_class_name(unsigned number);

/* layer is 0 for the states in which the class has none. */
uint8_t class_entry(enum class_state state, unsigned layer);
enum class_state class_state(const struct class_table *table, unsigned number);
unsigned class_layer(const struct class_table *table, unsigned number);
/* Is any class in this state? */
bool class_table_has(const struct class_table *table, enum class_state state);

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
