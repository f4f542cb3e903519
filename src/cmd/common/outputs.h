// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that must not be an output. */
#ifndef NSPLIT_CMD_COMMON_OUTPUTS_H
#define NSPLIT_CMD_COMMON_OUTPUTS_H

#include "io/sink.h"
#include "io/source.h"

/*
 * STATUS_USAGE: a file that an option names for other output is the source or an output.  It may be
 * the same character device as an output.
 */
enum status outputs_refuse_file(const char *option, const char *name, const struct source *source,
				const struct sink *sinks, size_t count, struct error *e);

/*
 * The errno that writing a file of this name would fail with, as far as that can be known without
 * creating it; 0: none.
 */
int outputs_write_errno(const char *name);
/* The same if an existing file is replaced by a new one of its name (export/output_file.h). */
int outputs_replace_errno(const char *name);

/*
 * STATUS_USAGE: a file of this name is the source.  Before the output is probed, which would only
 * say that the file exists.
 */
enum status outputs_refuse_source(const char *name, const struct source *source,
				  struct error *e);

/* STATUS_USAGE: output i is the source or an earlier output.  All up to i were probed. */
enum status outputs_refuse_repeated(const struct sink *sinks, unsigned i,
				    const struct source *source, struct error *e);

/*
 * STATUS_USAGE: one output is null: and another is not.  The set would lack the chunks that null:
 * took.  All were probed.
 */
enum status outputs_refuse_holes(const struct sink *sinks, size_t count, struct error *e);

/* True if an output is the same file as standard output, by any name.  All were probed. */
bool outputs_take_stdout(const struct sink *sinks, size_t count);

#endif
