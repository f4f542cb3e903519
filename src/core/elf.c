// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "core/elf.h"

/* --- segments by address ------------------------------------------------- */

/* Sorts the ranges and builds the tree over them. */
static enum status make_index(struct segment_index *x, struct error *e)
{
	for (x->leaves = 1; x->leaves <= x->count;)
		x->leaves *= 2;
	x->highest = calloc(2 * x->leaves, sizeof(*x->highest));
	if (!x->highest)
		return error_system(e, ENOMEM, "%zu segments", x->count);
	values_sort(x->ranges, sizeof(*x->ranges), x->count);
	for (size_t i = 0; i < x->count; i++)
		x->highest[x->leaves + i] = x->ranges[i].last;
	for (size_t i = x->leaves - 1; i > 0; i--)
		x->highest[i] = max_u64(x->highest[2 * i], x->highest[2 * i + 1]);
	return STATUS_OK;
}

enum status segment_index_init(struct segment_index *x, const struct segment *segments, size_t count,
			       bool physical, struct error *e)
{
	*x = (struct segment_index){ 0 };
	x->ranges = calloc(count + 1, sizeof(*x->ranges));
	if (!x->ranges)
		return error_system(e, ENOMEM, "%zu segments", count);
	for (const struct segment *s = segments; s < segments + count; s++) {
		uint64_t first = physical ? s->paddr : s->vaddr, length = physical ? s->memsz : s->filesz;

		/* A range that would extend beyond the last address ends there. */
		if (length)
			x->ranges[x->count++] = (struct segment_range){
				.segment = s,
				.first = first,
				.last = length - 1 > UINT64_MAX - first ? UINT64_MAX : first + length - 1,
			};
	}
	return make_index(x, e);
}

void segment_index_free(struct segment_index *x)
{
	free(x->ranges);
	free(x->highest);
	*x = (struct segment_index){ 0 };
}

size_t segment_index_up_to(const struct segment_index *x, uint64_t address)
{
	return x->count ? values_up_to(&x->ranges->first, sizeof(*x->ranges), x->count, address) : 0;
}

/*
 * Goes up from the leaf after the first count, until the node on its left has a range that ends
 * late enough, and then down to the last such leaf.
 */
bool segment_index_last(const struct segment_index *x, size_t count, uint64_t address, size_t *at)
{
	size_t node = x->leaves + count;

	/* A node at the left edge has no node on its left. */
	while (!(node & 1) || x->highest[node - 1] < address) {
		if (is_power_of_two(node))
			return false;
		node /= 2;
	}
	/* An odd node that is a power of two is the root. */
	if (node == 1)
		return false;
	node--;
	while (node < x->leaves)
		node = 2 * node + (x->highest[2 * node + 1] >= address);
	*at = node - x->leaves;
	return true;
}

/* --- the file ------------------------------------------------------------ */

/* Far more than any machine has: a damaged count must not cost memory or time. */
enum {
	NOTES_MAX = 64 << 20,		/* bytes of all PT_NOTEs, whole notes or not */
	NOTE_HEADERS_MAX = 1 << 14,	/* PT_NOTEs; some writers have one for each CPU */
};

static const struct core_limits standard_limits = { .headers = CORE_HEADERS_MAX, .notes = NOTES_MAX };
const struct core_limits core_limits_scarce = { .headers = CORE_HEADERS_MAX, .notes = 8 << 20 };

/* Physical addresses have at most 56 bits, on RISC-V. */
static const uint64_t ADDRESS_END = (uint64_t)1 << 56;

struct headers {
	Elf64_Phdr *all;	/* owned */
	size_t count;
};

/*
 * Totals of all PT_NOTEs.  These may refer to the same bytes, so the file's size does not limit
 * them.
 */
struct notes_read {
	uint64_t most;			/* bytes */
	size_t headers;
	uint64_t bytes;
};

static enum status unsupported(const char *why, struct error *e)
{
	return error_set(e, STATUS_USAGE, "unsupported source: %s", why);
}

