// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alignment.h"
#include "base/bytes.h"
#include "core/elf.h"
#include "io/source.h"
#include "set/flat_core.h"
#include "set/plain.h"

static size_t buffer_size(uint32_t block_size, uint32_t chunk_size)
{
	(void)block_size;
	return chunk_size;
}

static size_t map_size(uint32_t chunk_size)
{
	(void)chunk_size;
	return 0;
}

/* Of what is not there, source_get_carefully() finds nothing: there is no descriptor. */
static enum status get(struct source_reader *r, uint64_t offset, size_t want, const uint8_t **data, size_t *got,
		       struct error *e)
{
	const struct dump_file *f = r->source->state;
	size_t length = (size_t)min_u64(want, r->buffer_size);
	enum status status;

	if (offset >= f->size)
		return STATUS_END;
	length = (size_t)min_u64(length, f->size - offset);
	status = dump_file_read(f, r->destination, length, offset, HOLES_MISSING, got, e);
	*data = r->destination;
	/* Whole granules before a gap; the one with the gap is then read alone. */
	if (status && *got >= GRANULE) {
		*got = round_down(*got, GRANULE);
		return STATUS_OK;
	}
	return status;
}

static void close_file(struct source *s)
{
	dump_file_close(s->state);
	free(s->state);
}

static const struct source_ops ops = {
	.buffer_size = buffer_size,
	.map_size = map_size,
	.get = get,
	.close = close_file,
};

bool flat_core_recognise(const struct dump_file *f)
{
	char magic[SELFMAG];
	struct error ignored;
	size_t got;

	return f->flattened && !dump_file_read(f, magic, SELFMAG, 0, HOLES_ZERO, &got, &ignored) && !memcmp(magic, ELFMAG, SELFMAG);
}

/* --- what the pieces must have ---------------------------------------------------- */

static bool read_exactly(const struct dump_file *f, void *bytes, size_t len, uint64_t offset)
{
	struct error ignored;
	size_t got;

	return !dump_file_read(f, bytes, len, offset, HOLES_ZERO, &got, &ignored);
}

/* With PN_XNUM program headers or more, the first section header has their number.  False: a header is damaged. */
static bool count_headers(const struct dump_file *f, const Elf64_Ehdr *h, uint64_t *count)
{
	Elf64_Shdr first;

	*count = le16toh(h->e_phnum);
	if (*count == PN_XNUM) {
		if (!read_exactly(f, &first, sizeof(first), le64toh(h->e_shoff)))
			return false;
		*count = le32toh(first.sh_info);
	}
	return *count <= CORE_HEADERS_MAX;
}

/* The memory and the notes: all of a core but its headers, and what is between.  False: out of memory. */
static bool find_data(const struct dump_file *f, struct range_list *data)
{
	uint64_t count, at;
	Elf64_Ehdr h;
	Elf64_Phdr p;

	if (!read_exactly(f, &h, sizeof(h), 0) || !count_headers(f, &h, &count))
		return range_list_add(data, 0, f->size);
	at = le64toh(h.e_phoff);
	for (; count && at <= OFFSET_MAX && read_exactly(f, &p, sizeof(p), at); count--, at += sizeof(p)) {
		uint64_t offset = le64toh(p.p_offset), length = le64toh(p.p_filesz);

		if (length && offset <= OFFSET_MAX && length <= OFFSET_MAX - offset &&
		    !range_list_add(data, offset, length))
			return false;
	}
	range_list_sort(data);
	range_list_merge(data);
	return true;
}

/*
 * Pages are missing at the end if the last pieces are, although the mark of the end is there.  A damaged header could
 * claim any number of them: no more bytes are added than the pieces have.
 */
static enum status add_lost_end(struct dump_file *f, uint64_t end, struct error *e)
{
	if (end <= f->size || dump_file_is_cut(f))
		return STATUS_OK;
	error_set(e, STATUS_CUT, "%s: cut short: the flattened dump has no pieces from byte %" PRIu64 " of the core on, but "
		  "its segments end at byte %" PRIu64, f->name, f->size, end);
	f->size = min_u64(end, f->size + min_u64(f->bytes, OFFSET_MAX - f->size));
	return names_append(&f->findings, e->text, SIZE_MAX, e);
}

/*
 * A piece far behind the segments has a wrong offset, as the header of a piece may be damaged: the core is not that long,
 * and nobody waits for terabytes of a hole.
 */
static enum status leave_out_far(struct dump_file *f, uint64_t end, struct error *e)
{
	if (!end || f->size <= end || f->size - end <= f->bytes)
		return STATUS_OK;
	error_set(e, STATUS_DAMAGED, "%s: damaged: a piece of the flattened dump ends at byte %" PRIu64 " of the core, but "
		  "its segments end at byte %" PRIu64, f->name, f->size, end);
	f->size = end;
	return names_append(&f->findings, e->text, SIZE_MAX, e);
}

static enum status find_holes(struct dump_file *f, struct error *e)
{
	struct range_list data = { 0 };
	bool good = find_data(f, &data) && (dump_file_is_cut(f) || dump_file_fill_holes(f, &data));
	uint64_t end = range_list_end(&data);
	enum status status = good ? leave_out_far(f, end, e) : error_system(e, ENOMEM, "%s: list of its pieces", f->name);

	if (!status)
		status = add_lost_end(f, end, e);
	range_list_free(&data);
	return status;
}

static struct source *make_source(const struct dump_file *f)
{
	struct source *s = calloc(1, sizeof(*s));
	struct dump_file *state = malloc(sizeof(*state));
	char *name = strdup(f->name);

	if (!s || !state || !name) {
		free(s);
		free(state);
		free(name);
		return NULL;
	}
	*state = *f;
	*s = (struct source){
		.ops = &ops, .name = name, .fd = -1, .direct_fd = -1, .interrupt_fd = -1,
		.identity = f->identity, .size = f->size, .state = state,
	};
	return s;
}

enum status flat_core_open(struct set *set, struct dump_file *f, struct error *e)
{
	enum status status = find_holes(f, e);
	struct source *source = status ? NULL : make_source(f);

	if (source)
		return plain_open_source(set, source, e);
	*set = (struct set){ .source_size = SOURCE_SIZE_UNKNOWN };
	if (!status)
		status = error_system(e, ENOMEM, "%s", f->name);
	dump_file_close(f);
	return status;
}

const struct dump_file *set_flat_core(const struct set *set)
{
	const struct source *plain = set->count ? set->members[0].plain : NULL;

	return plain && plain->ops == &ops ? plain->state : NULL;
}
