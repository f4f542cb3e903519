// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *	page_damage_capture [-v] [-n N] CORE DIRECTORY [CASE]
 *
 * Captures damaged cores with nsplit -d 31: those of page_damage, of which each Nth is taken (1), and
 * all whose VMCOREINFO is cut.  For each, nsplit must succeed within CPU_SECONDS, and what njoin makes of
 * the set must be the core as it is damaged, but for zeros in pages that were left out.  Pages of the
 * kernel that are lost by this are counted: no more may be lost than is known (page_damage_known.c).
 *
 * nsplit and njoin are found by PATH.  The members are written to the directory.  CASE: only cases whose
 * names begin so.  Prints each case that loses pages, and with -v all of them.  Exit status 1: something
 * is not so; 2: no comparison.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "page_damage.h"

enum { CPU_SECONDS = 60 };

static struct {
	unsigned every, seen, failed;
	const char *directory;
	uint8_t *absent;		/* of each granule: it reads as zeros, and is something else */
	uint8_t *lost;			/* of each frame */
} run = { .every = 1 };

static void failed(const char *name, const char *what)
{
	run.failed++;
	printf("wrong: %s: %s\n", name, what);
}

/* --- the core as a file ---------------------------------------------------------------- */

static uint32_t put_note(uint8_t *at, const struct note *n, const void *desc, size_t size)
{
	uint32_t name = (uint32_t)n->name_size, padded = (name + 3) / 4 * 4;

	put_le32(at, name);
	put_le32(at + 4, (uint32_t)size);
	put_le32(at + 8, n->type);
	memcpy(at + 12, n->name, name);
	memcpy(at + 12 + padded, desc, size);
	return (uint32_t)((12 + padded + size + 3) / 4 * 4);
}

/* Points the program header of the notes elsewhere. */
static void move_notes(struct damage *d, uint64_t offset, uint64_t size)
{
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)d->bytes;
	Elf64_Phdr *ph = (Elf64_Phdr *)(void *)(d->bytes + header->e_phoff);

	for (unsigned i = 0; i < header->e_phnum; i++)
		if (ph[i].p_type == PT_NOTE) {
			ph[i].p_offset = offset;
			ph[i].p_filesz = size;
			return;
		}
	damage_die(d->name, "has no notes");
}

/* All notes once more, at the end, with another VMCOREINFO. */
static void put_notes(struct damage *d, const struct vmcoreinfo *info)
{
	uint64_t begin = d->shared_size - DAMAGE_NOTES_MAX;
	size_t at = 0, size = 0;
	struct note note;

	memset(d->bytes + begin, 0, DAMAGE_NOTES_MAX);
	while (core_next_note(&d->core, &at, &note)) {
		bool other = note_has_name(&note, "VMCOREINFO");

		if (size + note.desc_size + info->size + GRANULE > DAMAGE_NOTES_MAX)
			damage_die(d->name, "has too many notes");
		size += put_note(d->bytes + begin + size, &note, other ? info->text : (const char *)note.desc,
				 other ? info->size : note.desc_size);
	}
	move_notes(d, begin, size);
}

static void restore_notes(struct damage *d)
{
	memcpy(d->bytes, d->original, min_u64(GRANULE, d->size));
}

/* --- what is in the set ---------------------------------------------------------------- */

static bool is_zero(const uint8_t *bytes, size_t length)
{
	return !bytes[0] && !memcmp(bytes, bytes + 1, length - 1);
}

/* The next bytes of what njoin writes.  False: they are neither the core's nor zeros. */
static bool compare(const struct damage *d, uint64_t at, const uint8_t *got, size_t length)
{
	bool right = true;

	for (size_t i = 0; i < length; i += GRANULE) {
		size_t len = min_u64(GRANULE, length - i);

		if (!memcmp(got + i, d->bytes + at + i, len))
			continue;
		run.absent[(at + i) / GRANULE] = 1;
		right = is_zero(got + i, len) && right;
	}
	return right;
}

static void join(const struct damage *d, const char *name)
{
	static uint8_t got[256 * GRANULE];
	char command[1024];
	uint64_t at = 0;
	bool right = true;
	size_t len;
	int status;
	FILE *f;

	snprintf(command, sizeof(command), "cd '%s' && ulimit -t %d && exec njoin -q --zero-left-out -o - 0 1 2> said",
		 run.directory, CPU_SECONDS);
	memset(run.absent, 0, d->shared_size / GRANULE);
	f = popen(command, "r");
	if (!f)
		damage_die("njoin", "cannot be started");
	while ((len = fread(got, 1, min_u64(sizeof(got), d->shared_size - at + 1), f)) > 0) {
		if (at + len > d->shared_size)
			break;
		right = compare(d, at, got, len) && right;
		at += len;
	}
	status = pclose(f);
	if (status || at != d->shared_size)
		failed(name, "njoin does not write the whole core");
	if (!right)
		failed(name, "njoin writes something that was not in the core");
}

