// SPDX-License-Identifier: GPL-2.0-or-later
/* Work in the background: only when no other process wants the CPU or the disk. */
#ifndef NSPLIT_BASE_BACKGROUND_H
#define NSPLIT_BASE_BACKGROUND_H

/*
 * From now on, this thread, and the processes and threads that it makes, have the lowest priority for
 * the CPU and for disks.  What the system refuses is left as it is: it is a courtesy to others.
 */
void background_enter(void);

#endif
