// SPDX-License-Identifier: GPL-2.0-or-later
/* Compares the free space of the outputs with the source, before the capture. */
#ifndef NSPLIT_CMD_NSPLIT_SPACE_H
#define NSPLIT_CMD_NSPLIT_SPACE_H

#include <stdio.h>

#include "cmd/nsplit/options.h"

/*
 * The bytes that an output can hold: the free space of its file system or the size of its device.
 * False: unknown, as for a command, a pipe or null:.
 */
bool nsplit_space_of(const struct sink *sink, uint64_t *bytes);

enum { SPACE_TEXT_LENGTH = 256 };

/*
 * The free space of all outputs and the size of the source, and what to expect of them, as text.
 * False: one of them is unknown.
 */
bool nsplit_space_text(const struct nsplit_options *o, const struct source *source,
		       const struct sink *sinks, char text[SPACE_TEXT_LENGTH]);

/* How many bytes of a source of this size the dump level usually keeps, before they are compressed. */
uint64_t nsplit_space_kept(const struct nsplit_options *o, uint64_t source_size);

/* A line for the plan; prints nothing if the space or the size of the source is unknown. */
void nsplit_space_report(FILE *file, const struct nsplit_options *o, const struct source *source,
			 const struct sink *sinks);

/*
 * STATUS_SYSTEM: all outputs together have so little space that data will very likely be missing.
 */
enum status nsplit_space_check(const struct nsplit_options *o, const struct source *source,
			       const struct sink *sinks, struct error *e);

#endif
