// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether the kinds of pages can be believed: checks of a whole core, each of which may take classes
 * of pages back, so that they are kept (doc/pages.md, "Trust").
 */
#ifndef NSPLIT_CORE_KINDS_PAGE_TRUST_H
#define NSPLIT_CORE_KINDS_PAGE_TRUST_H

#include "core/kinds/page_class.h"
#include "core/kinds/page_kind.h"

/*
 * What is judged: classes, and by themselves the kinds of pages that must not be touched.  Offline ones count in their
 * class, too.
 */
enum { JUDGED_OFFLINE = PAGE_CLASSES, JUDGED_POISONED, JUDGED };

struct page_trust {
	/* Why pages must be kept, as one sentence without a full stop; empty: they may be left out. */
	char why[JUDGED][256];
};

/* What the kernel image and the page tables lead to, by class (page_vote.c). */
enum { PAGE_VOTE_SEEN = 64, PAGE_VOTE_LATEST = 256 };

struct page_vote {
	uint64_t frames, reserved;	/* of the image; those that are PG_reserved */
	uint64_t unmapped;		/* of these, those that no process maps, by their struct pages */
	uint64_t words;			/* that look like pointers */
	uint64_t pointers;		/* to memory that is neither the image nor the memory map */
	/* Pages of each class to which some lead; the first of them by number, to count each once. */
	uint64_t to_class[JUDGED];
	uint64_t seen[JUDGED][PAGE_VOTE_SEEN];
	/*
	 * Pages at addresses that were looked at, times 2, and 1 if they are memory: eight pointers and more lead to the
	 * same page.
	 */
	uint64_t latest[PAGE_VOTE_LATEST];
	/* Pages that the kernel's page tables are in, and that they map for vmalloc(). */
	uint64_t tables, tables_of_class[JUDGED];
	uint64_t mapped, mapped_of_class[JUDGED];
	/* Symbols in VMCOREINFO whose addresses are of pages. */
	uint64_t symbols, symbols_of_class[JUDGED];
};

/*
 * Reads the image, and the page tables.  The number of pointers and of tables is limited, so that the
 * time is, too.  Only failures that end the whole operation are returned.
 */
enum status page_vote_count(struct page_vote *vote, struct page_cursor *c, struct error *e);

/* The free blocks that the kernel counts. */
struct page_zones {
	unsigned count;
	uint64_t blocks[PAGE_ORDERS_MAX];
};

/*
 * A structure that does not look like a zone is not counted.  Only failures that end the whole operation are
 * returned.
 */
enum status page_zones_find(struct page_zones *zones, const struct page_map *map,
			    const struct virt *virt, const struct page_evidence *evidence, struct error *e);

/* All that is judged, after a complete survey. */
struct page_facts {
	const struct page_keys *keys;
	const struct page_evidence *evidence;
	struct page_zones zones;
	struct page_vote vote;
	uint64_t cpus;			/* of the machine */
	uint64_t frames;		/* that have a struct page */
};

/*
 * Collects the facts after a survey with the same map; virt is used by this thread only.  vote: NULL, unless they were
 * counted already, which takes most of the time.  Only failures that end the whole operation are returned.
 */
enum status page_facts_collect(struct page_facts *facts, const struct page_map *map, const struct virt *virt,
			       const struct page_evidence *evidence, const struct page_vote *vote, struct error *e);

void page_trust_judge(struct page_trust *trust, const struct page_facts *facts);

/* No class is believed, for a reason such as that there is no memory map. */
void page_trust_refuse_all(struct page_trust *trust, const char *why);

/* The set of classes that may be left out. */
unsigned page_trust_classes(const struct page_trust *trust);

#endif
