// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records that a full output has given up, and that must be read back from it because their source
 * is a stream: see engine.h.  All functions are called with the lock held.
 */
#ifndef NSPLIT_CAPTURE_ENGINE_READ_BACK_H
#define NSPLIT_CAPTURE_ENGINE_READ_BACK_H

#include "capture/engine/engine.h"

/* The chunk that record i of those given up holds; i as in form_given_up(). */
uint64_t read_back_chunk_of(const struct capture *c, const struct output *o, unsigned i);

/* Can the output read a record back now? */
bool read_back_possible(const struct capture *c, const struct output *o);
/* Are there enough chunks left to ever read a record back? */
bool read_back_ever_possible(const struct capture *c);
/* Would there still be enough, or are none needed, after a call that hangs has kept one more? */
bool read_back_spares_chunk(const struct capture *c);

/* Reads back the last record that the output gave up, releasing the lock meanwhile. */
void read_back_record(struct capture *c, struct output *o);

/* Gives up reading back the records of one output, or of all; their chunks are unassigned. */
void read_back_drop(struct capture *c, struct output *o);
void read_back_drop_all(struct capture *c);

#endif