static void look_at_segment(const struct damage *d, const struct segment *s)
{
	for (uint64_t at = 0; at < s->filesz; at += d->keys.page_size) {
		uint64_t pfn = (s->paddr + at) / d->keys.page_size, offset = s->offset + at;
		uint64_t end = min_u64(offset + d->keys.page_size, s->offset + s->filesz);

		for (; offset < end; offset += GRANULE)
			if (run.absent[offset / GRANULE] && pfn < d->frames &&
			    page_class_of(d->healthy[pfn]) >= PAGE_CLASSES)
				run.lost[pfn] = 1;
	}
}

/* Pages of the kernel that are not in the set. */
static uint64_t count_lost(const struct damage *d)
{
	uint64_t lost = 0;

	memset(run.lost, 0, d->frames);
	for (size_t i = 0; i < d->core.segments_count; i++)
		look_at_segment(d, &d->core.segments[i]);
	for (uint64_t pfn = 0; pfn < d->frames; pfn++)
		lost += run.lost[pfn];
	return lost;
}

/* --- one case -------------------------------------------------------------------------- */

static void capture(const struct damage *d, const char *name)
{
	char command[1024];

	snprintf(command, sizeof(command),
		 "cd '%s' && ulimit -t %d && exec nsplit -q --overwrite-dumps -c -j2 -d 31 /proc/%d/fd/%d 0 1 > said 2>&1",
		 run.directory, CPU_SECONDS, (int)getpid(), d->shared_fd);
	if (system(command) != 0)
		failed(name, "nsplit fails");
}

static bool is_chosen(const struct damage *d, const char *name)
{
	if (strncmp(name, d->only, strlen(d->only)) != 0)
		return false;
	/* Of the notes that are cut, a hundred times as many: each ends at another line. */
	return !(run.seen++ % (strncmp(name, "cut ", 4) ? run.every : (run.every + 99) / 100));
}

void damage_case(struct damage *d, const char *name, const struct vmcoreinfo *info)
{
	const char *known;
	uint64_t lost;

	if (!is_chosen(d, name))
		return;
	if (info != &d->info)
		put_notes(d, info);
	capture(d, name);
	join(d, name);
	if (info != &d->info)
		restore_notes(d);
	lost = count_lost(d);
	known = damage_known(name, lost);
	d->cases++;
	d->losing += lost != 0;
	d->unknown += lost && !known;
	d->worst = max_u64(d->worst, lost);
	if (lost || d->verbose)
		printf("%-60s %8" PRIu64 "%s%s\n", name, lost, known ? " " : "", known ? known : "");
	if (lost && !known)
		printf("not known: %s: %" PRIu64 " pages are lost\n", name, lost);
	fflush(stdout);
}

static void open_run(struct damage *d)
{
	damage_open(d, true);
	run.absent = malloc(d->shared_size / GRANULE);
	run.lost = malloc(d->frames);
	if (!run.absent || !run.lost)
		damage_die(d->name, "is too large");
}

int main(int argc, char **argv)
{
	struct damage d = { .only = "" };
	int option;

	while ((option = getopt(argc, argv, "vn:")) != -1) {
		if (option == 'v')
			d.verbose = true;
		else if (option != 'n' || (run.every = (unsigned)atoi(optarg)) == 0)
			damage_die("usage", "page_damage_capture [-v] [-n N] CORE DIRECTORY [CASE]");
	}
	if (argc - optind < 2 || argc - optind > 3)
		damage_die("usage", "page_damage_capture [-v] [-n N] CORE DIRECTORY [CASE]");
	d.name = argv[optind];
	run.directory = argv[optind + 1];
	if (argc - optind == 3)
		d.only = argv[optind + 2];
	open_run(&d);
	damage_case(&d, "as it is", &d.info);
	damage_pages(&d);
	damage_sections(&d);
	damage_tables(&d);
	damage_note(&d);
	printf("%u captures, %u without a dump or with a wrong one, %u lose pages, at most %" PRIu64
	       ", %u of these are not known\n", d.cases, run.failed, d.losing, d.worst, d.unknown);
	free(run.absent);
	free(run.lost);
	damage_close(&d);
	return run.failed || d.unknown;
}
