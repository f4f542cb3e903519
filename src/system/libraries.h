// SPDX-License-Identifier: GPL-2.0-or-later
/* The shared libraries that this program uses. */
#ifndef NSPLIT_SYSTEM_LIBRARIES_H
#define NSPLIT_SYSTEM_LIBRARIES_H

#include "base/names.h"

/* Their names, without directories; none if it is linked statically. */
enum status libraries_used(struct names *libraries, struct error *e);

#endif
