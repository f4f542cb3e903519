// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "format/format.h"
#include "io/transfer.h"
#include "set/dump.h"
#include "set/dump_codec.h"

bool dump_is_cut(const struct dump *d)
{
	for (size_t i = 0; i < d->count; i++)
		if (dump_file_is_cut(&d->parts[i].file))
			return true;
	return false;
}

bool dump_lacks_files(const struct dump *d)
{
	size_t gaps = 0, unusable = 0;
	uint64_t at = 0;

	for (size_t i = 0; i < d->count; i++) {
		const struct dump_part *p = &d->parts[i];

		unusable += p->unusable != NULL;
		gaps += p->first_rank > at;
		at = max_u64(at, p->end_rank);
	}
	return gaps + (at < d->pages) > unusable;
}

bool dump_is_complete(const struct dump *d)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->parts[i].unusable)
			return false;
	return !dump_is_cut(d) && !(d->flags & KDUMP_INCOMPLETE);
}

bool dump_is_intact(const struct dump *d)
{
	for (size_t i = 0; i < d->count; i++)
		if (d->parts[i].file.findings.count)
			return false;
	return dump_is_complete(d) && !d->findings.count;
}

const char *dump_codec_name(const struct dump *d)
{
	enum codec_id id;

	return kdump_codec_in(d->flags, &id) ? codec_id_name(id) : codec_raw.name;
}

uint64_t dump_stored(const struct dump *d)
{
	uint64_t stored = 0;

	for (size_t i = 0; i < d->count; i++)
		stored += d->parts[i].file.stored;
	return stored;
}

void dump_free(struct dump *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->count; i++) {
		dump_file_close(&d->parts[i].file);
		free(d->parts[i].unusable);
	}
	names_free(&d->findings);
	free(d->parts);
	free(d->head);
	free(d);
}

/* --- recognising dumps among the files that were given, and explaining why others do not belong to them --- */

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
