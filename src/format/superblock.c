// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "format/superblock.h"

/* --- places with the same bytes ------------------------------------------ */

enum { PLACE_LENGTH = SECOND_PLACES_LENGTH / SECOND_PLACES_MAX };

void second_places_encode(const struct second_places *places, uint8_t *raw)
{
	memset(raw, 0, SECOND_PLACES_LENGTH);
	for (uint32_t i = 0; i < places->count; i++, raw += PLACE_LENGTH) {
		put_le64(raw, places->list[i].offset);
		put_le64(raw + 8, places->list[i].length);
		put_le64(raw + 16, places->list[i].target);
	}
}

void second_places_decode(struct second_places *places, uint32_t count, const uint8_t *raw)
{
	*places = (struct second_places){ .count = (uint32_t)min_u64(count, SECOND_PLACES_MAX) };
	for (uint32_t i = 0; i < places->count; i++, raw += PLACE_LENGTH)
		places->list[i] = (struct second_place){
			.offset = get_le64(raw),
			.length = get_le64(raw + 8),
			.target = get_le64(raw + 16),
		};
}

static bool is_aligned(const struct second_place *p)
{
	return p->offset % ALIGNMENT == 0 && p->length % ALIGNMENT == 0 && p->target % ALIGNMENT == 0 && p->length;
}

static bool is_within(uint64_t offset, uint64_t length, uint64_t size)
{
	return offset <= size && length <= size - offset;
}

static bool holds_target(const struct second_places *places, const struct second_place *p)
{
	for (uint32_t i = 0; i < places->count; i++) {
		const struct second_place *other = &places->list[i];

		if (p->target < other->offset + other->length && other->offset < p->target + p->length)
			return true;
	}
	return false;
}

bool second_places_valid(const struct second_places *places, uint64_t source_size)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < places->count; i++) {
		const struct second_place *p = &places->list[i];

		if (!is_aligned(p) || p->offset < end || !is_within(p->offset, p->length, source_size) ||
		    !is_within(p->target, p->length, source_size))
			return false;
		end = p->offset + p->length;
	}
	for (uint32_t i = 0; i < places->count; i++)
		if (holds_target(places, &places->list[i]))
			return false;
	return true;
}

bool second_places_equal(const struct second_places *a, const struct second_places *b)
{
	return a->count == b->count && !memcmp(a->list, b->list, a->count * sizeof(a->list[0]));
}

bool second_places_follow(const struct second_places *places, uint64_t *offset, uint64_t *length)
{
	for (uint32_t i = 0; i < places->count; i++) {
		const struct second_place *p = &places->list[i];

		if (*offset < p->offset) {
			*length = min_u64(*length, p->offset - *offset);
			return false;
		}
		if (*offset - p->offset < p->length) {
			*length = min_u64(*length, p->length - (*offset - p->offset));
			*offset = p->target + (*offset - p->offset);
			return true;
		}
	}
	return false;
}

/* --- superblocks --------------------------------------------------------- */

/*
 * The common part of superblock and footer (section 9): the fields up to SET_FIELDS_END, with magic and
 * version, the second places, and the checksum.
 */
enum { SET_FIELDS_END = 424 };

/* Offsets of section 4. */
enum {
	AT_VERSION = 8,
	AT_FEATURES = 16,
	AT_UUID = 24,
	AT_NUMBER = 40,
	AT_MEMBERS = 44,
	AT_BLOCK_SIZE = 48,
	AT_CHUNK_SIZE = 52,
	AT_SOURCE_SIZE = 56,
	AT_CREATED = 64,
	AT_CODEC = 72,
	AT_CREATOR = AT_CODEC + CODEC_TEXT_LENGTH,
	AT_SOURCE = AT_CREATOR + CREATOR_TEXT_LENGTH,
	AT_FALLBACKS = AT_SOURCE + SOURCE_TEXT_LENGTH,
	AT_CAPTURE_TAG = AT_FALLBACKS + 4,
	AT_CELL_SIZE = AT_CAPTURE_TAG + 4,
	AT_SECOND_COUNT = AT_CELL_SIZE + 4,
	AT_CLASSES = AT_SECOND_COUNT + 4,
	AT_SECOND = 2048,
	AT_CHECKSUM = SUPERBLOCK_LENGTH - 8,
};

