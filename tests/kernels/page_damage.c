// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *	page_damage [-v] CORE [CASE]
 *
 * Breaks what the kinds of pages are found by, in many ways, and counts the pages of the kernel that a
 * dump would lose by each: those of kinds that are kept on the core as it is, but would be left out
 * of the damaged one at dump level 31.  VMCOREINFO: each key removed, altered and repeated, and the note
 * cut at each line.  The memory map: struct pages, sections, and page tables with other contents.
 *
 * CASE: only cases whose names begin so.  Prints each case that loses pages, and with -v all of them: the
 * pages, the classes that would be left out, and why the others would not.  Exit status 1: a case loses
 * more than is known (page_damage_known.c), or takes too long every time; 2: no comparison.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "page_damage.h"

enum { SLOW_TIMES = 30, LOOKUP_TIMES = 100, SLOW_TRIES = 5 };

/* Lost pages by the kind that they have, and the one that they seem to have. */
struct lost {
	uint64_t all, pages[PAGE_KINDS][PAGE_KINDS];
};

/* By the class that it seems to have, or the mark: a capture does not read such a page. */
static bool is_left_out(const struct page_trust *trust, enum page_kind seems)
{
	return seems < PAGE_OFFLINE ? page_trust_classes(trust) & PAGE_CLASS_BIT(page_class_of(seems)) :
				      !trust->why[JUDGED_OFFLINE + seems - PAGE_OFFLINE][0];
}

static void count_lost(struct lost *lost, const struct damage *d, const struct page_trust *trust)
{
	memset(lost, 0, sizeof(*lost));
	for (size_t i = 0; i < d->pages.ram.count; i++) {
		const struct range *r = &d->pages.ram.ranges[i];

		for (uint64_t pfn = r->offset; pfn < r->offset + r->length; pfn++) {
			if (page_class_of(d->healthy[pfn]) < PAGE_CLASSES || !is_left_out(trust, d->kinds[pfn]))
				continue;
			lost->pages[d->healthy[pfn]][d->kinds[pfn]]++;
			lost->all++;
		}
	}
}

static void print_lost(const struct lost *lost)
{
	for (enum page_kind is = 0; is < PAGE_KINDS; is++)
		for (enum page_kind seems = 0; seems < PAGE_KINDS; seems++)
			if (lost->pages[is][seems])
				printf("\t%" PRIu64 " of kind %s, seemingly %s\n", lost->pages[is][seems],
				       page_kind_name(is), page_kind_name(seems));
}

static void print_case(const char *name, uint64_t lost, const struct page_trust *trust)
{
	printf("%-60s %8" PRIu64 " ", name, lost);
	for (enum page_class c = 0; c < PAGE_CLASSES; c++)
		if (!trust->why[c][0])
			printf(" %s", page_class_name(c));
	for (enum page_class c = 0; c < PAGE_CLASSES; c++)
		if (trust->why[c][0] && (!c || strcmp(trust->why[c], trust->why[c - 1]) != 0))
			printf("; %s: %s", page_class_name(c), trust->why[c]);
	printf("\n");
}

/*
 * A small core takes milliseconds.  If page tables lead elsewhere, the vote looks up as many struct pages as page_vote.c
 * allows, each of which takes 35 times as long as a frame of the survey since it cannot be read: 0.15 s in all.  A
 * larger core has no more of these, so only the rest is compared with the undamaged core.
 */
static double longest(const struct damage *d)
{
	return d->usual * (SLOW_TIMES + LOOKUP_TIMES * (double)d->lookups / (double)d->frames);
}

/*
 * Judges the case, and takes the CPU time.  One that seems slow is tried again, and its shortest time counts:
 * the time is that of the kernel, too, which on a machine short of memory frees some when the core is mapped.
 */
static double judge(struct damage *d, const struct vmcoreinfo *info, struct page_trust *trust)
{
	double took = 0;

	for (int i = 0; !i || (i < SLOW_TRIES && took > longest(d)); i++) {
		double began = damage_seconds(), took_now;

		damage_judge(d, info, trust);
		took_now = damage_seconds() - began;
		if (!i || took_now < took)
			took = took_now;
	}
	return took;
}

static void take_time(struct damage *d, const char *name, double took)
{
	if (took > d->slowest) {
		d->slowest = took;
		snprintf(d->slowest_name, sizeof(d->slowest_name), "%s", name);
	}
	if (took > longest(d)) {
		d->slow++;
		printf("too slow: %s: %.3f s, at most %.3f, and the undamaged core %.3f s\n", name, took, longest(d),
		       d->usual);
	}
}

void damage_case(struct damage *d, const char *name, const struct vmcoreinfo *info)
{
	struct page_trust trust;
	const char *known;
	struct lost lost;

	if (strncmp(name, d->only, strlen(d->only)) != 0)
		return;
	take_time(d, name, judge(d, info, &trust));
	count_lost(&lost, d, &trust);
	known = damage_known(name, lost.all);
	d->cases++;
	d->losing += lost.all != 0;
	d->unknown += lost.all && !known;
	d->worst = max_u64(d->worst, lost.all);
	if (lost.all || d->verbose)
		print_case(name, lost.all, &trust);
	print_lost(&lost);
	if (lost.all && known)
		printf("\t%s\n", known);
	else if (lost.all)
		printf("not known: %s: %" PRIu64 " pages are lost\n", name, lost.all);
}

int main(int argc, char **argv)
{
	struct damage d = { .only = "" };
	int at = 1;

	if (argc > 1 && strcmp(argv[1], "-v") == 0) {
		d.verbose = true;
		at++;
	}
	if (argc - at < 1 || argc - at > 2)
		damage_die("usage", "page_damage [-v] CORE [CASE]");
	d.name = argv[at];
	if (argc - at == 2)
		d.only = argv[at + 1];
	damage_open(&d, false);
	damage_pages(&d);
	damage_sections(&d);
	damage_tables(&d);
	damage_note(&d);
	printf("%u cases, %u lose pages, at most %" PRIu64 ", %u of these are not known; %u are slow; the slowest "
	       "took %.3f s, and the undamaged core %.3f s: %s\n", d.cases, d.losing, d.worst, d.unknown, d.slow,
	       d.slowest, d.usual, d.slowest_name);
	damage_close(&d);
	return d.unknown || d.slow;
}
