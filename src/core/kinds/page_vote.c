// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/kinds/page_range.h"
#include "core/kinds/page_vote.h"

/*
 * With pages of 4 KiB, page tables of 32 GiB, or of 16 TiB in blocks of 2 MiB; and pages of 1 GiB that
 * vmalloc() uses.
 */
enum { TABLES_MAX = 1 << 14, MAPPED_MAX = 1 << 18, SYMBOLS_MAX = 1024 };

/* --- page tables ------------------------------------------------------------------------- */

struct visitor {
	struct page_vote *vote;
	struct page_cursor *cursor;
	bool vmalloc;			/* these tables are those of vmalloc() */
};

static enum status find_class(struct page_cursor *c, uint64_t paddr, enum page_class *class,
			      struct error *e)
{
	uint8_t kind = PAGE_UNKNOWN;
	enum status status = page_range_kinds(c, paddr >> c->map->keys->page_shift, 1, &kind, e);

	*class = page_class_of(kind);
	return status;
}

static enum status count_table(void *arg, uint64_t paddr, struct error *e)
{
	const struct visitor *v = arg;
	enum page_class class;
	enum status status = find_class(v->cursor, paddr, &class, e);

	v->vote->tables++;
	if (class < PAGE_CLASSES)
		v->vote->tables_of_class[class]++;
	return status;
}

/* The image may be mapped among these, as on arm64, with frames that were freed. */
static enum status count_mapped(void *arg, uint64_t paddr, struct error *e)
{
	const struct visitor *v = arg;
	const struct page_map *map = v->cursor->map;
	uint64_t pfn = paddr >> map->keys->page_shift;
	enum page_class class;
	enum status status;

	if (!v->vmalloc || v->vote->mapped == MAPPED_MAX || pfn - map->image.offset < map->image.length)
		return STATUS_OK;
	status = find_class(v->cursor, paddr, &class, e);
	v->vote->mapped++;
	if (class < PAGE_CLASSES)
		v->vote->mapped_of_class[class]++;
	return status;
}

/*
 * The addresses of vmalloc(), if VMCOREINFO has the first one.  On x86_64 it does not have the end, but the
 * memory map comes next.
 */
static struct range find_vmalloc(const struct page_cursor *c)
{
	const struct vmcoreinfo *info = c->virt->info;
	uint64_t begin, end;

	if (!vmcoreinfo_get(info, "NUMBER", "VMALLOC_START", &begin))
		return (struct range){ 0 };
	if (!vmcoreinfo_get(info, "NUMBER", "VMALLOC_END", &end))
		end = c->map->base;
	return begin && begin < end ? (struct range){ begin, end - begin } : (struct range){ 0 };
}

static enum status count_part(struct visitor *v, uint64_t first, uint64_t last, unsigned *budget,
			      struct error *e)
{
	const struct virt *virt = v->cursor->virt;
	struct page_tables_visit visit = {
		.first = first, .last = last, .table = count_table, .memory = count_mapped,
		.arg = v, .budget = *budget,
	};
	enum status status = page_tables_visit(&virt->tables, virt->core, &visit, e);

	*budget = visit.budget;
	return status;
}

/*
 * Tables of vmalloc() come first, since those of the direct map can be more than are read: on arm64 it
 * is mapped page by page.
 */
static enum status count_tables(struct page_vote *vote, struct page_cursor *c, struct error *e)
{
	const struct range vmalloc = find_vmalloc(c);
	const uint64_t end = vmalloc.offset + vmalloc.length;
	struct visitor of_vmalloc = { vote, c, .vmalloc = true }, others = { vote, c, .vmalloc = false };
	unsigned budget = TABLES_MAX;
	enum status status;

	if (!vmalloc.length)
		return count_part(&others, 0, UINT64_MAX, &budget, e);
	status = count_part(&of_vmalloc, vmalloc.offset, end - 1, &budget, e);
	if (!status)
		status = count_part(&others, end, UINT64_MAX, &budget, e);
	return status ? status : count_part(&others, 0, vmalloc.offset - 1, &budget, e);
}

/* --- symbols ------------------------------------------------------------------------------ */

static enum status count_symbol(struct page_vote *vote, struct page_cursor *c, uint64_t address,
				struct error *e)
{
	uint64_t paddr, length;
	enum page_class class;
	enum status status = virt_translate(c->virt, address, &paddr, &length, e);

	if (!status)
		status = find_class(c, paddr, &class, e);
	if (status)
		return core_bytes_end(status) ? status : STATUS_OK;
	vote->symbols++;
	vote->symbols_of_classes += class < PAGE_CLASSES;
	return STATUS_OK;
}

/* Lines with SYMBOL(NAME)=ADDRESS. */
static enum status count_symbols(struct page_vote *vote, struct page_cursor *c, struct error *e)
{
	const char *line = c->virt->info->text, *end = line + c->virt->info->size, *next;

	for (; line < end && vote->symbols < SYMBOLS_MAX; line = next) {
		char text[128];
		unsigned long long address;
		enum status status = STATUS_OK;
		size_t length;

		next = memchr(line, '\n', (size_t)(end - line));
		next = next ? next + 1 : end;
		length = min_u64((uint64_t)(next - line), sizeof(text) - 1);
		memcpy(text, line, length);
		text[length] = '\0';
		if (sscanf(text, "SYMBOL(%*[^)])=%llx", &address) == 1)
			status = count_symbol(vote, c, address, e);
		if (status)
			return status;
	}
	return STATUS_OK;
}

enum status page_vote_count(struct page_vote *vote, struct page_cursor *c, struct error *e)
{
	enum status status;

	*vote = (struct page_vote){ 0 };
	status = page_vote_count_image(vote, c, e);
	if (!status)
		status = count_tables(vote, c, e);
	return status ? status : count_symbols(vote, c, e);
}
