// SPDX-License-Identifier: GPL-2.0-or-later
/* Settings of the kdump systems: files that a shell reads, and kdump.conf. */
#ifndef NSPLIT_SYSTEM_SETTING_H
#define NSPLIT_SYSTEM_SETTING_H

#include <stdbool.h>

enum { SETTING_LENGTH = 1024 };

/*
 * The value that the last line KEY=VALUE of a shell file gives, without its quotes; what the shell would
 * replace in it stays as it is.  A line whose value is too long is ignored.  False: there is none.
 */
bool setting_of_shell(const char *root, const char *file, const char *key, char value[SETTING_LENGTH]);

/*
 * The same for a line "KEY VALUE" of kdump.conf(5), where a comment begins with # anywhere, and the value may
 * be in double quotes.
 */
bool setting_of_kdump(const char *root, const char *file, const char *key, char value[SETTING_LENGTH]);

#endif
