// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/names.h"
#include "set/dump_header.h"

enum status dump_cut_short(const struct dump_file *f, struct error *e)
{
	if (f->damage)
		return error_set(e, STATUS_DAMAGED, "%s", f->damage);
	/* The file has no byte that could be named: its pieces are in any order. */
	if (f->flattened)
		return error_set(e, STATUS_CUT, "%s: cut short: the flattened dump lacks a part of its headers or "
				 "bitmaps", f->name);
	return error_set(e, STATUS_CUT, "%s: cut short: the dump ends at byte %" PRIu64 ", before its first "
			 "page", f->name, f->size);
}

/* Old versions have a shorter one, and what is behind it may be padding, which no piece of a flattened dump has. */
static enum status read_second_header(const struct dump_file *f, uint8_t sub[KDUMP_SUB_HEADER_LENGTH], uint64_t offset,
				      struct error *e)
{
	size_t got;
	enum status status;

	memset(sub, 0, KDUMP_SUB_HEADER_LENGTH);
	status = dump_file_read(f, sub, KDUMP_SUB_HEADER_LENGTH, offset, HOLES_ZERO, &got, e);
	if (status == STATUS_MISSING)
		return got && f->flattened ? STATUS_OK : dump_cut_short(f, e);
	return status;
}

/* --- the headers of one file ----------------------------------------------------- */

/*
 * A flattened dump of nsplit has the status in a piece of its own, the last one, so that no reader takes a dump that was
 * cut for a complete one.
 */
static enum status read_first_header(const struct dump_file *f, uint8_t raw[KDUMP_HEADER_LENGTH], struct error *e)
{
	uint32_t rest = KDUMP_HEADER_STATUS + 4;
	size_t got;
	enum status status = dump_file_read(f, raw, KDUMP_HEADER_LENGTH, 0, HOLES_ZERO, &got, e);

	if (status != STATUS_MISSING)
		return status;
	if (got != KDUMP_HEADER_STATUS || !dump_file_is_cut(f))
		return dump_cut_short(f, e);
	put_le32(raw + KDUMP_HEADER_STATUS, 0);
	status = dump_file_read(f, raw + rest, KDUMP_HEADER_LENGTH - rest, rest, HOLES_ZERO, &got, e);
	return status == STATUS_MISSING ? dump_cut_short(f, e) : status;
}

static enum status decode_first(const struct dump_file *f, const uint8_t *raw, struct kdump_header *h, struct error *e)
{
	struct uts uts;
	enum status status;

	if (!get_le64(raw))
		return error_set(e, STATUS_DAMAGED, "%s: damaged: the header of the dump", f->name);
	if (memcmp(raw, KDUMP_SIGNATURE, KDUMP_SIGNATURE_LENGTH) != 0 && dump_form_of(raw) != DUMP_PLAIN)
		return error_set(e, STATUS_USAGE, "%s: unsupported dump: not kdump-compressed", f->name);
	status = kdump_header_decode(h, raw);
	if (status == STATUS_USAGE) {
		/* A name of another kind of machine is wrong. */
		bool named = !uts_of_header(&uts, h->uts) && uts.machine[0];

		return error_set(e, status, "%s: unsupported dump: of %s machine%s%s%s", f->name, h->other,
				 named ? " (" : "", named ? uts.machine : "", named ? ")" : "");
	}
	return status ? error_set(e, status, "%s: damaged: the header of the dump", f->name) : STATUS_OK;
}

/* --- descriptors --------------------------------------------------------------------- */

/* Where the descriptors of a part end at the latest: a page begins there. */
static uint64_t find_first_page(const struct dump *d, const struct dump_part *p)
{
	struct kdump_descriptor descriptor;
	uint64_t first = p->file.size;

	for (uint64_t i = 0; i < DUMP_BATCH; i++)
		if (dump_descriptor_read(d, p, i, &descriptor) && descriptor.size)
			first = min_u64(first, descriptor.offset);
	return first;
}

enum dump_fit dump_fits(const struct dump *d, const struct dump_part *p, uint64_t pages)
{
	uint64_t end = p->descriptors + pages * KDUMP_DESCRIPTOR_LENGTH, first = find_first_page(d, p);
	struct kdump_descriptor descriptor;

