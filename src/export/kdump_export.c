// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/size.h"
#include "export/free_space.h"
#include "export/kdump_split.h"
#include "export/kdump_export.h"
#include "io/source.h"
#include "set/dump.h"

/*
 * Bitmap 1 has a bit for each page of memory, present or not, in each file, so a damaged ELF header
 * could fill the disks.  2 TiB of pages of 4096 bytes in a few segments are always accepted.  The
 * bits of more pages may take up to four times the size of all records: a core is refused only if
 * less than 1/100,000 of its memory is present.  Holes of a plain core do not count, because they
 * cost nothing to make.
 */
static const uint64_t BITMAP_SIZE_MIN = 65 << 20;
enum { BITMAP_TO_RECORDS_MAX = 4 };

/* The bytes that the members or the plain file take on their disks. */
static uint64_t bytes_of_records(const struct set *set)
{
	uint64_t bytes = 0;

	if (set_is_plain(set)) {
		const struct source *file = set->members[0].plain;

		return file->sparse ? file->stored : file->size;
	}
	if (set_is_dump(set))
		return dump_stored(set->members[0].dump);
	for (size_t i = 0; i < set->locations; i++)
		bytes += set->map[i]->entry.record_length;
	return bytes;
}

static enum status check_memory(const struct kdump_export *x, struct error *e)
{
	const struct kdump *k = &x->form;
	uint64_t records = bytes_of_records(x->set);
	uint64_t bitmap = kdump_bitmaps_stored(k, k->bitmap2 - k->bitmap1);
	char needed[SIZE_TEXT_LENGTH], held[SIZE_TEXT_LENGTH];

	if (bitmap <= BITMAP_SIZE_MIN + BITMAP_TO_RECORDS_MAX * records)
		return STATUS_OK;
	size_format(bitmap, needed);
	size_format(records, held);
	if (set_is_made(x->set))
		return error_set(e, STATUS_DAMAGED, "ELF header of the source: --format=kdump needs "
				 "%s of bits for its memory, but the file stores only %s; nothing "
				 "was written", needed, held);
	return error_set(e, STATUS_DAMAGED, "ELF header of the source: --format=kdump needs %s of "
			 "bits for its memory, but the members hold only %s; nothing was written; "
			 "use --format=elf", needed, held);
}

static void make_form(struct kdump_export *x)
{
	unsigned classes = x->filter.classes | set_absent_classes(x->set);

	kdump_init(&x->form, &x->source.core, &x->info, &x->pages);
	set_core_uts(x->set, &x->form.uts);
	if (set_is_dump(x->set) && !x->info.size)
		x->form.phys_base = x->set->members[0].dump->phys_base;
	x->form.dump_level = dump_level_of_classes(classes);
}

enum status kdump_export_find_pages(struct kdump_export *x, const struct absent *absent,
				    struct error *e)
{
	uint32_t page_size;
	enum status status = set_core_page_size(x->set, &x->info, &page_size, e);

	if (status)
		return status;
	pages_free(&x->pages);
	status = pages_find_but(&x->pages, &x->source.core, page_size, absent, e);
	if (status)
		return status;
	make_form(x);
	return check_memory(x, e);
}

enum status kdump_export_filter(struct kdump_export *x, unsigned threads, unsigned classes,
				struct error *e)
{
	struct vmcoreinfo info;
	enum status status = vmcoreinfo_find(&x->source.core, &info, e);

	if (!status)
		status = set_filter_apply(&x->filter, &x->pages, &x->source, &info, threads, classes, e);

	if (!status)
		make_form(x);
	return status;
}

enum status kdump_export_open(struct kdump_export *x, const struct set *set,
			      const struct absent *absent, struct error *e)
{
	enum status status;

	*x = (struct kdump_export){
		.set = set,
		.writer = { .set = set, .core = &x->source.core, .pages = &x->pages },
	};
	status = set_core_open(&x->source, set, e);
	/* Of a dump, its own headers say enough. */
	if (!status && vmcoreinfo_find(&x->source.core, &x->info, e) && !set_is_dump(set))
		status = e->status;
	return status ? status : kdump_export_find_pages(x, absent, e);
}

void kdump_export_free(struct kdump_export *x)
{
	kdump_writer_free(&x->writer);
	pages_free(&x->pages);
	set_core_close(&x->source);
}

const struct codec *kdump_codec_of_set(const struct set *set, int *level)
{
	const struct codec *codec;
	struct error ignored;

	if (codec_find(set->members[0].superblock.codec, &codec, level, &ignored) || !kdump_flag(codec->id))
		return NULL;
	return codec;
}

/*
 * The flag of the codec with which most pages are compressed.  Readers ignore it; people look at
 * it.
 */
