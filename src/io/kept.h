// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether a command that was given a name has left a file of that name. */
#ifndef NSPLIT_IO_KEPT_H
#define NSPLIT_IO_KEPT_H

enum kept {
	KEPT_HERE,		/* there is such a file, or one whose name only has more at its end */
	KEPT_ELSEWHERE,		/* the directory of the name is not here: it is a name elsewhere */
	KEPT_UNSEEN,		/* there is none, and a name without a directory may be any name */
	KEPT_NOWHERE,		/* there is none, although its directory is here */
};

enum kept kept_where(const char *name);

#endif