static enum status broken(const char *why, struct error *e)
{
	return error_set(e, STATUS_DAMAGED, "ELF header of the source: %s", why);
}

static enum status read_at(const struct core *core, uint64_t offset, uint64_t len, void *dst,
			   const char *what, struct error *e)
{
	if (offset > core->bytes.size || len > core->bytes.size - offset)
		return error_set(e, STATUS_DAMAGED, "the %s extend beyond the %" PRIu64
				 " bytes of the source", what, core->bytes.size);
	return core->bytes.read(core->bytes.arg, offset, len, dst, e);
}

bool elf_may_be_core(const Elf64_Ehdr *h)
{
	bool sizes = le16toh(h->e_ehsize) == sizeof(*h) && le16toh(h->e_phentsize) == sizeof(Elf64_Phdr);

	return !memcmp(h->e_ident, ELFMAG, SELFMAG) ||
	       (sizes && le16toh(h->e_type) == ET_CORE && le32toh(h->e_version) == EV_CURRENT);
}

/* Their notes have another layout.  PAE kernels use ELF64, too. */
static bool is_32_bit_machine(const Elf64_Ehdr *h)
{
	return le16toh(h->e_machine) == EM_386 || le16toh(h->e_machine) == EM_ARM;
}

/* Are so few of these wrong that it may be a damaged header? */
static bool may_be_damaged(const Elf64_Ehdr *h)
{
	bool ehsize = le16toh(h->e_ehsize) == sizeof(*h), phentsize = le16toh(h->e_phentsize) == sizeof(Elf64_Phdr);
	bool ident = !memcmp(h->e_ident, ELFMAG, SELFMAG) && h->e_ident[EI_CLASS] == ELFCLASS64 &&
		     h->e_ident[EI_DATA] == ELFDATA2LSB;

	if (is_32_bit_machine(h))
		return false;
	return (ehsize && phentsize) || (ident && (le16toh(h->e_type) == ET_CORE || ehsize || phentsize));
}

static enum status check_ident(const Elf64_Ehdr *h, struct error *e)
{
	if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
		return unsupported("not an ELF file", e);
	if (h->e_ident[EI_CLASS] != ELFCLASS64)
		return unsupported("a 32-bit ELF file", e);
	if (h->e_ident[EI_DATA] != ELFDATA2LSB)
		return unsupported("a big-endian ELF file", e);
	if (le16toh(h->e_type) != ET_CORE)
		return unsupported("an ELF file, but not a core", e);
	if (is_32_bit_machine(h))
		return unsupported("a core of a 32-bit machine", e);
	if (le16toh(h->e_phentsize) != sizeof(Elf64_Phdr))
		return broken("unexpected size of program headers", e);
	return STATUS_OK;
}

/*
 * PN_XNUM or more program headers: the first section header has their number.  *doubt is why it may be no core, or has
 * STATUS_OK.
 */
static enum status read_ehdr(const struct core *core, Elf64_Ehdr *h, uint64_t *count, struct error *doubt,
			     struct error *e)
{
	Elf64_Shdr first;
	enum status status;

	if (core->bytes.size < sizeof(*h))
		return unsupported("not an ELF file", e);
	status = read_at(core, 0, sizeof(*h), h, "ELF header", e);
	if (!status && check_ident(h, doubt)) {
		*e = *doubt;
		status = may_be_damaged(h) ? STATUS_OK : doubt->status;
	}
	if (status)
		return status;
	*count = le16toh(h->e_phnum);
	if (*count != PN_XNUM)
		return STATUS_OK;
	status = read_at(core, le64toh(h->e_shoff), sizeof(first), &first, "section headers", e);
	if (!status)
		*count = le32toh(first.sh_info);
	return status;
}

enum status core_count_headers(const struct core_bytes *bytes, uint64_t *count, struct error *e)
{
	const struct core core = { .bytes = *bytes };
	struct error doubt = { .status = STATUS_OK };
	Elf64_Ehdr h;

	return read_ehdr(&core, &h, count, &doubt, e);
}