static uint32_t usual_flag(const struct kdump_export *x, const struct codec *repacked)
{
	const struct codec *codec = NULL;
	int level;

	if (!x->writer.repack && x->set->block_size == x->pages.page_size)
		codec = kdump_codec_of_set(x->set, &level);
	return kdump_flag(codec ? codec->id : repacked->id);
}

/* Also if the dump that it is made of was. */
static bool is_incomplete(const struct kdump_export *x)
{
	return x->pages.lost || (set_is_dump(x->set) && !dump_is_complete(x->set->members[0].dump));
}

/* What the header of a dump says besides. */
static uint32_t other_flags(const struct set *set)
{
	return set_is_dump(set) ? set->members[0].dump->flags & ~(KDUMP_CODECS | KDUMP_INCOMPLETE) : 0;
}

static bool share_space(const struct output_file *a, const struct output_file *b)
{
	struct space x, y;

	return free_space_of(a, &x) && free_space_of(b, &y) && space_is_shared(&x, &y);
}

/* Outputs on one file system are checked together, since nothing has been written yet. */
static enum status check_space(const struct kdump_writer *w, const struct kdump_settings *s,
			       struct error *e)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < w->files_count && !status; i++) {
		const struct output_file *output = w->files[i].output;
		uint64_t least = w->files[i].least;
		bool counted = false;

		for (size_t n = 0; n < w->files_count; n++) {
			if (n == i || !share_space(output, w->files[n].output))
				continue;
			counted |= n < i;
			least += w->files[n].least;
		}
		if (!counted)
			status = free_space_check(output, least, s->warn, s->arg, e);
	}
	return status;
}

static enum status begin_files(struct kdump_export *x, const struct kdump_settings *s,
			       struct error *e)
{
	uint32_t flags = usual_flag(x, s->codec) | (is_incomplete(x) ? KDUMP_INCOMPLETE : 0) | other_flags(x->set);
	struct kdump_part *parts = calloc(s->outputs_count, sizeof(*parts));
	struct kdump_writer *w = &x->writer;
	enum status status;

	w->files = calloc(s->outputs_count, sizeof(*w->files));
	if (!parts || !w->files) {
		free(parts);
		return error_system(e, ENOMEM, "%zu outputs", s->outputs_count);
	}
	status = kdump_split(&x->pages, x->set, parts, s->outputs_count, e);
	for (; w->files_count < s->outputs_count && !status; w->files_count++)
		kdump_file_init(&w->files[w->files_count], &x->form,
				&s->outputs[w->files_count], &parts[w->files_count]);
	free(parts);
	if (!status)
		status = check_space(w, s, e);
	for (size_t i = 0; i < w->files_count && !status; i++)
		status = kdump_file_begin(&w->files[i], flags, e);
	return status;
}

enum status kdump_export_begin(struct kdump_export *x, const struct kdump_settings *s,
			       struct error *e)
{
	enum status status = kdump_writer_init(&x->writer, s->threads, s->codec, s->level, e);

	x->writer.repack = s->repack;
	if (!status)
		status = begin_files(x, s, e);
	return status ? status : kdump_write_ragged(&x->writer, e);
}

enum status kdump_export_restart(struct kdump_export *x, struct error *e)
{
	struct kdump_writer *w = &x->writer;
	enum status status = STATUS_OK;

	for (size_t i = 0; i < w->files_count && !status; i++)
		status = output_file_clear(w->files[i].output, e);
	kdump_writer_free(w);
	*w = (struct kdump_writer){ .set = w->set, .core = w->core, .pages = w->pages };
	return status;
}

/* A single part looks like a complete dump, so none is kept. */
static void remove_files(const struct kdump_writer *w, struct error *e)
{
	for (size_t i = 0; i < w->files_count; i++)
		if (!output_file_remove(w->files[i].output))
			error_suffix(e, "; %s has already been replaced", w->files[i].output->name);
}

enum status kdump_export_end(struct kdump_export *x, struct error *e)
{
	const struct kdump_writer *w = &x->writer;
	uint64_t lacking = x->pages.count - w->written;
	enum status status = STATUS_OK;

	if (lacking)
		return error_set(e, STATUS_DAMAGED, "%" PRIu64 " of %" PRIu64 " pages were not "
				 "delivered: the members changed during the export", lacking,
				 x->pages.count);
	/* No file gets its name before all are synced. */
	for (size_t i = 0; i < w->files_count && !status; i++)
		status = output_file_sync(w->files[i].output, w->files[i].end, e);
	for (size_t i = 0; i < w->files_count && !status; i++)
		status = output_file_finish(w->files[i].output, w->files[i].end, e);
	if (status)
		remove_files(w, e);
	return status;
}
