// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/text.h"
#include "cmd/nsplit/space.h"
#include "core/kinds/page_class.h"
#include "io/path.h"

/*
 * The source divided by these is the least space that is worth trying.  The memory of machines in
 * use usually compresses to between a quarter and a half.  raw shortens only blocks that repeat one
 * 8-byte value.
 */
enum { DIVISOR_COMPRESSED = 4, DIVISOR_RAW = 2 };
/* What a dump level leaves out differs much; with these classes, a tenth of the memory is often kept. */
enum { DIVISOR_LEFT_OUT = 10 };

static bool space_of(const struct sink *sink, struct space *space)
{
	return sink->name && (sink->kind == SINK_FILE || sink->kind == SINK_BLOCK_DEVICE) &&
	       space_of_name(sink->name, space);
}

bool nsplit_space_of(const struct sink *sink, uint64_t *bytes)
{
	struct space space;

	if (!space_of(sink, &space))
		return false;
	*bytes = space.bytes;
	return true;
}

/* The space of all outputs.  False: that of one output is unknown. */
static bool space_of_all(const struct nsplit_options *o, const struct sink *sinks, uint64_t *bytes)
{
	struct space spaces[MEMBERS_MAX];

	for (size_t i = 0; i < o->outputs.count; i++)
		if (!space_of(&sinks[i], &spaces[i]))
			return false;
	*bytes = space_sum(spaces, o->outputs.count);
	return true;
}

static bool is_raw(const struct nsplit_options *o)
{
	return strcmp(o->capture.codec_text, "raw") == 0;
}

/* Free and user pages, and the page cache, are most of the memory of most machines. */
static bool leaves_out_most(const struct nsplit_options *o)
{
	const unsigned most = PAGE_CLASS_BIT(PAGE_CLASS_CACHE) | PAGE_CLASS_BIT(PAGE_CLASS_USER) |
			      PAGE_CLASS_BIT(PAGE_CLASS_FREE);

	return (o->left_out.classes & most) == most;
}

uint64_t nsplit_space_kept(const struct nsplit_options *o, uint64_t source_size)
{
	return source_size / (leaves_out_most(o) ? DIVISOR_LEFT_OUT : 1);
}

static uint64_t least_space(const struct nsplit_options *o, const struct source *source)
{
	return nsplit_space_kept(o, source->size) / (is_raw(o) ? DIVISOR_RAW : DIVISOR_COMPRESSED);
}

/* Free space and size of the source, and what to expect of them. */
static void describe_space(char text[SPACE_TEXT_LENGTH], const struct nsplit_options *o,
			   uint64_t bytes, const struct source *source)
{
	char here[SIZE_TEXT_LENGTH], all[SIZE_TEXT_LENGTH];

	snprintf(text, SPACE_TEXT_LENGTH, "%s free; the source has %s%s%s",
		 size_format(bytes, here), size_format(source->size, all),
		 leaves_out_most(o) ? ", of which a tenth is often kept" : "",
		 is_raw(o) ? ", of which raw shortens only blocks that repeat one 8-byte value" :
			     ", which usually compresses to between a quarter and a half");
}

bool nsplit_space_text(const struct nsplit_options *o, const struct source *source,
		       const struct sink *sinks, char text[SPACE_TEXT_LENGTH])
{
	uint64_t bytes;

	if (source->is_stream || !space_of_all(o, sinks, &bytes))
		return false;
	describe_space(text, o, bytes, source);
	return true;
}

void nsplit_space_report(FILE *file, const struct nsplit_options *o, const struct source *source,
			 const struct sink *sinks)
{
	char text[SPACE_TEXT_LENGTH];

	if (nsplit_space_text(o, source, sinks, text))
		fprintf(file, "space: %s\n", text);
}

enum status nsplit_space_check(const struct nsplit_options *o, const struct source *source,
			       const struct sink *sinks, struct error *e)
{
	char text[SPACE_TEXT_LENGTH];
	uint64_t bytes;

	if (source->is_stream || !space_of_all(o, sinks, &bytes) ||
	    bytes >= least_space(o, source))
		return STATUS_OK;
	describe_space(text, o, bytes, source);
	if (o->outputs.count == 1)
		return error_set(e, STATUS_SYSTEM, "%s: %s; free some space, or add outputs",
				 o->outputs.names[0], text);
	return error_set(e, STATUS_SYSTEM, "%zu outputs: %s; free some space, or add outputs",
			 o->outputs.count, text);
}
