// SPDX-License-Identifier: GPL-2.0-or-later
/* From the name of an output to a sink that can be opened. */
#ifndef NSPLIT_IO_SINK_PROBE_H
#define NSPLIT_IO_SINK_PROBE_H

#include "io/sink.h"

/*
 * Fills in *s from a name, without opening or changing anything.
 *
 * STATUS_USAGE: the name must not be an output: an existing file or block device that permits
 * (PERMIT_OVERWRITE...) do not cover, a file or named pipe of another user, a directory, a terminal
 * on standard output.  STATUS_SYSTEM: the output is not usable now, and sink_open() will fail for
 * the same reason; s->unavailable is set, so that the capture can report and skip the output.
 * STATUS_NO_MEMORY.
 *
 * Call sink_free() in any case.
 */
enum status sink_probe(struct sink *s, const char *name, unsigned permits,
		       enum direct_mode direct, struct error *e);

/*
 * The same for a name that a filter command receives as $FILE.  An existing file or block device of
 * this name needs the same permits, since most filters write to it.
 */
enum status sink_probe_filter(struct sink *s, const char *filter, const char *name,
			      unsigned permits, struct error *e);

#endif
