// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The build id of a program: the linker writes it into the ELF file, and strip(1), which dracut applies to
 * what it copies, keeps it.  Two files with the same build id are the same build.
 */
#ifndef NSPLIT_SYSTEM_BUILD_ID_H
#define NSPLIT_SYSTEM_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>

enum { BUILD_ID_LENGTH = 128 + 1 };

/* Of an ELF file of this machine's kind in memory, in hexadecimal digits.  False: it has none. */
bool build_id_in(const void *file, size_t size, char id[BUILD_ID_LENGTH]);

/* Of the file at a path.  False: it cannot be read, or has none. */
bool build_id_of(const char *path, char id[BUILD_ID_LENGTH]);

#endif
