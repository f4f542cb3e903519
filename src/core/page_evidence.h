// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is noticed while kinds are found, by which page_trust.h judges whether they can be believed.
 * Each thread has its own; they are merged at the end.
 */
#ifndef NSPLIT_CORE_PAGE_EVIDENCE_H
#define NSPLIT_CORE_PAGE_EVIDENCE_H

#include "core/page_kind.h"

/* All zero at first. */
struct page_evidence {
	uint64_t frames;		/* that have a struct page */
};

#endif
