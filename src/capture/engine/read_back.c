// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>

#include "capture/engine/read_back.h"

/*
 * Reading back uses one chunk and leaves another: a call that hangs keeps its chunk, and without
 * any chunk the capture could not continue.
 */
enum { CHUNKS_TO_READ_BACK = 2 };

uint64_t read_back_chunk_of(const struct capture *c, const struct output *o, unsigned i)
{
	struct index_entry entry;

	form_given_up(o->form, i, &entry, NULL);
	return entry.source_offset / c->settings.chunk_size;
}

bool read_back_possible(const struct capture *c, const struct output *o)
{
	return o->given_up && c->free.first && c->free.first->next;
}

bool read_back_ever_possible(const struct capture *c)
{
	return c->pool.count - c->chunks_lost >= CHUNKS_TO_READ_BACK;
}

bool read_back_spares_chunk(const struct capture *c)
{
	return !c->source->is_stream || c->pool.count - c->chunks_lost > CHUNKS_TO_READ_BACK;
}

void read_back_record(struct capture *c, struct output *o)
{
	struct chunk *chunk = chunk_list_remove(&c->free, &c->free.first);
	unsigned i = --o->given_up;
	enum status status;
	struct error e;

	c->given_up--;
	chunk->index = read_back_chunk_of(c, o, i);
	chunk->run = unit_run_of(chunk->index);
	assert(!o->reading_back);
	o->reading_back = chunk;
	engine_enter_call(c, o);
	status = form_read_back(o->form, i, chunk, &e);
	if (!engine_leave_call(c, o))
		return;
	o->reading_back = NULL;
	if (status) {
		engine_drop_chunk(c, chunk);
		engine_free_chunk(c, chunk);
	} else {
		chunk_list_prepend(&c->ready, chunk);
		pthread_cond_broadcast(&c->can_write);
	}
}

void read_back_drop(struct capture *c, struct output *o)
{
	for (; o->given_up; c->given_up--) {
		struct unit_run run = unit_run_of(read_back_chunk_of(c, o, --o->given_up));

		ledger_drop(&c->ledger, &run);
	}
}

void read_back_drop_all(struct capture *c)
{
	for (unsigned i = 0; c->given_up && i < c->count; i++)
		read_back_drop(c, &c->outputs[i]);
}
