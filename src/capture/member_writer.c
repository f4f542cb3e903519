// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/unit.h"
#include "capture/member_writer.h"
#include "format/index.h"

/* Some 1022 records: 1 GiB of source in one read when the set is opened. */
enum { SEGMENT_BYTES = 32 * 1024 };

size_t member_writer_memory(void)
{
	return SEGMENT_BYTES;
}

enum status member_writer_init(struct member_writer *w, struct sink *sink,
			       const struct superblock *superblock, struct error *e)
{
	*w = (struct member_writer){ .sink = sink, .superblock = *superblock };
	w->segment = aligned_alloc(UNIT, SEGMENT_BYTES);
	if (!w->segment)
		return error_system(e, ENOMEM, "index buffer");
	memory_touch(w->segment, SEGMENT_BYTES);
	return STATUS_OK;
}

void member_writer_free(struct member_writer *w)
{
	free(w->segment);
	w->segment = NULL;
}

enum status member_writer_begin(struct member_writer *w, struct error *e)
{
	/* The segment's memory is free while it has no entry. */
	superblock_encode(&w->superblock, w->segment);
	return sink_append(w->sink, w->segment, SUPERBLOCK_LENGTH, e);
}

static enum status flush_index(struct member_writer *w, struct error *e)
{
	uint64_t offset = w->sink->length;
	enum status status;
	uint32_t length;

	if (!w->entries)
		return STATUS_OK;
	length = index_segment_seal(w->segment, &w->superblock.id, w->previous, w->entries);
	status = sink_append(w->sink, w->segment, length, e);
	if (!status) {
		w->previous = offset;
		w->entries = 0;
	}
	return status;
}

static void note_record(struct member_writer *w, const struct record *record, uint64_t offset)
{
	struct index_entry entry = {
		.member_offset = offset,
		.source_offset = record->source_offset,
		.source_length = record->source_length,
		.record_length = record_length(record),
		.unreadable = record->unreadable,
	};

	index_entry_encode(&entry, w->segment + INDEX_HEADER_LENGTH +
			   (size_t)INDEX_ENTRY_LENGTH * w->entries++);
}

enum status member_writer_append(struct member_writer *w, const struct record *record,
				 const uint8_t *bytes, struct error *e)
{
	enum status status;
	uint64_t offset;

	sink_keep_back(w->sink);
	if (w->entries == index_segment_capacity(SEGMENT_BYTES) &&
	    (status = flush_index(w, e)))
		return status;
	offset = w->sink->length;
	status = sink_append(w->sink, bytes, record_length(record), e);
	if (!status)
		note_record(w, record, offset);
	return status;
}

enum status member_writer_sync(struct member_writer *w, struct error *e)
{
	enum status status;

	sink_release(w->sink);
	status = flush_index(w, e);
	return status ? status : sink_sync(w->sink, e);
}

enum status member_writer_seal(struct member_writer *w, const struct sink_stats *held,
			       uint64_t source_size, bool stopped, int64_t finished,
				struct error *e)
{
	struct footer footer = {
		.set = w->superblock,
		.offset = w->sink->length,
		.index = w->previous,
		.records = held->records,
		.source_bytes = held->source_bytes,
		.finished = finished,
		.stopped = stopped,
	};
	enum status status;

	footer.set.source_size = source_size;
	memcpy(footer.blocks, held->blocks, sizeof(footer.blocks));
	footer_encode(&footer, w->segment);
	sink_release(w->sink);		/* records may have come, or failed to, since the sync */
	status = sink_append(w->sink, w->segment, FOOTER_LENGTH, e);
	if (!status)
		status = sink_write_last(w->sink, w->segment, FOOTER_LENGTH, e);
	return status ? status : sink_sync(w->sink, e);
}
