// SPDX-License-Identifier: GPL-2.0-or-later
/* What a capture has left out.  All zero: it was to leave out nothing. */
#ifndef NSPLIT_BENCH_LEFT_OUT_H
#define NSPLIT_BENCH_LEFT_OUT_H

#include "format/classes.h"
#include "format/footer.h"

struct bench_left_out {
	uint64_t of_class[CLASSES];	/* bytes of the source */
	char kept_because[REASON_TEXT_LENGTH + 1];	/* why some are stored after all; or empty */
};

#endif
