// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"
#include "io/source.h"
#include "io/transfer.h"
#include "set/dump.h"
#include "set/member.h"

enum status member_verdict(const struct member *m, enum status status, uint64_t offset,
			   const char *what, struct error *e)
{
	switch (status) {
	case STATUS_UNSUPPORTED:
		return error_set(e, status, "%s: the %s at byte %" PRIu64 " is from a newer "
				 "nsplit; this one reads format version %d", m->name, what,
				 offset, FORMAT_VERSION);
	case STATUS_CUT:
		return error_set(e, status, "%s: cut short: it ends in the %s at byte %" PRIu64,
				 m->name, what, offset);
	case STATUS_FOREIGN:
		return error_set(e, status, "%s: the %s at byte %" PRIu64 " belongs to another set",
				 m->name, what, offset);
	default:
		return error_set(e, STATUS_DAMAGED, "%s: damaged at byte %" PRIu64 ": %s",
				 m->name, offset, what);
	}
}

enum status member_check_end(const struct member *m, struct error *e)
{
	if (!m->trailing)
		return STATUS_OK;
	return error_set(e, STATUS_DAMAGED, "%s: read up to its footer; the data behind it, at byte %"
			 PRIu64 ", is not part of the set", m->name, m->trailing);
}

enum status member_read(const struct member *m, void *bytes, size_t len, uint64_t offset,
			struct error *e)
{
	if (transfer_pread(m->fd, bytes, len, offset) == len)
		return STATUS_OK;
	if (errno == 0)
		return error_set(e, STATUS_CUT, "%s: cut short: it ends before byte %" PRIu64,
				 m->name, offset + len);
	return error_system(e, errno, "%s: at byte %" PRIu64, m->name, offset);
}

void member_announce_read(const struct member *m, uint64_t offset, uint32_t len)
{
	posix_fadvise(m->fd, (off_t)offset, len, POSIX_FADV_WILLNEED);
}

enum status member_decode_record(const struct member *m, const uint8_t *raw, uint32_t chunk_size,
				 struct record *record)
{
	const struct superblock *sb = &m->superblock;
	enum status status = record_decode(record, raw, chunk_size);

	if (status)
		return status;
	if (!capture_id_equal(&record->id, &sb->id))
		return STATUS_FOREIGN;
	return record->cell_size == sb->cell_size ? STATUS_OK : STATUS_DAMAGED;
}

bool member_can_be_searched(const struct member *m, enum status failure)
{
	return m->fd >= 0 && !m->is_stream && m->size >= SUPERBLOCK_LENGTH + ALIGNMENT &&
	       failure != STATUS_UNSUPPORTED && failure != STATUS_NO_MEMORY;
}

void member_close(struct member *m)
{
	if (m->fd >= 0)
		close(m->fd);
	source_close(m->plain);
	dump_free(m->dump);
	free(m->name);
	free(m->locations);
	*m = (struct member){ .fd = -1 };
}

enum status member_add_location(struct member *m, const struct index_entry *entry,
				struct error *e)
{
	if (!array_grow(&m->locations, m->count, sizeof(*m->locations)))
		return error_system(e, ENOMEM, "%s: list of records", m->name);
	m->locations[m->count++] = (struct location){ .entry = *entry };
	return STATUS_OK;
}
