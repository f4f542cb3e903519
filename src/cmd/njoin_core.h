// SPDX-License-Identifier: GPL-2.0-or-later
/* What njoin --list tells of a core, gathered before a word of it is printed. */
#ifndef NSPLIT_CMD_NJOIN_CORE_H
#define NSPLIT_CMD_NJOIN_CORE_H

#include "core/pages.h"
#include "core/uts.h"
#include "export/set_core.h"

enum { NOTE_KINDS_MAX = 64, NOTE_NAME_LENGTH = 32, PAGE_SIZE_ASSUMED = 4096 };

/* Notes of the same name and type. */
struct note_kind {
	char name[NOTE_NAME_LENGTH];	/* printable, and cut short */
	uint32_t type;
	uint64_t count, bytes;		/* of their descriptions */
};

struct core_summary {
	const struct set *set;		/* borrowed */
	struct set_core source;
	bool has_info;			/* the core has VMCOREINFO */
	bool has_page_size;		/* else PAGE_SIZE_ASSUMED was taken */
	struct uts uts;			/* printable */
	bool has_crash_time;
	int64_t crash_time;		/* seconds since 1970 */
	uint64_t cpus;			/* notes of registers */
	struct note_kind notes[NOTE_KINDS_MAX];	/* more kinds are left out */
	size_t note_kinds;
	struct pages pages;
	/* Of the source, and last what the core's segments have behind the end of it; owned. */
	struct range *missing;
	size_t missing_count;
	const struct segment **by_offset;	/* none shares bytes with another; owned */
	size_t by_offset_count;
};

/* core_summary_free() is due in any case.  The listing stays where it is. */
enum status core_summary_make(struct core_summary *l, const struct set *set, struct error *e);
void core_summary_free(struct core_summary *l);

/* Memory that some of what is missing was. */
struct lost_memory {
	uint64_t paddr, length;
	size_t segment;			/* its number in the core */
};

/*
 * The next piece of memory that a missing extent has, at or after offset *at of the source,
 * which moves on.  False: the rest of it, or all, is no memory, but headers, notes, or between
 * segments.
 */
bool core_summary_lost(const struct core_summary *l, const struct range *missing, uint64_t *at,
		  struct lost_memory *lost);

#endif
