// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alignment.h"
#include "base/bytes.h"
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

/* Of what is not there, as in a file that was cut, source_get_carefully() finds nothing: there is no descriptor. */
static enum status get(struct source_reader *r, uint64_t offset, size_t want, const uint8_t **data, size_t *got,
		       struct error *e)
{
	const struct dump_file *f = r->source->state;
	size_t length = (size_t)min_u64(want, r->buffer_size);
	enum status status;

	if (offset >= f->size)
		return STATUS_END;
	length = (size_t)min_u64(length, f->size - offset);
	status = dump_file_read(f, r->destination, length, offset, got, e);
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

	return f->flattened && !dump_file_read(f, magic, SELFMAG, 0, &got, &ignored) && !memcmp(magic, ELFMAG, SELFMAG);
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
	struct source *source = make_source(f);

	if (source)
		return plain_open_source(set, source, e);
	*set = (struct set){ .source_size = SOURCE_SIZE_UNKNOWN };
	error_system(e, ENOMEM, "%s", f->name);
	dump_file_close(f);
	return e->status;
}

bool set_is_flat_core(const struct set *set, bool *cut)
{
	const struct source *plain = set->count ? set->members[0].plain : NULL;
	bool is_flat = plain && plain->ops == &ops;

	*cut = is_flat && dump_file_is_cut(plain->state);
	return is_flat;
}
