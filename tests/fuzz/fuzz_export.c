// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The input is an ELF core, after 16 bytes of which the second selects a codec, the seventh how many
 * pages are left out: every n-th, and none if it is 0, and the ninth, unless it is 0, which granules
 * were left out when it was captured, with layers.  It is made into a member without an index, and that
 * into a kdump-compressed file, which must have the core's other pages.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "capture/fill/pack.h"
#include "export/kdump_export.h"
#include "fuzz.h"
#include "fuzz_layers.h"
#include "io/transfer.h"
#include "set/dump.h"

enum { HEAD = 16, BLOCK = 4096, CHUNK = 16384, CELL = 65536, PAGES_READ = 24, PAGE_MOST = 65536 };

/* The bitmaps of memory that is only in the header are long and uniform. */
static const uint64_t FORM_MOST = 16 << 20;

const size_t fuzz_prefix = HEAD;

static const struct codec *choose_codec(uint8_t byte)
{
	const struct codec *codec = codec_by_id(byte % (CODEC_ZLIB + 1));

	return codec ? codec : &codec_lzo;
}

/* Makes a record of len bytes at offset, all of which it stores.  Returns its length. */
static uint32_t put_record(struct packer *packer, const uint8_t *core, uint64_t offset, uint32_t len,
			   uint8_t *dst)
{
	struct chunk chunk = { .bytes = dst };

	chunk.record = (struct record){
		.source_offset = offset,
		.source_length = len,
		.stored_length = len,
		.layer = 1,
		.classes = class_table_plain(),
		.cell_size = CHUNK,
	};
	pack_begin(packer, &chunk, BLOCK);
	pack_add(packer, &chunk, core + offset, len);
	pack_end(&chunk);
	return record_length(&chunk.record);
}

static size_t put_records(struct packer *packer, const uint8_t *core, size_t size, uint8_t *dst)
{
	size_t length = 0;

	for (uint64_t at = 0; at < size; at += CHUNK)
		length += put_record(packer, core, at, (uint32_t)min_u64(CHUNK, size - at), dst + length);
	return length;
}

/* Superblock and records are enough for salvage. */
static void make_member(const uint8_t *core, size_t size, const uint8_t head[HEAD], char name[FUZZ_NAME])
{
	const struct codec *codec = choose_codec(head[1]);
	struct superblock sb = { .members = 1, .block_size = BLOCK, .chunk_size = CHUNK, .cell_size = CHUNK,
				 .source_size = size, .classes = class_table_plain() };
	size_t capacity = SUPERBLOCK_LENGTH + (1 + size / CHUNK) * record_length_max(CHUNK, CHUNK) +
		      codec->bound(BLOCK), length = SUPERBLOCK_LENGTH;
	struct packer packer;
	struct error e;
	uint8_t *bytes;

	if (head[8]) {
		fuzz_set_layers(&sb, CELL, core, head[8]);
		capacity += fuzz_layers_bound(&sb);
	}
	bytes = aligned_alloc(ALIGNMENT, round_up(capacity, ALIGNMENT));
	fuzz_require(bytes && packer_init(&packer, codec, codec->level_default, BLOCK, &sb.id,
					  &e) == STATUS_OK, "there is memory for a member");
	superblock_encode(&sb, bytes);
	length += head[8] ? fuzz_put_layers(&packer, &sb, core, head[8], bytes + length) :
			    put_records(&packer, core, size, bytes + length);
	fuzz_file(0, bytes, length, name);
	packer_free(&packer);
	free(bytes);
}

static void ignore_error(void *arg, const struct error *e)
{
	(void)arg;
	(void)e;
}

/* The watching thread ends with the walk, which may take seconds on a busy machine. */
static void tick(void *arg)
{
	(void)arg;
}

static void no_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	(void)arg;
	(void)offset;
	(void)length;
	fuzz_require(false, "nothing in a whole set is unreadable");
}

static enum status walk_set(struct kdump_export *x, struct set *set, struct error *e)
{
	struct walk_settings settings = {
		.threads = 1,
		.to = UINT64_MAX,
		.unreadable = no_unreadable,
		.damaged = ignore_error,
		.watch = { .tick = tick, .fd = -1, .interval = 1 },
	};
	struct walk *walk = NULL;
	enum status status;

	kdump_export_walk(x, &settings);
	status = walk_new(&walk, set, &settings, e);
	if (!status)
		status = walk_run(walk, e);
	if (!status)
		status = kdump_export_end(x, walk, e);
	walk_free(walk);
	return status;
}

static const struct codec *codec_of(uint32_t flags)
{
	for (unsigned id = 0; flags && id <= CODEC_ZLIB; id++)
		if (kdump_flag((enum codec_id)id) == flags)
			return codec_by_id(id);
	fuzz_require(!flags, "a page is packed by one codec");
	return NULL;
}

