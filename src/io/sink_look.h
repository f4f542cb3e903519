// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks that an output still is as it was written: others may remove or truncate it meanwhile. */
#ifndef NSPLIT_IO_SINK_LOOK_H
#define NSPLIT_IO_SINK_LOOK_H

#include "io/sink.h"

/* Does the name lead to the file or device that was opened? */
bool sink_is_at_name(const struct sink *s);

/* Has the file no name any more?  One that was renamed has. */
bool sink_is_removed(const struct sink *s);

/*
 * Of a file or block device that has been synced; size: of the file, before sink_truncate().
 * STATUS_SYSTEM: what was appended is not there any more.  A file that was only renamed is intact,
 * and s->moved is set.  What cannot be found out is no failure.
 */
enum status sink_look(struct sink *s, uint64_t size, struct error *e);

#endif
