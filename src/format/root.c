// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "format/root.h"

void root_begin(struct root *root)
{
	digest_begin(&root->digest);
}

void root_add(struct root *root, uint64_t checksum)
{
	uint8_t raw[8];

	put_le64(raw, checksum);
	digest_add(&root->digest, raw, sizeof(raw));
}

void root_get(const struct root *root, uint8_t bytes[ROOT_LENGTH])
{
	digest_get(&root->digest, bytes);
}
