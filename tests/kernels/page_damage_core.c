// SPDX-License-Identifier: GPL-2.0-or-later
/* A core that is damaged in memory, and the kinds of its pages. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "core/kinds/page_filter.h"
#include "page_damage.h"

enum { TEXT_MAX = 65536 / 2, CLASSES_ALL = (1 << PAGE_CLASSES) - 1, LOOKUPS_MAX = 1 << 19 };

_Noreturn void damage_die(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, why);
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

static void map_private(struct damage *d)
{
	void *at = mmap(d->bytes, d->size, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | (d->bytes ? MAP_FIXED : 0), d->fd, 0);

	if (at == MAP_FAILED)
		damage_die(d->name, "cannot be mapped");
	d->bytes = at;
}

/* Only the blocks that were changed, since writing takes longer than comparing. */
static void restore_shared(struct damage *d)
{
	for (uint64_t at = 0; at < d->size; at += 4096) {
		size_t len = min_u64(4096, d->size - at);

		if (memcmp(d->bytes + at, d->original + at, len) != 0)
			memcpy(d->bytes + at, d->original + at, len);
	}
}

/* A file in memory that other programs can read, with room for other notes at its end. */
static void map_shared(struct damage *d)
{
	uint64_t all = (d->size + 4095) / 4096 * 4096 + DAMAGE_NOTES_MAX;
	void *original = mmap(NULL, d->size, PROT_READ, MAP_PRIVATE, d->fd, 0), *at;

	d->shared_fd = memfd_create("core", MFD_CLOEXEC);
	if (d->shared_fd < 0 || ftruncate(d->shared_fd, (off_t)all) != 0)
		damage_die(d->name, "cannot be copied to memory");
	at = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_SHARED, d->shared_fd, 0);
	if (at == MAP_FAILED || original == MAP_FAILED)
		damage_die(d->name, "cannot be mapped");
	d->bytes = at;
	d->original = original;
	d->shared_size = all;
	restore_shared(d);
}

void damage_restore(struct damage *d)
{
	if (d->original)
		restore_shared(d);
	else
		map_private(d);
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

double damage_seconds(void)
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

void damage_judge(struct damage *d, const struct vmcoreinfo *info, struct page_trust *trust)
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

	d->lookups = 0;
	memset(d->kinds, PAGE_UNKNOWN, d->frames);
	virt_init(&virt, &d->core, info);
	if (!status)
		status = page_map_open(&map, &virt, &keys, &e);
	if (!status) {
		if (page_survey_run(&settings, &evidence, &e) ||
		    page_facts_collect(&facts, &map, &virt, &evidence, NULL, &e))
			damage_die(d->name, e.text);
		d->lookups = min_u64(facts.vote.words + facts.vote.mapped, LOOKUPS_MAX);
		page_trust_judge(trust, &facts);
	} else {
		page_trust_refuse_all(trust, e.text);
	}
	page_evidence_free(&evidence);
	page_map_close(&map);
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
		double began = damage_seconds(), took;

		damage_judge(d, &d->info, &trust);
		took = damage_seconds() - began;
		if (!i || took < d->usual)
			d->usual = took;
	}
	memcpy(d->healthy, d->kinds, d->frames);
	if (page_trust_classes(&trust) != CLASSES_ALL)
		damage_die(d->name, "the undamaged core is not trusted");
}

void damage_open(struct damage *d, bool shared)
{
	struct core_bytes bytes = { .read = read_bytes, .arg = d };
	uint32_t page_size;
	struct stat st;
	struct error e;

	d->fd = open(d->name, O_RDONLY | O_CLOEXEC);
	if (d->fd < 0 || fstat(d->fd, &st) || !st.st_size)
		damage_die(d->name, "cannot be opened, or is empty");
	d->size = bytes.size = (uint64_t)st.st_size;
	if (shared)
		map_shared(d);
	else
		map_private(d);
	if (core_open(&d->core, &bytes, &e) || vmcoreinfo_find(&d->core, &d->info, &e) ||
	    vmcoreinfo_page_size(&d->info, &page_size, &e) ||
	    pages_find(&d->pages, &d->core, page_size, NULL, &e))
		damage_die(d->name, e.text);
	d->frames = d->pages.end;
	d->healthy = malloc(d->frames);
	d->kinds = malloc(d->frames);
	if (!d->healthy || !d->kinds || d->info.size > TEXT_MAX)
		damage_die(d->name, "is too large");
	find_map(d);
	look_at_healthy(d);
}

void damage_close(struct damage *d)
{
	page_map_close(&d->map);
	pages_free(&d->pages);
	core_close(&d->core);
	free(d->healthy);
	free(d->kinds);
	munmap(d->bytes, d->original ? d->shared_size : d->size);
	if (d->original) {
		munmap((void *)(uintptr_t)d->original, d->size);
		close(d->shared_fd);
	}
	close(d->fd);
}
