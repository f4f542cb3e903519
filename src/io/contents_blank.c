// SPDX-License-Identifier: GPL-2.0-or-later
/* Without libblkid: a device is accepted if it is blank or contains a member. */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "io/existing.h"
#include "io/transfer.h"

/* Bytes at either end that must be zero in a blank device; bytes that are read at a time. */
enum { CHECKED = 1 << 20, PIECE = 1 << 16 };

/* These two return 1 for yes, 0 for no, and -1 with errno if the device cannot be read. */
static int zero_between(int fd, off_t begin, off_t end)
{
	uint8_t piece[PIECE];

	while (begin < end) {
		size_t wanted = end - begin < PIECE ? (size_t)(end - begin) : PIECE;
		size_t got = transfer_pread(fd, piece, wanted, (uint64_t)begin);

		if (got && !bytes_are_zero(piece, got))
			return 0;
		if (got < wanted)
			return errno ? -1 : 1;
		begin += (off_t)got;
	}
	return 1;
}

static int is_blank(int fd)
{
	off_t size = lseek(fd, 0, SEEK_END);
	int blank;

	if (size < 0)
		return -1;
	blank = zero_between(fd, 0, size < CHECKED ? size : CHECKED);
	return blank == 1 && size > CHECKED ? zero_between(fd, size - CHECKED, size) : blank;
}

enum status contents_refuse(int fd, const char *name, struct error *e)
{
	int blank = holding_of_head(fd) == HOLDS_OTHER ? is_blank(fd) : 1;

	if (blank < 0)
		return error_system(e, errno, "%s", name);
	if (blank)
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "%s: is not blank, and this build cannot identify its "
			 "contents; use --overwrite-devices to overwrite", name);
}

void contents_erase(int fd)
{
	(void)fd;	/* this build knows no signatures */
}
