// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/digest.h"

#ifdef HAVE_NETTLE

#include <nettle/version.h>

bool digest_supported(void)
{
	return true;
}

void digest_begin(struct digest *d)
{
	sha256_init(&d->sha256);
}

void digest_add(struct digest *d, const void *bytes, size_t len)
{
	sha256_update(&d->sha256, len, bytes);
}

void digest_get(const struct digest *d, uint8_t sum[DIGEST_LENGTH])
{
	/* Nettle begins anew in the structure that it reads. */
	struct digest copy = *d;

#if NETTLE_VERSION_MAJOR >= 4
	sha256_digest(&copy.sha256, sum);
#else
	sha256_digest(&copy.sha256, DIGEST_LENGTH, sum);
#endif
}

#else

bool digest_supported(void)
{
	return false;
}

void digest_begin(struct digest *d)
{
	d->none = 0;
}

void digest_add(struct digest *d, const void *bytes, size_t len)
{
	(void)d;
	(void)bytes;
	(void)len;
}

void digest_get(const struct digest *d, uint8_t sum[DIGEST_LENGTH])
{
	(void)d;
	for (int i = 0; i < DIGEST_LENGTH; i++)
		sum[i] = 0;
}

#endif