_Static_assert(AT_CREATOR == 104 && AT_SOURCE == 136 && AT_FALLBACKS == 392 && AT_CLASSES == 408 &&
	       AT_CLASSES + CLASSES == SET_FIELDS_END, "doc/format.md, section 4");

static void put_text(uint8_t *raw, const char *text, size_t capacity)
{
	memcpy(raw, text, strnlen(text, capacity));
}

static void get_text(char *text, const uint8_t *raw, size_t capacity)
{
	memcpy(text, raw, capacity);
	text[capacity] = '\0';
}

static void set_fields_encode(const struct superblock *sb, enum piece_kind kind, uint8_t *raw)
{
	memset(raw, 0, SUPERBLOCK_LENGTH);
	memcpy(raw, piece_magic(kind), FORMAT_MAGIC_LENGTH);
	put_le32(raw + AT_VERSION, FORMAT_VERSION);
	memcpy(raw + AT_UUID, sb->id.uuid.bytes, UUID_LENGTH);
	put_le32(raw + AT_NUMBER, sb->number);
	put_le32(raw + AT_MEMBERS, sb->members);
	put_le32(raw + AT_BLOCK_SIZE, sb->block_size);
	put_le32(raw + AT_CHUNK_SIZE, sb->chunk_size);
	put_le64(raw + AT_SOURCE_SIZE, sb->source_size);
	put_le64(raw + AT_CREATED, (uint64_t)sb->created);
	put_text(raw + AT_CODEC, sb->codec, CODEC_TEXT_LENGTH);
	put_text(raw + AT_CREATOR, sb->creator, CREATOR_TEXT_LENGTH);
	put_text(raw + AT_SOURCE, sb->source, SOURCE_TEXT_LENGTH);
	put_le32(raw + AT_FALLBACKS, sb->fallbacks);
	put_le32(raw + AT_CAPTURE_TAG, sb->id.tag);
	put_le32(raw + AT_CELL_SIZE, sb->cell_size);
	put_le32(raw + AT_SECOND_COUNT, sb->second.count);
	memcpy(raw + AT_CLASSES, sb->classes.of, sizeof(sb->classes.of));
	second_places_encode(&sb->second, raw + AT_SECOND);
}

static void set_fields_seal(uint8_t *raw)
{
	put_le64(raw + AT_CHECKSUM, format_checksum(raw, AT_CHECKSUM));
}

/* A stream is read once, so it has one layer. */
static bool size_valid(const struct superblock *sb)
{
	if (sb->source_size == SOURCE_SIZE_UNKNOWN)
		return class_table_is_plain(&sb->classes) && !sb->second.count;
	return sb->source_size <= OFFSET_MAX && second_places_valid(&sb->second, sb->source_size);
}

static bool within_limits(const struct superblock *sb)
{
	return sb->members >= 1 && sb->members <= MEMBERS_MAX &&
	       sb->number < sb->members &&
	       block_size_valid(sb->block_size) &&
	       chunk_size_valid(sb->chunk_size, sb->block_size) &&
	       cell_size_valid(sb->cell_size, sb->chunk_size) &&
	       class_table_valid(&sb->classes) && size_valid(sb);
}

static enum status set_fields_decode(struct superblock *sb, enum piece_kind kind, const uint8_t *raw)
{
	uint32_t second = get_le32(raw + AT_SECOND_COUNT);

