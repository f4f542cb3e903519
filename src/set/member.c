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
#include "base/text.h"
#include "format/flattened.h"
#include "format/kdump.h"
#include "io/source.h"
#include "io/transfer.h"
#include "set/dump.h"
#include "set/dump_file.h"
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

/* --- the footer (doc/format.md, section 9) ------------------------------------------------------------ */

uint64_t member_footer_location(const struct member *m)
{
	return m->size < SUPERBLOCK_LENGTH + FOOTER_LENGTH ?
	       SUPERBLOCK_LENGTH : round_down(m->size, ALIGNMENT) - FOOTER_LENGTH;
}

static enum status no_footer(const struct member *m, struct error *e)
{
	return error_set(e, STATUS_CUT, "%s: has no footer at byte %" PRIu64 ": the capture did "
			 "not finish, or the member was cut short", m->name, member_footer_location(m));
}

/* In what the footer differs from this member's; NULL: it is this member's. */
static const char *footer_differs(const struct member *m, const struct footer *footer)
{
	/* Records say only this of their set; the reading of all others depends on it. */
	if (m->identity_assumed && !capture_id_equal(&m->superblock.id, &footer->set.id))
		return "capture tag";
	if (m->identity_assumed && m->superblock.cell_size != footer->set.cell_size)
		return "cell size";
	if (m->identity_assumed)
		return NULL;
	if (footer->set.number != m->superblock.number)
		return "member number";
	return superblocks_differ(&m->superblock, &footer->set);
}

bool member_owns_footer(const struct member *m, const struct footer *footer)
{
	return !footer_differs(m, footer);
}

void member_take_footer(struct member *m, const struct footer *footer)
{
	m->footer = *footer;
	m->has_footer = !footer->checkpoint;
	if (footer->checkpoint)
		class_table_merge(&m->classes, &footer->set.classes);
	else
		m->classes = footer->set.classes;
}

/*
 * Usually left by an earlier capture on the device.  If the UUID is the same, the message says so.
 */
static enum status foreign_footer(const struct member *m, const struct footer *footer,
				  struct error *e)
{
	if (!uuid_equal(&m->superblock.id.uuid, &footer->set.id.uuid))
		return no_footer(m, e);
	return error_set(e, STATUS_CUT, "%s: the footer at byte %" PRIu64 " has the same UUID, but "
			 "is not this member's (different: %s): this capture did not finish, or "
			 "the member was cut short", m->name, member_footer_location(m),
			 footer_differs(m, footer));
}

/*
 * Is the footer followed by a record or index segment of the set, so that it is not the last one?
 */
