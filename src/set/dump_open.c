// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens dumps: their headers, their parts, and the core that they are read as. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "set/dump.h"
#include "set/dump_core.h"
#include "set/made.h"

bool dump_recognise_all(const struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		if (dump_recognise(names->names[i]) == DUMP_NONE)
			return false;
	return names->count;
}

static enum status cut_short(const struct dump_file *f, struct error *e)
{
	if (f->damage)
		return error_set(e, STATUS_DAMAGED, "%s", f->damage);
	return error_set(e, STATUS_CUT, "%s: cut short: the dump ends at byte %" PRIu64 ", before its first "
			 "page", f->name, f->size);
}

/* What has to be there. */
static enum status read_all(const struct dump_file *f, void *bytes, size_t len, uint64_t offset, struct error *e)
{
	size_t got;
	enum status status = dump_file_read(f, bytes, len, offset, &got, e);

	return status == STATUS_MISSING ? cut_short(f, e) : status;
}

/* --- one file ------------------------------------------------------------------ */

static enum status read_header(struct dump_part *p, struct kdump_header *h, struct error *e)
{
	uint8_t raw[KDUMP_HEADER_LENGTH], sub[KDUMP_SUB_HEADER_LENGTH];
	enum status status = read_all(&p->file, raw, sizeof(raw), 0, e);

	if (status)
		return status;
	if (memcmp(raw, "KDUMP   ", 8) != 0)
		return error_set(e, STATUS_USAGE, "%s: unsupported dump: not kdump-compressed", p->file.name);
	status = kdump_header_decode(h, raw);
	if (status == STATUS_USAGE)
		return error_set(e, status, "%s: unsupported dump: not of a 64-bit little-endian machine",
				 p->file.name);
	if (status)
		return error_set(e, status, "%s: damaged: the header of the dump", p->file.name);
	status = read_all(&p->file, sub, sizeof(sub), h->block_size, e);
	if (!status && kdump_sub_header_decode(h, sub))
		status = error_set(e, STATUS_DAMAGED, "%s: damaged: the second header of the dump",
				   p->file.name);
	return status;
}

static enum status read_notes(const struct dump_file *f, const struct kdump_header *h, struct dump_notes *notes,
			      struct error *e)
{
	uint64_t size = h->notes_size ? h->notes_size : h->vmcoreinfo_size;
	uint64_t at = h->notes_size ? h->notes : h->vmcoreinfo;

	*notes = (struct dump_notes){ .size = size, .vmcoreinfo_only = !h->notes_size };
	if (!size)
		return STATUS_OK;
	notes->bytes = malloc(size);
	if (!notes->bytes)
		return error_system(e, ENOMEM, "%s: notes of %" PRIu64 " bytes", f->name, size);
	return read_all(f, notes->bytes, size, at, e);
}

/* --- all of them ----------------------------------------------------------------- */

/* The other parts of a split dump have the same headers and notes, but for the pages that they hold. */
static bool is_of_same(const struct kdump_header *a, const struct dump_notes *a_notes,
		       const struct kdump_header *b, const struct dump_notes *b_notes)
{
	return a->split && b->split && a->block_size == b->block_size && a->bitmap1 == b->bitmap1 &&
	       a->bitmap_size == b->bitmap_size && a->frames == b->frames &&
	       !memcmp(a->uts, b->uts, sizeof(a->uts)) && a_notes->size == b_notes->size && a_notes->vmcoreinfo_only == b_notes->vmcoreinfo_only &&
	       (!a_notes->size || !memcmp(a_notes->bytes, b_notes->bytes, a_notes->size));
}

/* h and notes are those of the first part; the first time, they are not known yet. */
static enum status read_part(struct dump *d, struct dump_part *p, struct kdump_header *h,
			     struct dump_notes *notes, struct error *e)
{
	struct dump_notes own_notes = { .bytes = NULL };
	struct kdump_header own;
	enum status status = read_header(p, &own, e);

	if (!status)
		status = read_notes(&p->file, &own, &own_notes, e);
	if (!status && p != d->parts && !is_of_same(h, notes, &own, &own_notes))
		status = error_set(e, STATUS_USAGE, "%s: is not of the same split dump as %s", p->file.name,
				   d->parts[0].file.name);
	if (!status) {
		p->first_page = own.split ? own.first_page : 0;
		p->end_page = own.split ? own.end_page : own.frames;
		p->descriptors = kdump_descriptors_offset(&own);
		d->flags |= own.flags;
	}
	if (p != d->parts) {
		free(own_notes.bytes);
		return status;
	}
	*h = own;
	*notes = own_notes;
	return status;
}

