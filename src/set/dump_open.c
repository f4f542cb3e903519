// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens dumps as sets, with the core that they are read as. */
#include "config.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "core/vmcoreinfo.h"
#include "set/dump_core.h"
#include "set/dump_parts.h"
#include "set/flat_core.h"
#include "set/made.h"
#include "set/read/range.h"

/* The bytes that are searched for names: a kernel is among the first pages, unless it was moved far away. */
static const uint64_t SEARCHED = (uint64_t)1 << 30;
enum { PAGE_ASSUMED = 4096 };

/* Of several sources, the least ambiguous one comes first: names are wrong in some dumps. */
static void find_machine(struct dump *d, const struct kdump_header *h, const struct core *core,
			 const struct vmcoreinfo *info)
{
	uint16_t of_names = uts_of_header(&d->uts, h->uts);

	_Static_assert(sizeof(h->uts) == sizeof(d->uts) + 2 * UTS_MOVED, "as uts_of_header() takes them");
	d->machine = machine_of_keys(info);
	if (!d->machine)
		d->machine = of_names ? of_names : machine_of_notes(core, info);
}

static void read_kernel(struct dump *d, const struct kdump_header *h, const struct dump_notes *notes)
{
	struct vmcoreinfo info;
	struct error ignored;
	struct core core = dump_notes_core(notes);

	vmcoreinfo_find(&core, &info, &ignored);
	if (vmcoreinfo_page_size(&info, &d->page_size, &ignored))
		d->page_size = d->block_size;
	find_machine(d, h, &core, &info);
}

/* Reads the text of one file behind others, with a newline at its end.  False: no memory; nothing is added if it cannot be read. */
static bool read_erased(const struct dump_part *p, char **text, size_t *size)
{
	struct error ignored;
	char *grown;
	size_t read;

	if (p->erased_size > KDUMP_NOTES_MAX - min_u64(*size, KDUMP_NOTES_MAX))
		return true;
	grown = realloc(*text, *size + p->erased_size + 1);
	if (!grown)
		return false;
	*text = grown;
	grown += *size;
	if (dump_file_read(&p->file, grown, p->erased_size, p->erased, HOLES_MISSING, &read, &ignored))
		return true;
	read = erased_compact(grown, grown, p->erased_size);
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
		good = !d->parts[i].erased_size || read_erased(&d->parts[i], &text, &size);
		d->erased_lost |= d->parts[i].erased_size && size == before;
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
	enum status status = dump_parts_read_runs(d, h, &runs, e);

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
	struct dump_notes notes = { .bytes = NULL };
	struct kdump_header h;
	enum status status = dump_parts_read(d, &h, &notes, e);

	if (!status) {
		d->block_size = h.block_size;
		d->level = h.level;
		d->phys_base = h.phys_base;
		d->version = h.version;
		d->split = h.split;
		read_kernel(d, &h, &notes);
	}
	if (!status)
		status = make_core(d, &h, &notes, e);
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
	dump_core_set_machine(d);
	if (d->uts.release[0])
		snprintf(d->uts.machine, sizeof(d->uts.machine), "%s", machine_name(d->machine));
	return status;
}

static enum status end_dump(struct set *set, struct error *e)
{
	struct member *m = set->members;
	enum status status = read_dump(m->dump, e);

	if (status)
		return status;
	m->identity = m->dump->parts[0].file.identity;
	m->size = m->dump->head_size + m->dump->pages * m->dump->block_size;
	status = made_check_size(m->name, m->size, e);
	if (!status)
		status = made_end(set, m->dump->block_size, e);
	if (status)
		return status;
	snprintf(m->superblock.codec, sizeof(m->superblock.codec), "%s", dump_codec_name(m->dump));
	return settle_machine(set, e);
}

static enum status open_one(struct set *set, const char *name, struct error *e)
{
	struct dump_file file;
	enum status status = dump_file_open(&file, name, dump_recognise(name), e);

	if (!status)
		return dump_open_file(set, &file, e);
	*set = (struct set){ .source_size = SOURCE_SIZE_UNKNOWN };
	dump_file_close(&file);
	return status;
}

enum status dump_open(struct set *set, const struct names *names, struct error *e)
{
	enum status status;

	if (names->count == 1)
		return open_one(set, names->names[0], e);
	status = begin_dump(set, names->names[0], names->count, e);

	for (size_t i = 0; i < names->count && !status; i++) {
		const char *name = names->names[i];
		struct dump *d = set->members[0].dump;

		status = dump_file_open(&d->parts[d->count++].file, name, dump_recognise(name), e);
	}
	return status ? status : end_dump(set, e);
}

enum status dump_open_file(struct set *set, struct dump_file *file, struct error *e)
{
	enum status status;

	if (flat_core_recognise(file))
		return flat_core_open(set, file, e);
	status = begin_dump(set, file->name, 1, e);
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
