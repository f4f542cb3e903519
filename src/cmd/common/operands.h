// SPDX-License-Identifier: GPL-2.0-or-later
/* The files that a command line names: the source, outputs and members. */
#ifndef NSPLIT_CMD_COMMON_OPERANDS_H
#define NSPLIT_CMD_COMMON_OPERANDS_H

#include "io/sink.h"
#include "io/source.h"
#include "set/set.h"

/* --- /proc/vmcore, which exists only in a capture kernel ----------------- */

extern const char vmcore_name[];	/* "/proc/vmcore" */

/* True if this name is /proc/vmcore, and there is none. */
bool vmcore_absent(const char *name);

/* source_open(), unless it is absent. */
enum status vmcore_open(struct source **source, const char *name, enum mmap_mode mmap,
			struct error *e);

/* --- files that must not be an output ------------------------------------ */

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

/* --- members: their names, and messages about them ----------------------- */

/*
 * Appends the names that an operand stands for (names_expand()).  If a file of exactly this name
 * exists, it is meant: a shell that completes a name with braces does not write backslashes.
 */
enum status members_expand(struct names *names, const char *operand, struct error *e);

/* Standard input, a pipe or a character device?  It is not opened, since that waits for a writer. */
bool members_is_stream(const char *name);

/*
 * Removes and reports names of files that do not exist.  An output that the capture could not open
 * has no file, and the other outputs hold its data; if not, holes will show it.  If none of the
 * files exists, all names stay, and opening them fails.
 */
void members_skip_absent(struct names *names);

/* An unfinished member (set/set.h), which is skipped. */
void members_report_unfinished(void *arg, const struct error *e);

/* set_open(); if the only name is /proc/vmcore and there is none, the error explains it. */
enum status members_open(struct set *set, const struct names *names,
			 const struct set_settings *settings, struct error *e);

/*
 * STATUS_USAGE for a plain core in place of a set, which set_open() may accept: for what the
 * program does with a set, the core is its own source, and has no checksums.
 */
enum status members_refuse_plain(struct set *set, struct error *e);

/* -v: the number of each member. */
void members_report(const struct set *set);

/* Reports members on devices that another program may write to meanwhile. */
void members_report_in_use(const struct set *set);

/* Reports members that the capture began and that were not given. */
void members_report_missing(const struct set *set);

#endif
