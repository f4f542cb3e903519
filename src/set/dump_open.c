// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens dumps as sets, with the core that they are read as. */
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/names.h"
#include "core/elf.h"
#include "set/dump_header.h"
#include "set/plain.h"
#include "set/read/range.h"

/* --- the headers of all files ---------------------------------------------------- */

static enum status not_of_same(const struct dump_file *f, const struct dump_file *other, struct error *e)
{
	return error_set(e, STATUS_USAGE, "%s: is not of the same split dump as %s", f->name, other->name);
}

static bool are_same_notes(const struct dump_notes *a, const struct dump_notes *b)
{
	return a->size == b->size && (!a->size || !memcmp(a->bytes, b->bytes, a->size));
}

/* What the notes say of the crash. */
struct crash {
	uint64_t time;			/* 0: unknown */
	char release[UTS_TEXT];		/* of the kernel; "": unknown */
};

static struct crash crash_of(const struct dump_part *p)
{
	const struct core core = dump_notes_core(&p->notes);
	struct crash crash = { .time = 0 };
	struct vmcoreinfo info;
	struct error ignored;

	vmcoreinfo_find(&core, &info, &ignored);
	if (!vmcoreinfo_number(&info, "CRASHTIME", &crash.time))
		crash.time = 0;
	if (!vmcoreinfo_text(&info, "OSRELEASE", crash.release, sizeof(crash.release)))
		crash.release[0] = '\0';
	return crash;
}

/*
 * Are both of one crash?  All files of a split dump have the same headers and notes, unless some of them are damaged.  The
 * time of the crash tells, and the kernel: both are in the header and in the notes, and the header of one file may be
 * damaged, and the notes of another one.  Kernels before 2.6.33 do not write the time: there, the notes must be the same.
 */
static bool is_of_same_crash(const struct dump_part *x, const struct dump_part *y)
{
	const struct crash a = crash_of(x), b = crash_of(y);
	bool same_time = (x->header.time && x->header.time == y->header.time) || (a.time && a.time == b.time);
	bool same_kernel = !memcmp(x->header.uts, y->header.uts, sizeof(x->header.uts)) ||
			   !*a.release || !*b.release || strcmp(a.release, b.release) == 0;

	return are_same_notes(&x->notes, &y->notes) || (same_kernel && same_time);
}

/* A part without pages is before all others. */
static void take_header(struct dump *d, struct dump_part *p)
{
	const struct kdump_header *h = &p->header;

	p->first_page = h->split ? h->first_page : 0;
	p->end_page = h->split ? h->end_page : h->frames;
	if (p->first_page == p->end_page)
		p->first_page = p->end_page = 0;
	p->descriptors = kdump_descriptors_offset(h);
	d->flags |= h->flags;
}

/* What all files have: a field of the header, or the notes. */
static const struct common_field {
	const char *name;
	size_t at, size;		/* size 0: the notes */
} common_fields[] = {
#define FIELD(name, field) { name, offsetof(struct kdump_header, field), sizeof(((struct kdump_header *)0)->field) }
	FIELD("the utsname", uts),
	FIELD("the time of the crash", time),
	FIELD("the level", level),
	FIELD("phys_base", phys_base),
	FIELD("the size of a block", block_size),
	FIELD("the place of the bitmaps", bitmap1),
	FIELD("the size of the bitmaps", bitmap_size),
	{ "a note", 0, 0 },
#undef FIELD
};
enum { FIELDS = sizeof(common_fields) / sizeof(*common_fields) };

static bool have_same(const struct dump_part *a, const struct dump_part *b, const struct common_field *field)
{
	if (!field->size)
		return are_same_notes(&a->notes, &b->notes);
	return !memcmp((const char *)&a->header + field->at, (const char *)&b->header + field->at, field->size);
}

