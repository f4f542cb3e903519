// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * SHA-256, by nettle.  In a build without nettle, digest_supported() is false, and the functions that
 * compute are not called.
 */
#ifndef NSPLIT_BASE_DIGEST_H
#define NSPLIT_BASE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef HAVE_NETTLE
#include <nettle/sha2.h>
#endif

enum { DIGEST_LENGTH = 32, DIGEST_TEXT_LENGTH = 2 * DIGEST_LENGTH };

/* What has been added so far.  It owns nothing, so it can be copied by assignment. */
struct digest {
#ifdef HAVE_NETTLE
	struct sha256_ctx sha256;
#else
	char none;
#endif
};

bool digest_supported(void);

void digest_begin(struct digest *d);
void digest_add(struct digest *d, const void *bytes, size_t len);
/* The digest of all bytes that were added.  More can be added afterwards. */
void digest_get(const struct digest *d, uint8_t sum[DIGEST_LENGTH]);

#endif
