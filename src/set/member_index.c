// SPDX-License-Identifier: GPL-2.0-or-later
/* The footer and the index of a member (doc/format.md, sections 8 and 9). */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "format/record.h"
#include "set/member.h"

/* --- the footer ------------------------------------------------------------ */

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

/* Of what records say of their set, on which the reading of all others depends. */
static const char *assumption_differs(const struct superblock *assumed, const struct superblock *sb)
{
	if (!capture_id_equal(&assumed->id, &sb->id))
		return "capture tag";
	return assumed->cell_size != sb->cell_size ? "cell size" : NULL;
}

/* In what the footer differs from this member's; NULL: it is this member's. */
static const char *footer_differs(const struct member *m, const struct footer *footer)
{
	if (m->identity_assumed)
		return assumption_differs(&m->superblock, &footer->set);
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

static enum status ends_with_checkpoint(const struct member *m, struct error *e)
{
	return error_set(e, STATUS_CUT, "%s: ends with a checkpoint at byte %" PRIu64 ", not with a footer: "
			 "the capture did not finish, but its layers up to %" PRIu32 " were complete",
			 m->name, m->footer.offset, m->footer.whole);
}

enum status member_find_footer(struct member *m, bool own, struct error *e)
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
	return own && m->footer.checkpoint ? ends_with_checkpoint(m, e) : STATUS_OK;
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

static enum status decode_entry(const struct member *m, const uint8_t *raw,
				struct index_entry *entry)
{
	const struct superblock *sb = &m->superblock;

	return index_entry_decode(entry, raw, sb->chunk_size, sb->cell_size);
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

		if (decode_entry(m, raw_entry, &entry) ||
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
		status = member_find_footer(m, true, e);
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
