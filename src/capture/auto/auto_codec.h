// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * -C auto: measures what workers and outputs do, and chooses the preset of each chunk.
 *
 * Everything that -C auto needs is kept here: the figures and the choice (auto_choice.h), an
 * estimator for each worker (auto_estimate.h), the throughput of each output (auto_throughput.h).
 * With a fixed codec capture.auto_codec is NULL, and nothing below is called or allocated.
 */
#ifndef NSPLIT_CAPTURE_AUTO_AUTO_CODEC_H
#define NSPLIT_CAPTURE_AUTO_AUTO_CODEC_H

#include "capture/engine/engine.h"

/* Bytes of memory for each worker. */
size_t auto_codec_worker_memory(const struct packers *packers, uint32_t block_size);

/* Sets c->auto_codec, which observes c->fillers from then on. */
enum status auto_codec_new(struct capture *c, struct error *e);
void auto_codec_free(struct capture *c);

/* There are fewer workers than planned; 0: one thread does everything.  Before any is at work. */
void auto_codec_fewer_workers(struct capture *c, unsigned workers);

/* With the lock held: sets the preset by which the worker fills its next chunk. */
void auto_codec_choose(struct capture *c, unsigned worker);
/* With the lock held, after that chunk was filled. */
void auto_codec_learn_fill(struct capture *c, unsigned worker, const struct chunk *chunk);

/* Before and after a record is written: the first two in the writer's thread, without the lock. */
void auto_codec_write_begins(struct capture *c, unsigned output);
void auto_codec_write_ends(struct capture *c, unsigned output, uint32_t bytes);
/* With the lock held, unless the output was abandoned. */
void auto_codec_learn_write(struct capture *c, unsigned output);

#endif
