// SPDX-License-Identifier: GPL-2.0-or-later
/* An estimate in one sentence. */
#ifndef NSPLIT_ESTIMATE_ADVICE_H
#define NSPLIT_ESTIMATE_ADVICE_H

#include <stdbool.h>
#include <stdint.h>

struct advice {
	uint64_t crashkernel;		/* bytes of memory that the capture kernel needs; 0: unknown */
	/* What is reserved now, if that is known and too little; else 0. */
	uint64_t reserved;
	unsigned threads;
	unsigned level;
	uint64_t bytes;			/* of the dump */
	double seconds;
	bool at_least;			/* the speed of some outputs is unknown */
	const char *where;		/* the output, if there is one */
	unsigned outputs;		/* their number */
	bool space_known;
	uint64_t space, dumps;		/* bytes of the outputs, and how many dumps fit; if space_known */
};

enum { ADVICE_LENGTH = 512 };

/* "crashkernel=256M, -j4, -d 31: 11.0 GiB in about 40 s; /var/crash has room for 3"; returns text. */
const char *advice_format(const struct advice *advice, char text[ADVICE_LENGTH]);

#endif
