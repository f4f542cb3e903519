// SPDX-License-Identifier: GPL-2.0-or-later
/* What nsplit refuses to write to, before the capture. */
#ifndef NSPLIT_CMD_NSPLIT_PROBE_H
#define NSPLIT_CMD_NSPLIT_PROBE_H

#include "cmd/nsplit_options.h"

/* Is there only while a kernel captures another. */
extern const char nsplit_vmcore[];

/*
 * Probes the outputs of the options, into as many sinks, zeroed before; sink_free() is due
 * for all of them in any case.  Refuses what must not be written: an output that is the
 * source or another output, and a file for --stats that is any of these.  Of the outputs
 * beyond o->required, one that must not be written is told of instead, counted in *without,
 * and taken out of the options: no dump shall be lost for it.  What merely cannot
 * be opened now is for the capture to find, and to do without; it is counted in *without, and
 * only a dry run tells of it here, and of a file for --stats that could not be written.
 */
enum status nsplit_probe(struct nsplit_options *o, const struct source *source,
			 struct sink *sinks, unsigned *without, struct error *e);

/* Its parts, for who wants to know all that is wrong: one output, those before it probed... */
enum status nsplit_probe_output(const struct nsplit_options *o, const struct source *source,
				struct sink *sinks, unsigned i, struct error *e);
/* ...and what only all of them show, when each has been probed. */
enum status nsplit_probe_together(const struct nsplit_options *o, const struct source *source,
				  const struct sink *sinks, struct error *e);

/* STATUS_SYSTEM: the file of --stats could not be written now.  No capture depends on that. */
enum status nsplit_probe_stats(const struct nsplit_options *o, struct error *e);

/*
 * Is what this output takes lost when the machine restarts, as it is a dump of /proc/vmcore
 * that goes to memory?  Then e says so, as STATUS_SYSTEM.
 */
enum status nsplit_probe_memory(const struct nsplit_options *o, const struct sink *sink,
				struct error *e);

#endif
