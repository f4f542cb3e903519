// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts the locks that each thread holds, with hooks for the mutex functions.  No lock may be held
 * during a call that can block, since a disk that hangs would then stop all threads.  Locks inside
 * the C library are not counted.
 */
#ifndef NSPLIT_TESTS_FAULTS_LOCKS_H
#define NSPLIT_TESTS_FAULTS_LOCKS_H

/*
 * This thread is about to make a call that can block, on this descriptor, or without one (-1).  If
 * it holds a lock, the line "lock held: CALL NAME" is written to the log.
 */
void locks_check(const char *call, int fd);

#endif