static bool is_superseded(const struct member *m, const struct footer *footer)
{
	uint8_t raw[ALIGNMENT];
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

/*
 * Reads the footer in the last whole unit of a seekable member (doc/format.md, section 9).  own:
 * it must be this member's; otherwise that of any member, for one whose superblock is damaged.
 */
static enum status find_footer(struct member *m, bool own, struct error *e)
{
	uint8_t raw[FOOTER_LENGTH];
	uint64_t last = member_footer_location(m);
	struct footer footer;
	enum status status;

	if (last + FOOTER_LENGTH > m->size)
		return no_footer(m, e);
	status = member_read(m, raw, sizeof(raw), last, e);
	if (status)
		return status;
	status = footer_decode(&footer, raw);
	if (status == STATUS_NOT_OURS)
		return no_footer(m, e);
	if (!status && own && !member_owns_footer(m, &footer))
		return foreign_footer(m, &footer, e);
	if (!status && footer.offset > last)
		status = STATUS_DAMAGED;
	if (status)
		return member_verdict(m, status, last, "footer", e);
	/* The copy at the end of a device may be older than the footer that counts. */
	if (footer.offset < last && is_superseded(m, &footer))
		return member_verdict(m, STATUS_DAMAGED, last, "footer: records follow the footer "
				      "that it repeats", e);
	member_take_footer(m, &footer);
	if (!own || !footer.checkpoint)
		return STATUS_OK;
	if (footer.whole)
		error_set(e, STATUS_CUT, "%s: ends with a checkpoint at byte %" PRIu64 ", not with a footer: "
			  "the capture did not finish, but its layers up to %" PRIu32 " were complete",
			  m->name, footer.offset, footer.whole);
	else
		error_set(e, STATUS_CUT, "%s: ends with a checkpoint at byte %" PRIu64 ", not with a footer: "
			  "the capture did not finish", m->name, footer.offset);
	if (footer.dangerous)
		error_suffix(e, "; the machine stopped while pages that may not be touched were read");
	return STATUS_CUT;
}

/* --- the index ------------------------------------------------------------- */

/* Reads the segment at offset into raw, of INDEX_SEGMENT_MAX bytes. */
static enum status read_segment(const struct member *m, uint64_t offset, uint64_t before,
				uint8_t *raw, struct index_header *header, struct error *e)
{
	enum status status;

	status = member_read(m, raw, ALIGNMENT, offset, e);
	if (status)
		return status;
	status = index_header_decode(header, raw);
	if (status)
		return member_verdict(m, status, offset, "index segment", e);
	if (!capture_id_equal(&header->id, &m->superblock.id))
		return member_verdict(m, STATUS_FOREIGN, offset, "index segment", e);
	/* Each segment is in front of the one that refers to it, so the chain ends. */
	if (header->length > before - offset || header->previous >= offset)
		return member_verdict(m, STATUS_DAMAGED, offset, "index segment", e);
	status = member_read(m, raw, header->length, offset, e);
	if (status)
		return status;
	status = index_check_entries(header, raw);
	return status ? member_verdict(m, status, offset, "index segment", e) : STATUS_OK;
}

/*
 * Segments are read from the last to the first, so the locations are in reverse order for now.
 * Entries must be in the order of their records (section 8), so none is listed twice, and the list
 * does not grow beyond what the member holds.
 */
static enum status take_entries(struct member *m, const struct index_header *header,
				const uint8_t *raw, uint64_t offset, struct error *e)
{
	uint64_t end = offset;
	enum status status = STATUS_OK;

	if (header->count > m->footer.records - m->count)
		return member_verdict(m, STATUS_DAMAGED, offset,
				      "index segment: more records than the footer states", e);
	if (m->count)
		end = min_u64(end, m->locations[m->count - 1].entry.member_offset);
	for (uint32_t i = header->count; i-- > 0 && !status;) {
		const uint8_t *raw_entry = raw + INDEX_HEADER_LENGTH +
					   (size_t)INDEX_ENTRY_LENGTH * i;
		struct index_entry entry;

		if (index_entry_decode(&entry, raw_entry, m->superblock.chunk_size, m->superblock.cell_size) ||
		    entry.member_offset + entry.record_length > end)
			return member_verdict(m, STATUS_DAMAGED, offset,
					      "index segment: invalid entry", e);
		end = entry.member_offset;
		status = member_add_location(m, &entry, e);
	}
	return status;
}

static enum status read_segments(struct member *m, uint8_t *raw, struct error *e)
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

/* The list of locations grows as segments are checked: the number in the footer is not trusted. */
enum status member_load_index(struct member *m, struct error *e)
{
	enum status status = STATUS_OK;
	uint8_t *raw;

	if (!m->has_footer)
		status = find_footer(m, true, e);
	if (status)
		return status;
	/* Every record takes at least a unit. */
	if (m->footer.records > m->footer.offset / ALIGNMENT)
		return member_verdict(m, STATUS_DAMAGED, m->footer.offset, "footer", e);
	raw = malloc(INDEX_SEGMENT_MAX);
	if (!raw)
		return error_system(e, ENOMEM, "%s: list of records", m->name);
	status = read_segments(m, raw, e);
	free(raw);
	if (status) {
		free(m->locations);
		m->locations = NULL;
		m->count = 0;
		return status;
	}
	reverse_locations(m);
	m->has_index = true;
	return STATUS_OK;
}

/* --- opening a member, and identifying it by its superblock or footer ------- */

int member_hold_device(int fd, const char *name, bool *in_use)
{
	struct stat first, again;
	int held;

	if (fstat(fd, &first) < 0 || !S_ISBLK(first.st_mode))
		return fd;
	held = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_EXCL);
	if (held < 0) {
		*in_use |= errno == EBUSY;
		return fd;
	}
	if (fstat(held, &again) < 0 || again.st_rdev != first.st_rdev || !S_ISBLK(again.st_mode)) {
		close(held);
		return fd;
	}
	close(fd);
	return held;
}

static enum status open_fd(struct member *m, const char *name, struct error *e)
{
	bool standard = strcmp(name, "-") == 0;
	struct stat st;
	off_t end;

	m->fd = standard ? dup(STDIN_FILENO) : open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (m->fd >= 0 && !standard)
		m->fd = member_hold_device(m->fd, name, &m->in_use);
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

	if (m->is_stream || find_footer(m, false, &ignored))
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
		{ KDUMP_SIGNATURE, "it is a kdump-compressed dump" },
		{ FLATTENED_SIGNATURE, "it is a flattened dump, as makedumpfile -F writes it" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (len >= strlen(known[i].magic) &&
		    !memcmp(raw, known[i].magic, strlen(known[i].magic)))
			return known[i].contents;
	return "no superblock at byte 0";
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
		/* Perhaps a file that was cut within its first bytes. */
		return error_set(e, memcmp(raw, piece_magic(PIECE_SUPERBLOCK), got) ? STATUS_NOT_OURS : STATUS_CUT,
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
		/* set_open() reads a dump through standard input, but not through another pipe. */
		if (m->is_stream && dump_form_of(raw) != DUMP_NONE)
			error_suffix(e, "; a dump that comes through a pipe must be standard input, and be given alone as -");
		return e->status;
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