	if (piece_kind(raw) != kind)
		return STATUS_NOT_OURS;
	if (get_le64(raw + AT_CHECKSUM) != format_checksum(raw, AT_CHECKSUM))
		return STATUS_DAMAGED;
	if (get_le32(raw + AT_VERSION) != FORMAT_VERSION || get_le64(raw + AT_FEATURES))
		return STATUS_UNSUPPORTED;
	memcpy(sb->id.uuid.bytes, raw + AT_UUID, UUID_LENGTH);
	sb->id.tag = get_le32(raw + AT_CAPTURE_TAG);
	sb->number = get_le32(raw + AT_NUMBER);
	sb->members = get_le32(raw + AT_MEMBERS);
	sb->fallbacks = get_le32(raw + AT_FALLBACKS);
	sb->block_size = get_le32(raw + AT_BLOCK_SIZE);
	sb->chunk_size = get_le32(raw + AT_CHUNK_SIZE);
	sb->cell_size = get_le32(raw + AT_CELL_SIZE);
	sb->source_size = get_le64(raw + AT_SOURCE_SIZE);
	sb->created = (int64_t)get_le64(raw + AT_CREATED);
	get_text(sb->codec, raw + AT_CODEC, CODEC_TEXT_LENGTH);
	get_text(sb->creator, raw + AT_CREATOR, CREATOR_TEXT_LENGTH);
	get_text(sb->source, raw + AT_SOURCE, SOURCE_TEXT_LENGTH);
	memcpy(sb->classes.of, raw + AT_CLASSES, sizeof(sb->classes.of));
	second_places_decode(&sb->second, second, raw + AT_SECOND);
	return second <= SECOND_PLACES_MAX && within_limits(sb) ? STATUS_OK : STATUS_DAMAGED;
}

bool superblock_has_layers(const struct superblock *sb)
{
	return !class_table_is_plain(&sb->classes) || sb->second.count || sb->cell_size != sb->chunk_size;
}

void superblock_encode(const struct superblock *sb, uint8_t raw[SUPERBLOCK_LENGTH])
{
	set_fields_encode(sb, PIECE_SUPERBLOCK, raw);
	set_fields_seal(raw);
}

enum status superblock_decode(struct superblock *sb, const uint8_t raw[SUPERBLOCK_LENGTH])
{
	return set_fields_decode(sb, PIECE_SUPERBLOCK, raw);
}

const char *superblocks_differ(const struct superblock *a, const struct superblock *b)
{
	const struct {
		bool differ;
		const char *what;
	} fields[] = {
		{ a->created != b->created, "time of the capture" },
		{ strcmp(a->source, b->source) != 0, "name of the source" },
		{ a->source_size != b->source_size && a->source_size != SOURCE_SIZE_UNKNOWN &&
		  b->source_size != SOURCE_SIZE_UNKNOWN, "size of the source" },
		{ a->members != b->members, "number of members" },
		{ a->fallbacks != b->fallbacks, "number of fallbacks" },
		{ a->block_size != b->block_size, "block size" },
		{ a->chunk_size != b->chunk_size, "chunk size" },
		{ a->cell_size != b->cell_size, "cell size" },
		{ !second_places_equal(&a->second, &b->second), "second places" },
		{ strcmp(a->codec, b->codec) != 0, "codec" },
		{ strcmp(a->creator, b->creator) != 0, "creator" },
		{ !capture_id_equal(&a->id, &b->id), "capture tag" },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].differ)
			return fields[i].what;
	return NULL;
}

/* --- the root of a set --------------------------------------------------- */

void root_add(struct digest *root, uint64_t checksum)
{
	uint8_t raw[8];

	put_le64(raw, checksum);
	digest_add(root, raw, sizeof(raw));
}

/* --- footers ------------------------------------------------------------- */

/* Offsets of section 9. */
enum {
	AT_OFFSET = SET_FIELDS_END,
	AT_INDEX = AT_OFFSET + 8,
	AT_RECORDS = AT_INDEX + 8,
	AT_SOURCE_BYTES = AT_RECORDS + 8,
	AT_BLOCKS = AT_SOURCE_BYTES + 8,
	AT_FINISHED = AT_BLOCKS + 8 * BLOCK_KINDS,
	AT_FLAGS = AT_FINISHED + 8,
	AT_WHOLE = AT_FLAGS + 4,
	AT_FIRST = 512,
	AT_NAMED = AT_FIRST + 8 * CLASSES,
	AT_LATER = AT_NAMED + 8 * CLASSES,
	AT_UNREADABLE = AT_LATER + 8 * CLASSES,
	AT_ROOT = AT_UNREADABLE + 8,
	AT_REASON = 1024,
};

_Static_assert(AT_WHOLE == 500 && AT_ROOT == 904 && AT_ROOT + ROOT_LENGTH <= AT_REASON, "doc/format.md, section 9");

static const uint32_t FLAG_STOPPED = 1, FLAG_CHECKPOINT = 2, FLAG_ROOT = 4, FLAG_DANGEROUS = 8;

