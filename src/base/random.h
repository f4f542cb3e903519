// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random bytes without waiting for entropy: a capture kernel has just booted.  For identifiers, not
 * for keys.
 */
#ifndef NSPLIT_BASE_RANDOM_H
#define NSPLIT_BASE_RANDOM_H

#include <stddef.h>

#include "base/error.h"

enum status random_bytes(void *bytes, size_t len, struct error *e);

#endif