/* What most files say, or else the first one, and of the notes, those with the right time. */
static size_t choose_header(const struct dump *d, const struct common_field *field)
{
	size_t best = 0, best_votes = 0;

	for (size_t i = 0; i < d->count; i++) {
		const struct dump_part *p = &d->parts[i];
		size_t votes = 0;

		if (p->unusable)
			continue;
		for (size_t k = 0; k < d->count; k++)
			votes += !d->parts[k].unusable && have_same(p, &d->parts[k], field);
		/* The time in the header is a copy of that in the notes. */
		votes += !field->size && p->header.time && crash_of(p).time == p->header.time;
		if (votes <= best_votes)
			continue;
		best = i;
		best_votes = votes;
	}
	return best;
}

/* Uses it for all files.  *of is the one that has it. */
static enum status settle(struct dump *d, const struct common_field *field, size_t *of, struct error *e)
{
	const struct dump_part *right;

	*of = choose_header(d, field);
	right = &d->parts[*of];
	for (size_t i = 0; i < d->count; i++) {
		struct dump_part *p = &d->parts[i];

		if (p->unusable || have_same(right, p, field))
			continue;
		error_set(e, STATUS_DAMAGED, "%s: damaged: %s in the header differs from that of %s, which is used",
			  p->file.name, field->name, right->file.name);
		if (names_append(&d->findings, e->text, SIZE_MAX, e))
			return e->status;
		p->level_differs |= field->size && field->at == offsetof(struct kdump_header, level);
		if (field->size)
			memcpy((char *)&p->header + field->at, (const char *)&right->header + field->at, field->size);
	}
	return STATUS_OK;
}

/* Whether the files belong together is one question, and what of their headers is damaged another one. */
static enum status check_same(const struct dump *d, struct error *e)
{
	const struct dump_part *right = &d->parts[choose_header(d, &common_fields[FIELDS - 1])];

	if (right->unusable)
		return error_set(e, STATUS_DAMAGED, "%s", d->parts[0].unusable);
	for (size_t i = 0; i < d->count; i++) {
		const struct dump_part *p = &d->parts[i];

		if (!p->unusable && p != right &&
		    (!p->header.split || !right->header.split || !is_of_same_crash(right, p)))
			return not_of_same(&p->file, &right->file, e);
	}
	if (d->count > 1 && !right->header.split)
		return not_of_same(&d->parts[right == d->parts].file, &right->file, e);
	return STATUS_OK;
}

static enum status read_headers(struct dump *d, struct error *e)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < d->count && !status; i++) {
		struct dump_part *p = &d->parts[i];
		size_t known = d->findings.count;

		status = dump_header_read(d, p, &p->header, &p->notes, e);
		/* Zeros are a possible one, but not in a file of a split dump. */
		if (!status && d->count > 1 && !p->header.split && !p->header.level && !p->notes.size)
			status = error_set(e, STATUS_DAMAGED, "%s: damaged: the second header of the dump", p->file.name);
		if (d->count == 1 || !status || status == STATUS_USAGE || status == STATUS_NO_MEMORY)
			continue;
		/* Nothing of its headers is used. */
		while (d->findings.count > known)
			names_remove(&d->findings, d->findings.count - 1);
		p->header = (struct kdump_header){ .flags = 0 };
		/* Only the rest of the dump can be read.  The file is behind all others. */
		p->first_page = p->end_page = UINT64_MAX;
		p->unusable = strdup(e->text);
		status = p->unusable ? STATUS_OK : error_system(e, ENOMEM, "%s", p->file.name);
	}
	return status ? status : check_same(d, e);
}

/*
 * Reads the headers of all files.  *h and the notes are those of the first file that has them; free notes->bytes.
 * Another file of a split dump whose headers are not there gets a reason in part->unusable, and has no pages.
 * STATUS_USAGE: the files are not the parts of one dump.
 */
static enum status read_all_headers(struct dump *d, struct kdump_header *h, struct dump_notes *notes, struct error *e)
{
	enum status status = read_headers(d, e);
	uint64_t frames = 0;
	size_t of = 0;

