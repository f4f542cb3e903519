// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "helper.h"
#include "piece_check.h"

const struct capture_id piece_id = { { {
	0x12, 0x3e, 0x45, 0x67, 0xe8, 0x9b, 0x42, 0xd3,
	0xa4, 0x56, 0x42, 0x66, 0x14, 0x17, 0x40, 0x00,
} }, 0 };

void piece_reseal(const struct piece_format *piece, uint8_t *raw)
{
	put_le64(raw + piece->checksum_at, format_checksum(raw, piece->checksum_at));
}

void piece_check_change(const struct piece_format *piece, const uint8_t *raw,
			const struct piece_change *change, bool sealed, enum status want)
{
	size_t len = piece->checksum_at + 8;
	uint8_t *copy = helper_pages(len);
	enum status status;

	memcpy(copy, raw, len);
	if (change->bytes == 4)
		put_le32(copy + change->at, (uint32_t)change->value);
	else
		put_le64(copy + change->at, change->value);
	if (sealed)
		piece_reseal(piece, copy);
	status = piece->decode(copy);
	ck_assert_msg(status == want, "%llu at offset %zu: status %d and not %d",
		      (unsigned long long)change->value, change->at, status, want);
	free(copy);
}
