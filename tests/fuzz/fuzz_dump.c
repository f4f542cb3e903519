// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The input is a dump of up to three consecutive files, after 16 bytes that say where they begin and
 * how they are read:
 *
 *	0	bits 3 and 4: files; 5: the first one comes through a pipe, and is the only one
 *	1	threads
 *	2, 4	where files 1 and 2 begin, in units, two bytes each
 *
 * A walk, reading by offset, and what is known of missing pages before must agree.  If it is the dump
 * of a kernel, it is exported, and the new dump must have the same pages.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "export/kdump_export.h"
#include "fuzz.h"
#include "set/dump.h"
#include "set/spool.h"

enum { HEAD = 16, PAGES_MOST = 2048, PAGE_MOST = 65536, CHECKED = 64 };

/* Of what is exported; bitmaps are long if memory has gaps. */
static const uint64_t FORM_MOST = 16 << 20;

const size_t fuzz_prefix = HEAD;

static void tick(void *arg)
{
	(void)arg;
}

static void ignore_error(void *arg, const struct error *e)
{
	(void)arg;
	fuzz_require(e->status != STATUS_OK, "only errors are reported");
}

/* --- opening --------------------------------------------------------------------- */

static enum status open_stream(struct set *set, const uint8_t *input, size_t size, struct error *e)
{
	char name[FUZZ_NAME];
	enum dump_form form = size < DUMP_SIGNATURE ? DUMP_NONE : dump_form_of(input);
	const struct set_settings settings = { .spool = "/dev/shm" };
	int fd = fuzz_pipe(input, size, name);
	struct dump_file file;
	enum status status;

	*set = (struct set){ .source_size = SOURCE_SIZE_UNKNOWN };
	if (form == DUMP_NONE) {
		close(fd);
		return e->status = STATUS_NOT_OURS;
	}
	status = dump_stream_open(&file, form, fd, &settings, e);
	if (!status)
		return dump_open_file(set, &file, e);
	dump_file_close(&file);
	return status;
}

static enum status open_files(struct set *set, const uint8_t *input, size_t size, struct error *e)
{
	unsigned count = 1 + (input[0] >> 3 & 3) % FUZZ_FILES;
	bool dumps;
	char text[FUZZ_FILES][FUZZ_NAME], *list[FUZZ_FILES];
	const struct names names = { .names = list, .count = count };
	size_t from = 0, all = size - HEAD;

	for (unsigned i = 0; i < count; i++) {
		size_t cut = (input[2 + 2 * i] | (size_t)input[3 + 2 * i] << 8) * ALIGNMENT;
		size_t to = i + 1 == count ? all : min_u64(max_u64(cut, from), all);

		list[i] = text[i];
		fuzz_file(i, input + HEAD + from, to - from, text[i]);
		from = to;
	}
	*set = (struct set){ .source_size = SOURCE_SIZE_UNKNOWN };
	if (dump_recognise_all(&names, &dumps, e))
		return e->status;
	return dumps ? dump_open(set, &names, e) : (e->status = STATUS_NOT_OURS);
}

/* --- reading --------------------------------------------------------------------- */

struct walked {
	uint8_t *missing;		/* of each page of the source */
	uint32_t page_size;
	uint64_t end;			/* of the source */
};

static void take_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	struct walked *w = arg;

	fuzz_require(offset % w->page_size == 0 && (length % w->page_size == 0 || offset + length == w->end),
		     "whole pages are missing");
	memset(w->missing + offset / w->page_size, 1, divide_up(length, w->page_size));
}

static void walk_set(struct set *set, struct walked *w, unsigned threads)
{
	const struct walk_settings settings = {
		.mode = WALK_CHECK, .threads = threads, .to = UINT64_MAX, .past_damage = true,
		.unreadable = take_unreadable, .damaged = ignore_error, .arg = w,
		.watch = { .tick = tick, .fd = -1, .interval = 1 },
	};
	struct walk *walk;
	struct error e;

	fuzz_require(walk_new(&walk, set, &settings, &e) == STATUS_OK && walk_run(walk, &e) == STATUS_OK,
		     "a dump can be read");
	walk_free(walk);
}