/* Where the program headers are: all writers of cores put them behind the header. */
static uint64_t find_headers(struct core *core, const Elf64_Ehdr *h)
{
	uint64_t at = le64toh(h->e_phoff);
	struct error ignored;
	Elf64_Phdr p;

	if (at == sizeof(*h) || (!read_at(core, at, sizeof(p), &p, "program headers", &ignored) &&
				 (le32toh(p.p_type) == PT_NOTE || le32toh(p.p_type) == PT_LOAD)))
		return at;
	core->damage = "the ELF header";
	return sizeof(*h);
}

/* *is_core: its type says that it is. */
static enum status read_headers(struct core *core, struct headers *headers, const struct core_limits *limits,
				bool *is_core, struct error *doubt, struct error *e)
{
	Elf64_Ehdr h;
	uint64_t count;
	enum status status = read_ehdr(core, &h, &count, doubt, e);

	if (status)
		return status;
	if (doubt->status)
		core->damage = "the ELF header";
	*is_core = le16toh(h.e_type) == ET_CORE;
	if (!count)
		return broken("no program headers", e);
	if (count > limits->headers)
		return error_set(e, STATUS_DAMAGED, "ELF header of the source: %" PRIu64 " program headers; no more than "
				 "%zu can be read", count, limits->headers);
	core->machine = le16toh(h.e_machine);
	headers->count = count;
	headers->all = calloc(count, sizeof(Elf64_Phdr));
	if (!headers->all)
		return error_system(e, ENOMEM, "%" PRIu64 " program headers", count);
	return read_at(core, find_headers(core, &h), count * sizeof(Elf64_Phdr), headers->all,
		       "program headers", e);
}

/* One that can be nowhere is left out. */
static void add_segment(struct core *core, const Elf64_Phdr *p)
{
	struct segment s = {
		.vaddr = le64toh(p->p_vaddr),
		.paddr = le64toh(p->p_paddr),
		.offset = le64toh(p->p_offset),
		.filesz = le64toh(p->p_filesz),
		.memsz = le64toh(p->p_memsz),
	};

	/* /proc/kcore has such segments for what is not memory. */
	if (s.paddr == UINT64_MAX)
		return;
	if (s.filesz > s.memsz)
		core->damage = "a program header";
	if (!s.memsz)
		return;
	if (s.paddr > ADDRESS_END || s.memsz > ADDRESS_END - s.paddr || s.offset + s.filesz < s.offset) {
		core->damage = "a program header";
		return;
	}
	s.filesz = min_u64(s.filesz, s.memsz);
	core->segments[core->segments_count++] = s;
}

/* QEMU has segments for the same bytes, at the same addresses. */
static bool are_in_conflict(const Elf64_Phdr *a, const Elf64_Phdr *b)
{
	uint64_t first = le64toh(a->p_offset), second = le64toh(b->p_offset);

	return first - le64toh(a->p_paddr) != second - le64toh(b->p_paddr) &&
	       (first < second ? second - first < le64toh(a->p_filesz) : first - second < le64toh(b->p_filesz));
}

/*
 * A segment that is not in the file, or has bytes of another one.  makedumpfile puts them one behind the other: if those
 * before and after it leave room for it, they say which of its numbers is wrong.
 */
static void mend_segment(struct core *core, Elf64_Phdr *p, const Elf64_Phdr *before, const Elf64_Phdr *after)
{
	uint64_t offset = le64toh(p->p_offset), filesz = le64toh(p->p_filesz), memsz = le64toh(p->p_memsz);
	uint64_t begin = before ? le64toh(before->p_offset) + le64toh(before->p_filesz) : 0;
	uint64_t end = after ? le64toh(after->p_offset) : core->bytes.size;
	bool is_wrong = offset > core->bytes.size || filesz > core->bytes.size - offset ||
			(before && are_in_conflict(before, p)) || (after && are_in_conflict(p, after));

	if (memsz > ADDRESS_END && offset + filesz == end)
		p->p_memsz = p->p_filesz;
	else if (is_wrong && after && offset < end && filesz > end - offset && end - offset <= memsz)
		p->p_filesz = htole64(end - offset);
	else if (is_wrong && offset != begin && begin < end && end - begin == filesz)
		p->p_offset = htole64(begin);
	else
		return;
	core->damage = "a program header";
}