void footer_encode(const struct footer *footer, uint8_t raw[FOOTER_LENGTH])
{
	const struct layer_figures *f = &footer->figures;

	set_fields_encode(&footer->set, PIECE_FOOTER, raw);
	put_le64(raw + AT_OFFSET, footer->offset);
	put_le64(raw + AT_INDEX, footer->index);
	put_le64(raw + AT_RECORDS, footer->records);
	put_le64(raw + AT_SOURCE_BYTES, footer->source_bytes);
	for (int kind = 0; kind < BLOCK_KINDS; kind++)
		put_le64(raw + AT_BLOCKS + 8 * kind, footer->blocks[kind]);
	put_le64(raw + AT_FINISHED, (uint64_t)footer->finished);
	put_le32(raw + AT_FLAGS, (footer->stopped ? FLAG_STOPPED : 0) |
				 (footer->checkpoint ? FLAG_CHECKPOINT : 0) |
				 (footer->has_root ? FLAG_ROOT : 0) |
				 (footer->dangerous ? FLAG_DANGEROUS : 0));
	put_le32(raw + AT_WHOLE, footer->whole);
	for (unsigned i = 0; i < CLASSES; i++) {
		put_le64(raw + AT_FIRST + 8 * i, f->first[i]);
		put_le64(raw + AT_NAMED + 8 * i, f->named[i]);
		put_le64(raw + AT_LATER + 8 * i, f->later[i]);
	}
	put_le64(raw + AT_UNREADABLE, f->unreadable);
	if (footer->has_root)
		memcpy(raw + AT_ROOT, footer->root, ROOT_LENGTH);
	memcpy(raw + AT_REASON, footer->reason, strnlen(footer->reason, REASON_TEXT_LENGTH));
	set_fields_seal(raw);
}

static bool footer_within_limits(const struct footer *footer)
{
	return footer->offset <= OFFSET_MAX - FOOTER_LENGTH &&
	       footer->offset % ALIGNMENT == 0 &&
	       footer->index < footer->offset &&
	       footer->index % ALIGNMENT == 0 &&
	       (footer->index == 0) == (footer->records == 0) &&
	       footer->whole <= LAYERS_MAX;
}

enum status footer_decode(struct footer *footer, const uint8_t raw[FOOTER_LENGTH])
{
	enum status status = set_fields_decode(&footer->set, PIECE_FOOTER, raw);
	struct layer_figures *f = &footer->figures;

	if (status)
		return status;
	footer->offset = get_le64(raw + AT_OFFSET);
	footer->index = get_le64(raw + AT_INDEX);
	footer->records = get_le64(raw + AT_RECORDS);
	footer->source_bytes = get_le64(raw + AT_SOURCE_BYTES);
	for (int kind = 0; kind < BLOCK_KINDS; kind++)
		footer->blocks[kind] = get_le64(raw + AT_BLOCKS + 8 * kind);
	footer->finished = (int64_t)get_le64(raw + AT_FINISHED);
	footer->stopped = get_le32(raw + AT_FLAGS) & FLAG_STOPPED;
	footer->checkpoint = get_le32(raw + AT_FLAGS) & FLAG_CHECKPOINT;
	footer->dangerous = get_le32(raw + AT_FLAGS) & FLAG_DANGEROUS;
	footer->whole = get_le32(raw + AT_WHOLE);
	for (unsigned i = 0; i < CLASSES; i++) {
		f->first[i] = get_le64(raw + AT_FIRST + 8 * i);
		f->named[i] = get_le64(raw + AT_NAMED + 8 * i);
		f->later[i] = get_le64(raw + AT_LATER + 8 * i);
	}
	f->unreadable = get_le64(raw + AT_UNREADABLE);
	footer->has_root = get_le32(raw + AT_FLAGS) & FLAG_ROOT;
	memset(footer->root, 0, ROOT_LENGTH);
	if (footer->has_root)
		memcpy(footer->root, raw + AT_ROOT, ROOT_LENGTH);
	memcpy(footer->reason, raw + AT_REASON, REASON_TEXT_LENGTH);
	footer->reason[REASON_TEXT_LENGTH] = '\0';
	return footer_within_limits(footer) ? STATUS_OK : STATUS_DAMAGED;
}
