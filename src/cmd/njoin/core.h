// SPDX-License-Identifier: GPL-2.0-or-later
/* What njoin --list prints about a core, collected before anything is printed. */
#ifndef NSPLIT_CMD_NJOIN_CORE_H
#define NSPLIT_CMD_NJOIN_CORE_H

#include "base/json.h"
#include "core/kinds/page_filter.h"
#include "core/uts.h"
#include "export/set_absent.h"
#include "export/set_core.h"

enum { NOTE_KINDS_MAX = 64, NOTE_NAME_LENGTH = 32 };

/* Notes of the same name and type. */
struct note_kind {
	char name[NOTE_NAME_LENGTH];	/* printable, and cut short */
	uint32_t type;
	uint64_t count, bytes;		/* of their descriptions */
};

struct core_summary {
	const struct set *set;		/* borrowed, like the next one */
	const struct set_absent *absent;
	struct set_core source;
	bool has_info;			/* the core has VMCOREINFO */
	bool has_kernel;		/* its release and version are known */
	bool has_page_size;		/* else PAGE_SIZE_ASSUMED is used */
	struct uts uts;			/* printable */
	bool has_crash_time;
	int64_t crash_time;		/* seconds since 1970 */
	uint64_t cpus;			/* notes with the registers of a CPU */
	struct note_kind notes[NOTE_KINDS_MAX];	/* more kinds are left out */
	size_t note_kinds;
	struct pages pages;
	struct page_filter filter;	/* of has_info: nothing is left out, but kinds are counted */
	/* Missing ranges of the source; last, what segments have beyond its end.  Owned. */
	struct range *missing;
	size_t missing_count;
	const struct segment **by_offset;	/* sorted, no two overlap; owned */
	size_t by_offset_count;
};

/* The summary must not be moved.  Call core_summary_free() in any case. */
enum status core_summary_make(struct core_summary *l, const struct set *set,
			      const struct set_absent *absent, unsigned threads, struct error *e);
void core_summary_free(struct core_summary *l);

/* What makedumpfile has erased, as notes of the core say: lines, of which so many are listed; and strings. */
void erased_print(const struct core *core, unsigned limit);
void erased_json(struct json *json, const struct core *core);

/* Memory whose contents are in a missing range. */
struct lost_memory {
	uint64_t paddr, length;
	size_t segment;			/* its number in the core */
};

/*
 * The next part of a missing range, at or after offset *at of the source, that holds memory; *at
 * moves to its end.  False: the rest of the range holds only headers or notes, or is between
 * segments.
 */
bool core_summary_lost(const struct core_summary *l, const struct range *missing, uint64_t *at,
		  struct lost_memory *lost);

#endif
