// SPDX-License-Identifier: GPL-2.0-or-later
/* The rules for the decoders of all pieces (doc/format.md, section 3). */
#ifndef NSPLIT_TESTS_UNIT_PIECE_CHECK_H
#define NSPLIT_TESTS_UNIT_PIECE_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "format/format.h"

/* One kind of piece: its decoder, and the offset of the checksum at the end of its header. */
struct piece_format {
	enum status (*decode)(const uint8_t *raw);
	size_t checksum_at;		/* covers all bytes before it */
};

/* An integer that replaces another one, and the status that the decoder returns then. */
struct piece_change {
	size_t at;
	unsigned bytes;			/* 4 or 8 */
	uint64_t value;
	enum status want;
};

extern const struct capture_id piece_id;	/* its tag is 0, as in older members */

void piece_reseal(const struct piece_format *piece, uint8_t *raw);

/* Makes the change in a copy; sealed: the checksum is updated. */
void piece_check_change(const struct piece_format *piece, const uint8_t *raw,
			const struct piece_change *change, bool sealed, enum status want);

#endif
