// SPDX-License-Identifier: GPL-2.0-or-later
/* What still counts of an output that failed: records that are given up, and a footer from before. */
#include "config.h"

#include "capture/engine.h"

/* The chunk of the i-th record that a full output has given up. */
static uint64_t chunk_given_up(const struct capture *c, const struct output *o, unsigned i)
{
	struct index_entry entry;

	member_writer_given_up(&o->writer, i, &entry, NULL);
	return entry.source_offset / c->settings.chunk_size;
}

/* Takes that record out of the figures, where it was added when it was written. */
static void uncount_record(struct output *o, unsigned i)
{
	struct record_figures figures;
	struct index_entry entry;

	member_writer_given_up(&o->writer, i, &entry, &figures);
	o->stats.records--;
	o->stats.source_bytes -= entry.source_length;
	for (int kind = 0; kind < BLOCK_KINDS; kind++)
		o->stats.blocks[kind] -= figures.blocks[kind];
	o->stats.presets[figures.preset] -= entry.source_length;
}

/*
 * Reading back takes a chunk, and leaves another one: a call that hangs keeps the chunk, and without
 * any the capture would stand still.
 */
enum { CHUNKS_TO_READ_BACK = 2 };

bool engine_can_ever_read_back(const struct capture *c)
{
	return c->pool.count - c->lost >= CHUNKS_TO_READ_BACK;
}

bool engine_can_lose_chunk(const struct capture *c)
{
	return !c->source->is_stream || c->pool.count - c->lost > CHUNKS_TO_READ_BACK;
}

/*
 * False: no record is left to give up.  Records of a stream have to be read back, unless too few
 * chunks are left for that.
 */
static bool give_up_records(struct capture *c, struct output *o)
{
	bool lift = c->source->is_stream && engine_can_ever_read_back(c);
	unsigned count = member_writer_give_up(&o->writer);

	for (unsigned i = 0; i < count; i++) {
		uncount_record(o, i);
		if (lift)
			ledger_lift(&c->ledger, chunk_given_up(c, o, i));
		else
			ledger_return(&c->ledger, chunk_given_up(c, o, i));
	}
	if (lift) {
		o->given_up += count;
		c->given_up += count;
	}
	o->stats.member_bytes = o->writer.sink->length;
	o->synced = false;
	o->sealed = false;
	return count;
}

/*
 * Drops what lies behind the last footer.  The member counts as it did when that was written, and
 * takes no more.  Not for a stream: there only records that were read back are written behind a
 * footer, and the ledger does not mark them.
 */
static enum rescue roll_back(struct capture *c, unsigned output)
{
	struct output *o = &c->outputs[output];
	enum status status;
	struct error ignored;

	if (!o->writer.closed || !sink_rewinds(o->writer.sink) || c->source->is_stream)
		return RESCUE_DEAD;
	engine_enter_call(c, o);
	status = member_writer_roll_back(&o->writer, &ignored);
	if (!engine_leave_call(c, o))
		return RESCUE_HUNG;
	if (status)
		return RESCUE_DEAD;
	ledger_retire_late(&c->ledger, output);
	o->closed.written = o->stats.written;
	o->closed.seconds = o->stats.seconds;
	o->stats = o->closed;
	o->synced = true;
	o->sealed = true;
	return RESCUE_FULL;
}

enum rescue engine_rescue(struct capture *c, unsigned output, struct error *e)
{
	struct output *o = &c->outputs[output];
	struct error failed;
	enum status status;

	if (!sink_is_full(o->writer.sink, e))
		return roll_back(c, output);
	do {
		engine_enter_call(c, o);
		status = member_writer_settle(&o->writer, &failed);
		if (!engine_leave_call(c, o))
			return RESCUE_HUNG;
		if (!status) {
			/* What holds the footer's place lies behind an earlier one, perhaps. */
			o->synced = false;
			o->sealed = false;
			return RESCUE_FULL;
		}
	} while (sink_is_full(o->writer.sink, &failed) && give_up_records(c, o) && !o->given_up);
	if (o->given_up)
		return RESCUE_FULL;
	*e = failed;
	return roll_back(c, output);
}

void engine_drop_given_up(struct capture *c, struct output *o)
{
	for (; o->given_up; c->given_up--)
		ledger_drop(&c->ledger, chunk_given_up(c, o, --o->given_up));
}

void engine_drop_all_given_up(struct capture *c)
{
	for (unsigned i = 0; c->given_up && i < c->count; i++)
		engine_drop_given_up(c, &c->outputs[i]);
}

bool engine_can_read_back(const struct capture *c, const struct output *o)
{
	return o->given_up && c->free.first && c->free.first->next;
}

void engine_read_back(struct capture *c, struct output *o)
{
	struct chunk *chunk = chunk_list_remove(&c->free, &c->free.first);
	unsigned i = --o->given_up;
	enum status status;
	struct error e;

	c->given_up--;
	chunk->index = chunk_given_up(c, o, i);
	o->reading = chunk;
	engine_enter_call(c, o);
	status = member_writer_read_back(&o->writer, i, chunk, &e);
	if (!engine_leave_call(c, o))
		return;
	o->reading = NULL;
	if (status) {
		ledger_drop(&c->ledger, chunk->index);
		engine_give_back(c, chunk);
	} else {
		chunk_list_prepend(&c->ready, chunk);
		pthread_cond_broadcast(&c->can_write);
	}
	engine_advance(c);
}
