// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Random bytes that are there at once: a capture kernel has just booted, and
 * must not wait for entropy.  Good for identities, not for keys.
 */
#ifndef NSPLIT_BASE_RANDOM_H
#define NSPLIT_BASE_RANDOM_H

#include <stddef.h>

#include "base/error.h"

enum status random_bytes(void *bytes, size_t len, struct error *e);

#endif
