// SPDX-License-Identifier: GPL-2.0-or-later
/* FILE.sha256, in the form that sha256sum -c reads; its name for FILE has no directory, so that both can be moved. */
#ifndef NSPLIT_CMD_NSPLIT_DIGEST_FILE_H
#define NSPLIT_CMD_NSPLIT_DIGEST_FILE_H

#include "base/digest.h"
#include "base/error.h"

/* file: the name of FILE.  The new file is safe against power loss.  It fails if FILE.sha256 exists. */
enum status digest_file_write(const char *file, const uint8_t sum[DIGEST_LENGTH], struct error *e);
/* Removes FILE.sha256, if it is there, holds a digest and may be removed. */
void digest_file_remove(const char *file);

#endif