static int by_first_page(const void *a, const void *b)
{
	const struct dump_part *x = a, *y = b;

	return (x->first_page > y->first_page) - (x->first_page < y->first_page);
}

/* Every page is in one of the files, or in none; none is in two. */
static enum status rank_parts(struct dump *d, const struct dump_runs *runs, struct error *e)
{
	for (size_t i = 0; i < d->count; i++) {
		struct dump_part *p = &d->parts[i];

		if (i && p->first_page < d->parts[i - 1].end_page)
			return error_set(e, STATUS_USAGE, "%s: has pages that %s has", p->file.name,
					 d->parts[i - 1].file.name);
		p->first_rank = dump_runs_rank(runs, p->first_page);
		p->end_rank = dump_runs_rank(runs, p->end_page);
	}
	return STATUS_OK;
}

/* makedumpfile cuts the bitmaps of files without pages short, and others may be cut. */
static const struct dump_file *longest_file(const struct dump *d)
{
	const struct dump_file *longest = &d->parts[0].file;

	for (size_t i = 1; i < d->count; i++)
		if (d->parts[i].file.size > longest->size)
			longest = &d->parts[i].file;
	return longest;
}

static enum status make_core(struct dump *d, const struct kdump_header *h, const struct dump_notes *notes,
			     struct error *e)
{
	const struct dump_file *f = longest_file(d);
	struct dump_runs runs = { .runs = NULL };
	enum status status;

	if (f->size <= kdump_descriptors_offset(h))
		return cut_short(f, e);
	status = dump_runs_read(&runs, f, h, e);
	if (!status)
		status = rank_parts(d, &runs, e);
	d->pages = runs.pages;
	d->runs = runs.count;
	if (!status && !dump_core_head(h, &runs, notes, &d->head, &d->head_size))
		status = error_system(e, ENOMEM, "%s: headers of its core", f->name);
	free(runs.runs);
	return status;
}

static enum status read_dump(struct dump *d, struct error *e)
{
	struct dump_notes notes = { .bytes = NULL };
	struct kdump_header h;
	enum status status = STATUS_OK;

	for (size_t i = 0; i < d->count && !status; i++)
		status = read_part(d, &d->parts[i], &h, &notes, e);
	if (!status) {
		qsort(d->parts, d->count, sizeof(*d->parts), by_first_page);
		d->page_size = h.block_size;
		d->level = h.level;
		d->version = h.version;
		d->split = h.split;
		memcpy(d->uts, h.uts, sizeof(d->uts));
		status = make_core(d, &h, &notes, e);
	}
	free(notes.bytes);
	return status;
}

/* With space for so many files. */
static enum status begin_dump(struct set *set, const char *name, size_t count, struct error *e)
{
	enum status status = made_begin(set, name, e);
	struct member *m = set->members;

	if (status)
		return status;
	m->dump = calloc(1, sizeof(*m->dump));
	if (m->dump)
		m->dump->parts = calloc(count, sizeof(*m->dump->parts));
	return m->dump && m->dump->parts ? STATUS_OK : error_system(e, ENOMEM, "%s", name);
}

static enum status end_dump(struct set *set, struct error *e)
{
	struct member *m = set->members;
	enum status status = read_dump(m->dump, e);

	if (status)
		return status;
	m->identity = m->dump->parts[0].file.identity;
	m->size = m->dump->head_size + m->dump->pages * m->dump->page_size;
	status = made_check_size(m->name, m->size, e);
	if (!status)
		status = made_end(set, m->dump->page_size, e);
	if (!status)
		snprintf(m->superblock.codec, sizeof(m->superblock.codec), "%s", dump_codec_name(m->dump));
	return status;
}

enum status dump_open(struct set *set, const struct names *names, struct error *e)
{
	enum status status = begin_dump(set, names->names[0], names->count, e);

	for (size_t i = 0; i < names->count && !status; i++) {
		const char *name = names->names[i];
		struct dump *d = set->members[0].dump;

		status = dump_file_open(&d->parts[d->count++].file, name, dump_recognise(name), e);
	}
	return status ? status : end_dump(set, e);
}

enum status dump_open_file(struct set *set, struct dump_file *file, struct error *e)
{
	enum status status = begin_dump(set, file->name, 1, e);

	if (status) {
		dump_file_close(file);
		return status;
	}
	set->members[0].dump->parts[0].file = *file;
	set->members[0].dump->count = 1;
	return end_dump(set, e);
}
