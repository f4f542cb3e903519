// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the class of each granule of a range of the source. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "core/kinds/page_class.h"
#include "core/kinds/page_survey.h"
#include "filter/filter_state.h"
#include "format/format.h"

/*
 * The frames of a range that begins at paddr in a place.  What is noticed is counted once for each frame, however often
 * its memory is in the source: in its first place, and there with the first range in which it lies.
 */
static void find_kinds(const struct filter *f, struct filter_thread *t, size_t place, uint64_t paddr, uint64_t end,
		       struct page_evidence *evidence)
{
	unsigned shift = f->keys.page_shift;
	uint64_t first = paddr >> shift, count;
	bool before = paddr > first << shift && paddr > f->places.list[place].paddr;
	struct error ignored;

	for (uint64_t pfn = first; pfn < end; pfn += count) {
		uint8_t *kinds = t->kinds + (pfn - first);
		bool counted;

		count = before ? 1 : end - pfn;
		counted = evidence && !before && places_is_first(&f->places, place, pfn, shift, &count);
		before = false;
		/*
		 * Only a failure to allocate memory or a request to stop is returned, and what reads the
		 * source here has neither.
		 */
		if (page_survey_part(&t->cursor, pfn, count, t->samples, kinds, counted ? evidence : NULL, &ignored))
			memset(kinds, PAGE_UNKNOWN, count);
	}
}

/* A granule has one or two frames, if they are not aligned alike.  Two must be of the same class. */
static enum layer_class class_at(const struct filter_thread *t, uint64_t first, uint64_t last)
{
	enum layer_class class = page_captured_as(t->kinds[first]);

	return page_captured_as(t->kinds[last]) == class ? class : CLASS_KERNEL;
}

/* Whole granules that are in one place. */
static void classify_piece(struct filter *f, struct filter_thread *t, size_t place, uint64_t paddr,
			   uint32_t granules, uint8_t *classes, struct page_evidence *evidence)
{
	unsigned shift = f->keys.page_shift;
	uint64_t first = paddr >> shift, last = (paddr + (uint64_t)granules * GRANULE - 1) >> shift;

	find_kinds(f, t, place, paddr, last + 1, evidence);
	for (uint32_t i = 0; i < granules; i++, paddr += GRANULE)
		classes[i] = (uint8_t)class_at(t, (paddr >> shift) - first,
					       ((paddr + GRANULE - 1) >> shift) - first);
}

/* The whole granules in a place, from offset on. */
static void classify_place(struct filter *f, struct filter_thread *t, size_t i,
			   uint64_t offset, uint64_t end, uint8_t *classes,
			   struct page_evidence *evidence)
{
	/* Frames are not smaller than granules, so this is not more than FILTER_FRAMES + 1 frames. */
	const uint64_t most = (uint64_t)FILTER_FRAMES * GRANULE;
	const struct place *place = &f->places.list[i];

	while (offset < end) {
		uint64_t stored = offset, length = min_u64(end - offset, most);
		bool second = second_places_follow(&f->places.second, &stored, &length);

		/* The first place of this memory says of which class it is. */
		if (!second)
			classify_piece(f, t, i, place->paddr + (offset - place->offset),
				       (uint32_t)(length / GRANULE), classes, evidence);
		classes += length / GRANULE;
		offset += length;
	}
}

/* Bytes in no segment belong to the headers; a granule that is only partly in one is kept. */
static void classify_all(struct filter *f, struct filter_thread *t, uint64_t offset, uint64_t end,
			 uint8_t *classes, struct page_evidence *evidence)
{
	size_t i = places_from(&f->places, offset);

	for (; i < f->places.count && f->places.list[i].offset < end; i++) {
		const struct place *place = &f->places.list[i];
		uint64_t from = max_u64(place->offset, offset);
		uint64_t to = min_u64(place->offset + place->length, round_down(end, GRANULE));

		if (from < to)
			classify_place(f, t, i, from, to, classes + (from - offset) / GRANULE,
				       evidence);
	}
}

uint64_t filter_beside_memory(const struct filter *f)
{
	uint64_t beside = f->source->size;

	for (size_t i = 0; i < f->places.count; i++)
		beside -= min_u64(beside, f->places.list[i].length);
	return beside;
}

const struct second_places *filter_second_places(const struct filter *f)
{
	return &f->places.second;
}

/* --------------------------------------------------------------------------- */

/* Atomic, since eight units share a byte. */
static bool is_first_time(struct filter *f, uint64_t unit)
{
	unsigned char bit = (unsigned char)(1 << unit % 8);

	return !(atomic_fetch_or(&f->seen[unit / 8], bit) & bit);
}

/* Once, by the thread that has the first unit. */
static void count_votes(struct filter *f, struct filter_thread *t)
{
	t->bytes.stop = &f->stopped;
	f->vote_status = page_vote_count(&f->vote, &t->cursor, &f->vote_error);
	t->bytes.stop = NULL;
	/* The cursor reads nothing after such a failure, but pages are still to be classified. */
	if (f->vote_status)
		page_cursor_init(&t->cursor, &f->map, &t->virt);
}

/* From granule at on, which is the first of a unit, and therefore even. */
static void remember(struct filter *f, uint64_t at, const uint8_t *classes, uint64_t granules)
{
	for (uint64_t i = 0; i < granules; i += 2)
		f->known[(at + i) / 2] = (uint8_t)(classes[i] | (i + 1 < granules ? classes[i + 1] << 4 : 0));
}

static void recall(const struct filter *f, uint64_t at, uint8_t *classes, uint64_t granules)
{
	for (uint64_t i = 0; i < granules; i++)
		classes[i] = f->known[(at + i) / 2] >> (at + i) % 2 * 4 & 15;
}

static void find_classes(struct filter *f, struct filter_thread *t, uint64_t offset, uint64_t end,
			 uint8_t *classes)
{
	uint64_t unit = offset / f->unit_size, granules = divide_up(end - offset, GRANULE);
	bool first = is_first_time(f, unit);

	if (!first && f->known) {
		recall(f, offset / GRANULE, classes, granules);
		return;
	}
	if (first && !unit)
		count_votes(f, t);
	t->samples = unit % f->sample_every == 0;
	classify_all(f, t, offset, end, classes, first ? &t->evidence : NULL);
	if (f->known)
		remember(f, offset / GRANULE, classes, granules);
}

/* The other place says of which class they are. */
static void mark_second_places(const struct filter *f, uint64_t offset, uint64_t end, uint8_t *classes)
{
	while (offset < end) {
		uint64_t stored = offset, length = end - offset;
		bool second = second_places_follow(&f->places.second, &stored, &length);
		uint64_t granules = divide_up(length, GRANULE);

		if (second)
			memset(classes, CLASS_SECOND, granules);
		classes += granules;
		offset += granules * GRANULE;
	}
}

void filter_classify(struct filter *f, unsigned thread, uint64_t offset, uint32_t granules,
		     uint8_t *classes)
{
	uint64_t end = min_u64(offset + (uint64_t)granules * GRANULE, f->source->size);

	memset(classes, CLASS_KERNEL, granules);
	if (f->classes)
		find_classes(f, &f->threads[thread], offset, end, classes);
	mark_second_places(f, offset, end, classes);
}
