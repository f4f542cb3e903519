// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The steps of a writer: see engine.h.  Unless noted, they are called with the lock held and
 * release it during calls of the sink.
 */
#ifndef NSPLIT_CAPTURE_ENGINE_WRITERS_H
#define NSPLIT_CAPTURE_ENGINE_WRITERS_H

#include "capture/engine/engine.h"

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

#endif
