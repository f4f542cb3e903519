// SPDX-License-Identifier: GPL-2.0-or-later
/* What is told of the members that a program is given. */
#ifndef NSPLIT_CMD_MEMBERS_H
#define NSPLIT_CMD_MEMBERS_H

#include "set/set.h"

/*
 * An output that could not be opened by the capture has no file, and the others have
 * done its part: so a name with nothing behind it is left out, and told.  Whether it is missed,
 * the holes tell.  If there is nothing behind any name, they all stay, for the error.
 */
void members_leave_out_absent(struct names *names);

/* -v: which member each one is. */
void members_report(const struct set *set);

/* Names the devices that others may write to while they are read. */
void members_report_in_use(const struct set *set);

/* Names those that the capture opened and that are not there. */
void members_report_missing(const struct set *set);

#endif
