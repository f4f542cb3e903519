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
 * more than is known (page_damage_known.c), or takes SLOW_TIMES as long as the undamaged core; 2: no
 * comparison.
 */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "core/page_survey.h"
#include "core/page_trust.h"
#include "page_damage.h"

enum { TEXT_MAX = 65536 / 2, CLASSES_ALL = (1 << PAGE_CLASSES) - 1, SLOW_TIMES = 30 };

_Noreturn void damage_die(const char *what, const char *why)
{
	fprintf(stderr, "page_damage: %s: %s\n", what, why);
	exit(2);
}

/* --- the core ------------------------------------------------------------------------- */

static enum status read_bytes(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	const struct damage *d = arg;

	if (offset > d->size || len > d->size - offset)
		return error_set(e, STATUS_MISSING, "the core is cut short");
	memcpy(dst, d->bytes + offset, len);
	return STATUS_OK;
}

void damage_restore(struct damage *d)
{
	void *at = mmap(d->bytes, d->size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | (d->bytes ? MAP_FIXED : 0), d->fd, 0);

	if (at == MAP_FAILED)
		damage_die(d->name, "cannot be mapped");
	d->bytes = at;
}

static uint8_t *in_segment(const struct damage *d, const struct segment *s, uint64_t paddr, uint64_t len)
{
	uint64_t within = paddr - s->paddr;

	return within < s->filesz && s->filesz - within >= len ? d->bytes + s->offset + within : NULL;
}

uint8_t *damage_at(const struct damage *d, uint64_t paddr, uint64_t len)
{
	uint8_t *at = NULL;

	for (size_t i = 0; i < d->core.segments_count && !at; i++)
		at = in_segment(d, &d->core.segments[i], paddr, len);
	return at;
}

void damage_put(struct damage *d, uint64_t paddr, uint64_t value)
{
	for (size_t i = 0; i < d->core.segments_count; i++) {
		uint8_t *at = in_segment(d, &d->core.segments[i], paddr, 8);

		if (at)
			put_le64(at, value);
	}
}

/* --- one case ------------------------------------------------------------------------- */

/* Of the processor: other programs may run on it, too. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void take_kinds(void *arg, uint64_t pfn, size_t count, const uint8_t *kinds)
{
	struct damage *d = arg;

	if (pfn < d->frames)
		memcpy(d->kinds + pfn, kinds, min_u64(count, d->frames - pfn));
}

static void judge(struct damage *d, const struct vmcoreinfo *info, struct page_trust *trust)
{
	struct page_keys keys;
	struct page_map map = { 0 };
	struct page_evidence evidence = { 0 };
	struct page_facts facts;
	struct virt virt;
	const struct virt *virts[] = { &virt };
	const struct page_survey_settings settings = {
		.map = &map, .virts = virts, .threads = 1, .deliver = take_kinds, .arg = d,
	};
	struct error e;
	enum status status = page_keys_find(&keys, info, &e);

	memset(d->kinds, PAGE_UNKNOWN, d->frames);
	virt_init(&virt, &d->core, info);
	if (!status)
		status = page_map_open(&map, &virt, &keys, &e);
	if (!status) {
		if (page_survey_run(&settings, &evidence, &e) ||
		    page_facts_collect(&facts, &map, &virt, &evidence, &e))
			damage_die(d->name, e.text);
		page_trust_judge(trust, &facts);
	} else {
		page_trust_refuse_all(trust, e.text);
	}
	page_evidence_free(&evidence);
	page_map_close(&map);
}

/* Lost pages by the kind that they have, and the one that they seem to have. */
struct lost {
	uint64_t all, pages[PAGE_KINDS][PAGE_KINDS];
};

