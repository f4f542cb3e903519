// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "core/kinds/page_class.h"
#include "filter/filter_state.h"
#include "format/columns.h"
#include "format/format.h"

/* Samples of mappings: one for each 16 units, but no more than this. */
enum { SAMPLES = 1024, SAMPLE_UNITS = 16 };

/* The classes of all granules are kept for a source of up to 64 GiB. */
enum { KNOWN_MAX = 8 << 20 };

/* --- threads --------------------------------------------------------------- */

static enum status open_thread(struct filter *f, struct filter_thread *t, struct error *e)
{
	struct core_bytes bytes;
	enum status status = source_bytes_open(&t->bytes, f->source, &bytes, e);

	if (status)
		return status;
	t->core = f->core;
	t->core.bytes = bytes;
	t->virt = f->virt;
	t->virt.core = &t->core;
	page_cursor_init(&t->cursor, &f->map, &t->virt);
	return STATUS_OK;
}

/* The filter owns the contents of t->core. */
static void close_thread(struct filter_thread *t)
{
	source_bytes_close(&t->bytes);
	page_evidence_free(&t->evidence);
}

static uint64_t count_units(const struct source *source, uint32_t unit_size)
{
	return divide_up(source->size, unit_size);
}

size_t filter_thread_memory(const struct source *source)
{
	return sizeof(struct filter_thread) + source_bytes_memory(source) +
	       PAGE_ANCHORS_MAX * sizeof(uint64_t);
}

/* Bytes for the classes of all granules; 0 for a large source, and where two units would share a byte. */
static size_t known_memory(const struct source *source, uint32_t unit_size, bool remembers)
{
	uint64_t bytes = divide_up(divide_up(source->size, GRANULE), 2);

	return remembers && bytes <= KNOWN_MAX && unit_size % (2 * GRANULE) == 0 ? bytes : 0;
}

size_t filter_memory(const struct source *source, uint32_t unit_size, bool remembers)
{
	return divide_up(count_units(source, unit_size), 8) + known_memory(source, unit_size, remembers);
}

static void stop(struct filter *f)
{
	for (unsigned i = 0; i < f->threads_count; i++)
		close_thread(&f->threads[i]);
	free(f->threads);
	free(f->seen);
	free(f->known);
	f->known = NULL;
	f->threads = NULL;
	f->seen = NULL;
	f->threads_count = 0;
}

enum status filter_start(struct filter *f, unsigned threads, uint32_t unit_size, bool remembers, struct error *e)
{
	uint64_t units = count_units(f->source, unit_size);
	size_t known = known_memory(f->source, unit_size, remembers);
	enum status status = STATUS_OK;

	stop(f);
	if (!f->classes)
		return STATUS_OK;
	f->unit_size = unit_size;
	f->sample_every = max_u64(SAMPLE_UNITS, divide_up(units, SAMPLES));
	f->seen = calloc(divide_up(units, 8) + 1, 1);
	f->threads = memory_to_read(threads * sizeof(*f->threads));
	f->known = known ? malloc(known) : NULL;
	if (!f->seen || !f->threads || (known && !f->known))
		return error_system(e, ENOMEM, "filter of %u threads", threads);
	memory_touch(f->known, known);
	for (; !status && f->threads_count < threads; f->threads_count++)
		status = open_thread(f, &f->threads[f->threads_count], e);
	return status;
}

/* --- opening --------------------------------------------------------------- */

static enum status find_map(struct filter *f, struct error *e)
{
	enum status status = vmcoreinfo_find(&f->core, &f->info, e);
	if (!status)
		status = page_keys_find(&f->keys, &f->info, e);
	if (status)
		return status;
	virt_init(&f->virt, &f->core, &f->info);
	return page_map_open(&f->map, &f->virt, &f->keys, e);
}

/* Of /proc/vmcore, both places are the same memory by construction. */
static enum status trust_places(struct filter *f, const struct core_bytes *bytes, struct error *e)
{
	if (!second_places_valid(&f->places.second, f->source->size))
		f->places.second.count = 0;
	return f->source->made_by_kernel ? STATUS_OK : places_compare(&f->places, bytes, e);
}

static enum status read_headers(struct filter *f, const struct core_bytes *bytes, struct error *e)
{
	enum status status = core_open_within(&f->core, bytes, &core_limits_scarce, e);

	if (!status && f->classes)
		status = find_map(f, e);
	if (!status)
		status = places_find(&f->places, &f->core, e);
	return status ? status : trust_places(f, bytes, e);
}

/* Afterwards only threads read, so the memory for reading is theirs. */
static enum status open_all(struct filter *f, struct error *e)
{
	struct source_bytes reading;
	struct core_bytes bytes;
	enum status status = source_bytes_open(&reading, f->source, &bytes, e);

	if (!status)
		status = read_headers(f, &bytes, e);
	source_bytes_close(&reading);
	f->core.bytes = (struct core_bytes){ 0 };
	return status;
}

static enum status open_filter(struct filter **filter, struct source *source, bool classes,
			       struct error *e)
{
	struct filter *f;
	enum status status;

	if (source->is_stream)
		return error_set(e, STATUS_USAGE, "%s: a stream can be read only once", source->name);
	f = calloc(1, sizeof(*f));
	if (!f)
		return error_system(e, ENOMEM, "filter");
	f->source = source;
	f->classes = classes;
	status = open_all(f, e);
	if (status) {
		filter_close(f);
		return status;
	}
	*filter = f;
	return STATUS_OK;
}

enum status filter_open(struct filter **filter, struct source *source, struct error *e)
{
	return open_filter(filter, source, true, e);
}

enum status filter_open_places(struct filter **filter, struct source *source, struct error *e)
{
	return open_filter(filter, source, false, e);
}

void filter_close(struct filter *f)
{
	if (!f)
		return;
	stop(f);
	places_free(&f->places);
	page_map_close(&f->map);
	core_close(&f->core);
	free(f);
}

uint32_t filter_map_row(const struct filter *f)
{
	return f->classes && column_row_valid(f->keys.size) ? f->keys.size : 0;
}

/* --- the plan -------------------------------------------------------------- */

/* Layer 1 is the kernel. */
enum { LAYER_MAP = 2, LAYER_OTHERS, LAYER_AFTER_ALL };

unsigned filter_plan(unsigned level, struct class_table *plan)
{
	unsigned classes = dump_level_classes(level);

	*plan = class_table_plain();
	plan->of[CLASS_SECOND] = class_entry(CLASS_TWICE, 0);
	if (!classes)
		return 1;
	plan->of[CLASS_MAP] = class_entry(CLASS_SAVED, LAYER_MAP);
	for (unsigned i = CLASS_PRIVATE; i < CLASS_SECOND; i++)
		plan->of[i] = page_captured_is_never_read(i) || page_class_of_captured(i) & classes ?
			      class_entry(CLASS_PLANNED_OUT, 0) : class_entry(CLASS_SAVED, LAYER_OTHERS);
	return LAYER_AFTER_ALL;
}
