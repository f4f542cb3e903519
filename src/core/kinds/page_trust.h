// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whether the kinds of pages can be believed: checks of a whole core, each of which may take classes
 * of pages back, so that they are kept (doc/pages.md, "Trust").
 */
#ifndef NSPLIT_CORE_KINDS_PAGE_TRUST_H
#define NSPLIT_CORE_KINDS_PAGE_TRUST_H

#include "core/kinds/page_class.h"
#include "core/kinds/page_kind.h"
#include "core/kinds/page_vote.h"

struct page_trust {
	/* Why a class must be kept, as one sentence without a full stop; empty: it may be left out. */
	char why[PAGE_CLASSES][256];
};

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
};

/*
 * Collects the facts after a survey with the same map; virt is used by this thread only.  Only
 * failures that end the whole operation are returned.
 */
enum status page_facts_collect(struct page_facts *facts, const struct page_map *map,
			       const struct virt *virt, struct page_evidence *evidence,
			       struct error *e);

/* The same if the votes were counted already, which takes most of the time. */
enum status page_facts_complete(struct page_facts *facts, const struct page_vote *vote,
				const struct page_map *map, const struct virt *virt,
				struct page_evidence *evidence, struct error *e);

void page_trust_judge(struct page_trust *trust, const struct page_facts *facts);

/* No class is believed, for a reason such as that there is no memory map. */
void page_trust_refuse_all(struct page_trust *trust, const char *why);

/* The set of classes that may be left out. */
unsigned page_trust_classes(const struct page_trust *trust);

#endif