/* Reads the page of this rank through its descriptor. */
static void read_page(const struct kdump_export *x, int file, uint64_t rank, uint8_t *dst)
{
	uint8_t descriptor[KDUMP_DESCRIPTOR_LENGTH], packed[PAGE_MOST];
	uint32_t size = x->pages.page_size, length;
	const struct codec *codec;
	void *unpacker;

	fuzz_require(transfer_pread(file, descriptor, sizeof(descriptor), x->form.descriptors +
				    rank * sizeof(descriptor)) == sizeof(descriptor),
		     "each page has a descriptor");
	length = get_le32(descriptor + 8);
	codec = codec_of(get_le32(descriptor + 12));
	fuzz_require(codec ? length && length < size : length == size, "that readers can take");
	fuzz_require(get_le64(descriptor) >= x->form.data &&
		     transfer_pread(file, packed, length, get_le64(descriptor)) == length,
		     "and is in the file");
	if (!codec) {
		memcpy(dst, packed, size);
		return;
	}
	unpacker = codec->unpacker_new ? codec->unpacker_new() : NULL;
	fuzz_require(codec->unpack(unpacker, packed, length, dst, size), "and can be unpacked");
	if (unpacker)
		codec->unpacker_free(unpacker);
}

/* If segments contradict each other, the page range says which one was used. */
static enum status page_in_core(const struct kdump_export *x, const uint8_t *bytes,
				const struct page_range *run, uint8_t *dst, struct error *e)
{
	uint64_t size = x->pages.page_size;

	if (run->ragged)
		return memory_read_page(&x->source.core, run->pfn * size, (uint32_t)size, dst, e);
	memcpy(dst, bytes + run->offset, size);
	return STATUS_OK;
}

/* bytes: of the core. */
static void compare_pages(const struct kdump_export *x, const uint8_t *bytes, int file)
{
	uint8_t want[PAGE_MOST], got[PAGE_MOST];
	uint64_t step = 1 + x->pages.count / PAGES_READ;
	struct error e;

	for (uint64_t rank = 0; rank < x->pages.count; rank += step) {
		struct page_range run = pages_run_of_rank(&x->pages, rank);

		fuzz_require(page_in_core(x, bytes, &run, want, &e) == STATUS_OK,
			     "a page that is counted can be read");
		read_page(x, file, rank, got);
		fuzz_require(!memcmp(want, got, x->pages.page_size), "a page is what it was");
	}
}

/* Has the capture kept the page number n of a range? */
static bool was_captured(const struct pages *pages, const struct page_range *range, uint64_t n)
{
	return !pages->captured.bits || page_choice_keeps(&pages->captured, range->rank + n);
}

static void leave_out(struct kdump_export *x, uint8_t step)
{
	const struct pages *p = &x->pages;
	uint64_t captured = p->captured.bits ? p->captured.kept : p->in_core, count = 0;
	struct error e;

	if (!step)
		return;
	fuzz_require(pages_leave_out_begin(&x->pages, &e) == STATUS_OK, "there is memory for a bit a page");
	for (size_t i = 0; i < p->ranges_count; i++)
		for (uint64_t n = 0; n < p->ranges[i].count; n += step) {
			pages_leave_out(&x->pages, p->ranges[i].pfn + n, 1);
			count += was_captured(p, &p->ranges[i], n);
		}
	pages_leave_out_end(&x->pages);
	fuzz_require(p->count == captured - count, "these pages are left out");
	kdump_init(&x->form, &x->source.core, &x->info, &x->pages);
}

static void export(struct set *set, const uint8_t *bytes, uint8_t step)
{
	int file;
	struct output_file output = fuzz_output(&file);
	const struct kdump_settings settings = {
		.outputs = &output, .outputs_count = 1, .codec = &codec_lzo, .threads = 1,
	};
	struct kdump_export x = { 0 };
	struct set_absent lacking;
	struct absent absent;
	struct error e;
	enum status status = set_absent_find(&lacking, set, NULL, &e);

	fuzz_require(!status && !lacking.missing.count, "nothing is missing of a whole set");
	absent = set_absent_holes(&lacking);
	status = kdump_export_open(&x, set, &absent, &e);
	set_absent_free(&lacking);
	if (!status && x.form.data < FORM_MOST)
		leave_out(&x, step);
	if (!status && x.form.data < FORM_MOST && x.pages.count) {
		status = kdump_export_begin(&x, &settings, &e);
		if (!status)
			status = walk_set(&x, set, &e);
		fuzz_require(!status && kdump_export_missing(&x) == x.pages.lost, "all pages that were counted come");
		/* As output_file_finish() does with a file: zeros at the end were not written. */
		fuzz_require(ftruncate(file, (off_t)x.files[0].end) == 0, "a file has its size");
		compare_pages(&x, bytes, file);
	}
	if (output.state == OUTPUT_OPEN)
		close(output.fd);
	kdump_export_free(&x);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	const struct set_settings settings = { .salvage = true, .warn = ignore_error };
	char name[FUZZ_NAME], *names[] = { name };
	const struct names list = { .names = names, .count = 1 };
	struct set set;
	struct error e;
	uint8_t *copy;

	if (size <= HEAD)
		return 0;
	copy = fuzz_copy(input + HEAD, size - HEAD);
	make_member(copy, size - HEAD, input, name);
	fuzz_require(set_open(&set, &list, &settings, &e) == STATUS_OK, "the set can be opened");
	export(&set, copy, input[6]);
	set_close(&set);
	free(copy);
	return 0;
}