static void count_lost(struct lost *lost, const struct damage *d, unsigned classes)
{
	memset(lost, 0, sizeof(*lost));
	for (size_t i = 0; i < d->pages.ram_count; i++) {
		const struct page_range *r = &d->pages.ram[i];

		for (uint64_t pfn = r->pfn; pfn < r->pfn + r->count; pfn++) {
			if (page_class_of(d->healthy[pfn]) < PAGE_CLASSES ||
			    !(classes & PAGE_CLASS_BIT(page_class_of(d->kinds[pfn]))))
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

static void take_time(struct damage *d, const char *name, double took)
{
	if (took > d->slowest) {
		d->slowest = took;
		snprintf(d->slowest_name, sizeof(d->slowest_name), "%s", name);
	}
	if (took > SLOW_TIMES * d->usual) {
		d->slow++;
		printf("too slow: %s: %.2f s, and the undamaged core %.2f s\n", name, took, d->usual);
	}
}

void damage_case(struct damage *d, const char *name, const struct vmcoreinfo *info)
{
	struct page_trust trust;
	double began = now();
	const char *known;
	struct lost lost;

	if (strncmp(name, d->only, strlen(d->only)) != 0)
		return;
	judge(d, info, &trust);
	take_time(d, name, now() - began);
	count_lost(&lost, d, page_trust_classes(&trust));
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

/* --------------------------------------------------------------------------------------- */

static void find_map(struct damage *d)
{
	struct error e;

	virt_init(&d->virt, &d->core, &d->info);
	if (page_keys_find(&d->keys, &d->info, &e) || page_map_open(&d->map, &d->virt, &d->keys, &e))
		damage_die(d->name, e.text);
}

/* The kinds as they are, and how long it takes to find them: the shorter one of two times. */
static void look_at_healthy(struct damage *d)
{
	struct page_trust trust;

	for (int i = 0; i < 2; i++) {
		double began = now(), took;

		judge(d, &d->info, &trust);
		took = now() - began;
		if (!i || took < d->usual)
			d->usual = took;
	}
	memcpy(d->healthy, d->kinds, d->frames);
	print_case("as it is", 0, &trust);
	if (page_trust_classes(&trust) != CLASSES_ALL)
		damage_die(d->name, "the undamaged core is not trusted");
}

static void open_core(struct damage *d)
{
	struct core_bytes bytes = { .read = read_bytes, .arg = d };
	uint32_t page_size;
	struct stat st;
	struct error e;

	d->fd = open(d->name, O_RDONLY | O_CLOEXEC);
	if (d->fd < 0 || fstat(d->fd, &st) || !st.st_size)
		damage_die(d->name, "cannot be opened, or is empty");
	d->size = bytes.size = (uint64_t)st.st_size;
	damage_restore(d);
	if (core_open(&d->core, &bytes, &e) || vmcoreinfo_find(&d->core, &d->info, &e) ||
	    vmcoreinfo_page_size(&d->info, &page_size, &e) ||
	    pages_find(&d->pages, &d->core, page_size, NULL, 0, &e))
		damage_die(d->name, e.text);
	d->frames = d->pages.end;
	d->healthy = malloc(d->frames);
	d->kinds = malloc(d->frames);
	if (!d->healthy || !d->kinds || d->info.size > TEXT_MAX)
		damage_die(d->name, "is too large");
	find_map(d);
	look_at_healthy(d);
}

static void close_core(struct damage *d)
{
	page_map_close(&d->map);
	pages_free(&d->pages);
	core_close(&d->core);
	free(d->healthy);
	free(d->kinds);
	munmap(d->bytes, d->size);
	close(d->fd);
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
	open_core(&d);
	damage_pages(&d);
	damage_sections(&d);
	damage_tables(&d);
	damage_note(&d);
	printf("%u cases, %u lose pages, at most %" PRIu64 ", %u of these are not known; %u are slow; the slowest "
	       "took %.2f s, and the undamaged core %.2f s: %s\n", d.cases, d.losing, d.worst, d.unknown, d.slow,
	       d.slowest, d.usual, d.slowest_name);
	close_core(&d);
	return d.unknown || d.slow;
}
