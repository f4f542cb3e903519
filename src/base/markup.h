// SPDX-License-Identifier: GPL-2.0-or-later
/* Text in HTML and XML. */
#ifndef NSPLIT_BASE_MARKUP_H
#define NSPLIT_BASE_MARKUP_H

#include <stdio.h>

/*
 * Writes text so that it is shown as it is, between tags or in a quoted attribute.  A file name may
 * contain any byte.  Control characters, U+FFFE and U+FFFF, which XML does not permit, and bytes that
 * are not UTF-8 become U+FFFD.
 */
void markup_text(FILE *file, const char *text);

#endif
