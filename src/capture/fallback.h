// SPDX-License-Identifier: GPL-2.0-or-later
/* When a fallback becomes an output: see engine.h. */
#ifndef NSPLIT_CAPTURE_FALLBACK_H
#define NSPLIT_CAPTURE_FALLBACK_H

#include "capture/engine.h"

/* Activates the next fallback if one is needed.  NULL: none is needed, or none is left. */
const struct output *fallback_activate(struct capture *c);

#endif