/* Segments without bytes in the file say nothing about the others. */
static void mend_segments(struct core *core, struct headers *headers)
{
	Elf64_Phdr *before = NULL, *p = NULL, *after;

	for (size_t i = 0; i <= headers->count; i++) {
		after = i < headers->count ? &headers->all[i] : NULL;
		if (after && (le32toh(after->p_type) != PT_LOAD || !after->p_filesz))
			continue;
		if (p)
			mend_segment(core, p, before, after);
		before = p;
		p = after;
	}
}

/*
 * Name and description are padded to multiples of 4; their sizes come from the crashed kernel, and
 * are not trusted.  A note without a name marks the end of the notes of a CPU.
 */
static bool read_note(const uint8_t *notes, size_t size, size_t *at, struct note *note)
{
	size_t left = *at < size ? size - *at : 0;
	const uint8_t *p;
	uint64_t name, desc;

	if (left < sizeof(Elf64_Nhdr))
		return false;
	p = notes + *at;
	name = get_le32(p);
	desc = get_le32(p + 4);
	if (!name || sizeof(Elf64_Nhdr) + round_up(name, 4) + desc > left)
		return false;
	*note = (struct note){
		.name = (const char *)p + sizeof(Elf64_Nhdr),
		.name_size = name,
		.type = get_le32(p + 8),
		.desc = p + sizeof(Elf64_Nhdr) + round_up(name, 4),
		.desc_size = desc,
	};
	*at += min_u64(sizeof(Elf64_Nhdr) + round_up(name, 4) + round_up(desc, 4), left);
	return true;
}

bool core_next_note(const struct core *core, size_t *at, struct note *note)
{
	return read_note(core->notes, core->notes_size, at, note);
}

/* Adds only complete notes, so that damage in one PT_NOTE does not affect the next. */
static enum status add_notes(struct core *core, const Elf64_Phdr *p, struct notes_read *read,
			     struct error *e)
{
	uint64_t offset = le64toh(p->p_offset), size = le64toh(p->p_filesz);
	size_t at = round_up(core->notes_size, 4);
	struct note note;
	uint8_t *grown;
	enum status status;

	if (!size)
		return STATUS_OK;
	if (read->headers == NOTE_HEADERS_MAX || size > read->most - read->bytes)
		return broken("more notes than any machine has", e);
	read->headers++;
	read->bytes += size;
	grown = realloc(core->notes, at + size);
	if (!grown)
		return error_system(e, ENOMEM, "notes of %" PRIu64 " bytes", size);
	memset(grown + core->notes_size, 0, at - core->notes_size);
	core->notes = grown;
	status = read_at(core, offset, size, grown + at, "notes", e);
	if (status)
		return status;
	core->notes_size = at;
	while (read_note(grown, at + size, &core->notes_size, &note))
		continue;
	return STATUS_OK;
}

static bool is_beyond(const struct core *core, const Elf64_Phdr *p)
{
	uint64_t offset = le64toh(p->p_offset), size = core->bytes.size;

	return offset > size || le64toh(p->p_filesz) > size - offset;
}

