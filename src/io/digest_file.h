// SPDX-License-Identifier: GPL-2.0-or-later
/* FILE.sha256 beside a dump: a line of sha256sum. */
#ifndef NSPLIT_IO_DIGEST_FILE_H
#define NSPLIT_IO_DIGEST_FILE_H

#include "base/digest.h"
#include "base/error.h"

/* file: the name of FILE.  The new file is safe against power loss.  It fails if FILE.sha256 exists. */
enum status digest_file_write(const char *file, const uint8_t sum[DIGEST_LENGTH], struct error *e);
/*
 * For each program that is about to overwrite FILE: removes FILE.sha256 if it is there, holds a digest and may be
 * removed.
 */
void digest_file_remove(const char *file);

#endif
