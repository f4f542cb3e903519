// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The locks that each thread holds, counted by hooks of its mutex calls: none may be held
 * over a call that can block, since a disk that hangs would then stop everybody.
 * The locks that the C library takes for itself do not come by here.
 */
#ifndef NSPLIT_TESTS_FAULTS_LOCKS_H
#define NSPLIT_TESTS_FAULTS_LOCKS_H

/*
 * This thread is about to make a call that can block, on this descriptor, or on none (-1).
 * With a lock held, the log gets the line "lock held: CALL NAME", once a call.
 */
void locks_check(const char *call, int fd);

#endif