	for (size_t i = 0; i < FIELDS && !status; i++)
		status = settle(d, &common_fields[i], &of, e);
	if (status)
		return status;
	for (size_t i = 0; i < d->count; i++) {
		if (d->parts[i].unusable)
			continue;
		take_header(d, &d->parts[i]);
		/* Bits behind the last page are zeros, so more frames are no harm. */
		frames = max_u64(frames, d->parts[i].header.frames);
	}
	*h = d->parts[of].header;
	h->frames = frames;
	*notes = d->parts[of].notes;
	d->parts[of].notes = (struct dump_notes){ .bytes = NULL };
	return STATUS_OK;
}

/* --- bitmaps ------------------------------------------------------------------------- */

/* Those that say which pages are in the dump. */
static bool has_bits(const struct dump_part *p, const struct kdump_header *h)
{
	return !p->unusable && dump_file_has(&p->file, h->bitmap1 + h->bitmap_size, divide_up(h->frames, 8), HOLES_ZERO);
}

/* makedumpfile cuts the bitmaps of files without pages short, and others may be cut. */
static const struct dump_part *choose_bitmaps(const struct dump *d, const struct kdump_header *h)
{
	const struct dump_part *longest = NULL;

	for (size_t i = 0; i < d->count; i++) {
		const struct dump_part *p = &d->parts[i];

		if (has_bits(p, h) && p->file.size > kdump_descriptors_offset(h) &&
		    dump_file_has(&p->file, h->bitmap1, divide_up(h->frames, 8), HOLES_ZERO))
			return p;
		if (!p->unusable && (!longest || p->file.size > longest->file.size))
			longest = p;
	}
	return longest;
}

/* What the bitmaps of a file say. */
struct opinion {
	struct dump_runs runs;		/* none if another file has the same; owned */
	size_t like;			/* the first file with the same; SIZE_MAX: not known */
	bool reported;
};

static bool are_same_runs(const struct dump_runs *a, const struct dump_runs *b)
{
	size_t i = 0;

	while (i < a->count && i < b->count && a->runs[i].pfn == b->runs[i].pfn && a->runs[i].count == b->runs[i].count &&
	       a->runs[i].kept == b->runs[i].kept)
		i++;
	return i == a->count && i == b->count;
}

/* What cannot be read is not the same as anything. */
static enum status read_opinions(struct dump *d, const struct kdump_header *h, struct opinion *o, struct error *e)
{
	for (size_t i = 0, k; i < d->count; i++) {
		const struct dump_part *p = &d->parts[i];
		enum status status = has_bits(p, h) ? dump_runs_read(&o[i].runs, &p->file, h, 0, h->frames, e) : STATUS_MISSING;

		o[i].like = SIZE_MAX;
		if (status == STATUS_NO_MEMORY)
			return status;
		if (status == STATUS_SYSTEM)
			error_prefix(e, "the bitmap of its pages cannot be read, and that of another file is used: ");
		if (status == STATUS_SYSTEM && names_append(&d->findings, e->text, SIZE_MAX, e))
			return e->status;
		if (status)
			continue;
		for (k = 0; k < i && !(o[k].like == k && are_same_runs(&o[k].runs, &o[i].runs)); k++)
			continue;
		o[i].like = k;
		if (k == i)
			continue;
		free(o[i].runs.runs);
		o[i].runs = (struct dump_runs){ 0 };
	}
	return STATUS_OK;
}

/* How well a bitmap fits the descriptors of a file. */
static enum dump_fit fit_of(const struct dump *d, const struct dump_runs *runs, const struct dump_part *p)
{
	if (p->unusable || p->first_page == p->end_page)
		return DUMP_MISFIT;
	return dump_fits(d, p, dump_runs_rank(runs, p->end_page) - dump_runs_rank(runs, p->first_page));
}

