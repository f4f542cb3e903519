// SPDX-License-Identifier: GPL-2.0-or-later
/* Recognises dumps among the files that were given, and explains why others do not belong to them. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "format/format.h"
#include "io/transfer.h"
#include "set/dump.h"

/* The first bytes of a file or block device.  False, with errno or 0: it has too few of them. */
static bool read_beginning(const char *name, uint8_t bytes[DUMP_SIGNATURE])
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), errnum;
	size_t got;

	if (fd < 0)
		return false;
	got = transfer_pread(fd, bytes, DUMP_SIGNATURE, 0);
	errnum = got < DUMP_SIGNATURE ? errno : 0;
	close(fd);
	errno = errnum;
	return got == DUMP_SIGNATURE;
}

static bool is_file(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 && (S_ISREG(st.st_mode) || S_ISBLK(st.st_mode));
}

/* A stream might be one, but is not opened: that waits for its writer. */
static bool is_member(const char *name)
{
	uint8_t bytes[DUMP_SIGNATURE];

	return is_file(name) && read_beginning(name, bytes) && piece_kind(bytes) == PIECE_SUPERBLOCK;
}

/* Is it empty, or are its first bytes zeros?  It may have been a part of a split dump. */
static bool is_blank(const char *name)
{
	static const uint8_t zeros[DUMP_SIGNATURE];
	uint8_t bytes[DUMP_SIGNATURE] = { 0 };

	return is_file(name) && (read_beginning(name, bytes) || !errno) && !memcmp(bytes, zeros, sizeof(zeros));
}

/* The file is not a dump, but dump is one. */
static enum status refuse(const char *name, const char *dump, struct error *e)
{
	uint8_t bytes[DUMP_SIGNATURE];
	struct stat st;

	if (stat(name, &st) < 0)
		return error_system(e, errno, "%s", name);
	if (S_ISDIR(st.st_mode))
		return error_system(e, EISDIR, "%s", name);
	if (!is_file(name))
		return error_set(e, STATUS_USAGE, "%s: is a stream, and cannot be read together with the dump %s; "
				 "store it in a file first", name, dump);
	errno = 0;
	if (!read_beginning(name, bytes) && errno)
		return error_system(e, errno, "%s", name);
	return error_set(e, STATUS_NOT_OURS, "%s: is neither a dump, as %s is, nor a member of an nsplit set", name,
			 dump);
}

enum status dump_recognise_all(const struct names *names, bool *all, struct error *e)
{
	const char *dump = NULL, *other = NULL;

	for (size_t i = 0; i < names->count; i++) {
		const char *name = names->names[i];
		const char **first = dump_recognise(name) == DUMP_NONE ? &other : &dump;

		if (!*first && !(first == &other && names->count > 1 && is_blank(name)))
			*first = name;
	}
	*all = dump && !other;
	if (!dump || !other)
		return STATUS_OK;
	/* Then the dump is what does not belong there. */
	for (size_t i = 0; i < names->count; i++)
		if (is_member(names->names[i]))
			return STATUS_OK;
	return refuse(other, dump, e);
}
