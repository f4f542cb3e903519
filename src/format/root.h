// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Root: one SHA-256 over the checksums of all records of a member, which its footer holds.  doc/format.md, section 9.
 * Only where digest_supported().
 */
#ifndef NSPLIT_FORMAT_ROOT_H
#define NSPLIT_FORMAT_ROOT_H

#include "base/digest.h"

enum { ROOT_LENGTH = DIGEST_LENGTH };

struct root {
	struct digest digest;
};

void root_begin(struct root *root);
/* The next record in the order of the member: record_checksum(). */
void root_add(struct root *root, uint64_t checksum);
/* The root of the records so far. */
void root_get(const struct root *root, uint8_t bytes[ROOT_LENGTH]);

#endif
