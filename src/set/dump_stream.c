// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alignment.h"
#include "base/bytes.h"
#include "io/transfer.h"
#include "set/dump_flat.h"
#include "set/dump_stream.h"
#include "set/spool.h"

enum { COPIED = 256 * 1024, PATIENCE = 20 * 1000 };	/* bytes; microseconds */

/* Waits until a pipe has so many bytes, or will not get more. */
static void wait_for_bytes(int fd, int bytes)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int there = 0;

	while (poll(&p, 1, -1) >= 0 || errno == EINTR) {
		if (p.revents & (POLLHUP | POLLERR) || ioctl(fd, FIONREAD, &there) < 0 || there >= bytes)
			return;
		usleep(PATIENCE);
	}
}

/* Copies the first bytes of a pipe without taking them. */
static bool peek_pipe(int fd, uint8_t signature[DUMP_SIGNATURE])
{
	int copy[2];
	bool there = false;

	if (pipe2(copy, O_CLOEXEC) < 0)
		return false;
	wait_for_bytes(fd, DUMP_SIGNATURE);
	if (tee(fd, copy[1], DUMP_SIGNATURE, SPLICE_F_NONBLOCK) == DUMP_SIGNATURE)
		there = transfer_read(copy[0], signature, DUMP_SIGNATURE) == DUMP_SIGNATURE;
	close(copy[0]);
	close(copy[1]);
	return there;
}

/* Can any byte be read at any time?  kdumpctl of Fedora gives makedumpfile -R a device as standard input. */
static bool is_file_or_device(const struct stat *st)
{
	return S_ISREG(st->st_mode) || S_ISBLK(st->st_mode);
}

enum dump_form dump_stream_recognise(const char *name, int *fd)
{
	uint8_t signature[DUMP_SIGNATURE];
	struct stat st;
	bool there = false;

	*fd = -1;
	/* A named pipe that was opened and closed again would end its writer. */
	if (strcmp(name, "-") != 0)
		return DUMP_NONE;
	*fd = dup(STDIN_FILENO);
	if (*fd < 0 || fstat(*fd, &st) < 0)
		return DUMP_NONE;
	if (S_ISFIFO(st.st_mode))
		there = peek_pipe(*fd, signature);
	else if (is_file_or_device(&st))
		there = transfer_pread(*fd, signature, sizeof(signature), (uint64_t)lseek(*fd, 0, SEEK_CUR)) ==
			sizeof(signature);
	return there ? dump_form_of(signature) : DUMP_NONE;
}

/* --- copying ----------------------------------------------------------------- */

struct copying {
	struct dump_file *f;
	int from;
	const char *spool;
	uint8_t *buffer;
};

/* Copies up to length bytes to an offset of the copy; *copied is less at the end of the stream. */
static enum status copy_bytes(struct copying *c, uint64_t offset, uint64_t length, uint64_t *copied,
			      struct error *e)
{
	for (*copied = 0; *copied < length; ) {
		size_t want = min_u64(length - *copied, COPIED), got = transfer_read(c->from, c->buffer, want);

		if (got < want && errno)
			return error_system(e, errno, "%s", c->f->name);
		if (transfer_pwrite(c->f->fd, c->buffer, got, offset + *copied) < got)
			return error_system(e, errno, "%s: no temporary copy of %s", c->spool, c->f->name);
		*copied += got;
		c->f->stored = c->f->file_size += got;
		if (got < want)
			return STATUS_OK;
	}
	return STATUS_OK;
}

static enum status copy_plain(struct copying *c, struct error *e)
{
	return copy_bytes(c, 0, INT64_MAX, &c->f->size, e);
}

/* As it is, up to the mark of the end; all of it if the header of a piece is damaged, so that the mark cannot be found. */
static enum status copy_flattened(struct copying *c, struct error *e)
{
	uint64_t at = 0, copied, length = DUMP_FLAT_HEADER;

	for (;;) {
		enum status status = copy_bytes(c, at, length, &copied, e);
		struct dump_piece piece;

		if (status || copied < length)
			return status;
		at += length;
		status = copy_bytes(c, at, DUMP_PIECE_HEADER, &copied, e);
		if (status || copied < DUMP_PIECE_HEADER || dump_piece_decode(&piece, c->buffer))
			return status;
		at += DUMP_PIECE_HEADER;
		length = dump_piece_is_possible(&piece) ? piece.length : OFFSET_MAX - at;
	}
}

bool dump_stream_is_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && is_file_or_device(&st) && lseek(fd, 0, SEEK_CUR) == 0;
}

enum status dump_stream_open(struct dump_file *f, enum dump_form form, int fd, const char *spool,
			     struct error *e)
{
	struct copying c = { .f = f, .from = fd, .spool = spool, .buffer = malloc(COPIED) };
	enum status status;

	*f = (struct dump_file){ .flattened = form == DUMP_FLATTENED };
	f->name = strdup("standard input");
	f->fd = spool_create(spool);
	if (!f->name || !c.buffer)
		status = error_system(e, ENOMEM, "standard input");
	else if (f->fd < 0)
		status = error_system(e, errno, "%s: no temporary copy of %s", spool, f->name);
	else
		status = form == DUMP_FLATTENED ? copy_flattened(&c, e) : copy_plain(&c, e);
	if (!status && form == DUMP_FLATTENED)
		status = dump_file_find_pieces(f, e);
	free(c.buffer);
	return status;
}
