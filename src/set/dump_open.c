// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens dumps as sets, with the core that they are read as. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "set/dump.h"
#include "set/dump_core.h"
#include "set/dump_parts.h"
#include "set/flat_core.h"
#include "set/made.h"

static enum status make_core(struct dump *d, const struct kdump_header *h, const struct dump_notes *notes,
			     struct error *e)
{
	struct dump_runs runs;
	enum status status = dump_parts_read_runs(d, h, &runs, e);

	if (!status)
		status = dump_parts_rank(d, &runs, e);
	d->pages = runs.pages;
	for (size_t i = 0; i < runs.count; i++)
		d->memory += runs.runs[i].count;
	d->runs = runs.count;
	if (!status && !dump_core_head(h, &runs, notes, &d->head, &d->head_size))
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
