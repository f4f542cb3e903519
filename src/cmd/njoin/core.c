// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/search.h"
#include "base/text.h"
#include "cmd/njoin/core.h"
#include "export/set_core.h"
#include "set/dump.h"

static void name_of(const struct note *note, char name[NOTE_NAME_LENGTH])
{
	size_t len = min_u64(note->name_size, NOTE_NAME_LENGTH - 1);

	memcpy(name, note->name, len);
	name[len] = '\0';
	text_make_printable(name);
}

static void count_note(struct core_summary *l, const struct note *note)
{
	struct note_kind kind = { .type = note->type };
	size_t i = 0;

	name_of(note, kind.name);
	while (i < l->note_kinds && (l->notes[i].type != kind.type ||
				     strcmp(l->notes[i].name, kind.name) != 0))
		i++;
	if (i == NOTE_KINDS_MAX)
		return;
	if (i == l->note_kinds)
		l->notes[l->note_kinds++] = kind;
	l->notes[i].count++;
	l->notes[i].bytes += note->desc_size;
}

static void count_notes(struct core_summary *l)
{
	struct note note;
	size_t at = 0;

	while (core_next_note(&l->source.core, &at, &note))
		count_note(l, &note);
	l->cpus = core_count_cpus(&l->source.core);
}

/* The text with a zero byte at its end; NULL: there is none, or no memory for it. */
static char *copy_erased(const struct core *core)
{
	size_t size = core_erased(core, NULL);
	char *text = size ? malloc(size + 1) : NULL;

	if (text)
		text[core_erased(core, text)] = '\0';
	return text;
}

void erased_print(const struct core *core, unsigned limit)
{
	char *text = copy_erased(core), *rest = NULL;
	unsigned count = 0;

	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
		if (count++ < limit)
			printf("erased by makedumpfile: %s\n", text_make_printable(line));
	if (count > limit)
		printf("erased by makedumpfile: %u more line%s; -v lists all of them\n", count - limit,
		       plural(count - limit));
	free(text);
}

void erased_json(struct json *json, const struct core *core)
{
	char *text = copy_erased(core), *rest = NULL;

	json_array(json, "erased");
	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
		json_text(json, NULL, text_make_printable(line));
	json_close_array(json);
	free(text);
}

static void make_printable(struct uts *uts)
{
	text_make_printable(uts->sysname);
	text_make_printable(uts->nodename);
	text_make_printable(uts->release);
	text_make_printable(uts->version);
	text_make_printable(uts->machine);
	text_make_printable(uts->domainname);
}

static bool read_crash_time(const struct vmcoreinfo *info, int64_t *seconds)
{
	char text[32], *end;

	if (!vmcoreinfo_text(info, "CRASHTIME", text, sizeof(text)))
		return false;
	errno = 0;
	*seconds = strtoll(text, &end, 10);
	return end != text && !*end && !errno;
}

/* Without VMCOREINFO, the machine is known from the ELF header, and more from the header of a dump. */
static uint32_t read_kernel(struct core_summary *l, struct vmcoreinfo *info)
{
	uint32_t page_size;
	struct error ignored;
	struct virt virt;

	l->has_info = !vmcoreinfo_find(&l->source.core, info, &ignored);
	l->has_page_size = set_is_dump(l->set) || !vmcoreinfo_page_size(info, &page_size, &ignored);
	set_core_page_size(l->set, &l->source.core, info, &page_size, &ignored);
	l->has_crash_time = read_crash_time(info, &l->crash_time);
	virt_init(&virt, &l->source.core, info);
	l->uts = uts_find(&virt);
	l->has_kernel = set_core_uts(l->set, &l->uts) || l->has_info;
	make_printable(&l->uts);
	return page_size;
}

