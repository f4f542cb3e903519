// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A whole fake vmcore to or against an open file, in order, without a seek.
 * name is the file's in messages.
 */
#ifndef FAKEVMCORE_STREAM_H
#define FAKEVMCORE_STREAM_H

#include "fakevmcore/core.h"

enum status core_write(const struct core *core, int fd, const char *name,
		       struct error *e);

/*
 * Reads fd to its end: STATUS_DAMAGED where a byte differs or there are too
 * many, STATUS_CUT where there are too few, with the offset in the text.
 */
enum status core_compare(const struct core *core, int fd, const char *name,
			 struct error *e);

#endif