	if (end > first)
		return end > p->file.size ? DUMP_UNKNOWN : DUMP_MISFIT;
	/* makedumpfile leaves room for the descriptors of all other parts in one without pages. */
	if (!pages && first < p->file.size && !p->header.erased_size)
		return DUMP_MISFIT;
	if (first - end >= KDUMP_DESCRIPTOR_LENGTH && dump_descriptor_read(d, p, pages, &descriptor))
		return DUMP_MISFIT;
	return !pages || dump_descriptor_read(d, p, pages - 1, &descriptor) ? DUMP_FIT : DUMP_UNKNOWN;
}

/* --- numbers that do not fit ----------------------------------------------------------- */

static enum status report(struct dump *d, const struct dump_file *f, const char *field, struct error *e)
{
	struct error text;

	error_set(&text, STATUS_DAMAGED, "%s: damaged: %s in the header; what fits the rest of the file is used", f->name,
		  field);
	return names_append(&d->findings, text.text, SIZE_MAX, e);
}

/* Are numbers the same, of which one may have 32 bits only? */
static bool is_copy(uint64_t narrow, uint64_t wide)
{
	return (uint32_t)narrow == (uint32_t)wide || (narrow == UINT32_MAX && wide > narrow);
}

/* Since version 6, the numbers of page frames are there twice; the first copies have fewer bits. */
static enum status decode_second(const struct dump_file *f, const uint8_t *raw, const uint8_t *sub, struct kdump_header *h,
				 struct error *e)
{
	uint8_t copies[KDUMP_SUB_HEADER_LENGTH];

	if (!kdump_sub_header_decode(h, sub))
		return STATUS_OK;
	memcpy(copies, sub, sizeof(copies));
	memcpy(copies + KDUMP_SUB_START_64, sub + KDUMP_SUB_START, 8);
	memcpy(copies + KDUMP_SUB_END_64, sub + KDUMP_SUB_END, 8);
	put_le64(copies + KDUMP_SUB_MAX_MAPNR_64, get_le32(raw + KDUMP_HEADER_MAX_MAPNR));
	if (!kdump_sub_header_decode(h, copies))
		return STATUS_OK;
	return error_set(e, STATUS_DAMAGED, "%s: damaged: the second header of the dump", f->name);
}

static enum status check_copies(struct dump *d, const struct dump_file *f, const uint8_t *raw, const uint8_t *sub,
				struct kdump_header *h, struct error *e)
{
	uint64_t frames = get_le32(raw + KDUMP_HEADER_MAX_MAPNR);
	enum status status = STATUS_OK;

	if (h->version < 6)
		return STATUS_OK;
	if (!is_copy(frames, get_le64(sub + KDUMP_SUB_MAX_MAPNR_64)))
		status = report(d, f, "the number of page frames", e);
	/* Both fit the pages; there may be memory without pages behind them. */
	if (frames <= h->bitmap_size * 8)
		h->frames = max_u64(h->frames, frames);
	if (!status && h->split && !is_copy(get_le64(sub + KDUMP_SUB_START), get_le64(sub + KDUMP_SUB_START_64)))
		status = report(d, f, "the first page frame", e);
	if (!status && h->split && !is_copy(get_le64(sub + KDUMP_SUB_END), get_le64(sub + KDUMP_SUB_END_64)))
		status = report(d, f, "the end of the page frames", e);
	/* Only a file of a split dump has page frames of its own. */
	h->split = d->count == 1 ? h->split && h->end_page :
				   h->split || (h->first_page < h->end_page && h->end_page <= h->frames);
	if (status || h->split == (get_le32(sub + KDUMP_SUB_SPLIT) != 0))
		return status;
	return report(d, f, "the mark of a split dump", e);
}

static enum status read_numbers(struct dump *d, const struct dump_part *p, struct kdump_header *h, struct error *e)
{
	uint8_t raw[KDUMP_HEADER_LENGTH], sub[KDUMP_SUB_HEADER_LENGTH];
	const struct dump_file *f = &p->file;
	enum status status = read_first_header(f, raw, e);

	if (!status)
		status = decode_first(f, raw, h, e);
	if (!status)
		status = read_second_header(f, sub, h->block_size, e);
	/* No earlier version has this copy. */
	if (!status && h->version < 6 && h->frames && get_le64(sub + KDUMP_SUB_MAX_MAPNR_64) == h->frames) {
		put_le32(raw + KDUMP_HEADER_VERSION, 6);
		kdump_header_decode(h, raw);
		status = report(d, f, "the version", e);
	}
	if (!status)
		status = decode_second(f, raw, sub, h, e);
	if (!status && memcmp(raw, KDUMP_SIGNATURE, KDUMP_SIGNATURE_LENGTH) != 0)
		status = report(d, f, "the signature", e);
	return status ? status : check_copies(d, f, raw, sub, h, e);
}

