// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens a member, and identifies it by its superblock or footer. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "io/transfer.h"
#include "set/dump_file.h"
#include "set/member.h"

/*
 * While a device is open for exclusive use, it cannot be mounted, become part of a volume, or be
 * opened by programs that ask for exclusive use, such as nsplit and mkfs.  A device that is already
 * in use is read nevertheless.
 */
static void hold_device(struct member *m, const char *name)
{
	struct stat first, again;
	int fd;

	if (fstat(m->fd, &first) < 0 || !S_ISBLK(first.st_mode))
		return;
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_EXCL);
	m->in_use = fd < 0 && errno == EBUSY;
	if (fd < 0)
		return;
	if (fstat(fd, &again) < 0 || again.st_rdev != first.st_rdev || !S_ISBLK(again.st_mode)) {
		close(fd);
		return;
	}
	close(m->fd);
	m->fd = fd;
}

static enum status open_fd(struct member *m, const char *name, struct error *e)
{
	bool standard = strcmp(name, "-") == 0;
	struct stat st;
	off_t end;

	m->fd = standard ? dup(STDIN_FILENO) : open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (m->fd >= 0 && !standard)
		hold_device(m, name);
	if (m->fd < 0 || fstat(m->fd, &st) < 0)
		return error_system(e, errno, "%s", m->name);
	if (S_ISDIR(st.st_mode))
		return error_system(e, EISDIR, "%s", m->name);
	m->identity = identity_of(&st);
	m->is_stream = standard || !(S_ISREG(st.st_mode) || S_ISBLK(st.st_mode));
	if (m->is_stream)
		return STATUS_OK;
	end = lseek(m->fd, 0, SEEK_END);
	if (end < 0)
		return error_system(e, errno, "%s", m->name);
	m->size = (uint64_t)end;
	/* The kernel then reads ahead on all disks, even if there are fewer threads than disks. */
	posix_fadvise(m->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return STATUS_OK;
}

/* With the copy in the footer. */
static bool replace_superblock(struct member *m)
{
	struct error ignored;

	if (m->is_stream || member_find_footer(m, false, &ignored))
		return false;
	m->superblock = m->footer.set;
	m->superblock_lost = true;
	return true;
}

/* The kind of file that begins with these bytes, if it is not a member. */
static const char *contents_of(const uint8_t *raw, size_t len)
{
	static const struct {
		const char *magic, *contents;
	} known[] = {
		{ "\177ELF", "it is an ELF file" },
		{ "KDUMP   ", "it is a kdump-compressed dump" },
		{ "makedumpfile", "it is a flattened dump, as makedumpfile -F writes it" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (len >= strlen(known[i].magic) &&
		    !memcmp(raw, known[i].magic, strlen(known[i].magic)))
			return known[i].contents;
	return "no superblock at byte 0";
}

/* set_open() reads a dump through standard input, but not through another pipe. */
static enum status advise_stream(const struct member *m, const uint8_t *raw, struct error *e)
{
	if (!m->is_stream || dump_form_of(raw) == DUMP_NONE)
		return e->status;
	return error_suffix(e, "; a dump that comes through a pipe must be standard input, and be given alone as -");
}

/* A file that was cut within its first bytes. */
static bool begins_as_member(const uint8_t *raw, size_t len)
{
	return memcmp(raw, piece_magic(PIECE_SUPERBLOCK), len) == 0;
}

static enum status read_superblock(struct member *m, bool salvage, struct error *e)
{
	uint8_t raw[SUPERBLOCK_LENGTH];
	size_t got = m->is_stream ? transfer_read(m->fd, raw, sizeof(raw))
				  : transfer_pread(m->fd, raw, sizeof(raw), 0);
	int errnum = got < sizeof(raw) ? errno : 0;
	enum status status;

	if (errnum)
		status = STATUS_SYSTEM;
	else if (got < FORMAT_MAGIC_LENGTH)
		return error_set(e, begins_as_member(raw, got) ? STATUS_CUT : STATUS_NOT_OURS,
				 "%s: not a member of an nsplit set: it has %zu byte%s", m->name, got,
				 plural(got));
	else if (got < sizeof(raw))
		status = piece_kind(raw) == PIECE_SUPERBLOCK ? STATUS_CUT : STATUS_NOT_OURS;
	else
		status = superblock_decode(&m->superblock, raw);
	/* A newer format cannot be salvaged. */
	if (status && status != STATUS_UNSUPPORTED && salvage && replace_superblock(m))
		return STATUS_OK;
	if (errnum)
		return error_system(e, errnum, "%s: at byte %zu", m->name, got);
	if (status == STATUS_NOT_OURS) {
		error_set(e, status, "%s: not a member of an nsplit set: %s", m->name, contents_of(raw, got));
		return advise_stream(m, raw, e);
	}
	return status ? member_verdict(m, status, 0, "superblock", e) : STATUS_OK;
}

enum status member_open(struct member *m, const char *name, bool salvage, struct error *e)
{
	enum status status;

	*m = (struct member){ .fd = -1 };
	m->name = strdup(strcmp(name, "-") == 0 ? "standard input" : name);
	if (!m->name)
		return error_system(e, ENOMEM, "%s", name);
	status = open_fd(m, name, e);
	if (!status)
		status = read_superblock(m, salvage, e);
	if (!status)
		m->classes = m->superblock.classes;
	return status;
}