/* The same of all files; that of one, if it is not NULL, counts more than all others. */
static size_t count_fitting(const struct dump *d, const struct dump_runs *runs, const struct dump_part *p)
{
	size_t fitting = p ? fit_of(d, runs, p) * (d->count * DUMP_FIT + 1) : 0;

	for (size_t i = 0; i < d->count; i++)
		fitting += fit_of(d, runs, &d->parts[i]);
	return fitting;
}

/*
 * For the pages of a file, or for those of none.  A bitmap says how many descriptors each file has, and they say which
 * bitmap is right.  If that does not tell, it is what most files say, and then what the first one says, which is all that
 * makedumpfile --reassemble reads.  SIZE_MAX: none is there.
 */
static size_t choose_opinion(const struct dump *d, const struct opinion *o, const struct dump_part *p)
{
	size_t best = SIZE_MAX, best_votes = 0, best_fitting = 0;

	for (size_t i = 0; i < d->count; i++) {
		size_t fitting = o[i].like == i ? count_fitting(d, &o[i].runs, p) : 0, votes = 0;

		for (size_t k = 0; k < d->count; k++)
			votes += o[k].like == i;
		if (o[i].like != i || fitting < best_fitting || (fitting == best_fitting && votes <= best_votes))
			continue;
		best = i;
		best_fitting = fitting;
		best_votes = votes;
	}
	return best;
}

static enum status report_others(struct dump *d, struct opinion *o, size_t chosen, struct error *e)
{
	for (size_t i = 0; i < d->count; i++) {
		if (o[i].like == SIZE_MAX || o[i].like == chosen || o[i].reported)
			continue;
		o[i].reported = true;
		/* One of them may be damaged; with both, it is a dump of other pages. */
		if (d->parts[i].level_differs || d->parts[chosen].level_differs)
			return not_of_same(&d->parts[i].file, &d->parts[chosen].file, e);
		error_set(e, STATUS_DAMAGED, "%s: damaged: the bitmap of its pages; that of %s is used, which fits what is in "
			  "the files", d->parts[i].file.name, d->parts[chosen].file.name);
		if (names_append(&d->findings, e->text, SIZE_MAX, e))
			return e->status;
	}
	return STATUS_OK;
}

/* Adds the page frames up to an end, which are those of a file, or of none. */
static enum status add_frames(struct dump *d, const struct kdump_header *h, struct opinion *o, const struct dump_part *p,
			      uint64_t *at, uint64_t end, struct dump_runs *runs, struct error *e)
{
	uint64_t first = *at;
	enum status status;
	size_t chosen;

	end = min_u64(end, h->frames);
	if (first >= end)
		return STATUS_OK;
	*at = end;
	chosen = choose_opinion(d, o, p);
	status = report_others(d, o, chosen, e);
	return status ? status : dump_runs_read(runs, &d->parts[chosen].file, h, first, end, e);
}

/* After the parts were sorted.  The bitmaps of two files may be damaged in different places. */
static enum status read_frames(struct dump *d, const struct kdump_header *h, struct opinion *o, struct dump_runs *runs,
			       struct error *e)
{
	enum status status = d->count > 1 ? read_opinions(d, h, o, e) : STATUS_OK;
	size_t chosen = d->count > 1 && !status ? choose_opinion(d, o, NULL) : SIZE_MAX;
	bool alike = true;
	uint64_t at = 0;

	if (status)
		return status;
	/* Of the only file, or of the one with the most pages, as many as there are. */
	if (chosen == SIZE_MAX)
		return dump_runs_read(runs, &choose_bitmaps(d, h)->file, h, 0, h->frames, e);
	for (size_t i = 0; i < d->count; i++)
		alike = alike && (o[i].like == chosen || o[i].like == SIZE_MAX);
	if (alike) {
		*runs = o[chosen].runs;
		o[chosen].runs = (struct dump_runs){ 0 };
		return STATUS_OK;
	}
	for (size_t i = 0; i < d->count && !status; i++) {
		const struct dump_part *p = &d->parts[i];

		if (p->unusable || p->first_page == p->end_page)
			continue;
		status = add_frames(d, h, o, NULL, &at, p->first_page, runs, e);
		if (!status)
			status = add_frames(d, h, o, p, &at, p->end_page, runs, e);
	}
	return status ? status : add_frames(d, h, o, NULL, &at, h->frames, runs, e);
}