/* --- notes --------------------------------------------------------------------------------- */

/* Bytes between the second header and the bitmaps, where the notes are. */
struct area {
	uint8_t *bytes;			/* owned */
	uint64_t at, size;
};

static bool is_in(const struct area *a, uint64_t at, uint64_t size)
{
	return at >= a->at && at - a->at <= a->size && size <= a->size - (at - a->at);
}

/* The bytes of whole notes at an offset. */
static uint64_t notes_at(const struct area *a, uint64_t offset)
{
	struct core core = { .notes = NULL };
	struct note note;
	size_t at = 0, end = 0;

	if (!is_in(a, offset, 0))
		return 0;
	core.notes = a->bytes + (offset - a->at);
	core.notes_size = a->size - (offset - a->at);
	while (core_next_note(&core, &at, &note) && note.name_size <= 32 && isalpha((unsigned char)note.name[0]) &&
	       !note.name[note.name_size - 1])
		end = at;
	return end;
}

/* Text of lines KEY=VALUE. */
static bool is_vmcoreinfo(const struct area *a, uint64_t at, uint64_t size)
{
	return size && is_in(a, at, size) && isupper(a->bytes[at - a->at]) && memchr(a->bytes + (at - a->at), '=', size);
}

/* Finds the notes if they are not where the header says. */
static enum status mend_notes(struct dump *d, const struct dump_file *f, const struct area *a, struct kdump_header *h,
			      struct error *e)
{
	uint64_t size = notes_at(a, h->notes), at = h->notes;

	if (!h->notes && !h->notes_size)
		return STATUS_OK;
	if (size && is_in(a, h->notes, h->notes_size) && size <= round_up(h->notes_size, 4))
		return STATUS_OK;
	/* The second header of this version, or a longer one, is before them. */
	if (!size)
		for (at = a->at + KDUMP_SUB_ERASED; !size && at < a->at + 4 * KDUMP_SUB_HEADER_LENGTH; at += size ? 0 : 4)
			size = notes_at(a, at);
	/* Nothing was there. */
	if (!size && !h->notes_size)
		return STATUS_OK;
	if (!size && dump_file_is_cut(f) && !dump_file_has(f, h->notes, h->notes_size, HOLES_ZERO)) {
		error_set(e, STATUS_CUT, "%s: damaged: the flattened dump lacks a part of its headers or notes", f->name);
		h->notes_size = h->vmcoreinfo = h->vmcoreinfo_size = 0;
		return names_append(&d->findings, e->text, SIZE_MAX, e);
	}
	h->notes_size = size;
	if (size && at == h->notes)
		return report(d, f, "the size of the notes", e);
	h->notes = at;
	return report(d, f, "the place of the notes", e);
}

/* VMCOREINFO is in the notes, and has numbers of its own. */
static enum status mend_vmcoreinfo(struct dump *d, const struct dump_file *f, const struct area *a, struct kdump_header *h,
				   const struct vmcoreinfo *info, struct error *e)
{
	static const char first_key[] = "OSRELEASE=";
	const uint8_t *found = NULL;

	if (!h->vmcoreinfo && !h->vmcoreinfo_size)
		return STATUS_OK;
	if (info->size && is_in(a, h->vmcoreinfo, h->vmcoreinfo_size) && h->vmcoreinfo_size >= info->size &&
	    !memcmp(a->bytes + (h->vmcoreinfo - a->at), info->text, info->size))
		return STATUS_OK;
	if (!info->size && is_vmcoreinfo(a, h->vmcoreinfo, h->vmcoreinfo_size))
		return STATUS_OK;
	if (!info->size)
		found = memmem(a->bytes, a->size, first_key, strlen(first_key));
	/* Nothing was there. */
	if (!info->size && !found && !h->vmcoreinfo_size)
		return STATUS_OK;
	h->vmcoreinfo = found ? a->at + (uint64_t)(found - a->bytes) : 0;
	h->vmcoreinfo_size = found ? strnlen((const char *)found, a->size - (size_t)(found - a->bytes)) : 0;
	return report(d, f, "the place or size of VMCOREINFO", e);
}

static enum status take_notes(struct dump *d, const struct dump_file *f, const struct area *a, struct kdump_header *h,
			      struct dump_notes *notes, struct error *e)
{
	struct core core = { .notes = NULL };
	struct vmcoreinfo info;
	struct error ignored;
	enum status status = mend_notes(d, f, a, h, e);
	bool good = true;

