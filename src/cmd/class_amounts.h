// SPDX-License-Identifier: GPL-2.0-or-later
/* Amounts of the classes of sets with layers, as text. */
#ifndef NSPLIT_CMD_CLASS_AMOUNTS_H
#define NSPLIT_CMD_CLASS_AMOUNTS_H

#include "base/size.h"
#include "format/classes.h"

enum { CLASS_AMOUNTS_LENGTH = (CLASSES + 1) * (SIZE_TEXT_LENGTH + 16) };

/* "1.7 GiB (clean 1.2 GiB, free 512.0 MiB)"; returns the sum. */
uint64_t class_amounts_format(const uint64_t of_class[CLASSES], char text[CLASS_AMOUNTS_LENGTH]);

#endif