/* Pages that are known to be missing are, and no others have their bytes there. */
static void check_absent(const struct set *set, const struct walked *w)
{
	struct range_list list;
	struct error e;
	uint64_t end = 0;

	fuzz_require(dump_absent_find(set->members[0].dump, &list, &e) == STATUS_OK, "there is memory for a list");
	for (size_t i = 0; i < list.count; i++) {
		uint64_t at = list.ranges[i].offset;

		fuzz_require(at >= end && list.ranges[i].length, "missing ranges come in order");
		end = at + list.ranges[i].length;
		fuzz_require(end <= set->source_size, "in the source");
		for (; at < end; at += w->page_size)
			fuzz_require(w->missing[at / w->page_size], "what is known to be missing is missing");
	}
	range_list_free(&list);
}

static void check_reader(const struct set *set, const struct walked *w)
{
	const struct dump *d = set->members[0].dump;
	uint8_t *page = fuzz_memory(d->page_size);
	struct range_reader r;
	struct error e;

	fuzz_require(range_reader_init(&r, set, &e) == STATUS_OK, "there is memory");
	for (uint64_t at = 0; at < set->source_size; at += d->page_size) {
		enum status status = range_read(&r, at, d->page_size, page, &e);
		uint64_t length;

		fuzz_require(status == STATUS_OK || status == STATUS_MISSING, "a page is there, or is not");
		fuzz_require((status == STATUS_MISSING) == w->missing[at / d->page_size],
			     "a walk and a reader find the same pages");
		if (at >= d->head_size)
			fuzz_require(dump_address(d, at, &length) % d->page_size == 0 && length >= d->page_size,
				     "a page has an address");
	}
	range_reader_free(&r);
	free(page);
}

/* --- exporting --------------------------------------------------------------------- */

static void deliver_all(struct kdump_export *x, struct set *set)
{
	struct walk_settings settings = {
		.threads = 1, .to = UINT64_MAX,
		.damaged = ignore_error,
		.watch = { .tick = tick, .fd = -1, .interval = 1 },
	};
	struct walk *walk;
	struct error e;

	kdump_export_walk(x, &settings);
	fuzz_require(walk_new(&walk, set, &settings, &e) == STATUS_OK && walk_run(walk, &e) == STATUS_OK,
		     "all pages that are there can be exported");
	fuzz_require((kdump_export_end(x, walk, &e) == STATUS_OK) == (kdump_export_missing(x) < x->pages.count),
		     "and are, unless none is there");
	walk_free(walk);
}

/* Reads the page at the same address from both.  Of the first one, the rank is known. */
static void compare_page(struct range_reader *a, struct range_reader *b, uint64_t rank)
{
	static uint8_t x[PAGE_MOST], y[PAGE_MOST];
	const struct dump *d = a->set->members[0].dump, *new = b->set->members[0].dump;
	uint64_t at = d->head_size + rank * d->page_size, length;
	uint64_t to = new->head_size + rank * d->page_size;
	struct error e;

	fuzz_require(dump_address(d, at, &length) == dump_address(new, to, &length), "the same pages");
	fuzz_require(range_read(a, at, d->page_size, x, &e) == STATUS_OK &&
		     range_read(b, to, d->page_size, y, &e) == STATUS_OK && !memcmp(x, y, d->page_size),
		     "have the same bytes");
}

/* If nothing was missing. */
static void compare(const struct set *set, int file)
{
	char text[FUZZ_NAME], *list[] = { text };
	const struct names names = { .names = list, .count = 1 };
	struct range_reader a, b;
	struct set new;
	struct error e;

	snprintf(text, sizeof(text), "/proc/self/fd/%d", file);
	fuzz_require(dump_open(&new, &names, &e) == STATUS_OK, "what was exported is a dump");
	fuzz_require(range_reader_init(&a, set, &e) == STATUS_OK && range_reader_init(&b, &new, &e) == STATUS_OK,
		     "there is memory");
	fuzz_require(new.members[0].dump->pages == set->members[0].dump->pages, "with as many pages");
	for (uint64_t rank = 0; rank < new.members[0].dump->pages && rank < CHECKED; rank++)
		compare_page(&a, &b, rank);
	range_reader_free(&a);
	range_reader_free(&b);
	set_close(&new);
}

