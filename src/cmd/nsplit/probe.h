// SPDX-License-Identifier: GPL-2.0-or-later
/* Looking at source and outputs before the capture: what nsplit refuses to read or to write to, and the free space. */
#ifndef NSPLIT_CMD_NSPLIT_PROBE_H
#define NSPLIT_CMD_NSPLIT_PROBE_H

#include "cmd/nsplit/options.h"
#include "io/existing.h"

/*
 * vmcore_open(), and the error says what to write for a level that was taken for the source.  STATUS_USAGE: the
 * source is a dump, which is not the memory of a machine.
 */
enum status nsplit_open_source(const struct nsplit_options *o, struct source **source, struct error *e);

/*
 * Probes each output of the options into the sink of the same index; sinks are zero before, and the
 * caller frees all of them, also after a failure.
 *
 * Fails for an output that must not be written, such as the source or another output, and for such
 * a file of --stats.  An output beyond o->required does not end the capture: it is reported,
 * counted in *unusable and removed from the options.  An output that only cannot be opened now is
 * counted in *unusable and left to the capture, which continues without it.
 *
 * A dry run also reports these outputs, and a file of --stats that cannot be written.
 */
enum status nsplit_probe(struct nsplit_options *o, const struct source *source,
			 struct sink *sinks, unsigned *unusable, struct error *e);

/*
 * Its parts, for --check-params, which reports all errors.  One output; those before it were
 * probed.
 */
enum status nsplit_probe_output(const struct nsplit_options *o, const struct source *source,
				struct sink *sinks, unsigned i, struct error *e);
/* Checks that concern several outputs; all were probed. */
enum status nsplit_probe_together(const struct nsplit_options *o, const struct source *source,
				  const struct sink *sinks, struct error *e);

/* The file of --stats. */
struct side_file nsplit_stats_file(const struct nsplit_options *o);
/* STATUS_SYSTEM: it cannot be written now.  No capture fails for that. */
enum status nsplit_probe_stats(const struct nsplit_options *o, struct error *e);

/*
 * STATUS_SYSTEM: the output is in memory and the source is /proc/vmcore: a restart loses the dump.
 */
enum status nsplit_probe_memory(const struct nsplit_options *o, const struct sink *sink,
				struct error *e);

/*
 * STATUS_USAGE: what is written to the output is not stored, or nsplit cannot tell: null:, a device such as
 * /dev/null, or a command that writes to standard output.
 */
enum status nsplit_probe_stored(const struct nsplit_options *o, const struct sink *sink, struct error *e);
/* Prints what either of these finds, as a warning. */
void nsplit_warn_not_lasting(const struct nsplit_options *o, const struct sink *sink);

/* --- space --- */

/*
 * What an output can hold: the free space of its file system or the size of its device.
 * False: unknown, as for a command, a pipe or null:.
 */
bool nsplit_space_of(const struct sink *sink, struct space *space);

/* How many bytes of a source of this size the dump level usually keeps, before they are compressed. */
uint64_t nsplit_space_kept(const struct nsplit_options *o, uint64_t source_size);

enum { SPACE_TEXT_LENGTH = 256 };

/*
 * Sets text to the free space of all outputs and the size of the source, and what to expect of them, or to "" if one of
 * them is unknown.  STATUS_SYSTEM: there is so little space that data will very likely be missing.
 */
enum status nsplit_space_check(const struct nsplit_options *o, const struct source *source, const struct sink *sinks,
			       char text[SPACE_TEXT_LENGTH], struct error *e);

#endif
