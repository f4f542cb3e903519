// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bytes.h"
#include "format/record.h"
#include "io/transfer.h"
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
		return error_set(e, status, "%s: the %s at byte %" PRIu64 " is of another set",
				 m->name, what, offset);
	default:
		return error_set(e, STATUS_DAMAGED, "%s: damaged at byte %" PRIu64 ": %s",
				 m->name, offset, what);
	}
}

bool member_has_rest(const struct member *m, struct error *e)
{
	if (!m->rest)
		return false;
	error_set(e, STATUS_DAMAGED, "%s: was read up to its footer; what stands behind that, at "
		  "byte %" PRIu64 ", is no piece of the set", m->name, m->rest);
	return true;
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

/*
 * While a device is open for exclusive use, it cannot be mounted, become part of a volume, or be opened
 * by programs that ask for exclusive use, such as nsplit and mkfs.  A device that is already in use is
 * read without that.
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
	/* The kernel reads ahead on each disk while fewer threads than disks go round. */
	posix_fadvise(m->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return STATUS_OK;
}

/* Where a footer must lie, be there one or not. */
static uint64_t footer_location(const struct member *m)
{
	return m->size < SUPERBLOCK_LENGTH + FOOTER_LENGTH ?
	       SUPERBLOCK_LENGTH : round_down(m->size, UNIT) - FOOTER_LENGTH;
}

static enum status no_footer(const struct member *m, struct error *e)
{
	return error_set(e, STATUS_CUT, "%s: has no footer at byte %" PRIu64 ": the capture did "
			 "not end, or the member was cut short", m->name, footer_location(m));
}

/* What of it is another's, or NULL. */
static const char *footer_differs(const struct member *m, const struct footer *footer)
{
	if (!capture_id_equal(&m->superblock.id, &footer->set.id) && m->identity_assumed)
		return "capture tag";
	if (m->identity_assumed)
		return NULL;
	if (footer->set.number != m->superblock.number)
		return "number of the member";
	return superblocks_differ(&m->superblock, &footer->set);
}

bool member_owns_footer(const struct member *m, const struct footer *footer)
{
	return !footer_differs(m, footer);
}

/* The footer of an earlier member of the device.  If it has the same UUID, the message says so. */
static enum status foreign_footer(const struct member *m, const struct footer *footer,
				  struct error *e)
{
	if (!uuid_equal(&m->superblock.id.uuid, &footer->set.id.uuid))
		return no_footer(m, e);
	return error_set(e, STATUS_CUT, "%s: the footer at byte %" PRIu64 " has the same UUID, but "
			 "is not this member's (it differs in: %s): this capture did not end, or "
			 "the member was cut short", m->name, footer_location(m),
			 footer_differs(m, footer));
}

/* A record or segment of the set behind a footer: that one is not the last. */
static bool is_history(const struct member *m, const struct footer *footer)
{
	uint8_t raw[UNIT];
	struct index_header header;
	struct record record;
	struct error ignored;

	if (member_read(m, raw, sizeof(raw), footer->offset + FOOTER_LENGTH, &ignored))
		return false;
	if (!record_decode(&record, raw, footer->set.chunk_size))
		return capture_id_equal(&record.id, &footer->set.id);
	return !index_header_decode(&header, raw) &&
	       capture_id_equal(&header.id, &footer->set.id);
}

/* A footer in the last whole unit: the member's own, or any one if its superblock is lost. */
static enum status find_footer(struct member *m, bool own, struct error *e)
{
	uint8_t raw[FOOTER_LENGTH];
	uint64_t last = footer_location(m);
	enum status status;

	if (last + FOOTER_LENGTH > m->size)
		return no_footer(m, e);
	status = member_read(m, raw, sizeof(raw), last, e);
	if (status)
		return status;
	status = footer_decode(&m->footer, raw);
	if (status == STATUS_NOT_OURS)
		return no_footer(m, e);
	if (!status && own && !member_owns_footer(m, &m->footer))
		return foreign_footer(m, &m->footer, e);
	if (!status && m->footer.offset > last)
		status = STATUS_DAMAGED;
	if (status)
		return member_verdict(m, status, last, "footer", e);
	/* The copy on a device may be older than what was written since. */
	if (m->footer.offset < last && is_history(m, &m->footer))
		return member_verdict(m, STATUS_DAMAGED, last, "footer: records lie behind the one "
				      "that it repeats", e);
	m->has_footer = true;
	return STATUS_OK;
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
		return error_set(e, STATUS_NOT_OURS, "%s: is no member of an nsplit set: it has "
				 "%zu bytes", m->name, got);
	else if (got < sizeof(raw))
		status = piece_kind(raw) == PIECE_SUPERBLOCK ? STATUS_CUT : STATUS_NOT_OURS;
	else
		status = superblock_decode(&m->superblock, raw);
	/* A newer format is left alone even then. */
	if (status && status != STATUS_UNSUPPORTED && salvage && !m->is_stream &&
	    !find_footer(m, false, e)) {
		m->superblock = m->footer.set;
		m->superblock_lost = true;
		return STATUS_OK;
	}
	if (errnum)
		return error_system(e, errnum, "%s: at byte %zu", m->name, got);
	if (status == STATUS_NOT_OURS)
		return error_set(e, status, "%s: is no member of an nsplit set: no superblock at "
				 "byte 0", m->name);
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
	return status ? status : read_superblock(m, salvage, e);
}

bool member_can_be_searched(const struct member *m, enum status failure)
{
	return m->fd >= 0 && !m->is_stream && m->size >= SUPERBLOCK_LENGTH + UNIT &&
	       failure != STATUS_UNSUPPORTED && failure != STATUS_NO_MEMORY;
}

void member_close(struct member *m)
{
	if (m->fd >= 0)
		close(m->fd);
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

/* Reads the segment at offset into raw, which has room for the largest. */
static enum status read_segment(const struct member *m, uint64_t offset, uint64_t before,
				uint8_t *raw, struct index_header *header, struct error *e)
{
	enum status status;

	status = member_read(m, raw, UNIT, offset, e);
	if (status)
		return status;
	status = index_header_decode(header, raw);
	if (status)
		return member_verdict(m, status, offset, "index segment", e);
	if (!capture_id_equal(&header->id, &m->superblock.id))
		return member_verdict(m, STATUS_FOREIGN, offset, "index segment", e);
	/* It ends before what named it begins, so the chain comes to an end. */
	if (header->length > before - offset || header->previous >= offset)
		return member_verdict(m, STATUS_DAMAGED, offset, "index segment", e);
	status = member_read(m, raw, header->length, offset, e);
	if (status)
		return status;
	status = index_check_entries(header, raw);
	return status ? member_verdict(m, status, offset, "index segment", e) : STATUS_OK;
}

/*
 * The segments come last first, and so do the places for now.  Entries lie in the
 * order of their records (section 6), so none is listed twice: no more is ever read of a
 * member than it holds.
 */
static enum status take_entries(struct member *m, const struct index_header *header,
				const uint8_t *raw, uint64_t offset, struct error *e)
{
	uint64_t end = offset;
	enum status status = STATUS_OK;

	if (header->count > m->footer.records - m->count)
		return member_verdict(m, STATUS_DAMAGED, offset,
				      "index segment: more records than the footer tells", e);
	if (m->count)
		end = min_u64(end, m->locations[m->count - 1].entry.member_offset);
	for (uint32_t i = header->count; i-- > 0 && !status;) {
		const uint8_t *raw_entry = raw + INDEX_HEADER_LENGTH +
					   (size_t)INDEX_ENTRY_LENGTH * i;
		struct index_entry entry;

		if (index_entry_decode(&entry, raw_entry, m->superblock.chunk_size) ||
		    entry.member_offset + entry.record_length > end)
			return member_verdict(m, STATUS_DAMAGED, offset,
					      "index segment: unlawful entry", e);
		end = entry.member_offset;
		status = member_add_location(m, &entry, e);
	}
	return status;
}

static enum status walk_index(struct member *m, uint8_t *raw, struct error *e)
{
	uint64_t before = m->footer.offset, offset = m->footer.index;

	while (offset) {
		struct index_header header;
		enum status status = read_segment(m, offset, before, raw, &header, e);

		if (!status)
			status = take_entries(m, &header, raw, offset, e);
		if (status)
			return status;
		before = offset;
		offset = header.previous;
	}
	if (m->count < m->footer.records)
		return member_verdict(m, STATUS_DAMAGED, m->footer.offset,
				      "footer: more records than the index lists", e);
	return STATUS_OK;
}

static void reverse_locations(struct member *m)
{
	for (size_t i = 0, j = m->count; i + 1 < j; i++) {
		struct location first = m->locations[i];

		m->locations[i] = m->locations[--j];
		m->locations[j] = first;
	}
}

/* The list grows with what has been read and checked: a footer may tell of more than there is. */
enum status member_load_index(struct member *m, struct error *e)
{
	enum status status = STATUS_OK;
	uint8_t *raw;

	if (!m->has_footer)
		status = find_footer(m, true, e);
	if (status)
		return status;
	/* Every record is a unit long at least. */
	if (m->footer.records > m->footer.offset / UNIT)
		return member_verdict(m, STATUS_DAMAGED, m->footer.offset, "footer", e);
	raw = malloc(INDEX_SEGMENT_MAX);
	if (!raw)
		return error_system(e, ENOMEM, "%s: list of records", m->name);
	status = walk_index(m, raw, e);
	free(raw);
	if (status) {
		free(m->locations);
		m->locations = NULL;
		m->count = 0;
		return status;
	}
	reverse_locations(m);
	return STATUS_OK;
}