static void export(struct set *set, const struct walked *w, bool repack)
{
	int file;
	struct output_file output = fuzz_output(&file);
	const struct kdump_settings settings = {
		.outputs = &output, .outputs_count = 1, .codec = &codec_lzo, .threads = 1, .repack = repack,
	};
	uint64_t pages = set->source_size / w->page_size, missing = 0;
	const struct absent nothing = { .missing = NULL };
	struct kdump_export x = { 0 };
	struct error e;

	for (uint64_t i = 0; i < pages; i++)
		missing += w->missing[i];
	if (kdump_export_open(&x, set, &nothing, &e) == STATUS_OK && x.form.data < FORM_MOST && x.pages.count &&
	    x.pages.page_size == w->page_size) {
		fuzz_require(kdump_export_begin(&x, &settings, &e) == STATUS_OK, "a dump can be written");
		deliver_all(&x, set);
		fuzz_require(kdump_export_missing(&x) - x.pages.lost == missing, "pages that are missing are absent, and no others");
		/* As output_file_finish() does with a file: zeros at the end were not written. */
		fuzz_require(ftruncate(file, (off_t)x.files[0].end) == 0, "a file has its size");
		if (!missing)
			compare(set, file);
	}
	if (output.state == OUTPUT_OPEN)
		close(output.fd);
	kdump_export_free(&x);
}

/* --------------------------------------------------------------------------------- */

/* A flattened ELF core, whatever is in it: a walk and a reader find the same granules. */
static void look_at_core(struct set *set, const uint8_t *input)
{
	uint64_t granules = divide_up(set->source_size, GRANULE);
	struct walked w = { .page_size = GRANULE, .end = set->source_size };
	static uint8_t granule[GRANULE];
	struct range_reader r;
	struct error e;

	if (granules > PAGES_MOST)
		return;
	w.missing = fuzz_memory(granules);
	memset(w.missing, 0, granules);
	walk_set(set, &w, 1 + input[1] % 3);
	fuzz_require(range_reader_init(&r, set, &e) == STATUS_OK, "there is memory");
	for (uint64_t at = 0; at < set->source_size; at += GRANULE) {
		enum status status = range_read(&r, at, min_u64(GRANULE, set->source_size - at), granule, &e);

		fuzz_require(status == STATUS_OK || status == STATUS_MISSING, "a granule is there, or is not");
		fuzz_require((status == STATUS_MISSING) == w.missing[at / GRANULE],
			     "a walk and a reader find the same granules");
	}
	range_reader_free(&r);
	free(w.missing);
}

static void look_at_dump(struct set *set, const uint8_t *input)
{
	const struct dump *d = set->members[0].dump;
	struct walked w = { .page_size = d->page_size, .end = set->source_size };

	fuzz_require(set->source_size == d->head_size + d->pages * d->page_size, "the source has all pages");
	if (set->source_size / d->page_size > PAGES_MOST)
		return;
	w.missing = fuzz_memory(set->source_size / d->page_size);
	memset(w.missing, 0, set->source_size / d->page_size);
	walk_set(set, &w, 1 + input[1] % 3);
	check_absent(set, &w);
	check_reader(set, &w);
	export(set, &w, input[0] & 1);
	free(w.missing);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	struct set set;
	struct error e;
	enum status status;

	if (size < HEAD || size > FUZZ_INPUT_MAX)
		return 0;
	if (input[0] & 32)
		status = open_stream(&set, input + HEAD, size - HEAD, &e);
	else
		status = open_files(&set, input, size, &e);
	if (!status && set.members[0].dump)
		look_at_dump(&set, input);
	else if (!status)
		look_at_core(&set, input);
	set_close(&set);
	return 0;
}