	if (status)
		return status;
	if (h->notes_size) {
		core.notes = a->bytes + (h->notes - a->at);
		core.notes_size = h->notes_size;
	}
	vmcoreinfo_find(&core, &info, &ignored);
	status = mend_vmcoreinfo(d, f, a, h, &info, e);
	if (h->notes_size) {
		notes->bytes = malloc(h->notes_size);
		notes->size = h->notes_size;
		good = notes->bytes && memcpy(notes->bytes, core.notes, core.notes_size);
	}
	if (good && !info.size && h->vmcoreinfo_size)
		good = dump_notes_add(notes, "VMCOREINFO", a->bytes + (h->vmcoreinfo - a->at), h->vmcoreinfo_size);
	return status || good ? status : error_system(e, ENOMEM, "%s: notes of %" PRIu64 " bytes", f->name, a->size);
}

/* Without the mark of the end, what no piece has is taken for zeros: padding, or notes that are lost. */
static enum status read_area(const struct dump_file *f, struct area *a, const struct kdump_header *h, struct error *e)
{
	const uint64_t from[] = { a->at, h->notes, h->vmcoreinfo };
	enum status status = STATUS_MISSING;
	size_t got;

	for (size_t i = 0; i < sizeof(from) / sizeof(*from) && status == STATUS_MISSING; i++)
		if (is_in(a, from[i], 0))
			status = dump_file_read(f, a->bytes + (from[i] - a->at), a->at + a->size - from[i], from[i],
						HOLES_ZERO, &got, e);
	if (status == STATUS_MISSING)
		return f->flattened ? STATUS_OK : dump_cut_short(f, e);
	return status;
}

static enum status read_notes(struct dump *d, const struct dump_file *f, struct kdump_header *h, struct dump_notes *notes,
			      struct error *e)
{
	struct area a = { .at = h->block_size };
	enum status status;

	a.size = min_u64(h->bitmap1 - a.at, KDUMP_NOTES_MAX);
	a.bytes = calloc(1, a.size);
	status = a.bytes ? read_area(f, &a, h, e) :
		 error_system(e, ENOMEM, "%s: notes of %" PRIu64 " bytes", f->name, a.size);
	if (!status)
		status = take_notes(d, f, &a, h, notes, e);
	free(a.bytes);
	return status;
}

enum status dump_header_read(struct dump *d, const struct dump_part *p, struct kdump_header *h, struct dump_notes *notes,
			     struct error *e)
{
	enum status status;

	*notes = (struct dump_notes){ .bytes = NULL };
	status = read_numbers(d, p, h, e);
	return status ? status : read_notes(d, &p->file, h, notes, e);
}

/* --- bitmaps -------------------------------------------------------------------------- */

/* Bytes of a bitmap that are read at a time. */
enum { PIECE = 64 * 1024 };
/* One more header is for the notes. */
enum { RUNS_MAX = DUMP_HEADERS_MAX - 1 };

static bool bit(const uint8_t *bitmap, uint64_t i)
{
	return bitmap[i / 8] >> i % 8 & 1;
}

/* In the dump, only memory, or nothing.  A page of the dump is memory, whatever the other bitmap says. */
enum frame { NOTHING, MEMORY, KEPT };

static enum frame frame_at(const uint8_t *memory, const uint8_t *kept, uint64_t pfn)
{
	return bit(kept, pfn) ? KEPT : bit(memory, pfn) ? MEMORY : NOTHING;
}

/* The end of the frames from pfn on that are the same. */
static uint64_t run_end(const uint8_t *memory, const uint8_t *kept, uint64_t pfn, uint64_t frames,
			enum frame frame)
{
	const uint8_t of_memory = frame == NOTHING ? 0 : 0xff, of_kept = frame == KEPT ? 0xff : 0;

	while (pfn < frames && frame_at(memory, kept, pfn) == frame) {
		bool whole = pfn % 8 == 0 && frames - pfn >= 8 && kept[pfn / 8] == of_kept &&
			     (frame == KEPT || memory[pfn / 8] == of_memory);

		pfn += whole ? 8 : 1;
	}
	return pfn;
}

