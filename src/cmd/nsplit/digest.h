// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * nsplit --digest: a SHA-256 of each output.  The engine has those of members and of streams, whose bytes passed in
 * order; a dump in a file or on a device is read back, since its first bytes were written last.
 */
#ifndef NSPLIT_CMD_NSPLIT_DIGEST_H
#define NSPLIT_CMD_NSPLIT_DIGEST_H

#include "base/digest.h"
#include "base/error.h"
#include "cmd/nsplit/nsplit.h"

struct nsplit_digest {
	bool known;
	bool is_root;			/* of the records of a member (format/footer.h); otherwise of all bytes */
	uint8_t sum[DIGEST_LENGTH];
};

/*
 * After the capture, if digests are wanted: sets nsplit->digests, and writes FILE.sha256 beside each dump in a file.
 * What fails is reported; the capture is not affected.  nsplit->hung may be set.
 */
void nsplit_digest_outputs(struct nsplit *nsplit);

#endif
