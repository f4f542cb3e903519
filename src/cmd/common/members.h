// SPDX-License-Identifier: GPL-2.0-or-later
/* The members that a program was given: their names, and messages about them. */
#ifndef NSPLIT_CMD_COMMON_MEMBERS_H
#define NSPLIT_CMD_COMMON_MEMBERS_H

#include "set/set.h"

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