static enum status take_headers(struct core *core, const struct headers *headers,
				const struct core_limits *limits, struct error *e)
{
	struct notes_read read = { .most = limits->notes };
	enum status status = STATUS_OK;
	bool has_memory = false;

	for (size_t i = 0; i < headers->count; i++)
		has_memory |= le32toh(headers->all[i].p_type) == PT_LOAD && headers->all[i].p_filesz &&
			      le64toh(headers->all[i].p_offset) < core->bytes.size;
	core->segments = calloc(headers->count, sizeof(*core->segments));
	if (!core->segments)
		return error_system(e, ENOMEM, "%zu segments", headers->count);
	for (size_t i = 0; i < headers->count && !status; i++) {
		const Elf64_Phdr *p = &headers->all[i];

		if (le32toh(p->p_type) == PT_LOAD)
			add_segment(core, p);
		else if (le32toh(p->p_type) == PT_NOTE)
			status = add_notes(core, p, &read, e);
		/* Memory can be read without notes, unless the core ends before it. */
		if (status == STATUS_DAMAGED && le32toh(p->p_type) == PT_NOTE && has_memory && is_beyond(core, p)) {
			core->damage = "a program header, or its notes";
			status = STATUS_OK;
		}
	}
	if (!status && !core->segments_count)
		return broken(core->damage ? "no program header of memory is right" : "no segments of memory", e);
	return status;
}

enum status core_open(struct core *core, const struct core_bytes *bytes, struct error *e)
{
	return core_open_within(core, bytes, &standard_limits, e);
}

enum status core_open_within(struct core *core, const struct core_bytes *bytes,
			     const struct core_limits *limits, struct error *e)
{
	struct headers headers = { 0 };
	struct error doubt = { .status = STATUS_OK }, ignored;
	struct vmcoreinfo info;
	enum status status;
	bool is_core = false;

	*core = (struct core){ .bytes = *bytes };
	status = read_headers(core, &headers, limits, &is_core, &doubt, e);
	if (!status)
		mend_segments(core, &headers);
	if (!status)
		status = take_headers(core, &headers, limits, e);
	/* Programs have the same header with another type, but no VMCOREINFO. */
	if (doubt.status && (status || (!is_core && vmcoreinfo_find(core, &info, &ignored)))) {
		*e = doubt;
		status = doubt.status;
	}
	/* They may take as much memory as an index. */
	free(headers.all);
	if (!status)
		status = segment_index_init(&core->physical, core->segments, core->segments_count, true, e);
	if (!status)
		status = segment_index_init(&core->virtual, core->segments,
					    limits->physical_only ? 0 : core->segments_count, false, e);
	return status;
}

void core_close(struct core *core)
{
	free(core->segments);
	segment_index_free(&core->physical);
	segment_index_free(&core->virtual);
	free(core->notes);
	*core = (struct core){ 0 };
}

static bool is_of_same_mapping(const struct segment *a, const struct segment *b)
{
	return a->vaddr - a->paddr == b->vaddr - b->paddr || (!a->vaddr && !b->vaddr);
}

struct segment core_segment_whole(const struct core *core, const struct segment *segment, uint64_t page_size)
{
	const struct segment_range *ranges = core->physical.ranges;
	uint64_t begin = segment->paddr, end = begin + segment->memsz;

	for (size_t i = 0; i < core->physical.count; i++)
		if (end - ranges[i].first <= page_size && is_of_same_mapping(ranges[i].segment, segment))
			end = max_u64(end, ranges[i].last + 1);
	for (size_t i = core->physical.count; i--;)
		if (ranges[i].last + 1 - begin <= page_size && is_of_same_mapping(ranges[i].segment, segment))
			begin = min_u64(begin, ranges[i].first);
	return (struct segment){ .vaddr = segment->vaddr - (segment->paddr - begin), .paddr = begin,
				 .filesz = end - begin, .memsz = end - begin };
}

/*
 * Some writers (QEMU, with paging) have several segments for the same bytes, because these have
 * several virtual addresses.  Bytes with different physical addresses do not occur in a valid core,
 * and with them a hostile core could have any number of pages.
 */
enum status core_stored(const struct core *core, bool joined, struct stored_range **stored, size_t *count,
			struct error *e)
{
	struct stored_range *list = *stored = calloc(core->segments_count + 1, sizeof(*list));
	size_t all = 0, kept = 0;

