// SPDX-License-Identifier: GPL-2.0-or-later
/* The layout of a dump, for dump.c: headers, and where each page is. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "cmd/common/message.h"
#include "cmd/nsplit/dump.h"
#include "core/kinds/page_class.h"
#include "core/memory.h"

static void put_head(const void *arg, uint64_t from, size_t len, uint8_t *dst, uint64_t *bits)
{
	const struct nsplit_dump *d = arg;
	size_t of_head = from < d->form.bitmap1 ? min_u64(len, d->form.bitmap1 - from) : 0;

	memcpy(dst, d->head + (of_head ? from : 0), of_head);
	if (of_head < len)
		kdump_put_bitmaps(&d->form, from + of_head - d->form.bitmap1, len - of_head, dst + of_head, bits);
}

/* Between far addresses, the bitmaps may have gigabytes of zeros. */
static uint64_t next_head(const void *arg, uint64_t from, const uint64_t *bits)
{
	const struct nsplit_dump *d = arg;
	uint64_t start = d->form.bitmap1;

	return from < start ? from : start + kdump_bitmaps_next(&d->form, from - start, bits);
}

static void put_elf_head(const void *arg, uint64_t from, size_t len, uint8_t *dst, uint64_t *bits)
{
	const struct nsplit_dump *d = arg;

	(void)bits;
	memcpy(dst, d->elf.head + from, len);
}

static bool waits(const void *arg)
{
	const struct nsplit_dump *d = arg;

	return (d->pages.parts && page_parts_making(d->pages.parts)) || atomic_load(&d->ragged->reads);
}

static uint64_t rank_of(const struct nsplit_dump *d, const struct page_range *run)
{
	return d->layout.elf ? elf_form_place(&d->elf, run->pfn) : run->rank;
}

/* Pages of a run are in a run of an ELF core, too: both end where a segment ends. */
static bool next_pages(const void *arg, uint64_t offset, uint64_t end, struct dump_pages *pages)
{
	const struct nsplit_dump *d = arg;
	struct page_range run;

	do {
		if (!pages_next_run_in_source(&d->pages, offset, end, &run))
			return false;
		offset = run.offset + run.count * d->pages.page_size;
	} while (pages_run_is_lost(&d->pages, &run));
	*pages = (struct dump_pages){ .offset = run.offset, .rank = rank_of(d, &run), .count = run.count };
	return true;
}

/* Returns whether the page can be read. */
static bool read_ragged(const struct nsplit_dump *d, uint64_t pfn)
{
	struct ragged_reader *r = d->ragged;
	uint32_t size = d->pages.page_size;
	struct error e;
	bool good;

	atomic_store(&r->reads, true);
	good = !memory_read_page(&d->core, pfn * size, size, r->page, &e);
	atomic_store(&r->reads, false);
	if (!good && message_list_next(&r->unreadable) == ENTRY_LISTED)
		message("unreadable: page at physical address 0x%" PRIx64 " (%s)", pfn * size, e.text);
	return good;
}

/* Those that are kept. */
static bool next_ragged(const void *arg, size_t *i, uint64_t *rank, const uint8_t **page)
{
	const struct nsplit_dump *d = arg;
	const struct pages *p = &d->pages;
	struct page_range run;

	for (; *i < p->ranges_count; ++*i) {
		uint64_t pfn = p->ranges[*i].pfn;

		if (!p->ranges[*i].ragged || !pages_next_run(p, pfn, pfn + 1, &run) || pages_run_is_lost(p, &run))
			continue;
		*rank = rank_of(d, &run);
		*page = read_ragged(d, pfn) ? d->ragged->page : NULL;
		return true;
	}
	return false;
}

static enum status make_ragged_reader(struct nsplit_dump *d, struct error *e)
{
	free(d->ragged);
	d->ragged = calloc(1, sizeof(*d->ragged) + d->pages.page_size);
	if (!d->ragged)
		return error_system(e, ENOMEM, "%s", d->source->name);
	d->ragged->unreadable.limit = RANGES_LISTED;
	return STATUS_OK;
}

/* The form has one codec: options.c refuses others. */
static uint32_t flag_of(const struct capture_settings *settings)
{
	return kdump_flag(settings->presets.list[0].codec->id);
}

void nsplit_dump_put_codec(struct nsplit_dump *d, const struct capture_settings *settings)
{
	d->layout.flag = flag_of(settings);
	put_le32(d->head + KDUMP_HEADER_STATUS, d->layout.flag | KDUMP_INCOMPLETE);
}

static enum status make_elf(struct nsplit_dump *d, struct error *e)
{
	enum status status;

	elf_form_free(&d->elf);
	status = elf_form_init(&d->elf, &d->core, &d->pages, e);

	d->layout = (struct dump_layout){
		.elf = true,
		.page_size = d->pages.page_size,
		.head = d->elf.head_length,
		.pages = d->elf.places,
		.cut = d->pages.lost || d->changed,
		.put_head = put_elf_head, .next_pages = next_pages, .next_ragged = next_ragged, .waits = waits,
		.arg = d,
	};
	return status;
}

static enum status make_kdump(struct nsplit_dump *d, const struct capture_settings *settings, unsigned left_out,
			       struct error *e)
{
	struct kdump_part whole = kdump_whole(&d->pages);

	kdump_init(&d->form, &d->core, &d->info, &d->pages);
	d->form.dump_level = dump_level_of_classes(left_out) | (d->zero ? DUMP_LEVEL_ZERO : 0);
	free(d->head);
	d->head = malloc(d->form.bitmap1);
	if (!d->head)
		return error_system(e, ENOMEM, "headers of the dump");
	kdump_put_head(&d->form, &whole, flag_of(settings) | KDUMP_INCOMPLETE, d->head);
	d->layout = (struct dump_layout){
		.page_size = d->pages.page_size,
		.flag = flag_of(settings),
		.head = d->form.descriptors,
		.pages = d->pages.count,
		.cut = d->pages.lost || d->changed,
		.put_head = put_head, .next_head = next_head, .next_pages = next_pages, .next_ragged = next_ragged, .waits = waits,
		.arg = d,
	};
	return STATUS_OK;
}

enum status nsplit_dump_make_layout(struct nsplit_dump *d, const struct capture_settings *settings, unsigned left_out,
				    struct error *e)
{
	enum status status = make_ragged_reader(d, e);

	if (status)
		return status;
	return d->layout.elf ? make_elf(d, e) : make_kdump(d, settings, left_out, e);
}