static int by_offset(const void *a, const void *b)
{
	const struct segment *x = *(const struct segment *const *)a;
	const struct segment *y = *(const struct segment *const *)b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Of segments that share bytes of the file, which no writer makes, the first stays. */
static enum status sort_segments(struct core_summary *l, struct error *e)
{
	const struct core *core = &l->source.core;
	uint64_t end = 0;
	size_t kept = 0;

	l->by_offset = calloc(core->segments_count, sizeof(*l->by_offset));
	if (!l->by_offset)
		return error_system(e, ENOMEM, "%zu segments", core->segments_count);
	for (size_t i = 0; i < core->segments_count; i++)
		l->by_offset[i] = &core->segments[i];
	qsort(l->by_offset, core->segments_count, sizeof(*l->by_offset), by_offset);
	for (size_t i = 0; i < core->segments_count; i++) {
		const struct segment *s = l->by_offset[i];

		if (!s->filesz || s->offset < end)
			continue;
		end = s->offset + s->filesz;
		l->by_offset[kept++] = s;
	}
	l->by_offset_count = kept;
	return STATUS_OK;
}

/* A core that was cut short before it was captured. */
static void add_cut(struct core_summary *l)
{
	const struct core *core = &l->source.core;
	uint64_t size = core->bytes.size, end = core_segments_end(core);

	if (end > size)
		l->missing[l->missing_count++] = (struct range){ size, end - size };
}

/* With space for what add_cut() adds. */
static enum status copy_missing(struct core_summary *l, const struct set_absent *absent,
				struct error *e)
{
	l->missing = calloc(absent->missing_count + 1, sizeof(*l->missing));
	if (!l->missing)
		return error_system(e, ENOMEM, "list of missing ranges");
	if (absent->missing_count)
		memcpy(l->missing, absent->missing, absent->missing_count * sizeof(*l->missing));
	l->missing_count = absent->missing_count;
	return STATUS_OK;
}

enum status core_summary_make(struct core_summary *l, const struct set *set,
			      const struct set_absent *absent, unsigned threads, struct error *e)
{
	const struct absent gone = set_absent_view(absent);
	struct vmcoreinfo info;
	uint32_t page_size;
	enum status status;

	*l = (struct core_summary){ .set = set, .absent = absent };
	status = set_core_open(&l->source, set, e);
	if (status)
		return status;
	page_size = read_kernel(l, &info);
	count_notes(l);
	status = sort_segments(l, e);
	if (!status)
		status = copy_missing(l, absent, e);
	if (!status)
		status = pages_find_but(&l->pages, &l->source.core, page_size, &gone, e);
	if (!status && l->has_info)
		status = set_filter_apply(&l->filter, &l->pages, &l->source, &info, threads, 0, e);
	if (!status)
		add_cut(l);
	return status;
}

void core_summary_free(struct core_summary *l)
{
	set_core_close(&l->source);
	pages_free(&l->pages);
	free(l->missing);
	free(l->by_offset);
}

struct sought {
	const struct core_summary *summary;
	uint64_t offset;
};

static bool ends_before(const void *arg, size_t i)
{
	const struct sought *s = arg;
	const struct segment *segment = s->summary->by_offset[i];

	return segment->offset + segment->filesz <= s->offset;
}

/* The first segment that ends after an offset. */
static size_t find_segment(const struct core_summary *l, uint64_t offset)
{
	const struct sought sought = { .summary = l, .offset = offset };

	return search_first(l->by_offset_count, ends_before, &sought);
}

bool core_summary_lost(const struct core_summary *l, const struct range *missing, uint64_t *at,
		       struct lost_memory *lost)
{
	uint64_t from = max_u64(*at, missing->offset), to = missing->offset + missing->length;
	size_t i = find_segment(l, from);
	const struct segment *s;

	if (from >= to || i == l->by_offset_count || l->by_offset[i]->offset >= to)
		return false;
	s = l->by_offset[i];
	from = max_u64(from, s->offset);
	*at = min_u64(to, s->offset + s->filesz);
	*lost = (struct lost_memory){
		.paddr = s->paddr + (from - s->offset),
		.length = *at - from,
		.segment = (size_t)(s - l->source.core.segments),
	};
	return true;
}
