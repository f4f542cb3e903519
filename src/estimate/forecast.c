// SPDX-License-Identifier: GPL-2.0-or-later
/* Sizes and times that follow from an estimate: estimate.h. */
#include "config.h"

#include "base/bytes.h"
#include "core/kinds/page_class.h"
#include "estimate/estimate.h"

/*
 * What a member has besides packed pages, in bytes: for each chunk of 1 MiB its header and half of the padding
 * to 4096 bytes; for each page, its part of the tables; and the superblock, index and footer.
 */
enum { CHUNK = 1 << 20, CHUNK_OVERHEAD = 2048 + 256, PAGE_OVERHEAD = 2, MEMBER_OVERHEAD = 16 << 10 };

/* In a kdump file: a descriptor for each page, and two bits for each page of the memory. */
enum { DESCRIPTOR = 24, BITMAPS = 2 };

/* CPU seconds to find the class of a page: 14 to 23 ms for 140 to 180 thousand pages (doc/benchmarks.md, section 9). */
static const double class_seconds = 120e-9;

bool estimate_keeps(enum layer_class class, unsigned level)
{
	return !class_is_marked(class) && !(page_class_of_captured(class) & dump_level_classes(level));
}

uint64_t estimate_pages(const struct estimate *est, unsigned level)
{
	uint64_t pages = 0;

	for (unsigned i = 0; i < CLASSES; i++)
		if (estimate_keeps(i, level))
			pages += est->of[i].pages;
	return pages;
}

/* Pages are packed in larger blocks only where some are left out. */
static struct packed packed_of(const struct estimate *est, enum layer_class class, unsigned level, unsigned preset)
{
	if (est->settings.form == ESTIMATE_ELF)
		return (struct packed){ .share = 1 };
	return est->packed[class][dump_level_classes(level) ? PACKED_BY_BLOCK : PACKED_BY_PAGE][preset];
}

static uint64_t overhead(const struct estimate *est, uint64_t pages)
{
	switch (est->settings.form) {
	case ESTIMATE_KDUMP:
		return pages * DESCRIPTOR + est->pages * BITMAPS / 8;
	case ESTIMATE_ELF:
		return 0;
	default:
		return pages * PAGE_OVERHEAD + MEMBER_OVERHEAD +
		       divide_up(pages * est->page_size, CHUNK) * CHUNK_OVERHEAD;
	}
}

uint64_t estimate_bytes(const struct estimate *est, unsigned level, unsigned preset)
{
	double bytes = 0;

	for (unsigned i = 0; i < CLASSES; i++)
		if (estimate_keeps(i, level))
			bytes += (double)est->of[i].pages * est->page_size * packed_of(est, i, level, preset).share;
	return (uint64_t)bytes + overhead(est, estimate_pages(est, level));
}

double estimate_bytes_of(const struct estimate *est, enum layer_class class, unsigned level, unsigned preset)
{
	double pages = (double)est->of[class].pages, all = (double)estimate_pages(est, level);

	if (!pages || !estimate_keeps(class, level))
		return 0;
	return pages * est->page_size * packed_of(est, class, level, preset).share +
	       (double)overhead(est, (uint64_t)all) * pages / all;
}

/* The margins of classes are added: what one has too much of, another has too little of. */
uint64_t estimate_margin(const struct estimate *est, unsigned level, unsigned preset)
{
	double bytes = 0;

	for (unsigned i = 0; i < CLASSES; i++)
		if (estimate_keeps(i, level))
			bytes += (double)est->of[i].margin * est->page_size * packed_of(est, i, level, preset).share;
	return (uint64_t)bytes;
}

double estimate_cpu_seconds_of(const struct estimate *est, enum layer_class class, unsigned level, unsigned preset)
{
	if (!estimate_keeps(class, level))
		return 0;
	return (double)est->of[class].pages * est->page_size *
	       (1 / est->read_rate + packed_of(est, class, level, preset).seconds);
}

double estimate_cpu_seconds(const struct estimate *est, unsigned level, unsigned preset)
{
	double seconds = (double)est->pages * class_seconds;

	for (unsigned i = 0; i < CLASSES; i++)
		seconds += estimate_cpu_seconds_of(est, i, level, preset);
	return seconds;
}