	*count = 0;
	if (!list)
		return error_system(e, ENOMEM, "%zu segments", core->segments_count);
	for (const struct segment *s = core->segments; s < core->segments + core->segments_count; s++)
		if (s->filesz)
			list[all++] = (struct stored_range){ s->offset, s->filesz, s->paddr };
	values_sort(list, sizeof(*list), all);
	for (size_t i = 0; i < all; i++) {
		struct stored_range *last = kept ? &list[kept - 1] : NULL, one = list[i];
		uint64_t after = last ? one.offset - last->offset : 0;
		bool goes_on = last && one.paddr - last->paddr == after;

		if (goes_on && (after < last->length || (joined && after == last->length)))
			last->length = max_u64(last->length, after + one.length);
		else if (last && after < last->length)
			return error_set(e, STATUS_DAMAGED, "ELF header of the source: segments share "
					 "bytes of the file");
		else
			list[kept++] = one;
	}
	*count = kept;
	return STATUS_OK;
}

uint64_t core_segments_end(const struct core *core)
{
	uint64_t end = 0;

	for (size_t i = 0; i < core->segments_count; i++)
		if (core->segments[i].filesz)
			end = max_u64(end, core->segments[i].offset + core->segments[i].filesz);
	return end;
}

bool note_has_name(const struct note *note, const char *name)
{
	size_t len = strlen(name);

	return note->name_size >= len && memcmp(note->name, name, len) == 0 &&
	       (note->name_size == len || note->name[len] == '\0');
}

size_t erased_compact(char *text, const void *bytes, size_t size)
{
	const char *from = bytes;
	size_t left = 0;

	for (size_t i = 0; i < size; i++) {
		if (text && from[i])
			text[left] = from[i];
		left += from[i] != 0;
	}
	return left;
}

size_t core_erased(const struct core *core, char *text)
{
	struct note note;
	size_t at = 0, length = 0;

	while (core_next_note(core, &at, &note))
		if (note_has_name(&note, "ERASEINFO"))
			length += erased_compact(text ? text + length : NULL, note.desc, note.desc_size);
	return length;
}

uint64_t core_count_cpus(const struct core *core)
{
	struct note note;
	size_t at = 0;
	uint64_t cpus = 0;

	while (core_next_note(core, &at, &note))
		cpus += note.type == NT_PRSTATUS && note_has_name(&note, "CORE");
	return cpus;
}

/* The program headers come first, since makedumpfile looks for them there. */
Elf64_Phdr *elf_put_header(uint8_t *head, uint16_t machine, uint64_t headers, uint64_t notes_size)
{
	Elf64_Phdr *list = (Elf64_Phdr *)(void *)(head + sizeof(Elf64_Ehdr));
	Elf64_Ehdr eh = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = htole16(ET_CORE), .e_machine = htole16(machine), .e_version = htole32(EV_CURRENT),
		.e_phoff = htole64(sizeof(eh)), .e_ehsize = htole16(sizeof(eh)), .e_phentsize = htole16(sizeof(*list)),
		.e_phnum = htole16((Elf64_Half)min_u64(headers, PN_XNUM)),
	};

	/* More headers than e_phnum can hold: elf(5), PN_XNUM. */
	if (headers >= PN_XNUM) {
		const Elf64_Shdr sh = { .sh_info = htole32((Elf64_Word)headers) };

		eh.e_shoff = htole64(sizeof(eh) + headers * sizeof(*list));
		eh.e_shentsize = htole16(sizeof(sh));
		eh.e_shnum = htole16(1);
		memcpy(list + headers, &sh, sizeof(sh));
	}
	memcpy(head, &eh, sizeof(eh));
	*list = (Elf64_Phdr){ .p_type = htole32(PT_NOTE), .p_offset = htole64(elf_notes_offset(headers)),
			      .p_filesz = htole64(notes_size), .p_memsz = htole64(notes_size) };
	return list + 1;
}

Elf64_Phdr elf_load(const struct segment *s)
{
	return (Elf64_Phdr){ htole32(PT_LOAD), htole32(PF_R | PF_W | PF_X), htole64(s->offset), htole64(s->vaddr),
			     htole64(s->paddr), htole64(s->filesz), htole64(s->memsz), 0 };
}

uint64_t elf_notes_offset(uint64_t headers)
{
	return sizeof(Elf64_Ehdr) + headers * sizeof(Elf64_Phdr) + sizeof(Elf64_Shdr);
}

