// SPDX-License-Identifier: GPL-2.0-or-later
/* What the decoders of all pieces must hold to (doc/format.md, section 2). */
#ifndef NSPLIT_TESTS_UNIT_PIECE_CHECK_H
#define NSPLIT_TESTS_UNIT_PIECE_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "format/format.h"

/* One kind of piece: its decoder, and where its header ends with a checksum. */
struct delivery {
	enum status (*decode)(const uint8_t *raw);
	size_t checksum_at;		/* covers all bytes before it */
};

/* An integer put in the place of another, and what the decoder says of it. */
struct piece_change {
	size_t at;
	unsigned bytes;			/* 4 or 8 */
	uint64_t value;
	enum status want;
};

extern const struct capture_id piece_id;	/* its tag is 0, as in older members */

void piece_reseal(const struct delivery *piece, uint8_t *raw);

/* Every single bit of the header that is flipped is found.  raw is left as it was. */
void piece_check_flips(const struct delivery *piece, uint8_t *raw);

/* Makes the change in a copy, with the checksum right for it or, for sealed == false, not. */
void piece_check_change(const struct delivery *piece, const uint8_t *raw,
			const struct piece_change *change, bool sealed, enum status want);

/* Fails the test and names the first byte that is different. */
void piece_check_bytes(const uint8_t *got, const uint8_t *want, size_t len);

#endif