/* A run that continues the last one is joined to it. */
static bool add_run(struct dump_runs *r, const struct dump_run *run)
{
	struct dump_run *last = r->count ? &r->runs[r->count - 1] : NULL;

	r->pages += run->kept ? run->count : 0;
	if (last && last->kept == run->kept && last->pfn + last->count == run->pfn) {
		last->count += run->count;
		return true;
	}
	if (r->count == RUNS_MAX || !array_grow(&r->runs, r->count, sizeof(*r->runs)))
		return false;
	r->runs[r->count++] = *run;
	return true;
}

static bool add_frames(struct dump_runs *r, const uint8_t *memory, const uint8_t *kept, uint64_t first,
		   uint64_t frames)
{
	for (uint64_t at = 0, end; at < frames; at = end) {
		enum frame frame = frame_at(memory, kept, at);
		struct dump_run run = { .pfn = first + at, .rank = r->pages, .kept = frame == KEPT };

		end = run_end(memory, kept, at, frames, frame);
		run.count = end - at;
		if (frame != NOTHING && !add_run(r, &run))
			return false;
	}
	return true;
}

uint64_t dump_runs_rank(const struct dump_runs *r, uint64_t pfn)
{
	size_t i = spans_find(r->runs, sizeof(*r->runs), r->count, pfn);
	const struct dump_run *run;

	if (i == r->count)
		return r->pages;
	run = &r->runs[i];
	return run->rank + (run->kept && pfn > run->pfn ? pfn - run->pfn : 0);
}

/* The next piece with a bit that may be set, as bytes from the beginning of each bitmap. */
static uint64_t next_piece(const struct dump_file *f, const struct kdump_header *h, uint64_t at)
{
	uint64_t bitmap2 = h->bitmap1 + h->bitmap_size;
	uint64_t memory = dump_file_next_data(f, h->bitmap1 + at) - h->bitmap1;
	uint64_t kept = dump_file_next_data(f, bitmap2 + at) - bitmap2;

	return max_u64(at, round_down(min_u64(memory, kept), PIECE));
}

/*
 * Reads the same piece of both bitmaps.  Bits of memory that are not there are zeros.  *got is less
 * than len if bits of pages are not there: then those that follow them do not count, since the
 * descriptors are counted by them.
 */
static enum status read_piece(const struct dump_file *f, const struct kdump_header *h, uint64_t at,
			      uint8_t *memory, uint8_t *kept, size_t len, size_t *got, struct error *e)
{
	enum status status = dump_file_read(f, memory, len, h->bitmap1 + at, HOLES_ZERO, got, e);

	if (status && status != STATUS_MISSING)
		return status;
	memset(memory + *got, 0, len - *got);
	status = dump_file_read(f, kept, len, h->bitmap1 + h->bitmap_size + at, HOLES_ZERO, got, e);
	return status == STATUS_MISSING ? STATUS_OK : status;
}

/* Bits of frames below first belong to another span. */
static void clear_below(uint8_t *bitmap, uint64_t at, uint64_t first)
{
	if (at * 8 < first)
		bitmap[0] &= (uint8_t)(0xff << (first - at * 8));
}

static enum status add_pieces(const struct dump_file *f, const struct kdump_header *h, uint64_t first, uint64_t frames,
			      uint8_t *buffer, struct dump_runs *runs, struct error *e)
{
	uint64_t end = divide_up(frames, 8), at = first / 8;
	size_t len, got;

	for (at = next_piece(f, h, at); at < end; at = next_piece(f, h, at + len)) {
		enum status status;

		len = min_u64(PIECE, end - at);
		status = read_piece(f, h, at, buffer, buffer + PIECE, len, &got, e);
		if (status)
			return status;
		clear_below(buffer, at, first);
		clear_below(buffer + PIECE, at, first);
		if (!add_frames(runs, buffer, buffer + PIECE, at * 8, min_u64(got * 8, frames - at * 8)))
			return runs->count < RUNS_MAX ? error_system(e, ENOMEM, "%s: bitmaps", f->name) :
			       error_set(e, STATUS_UNSUPPORTED, "%s: the bitmap of its pages has more than %d runs, "
					 "which cannot be read", f->name, RUNS_MAX);
		if (got < len)
			return STATUS_OK;
	}
	return STATUS_OK;
}

enum status dump_runs_read(struct dump_runs *runs, const struct dump_file *f, const struct kdump_header *h, uint64_t first,
			   uint64_t end, struct error *e)
{
	uint8_t *buffer = malloc(2 * PIECE);
	enum status status;

	if (!buffer)
		return error_system(e, ENOMEM, "%s: bitmaps", f->name);
	status = add_pieces(f, h, first, end, buffer, runs, e);
	free(buffer);
	return status;
}
