// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The steps of the threads: see engine.h.  Unless noted, they are called with the lock held, and release it while a chunk
 * is filled, and during calls of the sink.
 */
#ifndef NSPLIT_CAPTURE_ENGINE_STEPS_H
#define NSPLIT_CAPTURE_ENGINE_STEPS_H

#include "capture/engine/engine.h"

/* Fills a chunk, or asks the policy.  False: there is nothing that a worker can do now. */
bool worker_step(struct capture *c, unsigned worker);

/* Writes a ready chunk to this output.  False: there is none that it may take now. */
bool writer_write(struct capture *c, unsigned output);

/* Has the writer another task: to open, read back, sync, end or seal its output, or to finish? */
bool writer_has_task(const struct capture *c, unsigned output);
/* Does it.  False: the writer has finished. */
bool writer_do_task(struct capture *c, unsigned output);

/*
 * For capture_open(), without the lock and before the threads start: opens pipes and begins their
 * members, and fails outputs that were already lost when they were probed.
 */
void writers_begin_first(struct capture *c);

/* All steps in one thread, without the lock.  Returns when the phase is DONE. */
void serial_run(struct capture *c);

#endif
