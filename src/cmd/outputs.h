// SPDX-License-Identifier: GPL-2.0-or-later
/* What no output may be, and what nothing else may write to. */
#ifndef NSPLIT_CMD_OUTPUTS_H
#define NSPLIT_CMD_OUTPUTS_H

#include "io/sink.h"
#include "io/source.h"

/*
 * A file that is written besides, for an option that names it in the error: STATUS_USAGE if it is
 * the source, or one of the outputs, of which a character device may take both.
 */
enum status outputs_refuse_file(const char *option, const char *name, const struct source *source,
				const struct sink *sinks, size_t count, struct error *e);

/* STATUS_USAGE: output i is the source, or one of those before it.  All were probed. */
enum status outputs_refuse_repeated(const struct sink *sinks, unsigned i,
				    const struct source *source, struct error *e);

/*
 * STATUS_USAGE: one of them is null:, and another is not.  What null: takes, a set does not have.
 * All were probed.
 */
enum status outputs_refuse_holes(const struct sink *sinks, size_t count, struct error *e);

/* Is one of them where standard output goes, whatever it is called?  All were probed. */
bool outputs_take_stdout(const struct sink *sinks, size_t count);

#endif