/* A bit too many or too few: then pages behind it are taken for others. */
static enum status check_fit(struct dump *d, struct error *e)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct dump_part *p = &d->parts[i];

		if (p->unusable || dump_fits(d, p, p->end_rank - p->first_rank) != DUMP_MISFIT)
			continue;
		error_set(e, STATUS_DAMAGED, "%s: damaged: the bitmap of its pages has another number of pages than there are "
			  "descriptors; pages may be in the places of others", p->file.name);
		if (names_append(&d->findings, e->text, SIZE_MAX, e))
			return e->status;
	}
	return STATUS_OK;
}

static int by_pages(const void *a, const void *b)
{
	const struct dump_part *x = a, *y = b;

	if (x->first_page != y->first_page)
		return x->first_page < y->first_page ? -1 : 1;
	return (x->end_page > y->end_page) - (x->end_page < y->end_page);
}

static enum status sort_parts(struct dump *d, struct error *e)
{
	qsort(d->parts, d->count, sizeof(*d->parts), by_pages);
	for (size_t i = 1; i < d->count; i++) {
		const struct dump_file *f = &d->parts[i].file, *other = &d->parts[i - 1].file;

		if (d->parts[i].first_page >= d->parts[i - 1].end_page)
			continue;
		if (identity_equal(&f->identity, &other->identity))
			return names_refuse_repeated(f->name, other->name, e);
		return error_set(e, STATUS_USAGE, "%s: has pages that %s has", f->name, other->name);
	}
	return STATUS_OK;
}

/*
 * Sorts the files by their pages, and finds the pages that are in the dump.  All files have the same bitmaps: where they
 * differ, the one that fits the descriptors of a file is right for its pages.  STATUS_USAGE: a page is in two of the files.
 */
static enum status read_runs(struct dump *d, const struct kdump_header *h, struct dump_runs *runs, struct error *e)
{
	struct opinion *o = calloc(d->count, sizeof(*o));
	const struct dump_file *f = &choose_bitmaps(d, h)->file;
	enum status status = STATUS_OK;

	*runs = (struct dump_runs){ .runs = NULL };
	if (!o)
		status = error_system(e, ENOMEM, "%zu files", d->count);
	else if (f->size < kdump_descriptors_offset(h))
		status = dump_cut_short(f, e);
	if (!status)
		status = sort_parts(d, e);
	if (!status)
		status = read_frames(d, h, o, runs, e);
	f = &choose_bitmaps(d, h)->file;
	/* A dump without pages ends here. */
	if (!status && runs->pages && f->size == kdump_descriptors_offset(h))
		status = dump_cut_short(f, e);
	for (size_t i = 0; i < d->count && !status; i++) {
		d->parts[i].first_rank = dump_runs_rank(runs, d->parts[i].first_page);
		d->parts[i].end_rank = dump_runs_rank(runs, d->parts[i].end_page);
	}
	if (!status)
		status = check_fit(d, e);
	for (size_t i = 0; o && i < d->count; i++)
		free(o[i].runs.runs);
	free(o);
	return status;
}

/* --- the dump -------------------------------------------------------------------------- */

/* The bytes that are searched for names: a kernel is among the first pages, unless it was moved far away. */
static const uint64_t SEARCHED = (uint64_t)1 << 30;
enum { PAGE_ASSUMED = 4096 };

