// SPDX-License-Identifier: GPL-2.0-or-later
/* The machines whose dumps can be read: 64-bit, little-endian. */
#ifndef NSPLIT_FORMAT_MACHINE_H
#define NSPLIT_FORMAT_MACHINE_H

#include <stdint.h>

/* The number in an ELF header of a machine that uname(2) calls so; EM_NONE: it is not known. */
uint16_t machine_of_name(const char *name);
/* And its name; NULL: it is not known. */
const char *machine_name(uint16_t machine);

#endif
