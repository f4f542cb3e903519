// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "capture/member_footer.h"

struct footer member_footer(const struct member_writer *w, const struct sink_stats *held,
			    int64_t finished)
{
	struct footer footer = {
		.set = w->superblock,
		.offset = w->sink->length,
		.index = w->written ? w->written : w->previous,
		.records = held->records,
		.source_bytes = held->source_bytes,
		.finished = finished,
	};

	memcpy(footer.blocks, held->blocks, sizeof(footer.blocks));
	if (w->superblock.features & FEATURE_LAYERS) {
		footer.set.classes = w->layers.classes;
		footer.whole = w->layers.whole;
		footer.figures = held->figures;
		memcpy(footer.reason, w->layers.reason, sizeof(footer.reason));
	}
	return footer;
}

/* Is there space for index and mark, and then for index and footer, as far as that is known? */
static bool has_space(const struct member_writer *w)
{
	return 2 * (index_segment_length(w->entries) + FOOTER_LENGTH) <= sink_space_left(w->sink);
}

/*
 * The segment is continued behind the mark, and written again with all of its entries.  So if the
 * disk is full soon, the records before the mark can be given up, and the mark with them.
 */
enum status member_writer_mark(struct member_writer *w, const struct sink_stats *held,
			       int64_t finished, struct error *e)
{
	struct footer footer;
	enum status status;

	if (!has_space(w))
		return sink_sync(w->sink, e);
	status = member_writer_settle(w, e);
	if (status)
		return status;
	footer = member_footer(w, held, finished);
	footer.mark = true;
	footer_encode(&footer, w->page);
	status = sink_append(w->sink, w->page, FOOTER_LENGTH, e);
	if (!status)
		w->written = 0;
	return status ? status : sink_sync(w->sink, e);
}