static void read_kernel(struct dump *d, const struct kdump_header *h, const struct dump_notes *notes)
{
	struct vmcoreinfo info;
	struct error ignored;
	struct core core = dump_notes_core(notes);
	uint16_t of_names = uts_of_header(&d->uts, h->uts);

	_Static_assert(sizeof(h->uts) == sizeof(d->uts) + 2 * UTS_MOVED, "as uts_of_header() takes them");
	vmcoreinfo_find(&core, &info, &ignored);
	if (vmcoreinfo_page_size(&info, &d->page_size, &ignored))
		d->page_size = d->block_size;
	/* Of several sources, the least ambiguous one comes first: names are wrong in some dumps. */
	d->machine = machine_of_keys(&info);
	if (!d->machine)
		d->machine = of_names ? of_names : machine_of_notes(&core, &info);
}

/* Reads the text of one file behind others, with a newline at its end.  False: no memory; nothing is added if it cannot be read. */
static bool read_erased(const struct dump_part *p, char **text, size_t *size)
{
	struct error ignored;
	char *grown;
	size_t read;

	if (p->header.erased_size > KDUMP_NOTES_MAX - min_u64(*size, KDUMP_NOTES_MAX))
		return true;
	grown = realloc(*text, *size + p->header.erased_size + 1);
	if (!grown)
		return false;
	*text = grown;
	grown += *size;
	if (dump_file_read(&p->file, grown, p->header.erased_size, p->header.erased, HOLES_MISSING, &read, &ignored))
		return true;
	read = erased_compact(grown, grown, p->header.erased_size);
	if (read && grown[read - 1] != '\n')
		grown[read++] = '\n';
	*size += read;
	return true;
}

static int compare_lines(const void *a, const void *b)
{
	const char *x = a, *y = b;

	while (*x == *y && *x != '\n')
		x++, y++;
	return *x - *y;
}

static void keep_line(void *line)
{
	(void)line;
}

/* Removes each line behind the first bytes that is there before.  False: no memory. */
static bool remove_repeated(char *text, size_t first, size_t *size)
{
	char *end = text + *size, *left = text, *line, *next;
	void *lines = NULL, *found;
	bool good = true;

	for (line = text; line < end && good; line = next) {
		next = (char *)memchr(line, '\n', (size_t)(end - line)) + 1;
		memmove(left, line, (size_t)(next - line));
		found = tsearch(left, &lines, compare_lines);
		good = found;
		if (line < text + first || (good && *(char **)found == left))
			left += next - line;
	}
	*size = (size_t)(left - text);
	tdestroy(lines, keep_line);
	return good;
}

/*
 * Each file of a split dump has the text of its own pages; lines of several are the same where all were asked to erase the
 * same.  They become one note, as ELF cores have it.  Dumps of ELF cores, and those of nsplit, have it in a note, too.
 */
static bool add_erased(struct dump *d, struct dump_notes *notes)
{
	struct core core = dump_notes_core(notes);
	size_t known = core_erased(&core, NULL), size = known, before;
	char *text = malloc(known + 1);
	bool good = text;

	if (good)
		core_erased(&core, text);
	if (known && good && text[known - 1] != '\n')
		text[size++] = '\n';
	known = size;
	for (size_t i = 0; i < d->count && good; i++) {
		before = size;
		good = !d->parts[i].header.erased_size || read_erased(&d->parts[i], &text, &size);
		d->erased_lost |= d->parts[i].header.erased_size && size == before;
	}
	good = good && remove_repeated(text, known, &size);
	if (good && size > known)
		good = dump_notes_add(notes, "ERASEINFO", text + known, size - known);
	free(text);
	return good;
}

static enum status make_core(struct dump *d, const struct kdump_header *h, struct dump_notes *notes,
			     struct error *e)
{
	struct dump_runs runs;
	enum status status = read_runs(d, h, &runs, e);

	d->pages = runs.pages;
	for (size_t i = 0; i < runs.count; i++)
		d->memory += runs.runs[i].count;
	d->runs = runs.count;
	if (!status && !(add_erased(d, notes) && dump_core_head(d, &runs, notes)))
		status = error_system(e, ENOMEM, "%s: headers of its core", d->parts[0].file.name);
	free(runs.runs);
	return status;
}

