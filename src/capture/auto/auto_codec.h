// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * -C auto: measures what workers and outputs do, and chooses the preset of each chunk.
 *
 * It has the figures and the choice (auto_choice.h); for each worker, what it packs by way of trial; and for each
 * output, the throughput of its latest calls.  With a fixed codec, nothing of this is called or allocated.
 */
#ifndef NSPLIT_CAPTURE_AUTO_AUTO_CODEC_H
#define NSPLIT_CAPTURE_AUTO_AUTO_CODEC_H

#include "capture/auto/auto_choice.h"
#include "capture/fill/fill.h"

struct auto_codec;

/* Bytes of memory for each worker. */
size_t auto_codec_worker_memory(const struct packers *packers);

/* For these fillers, one of each worker, which it observes from then on.  *a must be freed in any case. */
enum status auto_codec_new(struct auto_codec **a, struct filler *fillers, unsigned workers, unsigned outputs,
			   bool serial, struct error *e);
void auto_codec_free(struct auto_codec *a);

/* There are fewer workers than planned; 0: one thread does everything.  Before any is at work. */
void auto_codec_fewer_workers(struct auto_codec *a, unsigned workers);

/* The outputs that take chunks. */
struct auto_rates {
	double rate, bytes, cpu;
	unsigned count, known;
};

/* With the engine's lock held: adds the figures of one of these outputs. */
void auto_codec_add_rate(const struct auto_codec *a, unsigned output, struct auto_rates *rates);
/* With the lock held: sets the preset by which the worker fills its next chunk. */
void auto_codec_choose(struct auto_codec *a, unsigned worker, const struct auto_rates *rates);
/* With the lock held, after that chunk was filled. */
void auto_codec_learn_fill(struct auto_codec *a, unsigned worker, const struct chunk *chunk);

/* Before and after a record is written, in the writer's thread, without the lock. */
void auto_codec_write_begins(struct auto_codec *a, unsigned output);
void auto_codec_write_ends(struct auto_codec *a, unsigned output);
/* With the lock held, unless the output was abandoned: the record had this length. */
void auto_codec_learn_write(struct auto_codec *a, unsigned output, uint32_t bytes);

#endif