/* --- VMCOREINFO ---------------------------------------------------------- */

/* One page of the crashed kernel; this is the largest possible. */
enum { VMCOREINFO_MAX = 65536 };

/* A note without any line KEY=VALUE says nothing, and another one may follow: writers add one of their own. */
enum status vmcoreinfo_find(const struct core *core, struct vmcoreinfo *info, struct error *e)
{
	struct note note;
	size_t at = 0;

	*info = (struct vmcoreinfo){ .text = "" };
	while (core_next_note(core, &at, &note)) {
		if (!note_has_name(&note, "VMCOREINFO"))
			continue;
		info->text = (const char *)note.desc;
		/* The kernel fills the rest of its page with zeros. */
		info->size = strnlen(info->text, min_u64(note.desc_size, VMCOREINFO_MAX));
		if (memchr(info->text, '=', info->size))
			return STATUS_OK;
	}
	*info = (struct vmcoreinfo){ .text = "" };
	return error_set(e, STATUS_USAGE, "the core has no VMCOREINFO: it is not a vmcore, or its "
			 "kernel was built without support for crash dumps");
}

/* The text after KEY= at the beginning of a line. */
static const char *find_value(const struct vmcoreinfo *info, const char *key, size_t *len)
{
	const char *line = info->text, *end = info->text + info->size;
	size_t key_len = strlen(key);

	while (line < end) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		size_t line_len = (size_t)((next ? next : end) - line);

		if (line_len > key_len && !memcmp(line, key, key_len) && line[key_len] == '=') {
			*len = line_len - key_len - 1;
			return line + key_len + 1;
		}
		line += line_len + 1;
	}
	return NULL;
}

bool vmcoreinfo_text(const struct vmcoreinfo *info, const char *key, char *value, size_t size)
{
	size_t len;
	const char *found = find_value(info, key, &len);

	if (!found || len >= size)
		return false;
	memcpy(value, found, len);
	value[len] = '\0';
	return true;
}

/* The whole text must be digits of this base, perhaps after a minus sign. */
static bool parse(const char *text, int base, uint64_t *value)
{
	char *end;

	if (!isxdigit((unsigned char)text[*text == '-']))
		return false;
	errno = 0;
	*value = strtoull(text, &end, base);
	return *end == '\0' && !errno;
}

bool vmcoreinfo_number(const struct vmcoreinfo *info, const char *key, uint64_t *value)
{
	char text[32];

	return vmcoreinfo_text(info, key, text, sizeof(text)) && text[0] != '-' &&
	       parse(text, 10, value);
}

bool vmcoreinfo_get(const struct vmcoreinfo *info, const char *kind, const char *name,
		    uint64_t *value)
{
	char key[128], text[32];

	if (snprintf(key, sizeof(key), "%s(%s)", kind, name) >= (int)sizeof(key) ||
	    !vmcoreinfo_text(info, key, text, sizeof(text)))
		return false;
	if (strcmp(kind, "SYMBOL") != 0 && parse(text, 10, value))
		return true;
	return parse(text, 16, value);
}

enum status vmcoreinfo_page_size(const struct vmcoreinfo *info, uint32_t *size, struct error *e)
{
	uint64_t value;

	if (!vmcoreinfo_number(info, "PAGESIZE", &value))
		return error_set(e, STATUS_DAMAGED, "VMCOREINFO has no page size");
	if (value < 4096 || value > 65536 || !is_power_of_two(value))
		return error_set(e, STATUS_DAMAGED, "VMCOREINFO has an invalid page size: %" PRIu64,
				 value);
	*size = (uint32_t)value;
	return STATUS_OK;
}

enum status core_page_size(const struct core *core, const struct vmcoreinfo *info, uint32_t *size, struct error *e)
{
	enum status status = vmcoreinfo_page_size(info, size, e);

	if (!status || core->machine != EM_X86_64)
		return status;
	*size = 4096;
	return STATUS_OK;
}