static enum status read_dump(struct dump *d, struct error *e)
{
	struct dump_notes notes;
	struct kdump_header h;
	enum status status = read_all_headers(d, &h, &notes, e);

	if (status)
		return status;
	d->block_size = h.block_size;
	d->level = h.level;
	d->phys_base = h.phys_base;
	d->version = h.version;
	d->split = h.split;
	read_kernel(d, &h, &notes);
	status = make_core(d, &h, &notes, e);
	free(notes.bytes);
	return status;
}

/* With space for count files. */
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

/* Looks for the names of the machine in its memory.  Only a damaged dump, or one without notes, needs that. */
static enum status search_machine(struct set *set, struct error *e)
{
	struct dump *d = set->members[0].dump;
	uint64_t end = min_u64(d->pages, SEARCHED / d->block_size);
	uint8_t *page = malloc(d->block_size);
	struct range_reader r;
	enum status status = range_reader_init(&r, set, e);

	if (!status && !page)
		status = error_system(e, ENOMEM, "%s", d->parts[0].file.name);
	for (uint64_t i = 0; i < end && !status && !d->machine; i++) {
		struct error ignored;

		if (!range_read(&r, d->head_size + i * d->block_size, d->block_size, page, &ignored))
			d->machine = machine_of_page(page, d->block_size);
	}
	range_reader_free(&r);
	free(page);
	return status;
}

/* Whatever says it, the names and the headers agree on the machine. */
static enum status settle_machine(struct set *set, struct error *e)
{
	struct dump *d = set->members[0].dump;
	enum status status = d->machine ? STATUS_OK : search_machine(set, e);

	d->machine_assumed = !d->machine;
	if (d->machine_assumed) {
		memcpy(d->other_machine, d->uts.machine, sizeof(d->other_machine));
		/* Only arm64 has blocks of other sizes often: QEMU writes them. */
		d->machine = d->block_size == PAGE_ASSUMED ? EM_X86_64 : EM_AARCH64;
	}
	put_le16(d->head + offsetof(Elf64_Ehdr, e_machine), d->machine);
	if (d->uts.release[0])
		snprintf(d->uts.machine, sizeof(d->uts.machine), "%s", machine_name(d->machine));
	return status;
}

static enum status end_dump(struct set *set, struct error *e)
{
	struct member *m = set->members;
	struct dump_file *first = &m->dump->parts[0].file, core;
	enum status status;

	if (m->dump->count == 1 && flat_core_recognise(first)) {
		core = *first;
		m->dump->count = 0;
		dump_free(m->dump);
		m->dump = NULL;
		return flat_core_open(set, &core, e);
	}
	status = read_dump(m->dump, e);
	if (status)
		return status;
	m->identity = first->identity;
	m->size = m->dump->head_size + m->dump->pages * m->dump->block_size;
	status = made_end(set, m->dump->block_size, e);
	if (status)
		return status;
	snprintf(m->superblock.codec, sizeof(m->superblock.codec), "%s", dump_codec_name(m->dump));
	return settle_machine(set, e);
}

enum status dump_open(struct set *set, const struct names *names, struct error *e)
{
	enum status status = begin_dump(set, names->names[0], names->count, e);

	for (size_t i = 0; i < names->count && !status; i++) {
		struct member *m = set->members;
		struct dump_file *f = &m->dump->parts[m->dump->count++].file;

		status = dump_file_open(f, names->names[i], dump_recognise(names->names[i]), e);
		if (!status)
			f->fd = member_hold_device(f->fd, names->names[i], &m->in_use);
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

enum status dump_check_pages(const struct set *set, struct error *e)
{
	if (set->members[0].dump->runs)
		return STATUS_OK;
	return error_set(e, STATUS_DAMAGED, "%s: damaged: the bitmaps of the dump have no page, so nothing of it can be read",
			 set->members->name);
}
