// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "fakevmcore/stream.h"

static enum status write_all(int fd, const uint8_t *data, size_t len, const char *name,
			     struct error *e)
{
	ssize_t n;

	while (len) {
		n = write(fd, data, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_system(e, errno, "%s", name);
		data += n;
		len -= n;
	}
	return STATUS_OK;
}

/* Reads len bytes, or fewer at the end of the file; *got is the number of bytes read. */
static enum status read_all(int fd, uint8_t *data, size_t len, size_t *got,
			    const char *name, struct error *e)
{
	ssize_t n;

	for (*got = 0; *got < len; *got += n) {
		n = read(fd, data + *got, len - *got);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n < 0)
			return error_system(e, errno, "%s", name);
		else if (n == 0)
			break;
	}
	return STATUS_OK;
}

enum status core_write(const struct core *core, int fd, const char *name, struct error *e)
{
	uint8_t *piece = malloc(CORE_PIECE);
	enum status status = STATUS_OK;
	uint64_t offset;
	size_t len;

	if (!piece)
		return error_set(e, STATUS_NO_MEMORY, "no memory for a buffer of 1 MiB");
	for (offset = 0; offset < core->size && status == STATUS_OK; offset += len) {
		len = core_make(core, offset, piece);
		status = write_all(fd, piece, len, name, e);
	}
	free(piece);
	return status;
}

static enum status compare_piece(const uint8_t *want, size_t len, const uint8_t *have,
				 size_t got, uint64_t offset, const char *name,
				 struct error *e)
{
	size_t common = got < len ? got : len;
	size_t i = 0;

	if (memcmp(want, have, common) != 0) {
		while (want[i] == have[i])
			i++;
		return error_set(e, STATUS_DAMAGED,
				 "%s: differs at offset %" PRIu64
				 ": 0x%02x instead of 0x%02x",
				 name, offset + i, have[i], want[i]);
	}
	if (got < len)
		return error_set(e, STATUS_CUT, "%s: too short, ends at offset %" PRIu64,
				 name, offset + got);
	return STATUS_OK;
}

static enum status compare_all(const struct core *core, int fd, const char *name,
			       uint8_t *want, uint8_t *have, struct error *e)
{
	enum status status = STATUS_OK;
	uint64_t offset;
	size_t len, got;

	for (offset = 0; offset < core->size && status == STATUS_OK; offset += len) {
		len = core_make(core, offset, want);
		status = read_all(fd, have, len, &got, name, e);
		if (status == STATUS_OK)
			status = compare_piece(want, len, have, got, offset, name, e);
	}
	if (status != STATUS_OK)
		return status;

	status = read_all(fd, have, 1, &got, name, e);
	if (status == STATUS_OK && got)
		return error_set(e, STATUS_DAMAGED,
				 "%s: too long, continues at offset %" PRIu64,
				 name, core->size);
	return status;
}

enum status core_compare(const struct core *core, int fd, const char *name, struct error *e)
{
	uint8_t *both = malloc(2 * (size_t)CORE_PIECE);
	enum status status;

	if (!both)
		return error_set(e, STATUS_NO_MEMORY, "no memory for two buffers of 1 MiB");
	status = compare_all(core, fd, name, both, both + CORE_PIECE, e);
	free(both);
	return status;
}
