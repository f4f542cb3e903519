// SPDX-License-Identifier: GPL-2.0-or-later
/* A file that changes while it is being read, as memory does during a capture. */
#ifndef NSPLIT_TESTS_FAULTS_CHANGE_H
#define NSPLIT_TESTS_FAULTS_CHANGE_H

/*
 * Changes a file as the text file INJECT_CHANGE says: its first line is the name of the file to be
 * changed, and each of the others is OFFSET HEX, where HEX are at most CHANGE_BYTES bytes.
 */
void change_file(void);
enum { CHANGE_BYTES = 64 };

#endif
