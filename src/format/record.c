// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "format/record.h"

/* Offsets of section 5. */
enum {
	AT_UUID = 8,
	AT_SOURCE_OFFSET = 24,
	AT_SOURCE_LENGTH = 32,
	AT_BLOCK_SIZE = 36,
	AT_CODEC = 40,
	AT_PAYLOAD_OFFSET = 44,
	AT_PAYLOAD_LENGTH = 48,
	AT_UNREADABLE = 52,
	AT_CAPTURE_TAG = 56,
	AT_RUNS = 60,
	AT_STORED_LENGTH = 68,
	AT_LAYER = 72,
	AT_NAMED = 74,
	AT_CLASSES = 76,
	AT_CELL_SIZE = 92,
	AT_LIST_CHECKSUM = 96,
	AT_FEATURES = 104,
	AT_BODY_CHECKSUM = 112,
	AT_CHECKSUM = 120,
};

_Static_assert(AT_CLASSES + CLASSES == AT_CELL_SIZE, "doc/format.md, section 5");

const char *block_kind_name(int kind)
{
	static const char *const names[BLOCK_KINDS] = {
		[BLOCK_ZERO] = "zero",
		[BLOCK_SAME] = "same",
		[BLOCK_STORED] = "stored",
		[BLOCK_PACKED] = "packed",
	};

	return names[kind];
}

void record_encode(const struct record *record, uint8_t *raw)
{
	memset(raw, 0, RECORD_HEADER_LENGTH);
	memcpy(raw, piece_magic(PIECE_RECORD), FORMAT_MAGIC_LENGTH);
	memcpy(raw + AT_UUID, record->id.uuid.bytes, UUID_LENGTH);
	put_le32(raw + AT_CAPTURE_TAG, record->id.tag);
	put_le64(raw + AT_SOURCE_OFFSET, record->source_offset);
	put_le32(raw + AT_SOURCE_LENGTH, record->source_length);
	put_le32(raw + AT_BLOCK_SIZE, record->block_size);
	put_le32(raw + AT_CODEC, record->codec);
	put_le32(raw + AT_PAYLOAD_OFFSET, record->payload_offset);
	put_le32(raw + AT_PAYLOAD_LENGTH, record->payload_length);
	put_le32(raw + AT_UNREADABLE, record->unreadable);
	put_le32(raw + AT_RUNS, record->runs);
	put_le32(raw + AT_STORED_LENGTH, record->stored_length);
	raw[AT_LAYER] = (uint8_t)record->layer;
	put_le16(raw + AT_NAMED, record->named);
	memcpy(raw + AT_CLASSES, record->classes.of, sizeof(record->classes.of));
	put_le32(raw + AT_CELL_SIZE, record->cell_size);
	put_le64(raw + AT_LIST_CHECKSUM, record->list_checksum);
	put_le64(raw + AT_BODY_CHECKSUM, record->body_checksum);
	put_le64(raw + AT_CHECKSUM, format_checksum(raw, AT_CHECKSUM));
}

static bool range_valid(const struct record *record)
{
	return record->source_offset <= OFFSET_MAX &&
	       record->source_offset % GRANULE == 0 &&
	       record->source_length >= 1 &&
	       record->source_length <= OFFSET_MAX - record->source_offset &&
	       record->cell_size >= GRANULE && record->cell_size <= CELL_SIZE_MAX &&
	       record->cell_size % GRANULE == 0 &&
	       record->source_length <= record->cell_size - record->source_offset % record->cell_size;
}

static bool list_valid(const struct record *record)
{
	uint32_t granules = record_granules(record);

	if (!record->runs && (record->stored_length != record->source_length || record->unreadable ||
			      record->named || record->list_checksum))
		return false;
	return record->runs <= granules && record->unreadable <= granules &&
	       (record->layer == 1 || !record->named);
}

static bool within_limits(const struct record *record, uint32_t chunk_size)
{
	uint32_t table;

	if (!block_size_valid(record->block_size) || !range_valid(record) || !list_valid(record) ||
	    record->stored_length > record->source_length || record->stored_length > chunk_size ||
	    record->layer < 1 || record->layer > LAYERS_MAX || !class_table_valid(&record->classes))
		return false;
	table = record_table_offset(record) + RECORD_ENTRY_LENGTH * record_blocks(record);
	return record->payload_offset >= table &&
	       record->payload_offset <= round_up(table, ALIGNMENT) &&
	       record->payload_length <= record->stored_length &&
	       record_length(record) <= record_length_max(chunk_size, record->cell_size);
}

enum status record_decode(struct record *record, const uint8_t *raw, uint32_t chunk_size)
{
	if (piece_kind(raw) != PIECE_RECORD)
		return STATUS_NOT_OURS;
	if (get_le64(raw + AT_CHECKSUM) != format_checksum(raw, AT_CHECKSUM))
		return STATUS_DAMAGED;
	if (get_le64(raw + AT_FEATURES))
		return STATUS_UNSUPPORTED;
	memcpy(record->id.uuid.bytes, raw + AT_UUID, UUID_LENGTH);
	record->id.tag = get_le32(raw + AT_CAPTURE_TAG);
	record->source_offset = get_le64(raw + AT_SOURCE_OFFSET);
	record->source_length = get_le32(raw + AT_SOURCE_LENGTH);
	record->block_size = get_le32(raw + AT_BLOCK_SIZE);
	record->codec = get_le32(raw + AT_CODEC);
	record->payload_offset = get_le32(raw + AT_PAYLOAD_OFFSET);
	record->payload_length = get_le32(raw + AT_PAYLOAD_LENGTH);
	record->unreadable = get_le32(raw + AT_UNREADABLE);
	record->runs = get_le32(raw + AT_RUNS);
	record->stored_length = get_le32(raw + AT_STORED_LENGTH);
	record->layer = raw[AT_LAYER];
	record->named = get_le16(raw + AT_NAMED);
	memcpy(record->classes.of, raw + AT_CLASSES, sizeof(record->classes.of));
	record->cell_size = get_le32(raw + AT_CELL_SIZE);
	record->list_checksum = get_le64(raw + AT_LIST_CHECKSUM);
	record->body_checksum = get_le64(raw + AT_BODY_CHECKSUM);
	return within_limits(record, chunk_size) ? STATUS_OK : STATUS_DAMAGED;
}

uint64_t record_checksum(const uint8_t *raw)
{
	return get_le64(raw + AT_CHECKSUM);
}

uint64_t record_body_checksum(const struct record *record, const uint8_t *raw)
{
	return format_checksum(raw + RECORD_HEADER_LENGTH,
			       record_end(record) - RECORD_HEADER_LENGTH);
}

static bool entry_valid(uint32_t entry, uint32_t block_length)
{
	uint32_t length = record_entry_length(entry);

	if ((record_entry_kind(entry) == BLOCK_COLUMNS) != (record_entry_row(entry) != 0))
		return false;
	switch (record_entry_kind(entry)) {
	case BLOCK_ZERO:
		return length == 0;
	case BLOCK_SAME:
		return length == BLOCK_SAME_LENGTH && length <= block_length;
	case BLOCK_STORED:
		return length == block_length;
	case BLOCK_PACKED:
	case BLOCK_COLUMNS:
		return length >= 1 && length < block_length;
	default:
		return false;
	}
}

enum status record_check_body(const struct record *record, const uint8_t *raw)
{
	const uint8_t *table = raw + record_table_offset(record);
	uint32_t blocks = record_blocks(record);
	uint64_t payload = 0;

	if (record_body_checksum(record, raw) != record->body_checksum || run_list_check(record, raw))
		return STATUS_DAMAGED;
	for (uint32_t i = 0; i < blocks; i++) {
		uint32_t entry = get_le32(table + RECORD_ENTRY_LENGTH * i);

		if (!entry_valid(entry, record_block_length(record, i)))
			return STATUS_DAMAGED;
		payload += record_entry_length(entry);
	}
	return payload == record->payload_length ? STATUS_OK : STATUS_DAMAGED;
}

/* --- run lists ------------------------------------------------------------- */

/* A run is one integer: kind, class, number of granules. */
enum { KIND_SHIFT = 28, CLASS_SHIFT = 24, CLASS_MASK = 15, GRANULES_MASK = (1 << CLASS_SHIFT) - 1 };

bool run_list_add(struct run_list *list, const struct run *run)
{
	struct run *last = list->count ? &list->runs[list->count - 1] : NULL;

	if (last && last->kind == run->kind && (last->class_number == run->class_number || run->kind == RUN_ELSEWHERE)) {
		last->granules += run->granules;
		if (class_is_marked(run->class_number))
			last->class_number = run->class_number;
		return true;
	}
	if (list->count == list->capacity)
		return false;
	list->runs[list->count++] = *run;
	return true;
}

void run_list_cut(struct run_list *list, uint32_t granules)
{
	uint32_t kept = 0;

	for (; kept < list->count && granules; kept++) {
		struct run *run = &list->runs[kept];

		run->granules = (uint32_t)min_u64(run->granules, granules);
		granules -= run->granules;
	}
	list->count = kept;
}

/* Adds up what the header says of all runs. */
static void count_run(struct record *record, const struct run_place *place)
{
	switch (place->run.kind) {
	case RUN_STORED:
		record->stored_length += place->length;
		break;
	case RUN_NAMED:
		record->named |= (uint16_t)(1u << place->run.class_number);
		break;
	case RUN_ZERO:
		record->named |= NAMED_ZERO;
		break;
	case RUN_UNREADABLE:
		record->unreadable += place->run.granules;
		break;
	default:
		break;
	}
}

static uint64_t list_checksum(const struct record *record, const uint8_t *raw)
{
	return record->runs ? format_checksum(raw + RECORD_HEADER_LENGTH, RUN_LENGTH * (size_t)record->runs) : 0;
}

static bool is_plain(const struct run *run, uint32_t count)
{
	return count == 1 && run->kind == RUN_STORED && run->class_number == CLASS_KERNEL;
}

void run_list_encode(const struct run_list *list, struct record *record, uint8_t *raw)
{
	uint8_t *at = raw + RECORD_HEADER_LENGTH;
	struct run_cursor c;
	struct run_place place;

	record->runs = is_plain(list->runs, list->count) ? 0 : list->count;
	for (uint32_t i = 0; i < record->runs; i++, at += RUN_LENGTH) {
		const struct run *run = &list->runs[i];

		put_le32(at, (uint32_t)run->kind << KIND_SHIFT | run->granules |
			     (run->kind == RUN_ELSEWHERE ? 0 : run->class_number << CLASS_SHIFT));
	}
	record->unreadable = record->stored_length = record->named = 0;
	c = run_cursor_begin(record, raw);
	while (run_cursor_next(&c, &place))
		count_run(record, &place);
	record->list_checksum = list_checksum(record, raw);
}

struct run_cursor run_cursor_begin(const struct record *record, const uint8_t *raw)
{
	return (struct run_cursor){
		.run = record->runs ? raw + RECORD_HEADER_LENGTH : NULL,
		.left = record->runs ? record->runs : 1,
		.offset = record->source_offset,
		.end = record->source_offset + record->source_length,
	};
}

/* Without a list, all of the range is one stored run. */
static struct run next_run(const struct run_cursor *c)
{
	uint32_t raw = c->run ? get_le32(c->run) : (uint32_t)divide_up(c->end - c->offset, GRANULE);

	return (struct run){
		.kind = (enum run_kind)(raw >> KIND_SHIFT),
		.class_number = raw >> CLASS_SHIFT & CLASS_MASK,
		.granules = raw & GRANULES_MASK,
	};
}

bool run_cursor_next(struct run_cursor *c, struct run_place *place)
{
	if (!c->left)
		return false;
	place->run = next_run(c);
	place->offset = c->offset;
	/* Only the last granule of the source may be shorter. */
	place->length = (uint32_t)min_u64((uint64_t)GRANULE * place->run.granules, c->end - c->offset);
	place->stored_at = c->stored;
	if (place->run.kind == RUN_STORED)
		c->stored += place->length;
	if (c->run)
		c->run += RUN_LENGTH;
	c->offset += place->length;
	c->left--;
	return true;
}

static bool run_valid(const struct run *run, unsigned layer)
{
	switch (run->kind) {
	case RUN_STORED:
	case RUN_UNREADABLE:
		return true;
	case RUN_NAMED:
		return layer == 1 && run->class_number != CLASS_KERNEL;
	case RUN_ZERO:
		return layer == 1 && run->class_number == CLASS_KERNEL;
	case RUN_ELSEWHERE:
		return layer > 1 && run->class_number == 0;
	default:
		return false;
	}
}

static bool runs_valid(const struct record *record, const uint8_t *raw, struct record *counted)
{
	struct run_cursor c = run_cursor_begin(record, raw);
	uint32_t granules = record_granules(record);
	struct run_place place;

	while (run_cursor_next(&c, &place)) {
		if (!place.run.granules || place.run.granules > granules ||
		    !run_valid(&place.run, record->layer))
			return false;
		/* That list is to be left out. */
		if (record->runs == 1 && is_plain(&place.run, 1))
			return false;
		granules -= place.run.granules;
		count_run(counted, &place);
	}
	return granules == 0;
}

enum status run_list_check(const struct record *record, const uint8_t *raw)
{
	struct record counted = { 0 };

	if (list_checksum(record, raw) != record->list_checksum ||
	    !runs_valid(record, raw, &counted) ||
	    counted.unreadable != record->unreadable ||
	    counted.stored_length != record->stored_length ||
	    counted.named != record->named)
		return STATUS_DAMAGED;
	return STATUS_OK;
}

/* --- columns --------------------------------------------------------------- */

enum { WORD = 4, COLUMNS_MAX = COLUMN_ROW_MAX / WORD, TILE = 64 };

/* Where each column is in the block that was split. */
struct columns {
	size_t words;			/* in the block; what follows them is no word, and stays where it is */
	uint32_t count;
	uint32_t at[COLUMNS_MAX];	/* bytes before its first word */
	uint32_t above[COLUMNS_MAX];	/* its last word so far */
};

bool column_row_valid(uint64_t row)
{
	return row && row <= COLUMN_ROW_MAX && row % COLUMN_ROW_UNIT == 0;
}

/* The rows of column k, of which the last one may not have it. */
static size_t rows_of(const struct columns *c, size_t k)
{
	return c->words / c->count + (k < c->words % c->count);
}

/* The last row may end early: then the first columns have a word more than the others. */
static void begin(struct columns *c, size_t len, uint32_t row)
{
	uint32_t at = 0;

	c->words = len / WORD;
	c->count = row / WORD;
	for (uint32_t i = 0; i < c->count; i++) {
		c->at[i] = at;
		c->above[i] = 0;
		at += (uint32_t)rows_of(c, i) * WORD;
	}
}

/* Reads the word once, whatever the compiler would prefer: another CPU or a device may be changing it. */
static uint32_t read_once(const uint8_t *word)
{
	union {
		uint32_t value;
		uint8_t bytes[WORD];
	} copy = { .value = *(const volatile uint32_t *)(const volatile void *)word };

	return get_le32(copy.bytes);
}

/*
 * Four words of a row, in memory that may change as above.  Operations on such a type are those of the processor, if
 * it has any.
 */
typedef uint32_t four_words __attribute__((vector_size(16)));
typedef four_words four_words_of_row __attribute__((aligned(4), may_alias));

enum { FOUR = 4 };

/* Where those rows end that split_fours() does of column k and the three beside it. */
static size_t fours_end(const struct columns *c, size_t k, size_t first, size_t end)
{
	size_t last = k / FOUR * FOUR + FOUR - 1;

	if (BYTE_ORDER != LITTLE_ENDIAN || last >= c->count)
		return first;
	return first + (min_u64(end, rows_of(c, last)) - first) / FOUR * FOUR;
}

static four_words read_four(const uint8_t *words)
{
	return *(const volatile four_words_of_row *)(const volatile void *)words;
}

/* Rows r to r + 3 of a column. */
static void put_four(const struct columns *c, size_t k, size_t r, four_words words, uint8_t *dst)
{
	memcpy(dst + c->at[k] + r * WORD, &words, sizeof(words));
}

/* Columns k to k + 3: a word at a time takes almost three times as many instructions. */
static void split_fours(struct columns *c, const uint8_t *src, uint32_t row, size_t k, size_t first, size_t end,
			uint8_t *dst)
{
	four_words above;

	memcpy(&above, c->above + k, sizeof(above));
	for (size_t r = first; r < end; r += FOUR) {
		const uint8_t *at = src + r * row + k * WORD;
		four_words w0 = read_four(at), w1 = read_four(at + row);
		four_words w2 = read_four(at + 2 * (size_t)row), w3 = read_four(at + 3 * (size_t)row);
		four_words d0 = w0 - above, d1 = w1 - w0, d2 = w2 - w1, d3 = w3 - w2;

		put_four(c, k, r, (four_words){ d0[0], d1[0], d2[0], d3[0] }, dst);
		put_four(c, k + 1, r, (four_words){ d0[1], d1[1], d2[1], d3[1] }, dst);
		put_four(c, k + 2, r, (four_words){ d0[2], d1[2], d2[2], d3[2] }, dst);
		put_four(c, k + 3, r, (four_words){ d0[3], d1[3], d2[3], d3[3] }, dst);
		above = w3;
	}
	memcpy(c->above + k, &above, sizeof(above));
}

/*
 * Rows first to end of column k.  A tile of rows is done for all columns before the next one: whole columns would
 * take every line of the cache each, and rows would write to as many lines as there are columns, which often are in
 * the same set of the cache: a quarter of the speed.
 */
static void split_tile(struct columns *c, const uint8_t *src, uint32_t row, size_t k, size_t first, size_t end,
		       uint8_t *dst)
{
	size_t fours = fours_end(c, k, first, end);
	uint32_t above;

	if (k % FOUR == 0 && fours > first)
		split_fours(c, src, row, k, first, fours, dst);
	above = c->above[k];
	for (size_t r = fours; r < end; r++) {
		uint32_t word = read_once(src + r * row + k * WORD);

		put_le32(dst + c->at[k] + r * WORD, word - above);
		above = word;
	}
	c->above[k] = above;
}

static void join_tile(struct columns *c, const uint8_t *src, uint32_t row, size_t k, size_t first, size_t end,
		      uint8_t *dst)
{
	uint32_t above = c->above[k];

	for (size_t r = first; r < end; r++) {
		above += get_le32(src + c->at[k] + r * WORD);
		put_le32(dst + r * row + k * WORD, above);
	}
	c->above[k] = above;
}

static void each_tile(const uint8_t *src, size_t len, uint32_t row, uint8_t *dst,
		      void (*tile)(struct columns *c, const uint8_t *src, uint32_t row, size_t k, size_t first,
				   size_t end, uint8_t *dst))
{
	struct columns c;

	begin(&c, len, row);
	for (size_t first = 0; first < rows_of(&c, 0); first += TILE)
		for (size_t k = 0; k < c.count; k++)
			tile(&c, src, row, k, first, min_u64(first + TILE, rows_of(&c, k)), dst);
	memcpy(dst + c.words * WORD, src + c.words * WORD, len - c.words * WORD);
}

void columns_split(const uint8_t *src, size_t len, uint32_t row, uint8_t *dst)
{
	each_tile(src, len, row, dst, split_tile);
}

void columns_join(const uint8_t *src, size_t len, uint32_t row, uint8_t *dst)
{
	each_tile(src, len, row, dst, join_tile);
}

/* --- index segments -------------------------------------------------------- */

/* Offsets in the header and in an entry. */
enum {
	INDEX_AT_UUID = 8,
	INDEX_AT_PREVIOUS = 24,
	INDEX_AT_COUNT = 32,
	INDEX_AT_LENGTH = 36,
	INDEX_AT_ENTRIES_CHECKSUM = 40,
	INDEX_AT_FEATURES = 48,
	INDEX_AT_CHECKSUM = 56,

	ENTRY_AT_MEMBER_OFFSET = 0,
	ENTRY_AT_SOURCE_OFFSET = 8,
	ENTRY_AT_RANGE = 16,
	ENTRY_AT_UNITS = 20,
	ENTRY_AT_NAMED = 22,
	ENTRY_AT_UNREADABLE = 24,
	ENTRY_AT_STORED = 26,
	ENTRY_AT_CAPTURE_TAG = 28,
};

/* A range is one integer: layer, length. */
enum { LAYER_SHIFT = 28, RANGE_LENGTH_MASK = (1 << LAYER_SHIFT) - 1 };

_Static_assert(sizeof(struct index_entry) == INDEX_ENTRY_LENGTH, "the memory of readers");

uint32_t index_segment_length(uint32_t count)
{
	return (uint32_t)round_up(INDEX_HEADER_LENGTH + (uint64_t)INDEX_ENTRY_LENGTH * count,
				  ALIGNMENT);
}

uint32_t index_segment_capacity(uint32_t bytes)
{
	return (bytes - INDEX_HEADER_LENGTH) / INDEX_ENTRY_LENGTH;
}

struct index_entry index_entry_of(const struct record *record, uint64_t member_offset)
{
	return (struct index_entry){
		.member_offset = member_offset,
		.source_offset = record->source_offset,
		.source_length = record->source_length & RANGE_LENGTH_MASK,
		.record_length = record_length(record),
		.unreadable = record->unreadable,
		.stored = (uint16_t)divide_up(record->stored_length, GRANULE),
		.named = record->named,
		.layer = record->layer & LAYERS_MAX,
	};
}

void index_entry_encode(const struct index_entry *entry, uint8_t *raw)
{
	memset(raw, 0, INDEX_ENTRY_LENGTH);
	put_le64(raw + ENTRY_AT_MEMBER_OFFSET, entry->member_offset);
	put_le64(raw + ENTRY_AT_SOURCE_OFFSET, entry->source_offset);
	put_le32(raw + ENTRY_AT_RANGE, entry->source_length | (uint32_t)entry->layer << LAYER_SHIFT);
	put_le16(raw + ENTRY_AT_UNITS, (uint16_t)(entry->record_length / ALIGNMENT));
	put_le16(raw + ENTRY_AT_NAMED, entry->named);
	put_le16(raw + ENTRY_AT_UNREADABLE, (uint16_t)entry->unreadable);
	put_le16(raw + ENTRY_AT_STORED, entry->stored);
}

static bool entry_within_limits(const struct index_entry *entry, uint32_t chunk_size,
				uint32_t cell_size)
{
	uint64_t granules = divide_up(entry->source_length, GRANULE);

	return entry->member_offset <= OFFSET_MAX - entry->record_length &&
	       entry->member_offset % ALIGNMENT == 0 &&
	       entry->source_offset <= OFFSET_MAX - entry->source_length &&
	       entry->source_offset % GRANULE == 0 &&
	       entry->source_length >= 1 &&
	       entry->source_length <= cell_size - entry->source_offset % cell_size &&
	       entry->record_length >= ALIGNMENT &&
	       entry->record_length <= record_length_max(chunk_size, cell_size) &&
	       entry->layer >= 1 &&
	       (entry->layer == 1 || !entry->named) &&
	       entry->unreadable + (uint64_t)entry->stored <= granules &&
	       entry->stored <= divide_up(chunk_size, GRANULE);
}

enum status index_entry_decode(struct index_entry *entry, const uint8_t *raw, uint32_t chunk_size,
			       uint32_t cell_size)
{
	uint32_t range = get_le32(raw + ENTRY_AT_RANGE);

	*entry = (struct index_entry){
		.member_offset = get_le64(raw + ENTRY_AT_MEMBER_OFFSET),
		.source_offset = get_le64(raw + ENTRY_AT_SOURCE_OFFSET),
		.source_length = range & RANGE_LENGTH_MASK,
		.record_length = (uint32_t)get_le16(raw + ENTRY_AT_UNITS) * ALIGNMENT,
		.unreadable = get_le16(raw + ENTRY_AT_UNREADABLE),
		.stored = get_le16(raw + ENTRY_AT_STORED),
		.named = get_le16(raw + ENTRY_AT_NAMED),
		.layer = range >> LAYER_SHIFT & LAYERS_MAX,
	};
	return entry_within_limits(entry, chunk_size, cell_size) ? STATUS_OK : STATUS_DAMAGED;
}

/* The only class that this layer stores.  False: there are more, or none. */
static bool only_class_of(const struct class_table *classes, unsigned layer, unsigned *number)
{
	unsigned found = 0;

	/* With one layer, classes are not told apart. */
	if (class_table_is_plain(classes)) {
		*number = CLASS_KERNEL;
		return true;
	}
	for (unsigned i = 0; i < CLASSES; i++) {
		if (class_layer(classes, i) != layer)
			continue;
		*number = i;
		found++;
	}
	return found == 1;
}

bool index_entry_describes(const struct index_entry *entry, const struct class_table *classes,
			   struct run *run)
{
	uint32_t granules = (uint32_t)divide_up(entry->source_length, GRANULE);
	unsigned named = entry->named;

	*run = (struct run){ .kind = RUN_STORED, .granules = granules };
	if (entry->unreadable)
		return false;
	if (entry->stored == granules)
		return !named && only_class_of(classes, entry->layer, &run->class_number);
	/* A record with one run and no blocks is no longer than this. */
	if (entry->stored || entry->record_length != ALIGNMENT || __builtin_popcount(named) != 1)
		return false;
	run->kind = named == NAMED_ZERO ? RUN_ZERO : RUN_NAMED;
	run->class_number = (unsigned)__builtin_ctz(named);
	return true;
}

uint32_t index_segment_seal(uint8_t *raw, const struct capture_id *id, uint64_t previous,
			    uint32_t count)
{
	uint32_t length = index_segment_length(count);
	uint32_t used = INDEX_HEADER_LENGTH + INDEX_ENTRY_LENGTH * count;

	memset(raw, 0, INDEX_HEADER_LENGTH);
	memset(raw + used, 0, length - used);
	memcpy(raw, piece_magic(PIECE_INDEX), FORMAT_MAGIC_LENGTH);
	memcpy(raw + INDEX_AT_UUID, id->uuid.bytes, UUID_LENGTH);
	/* The header has no space for the tag, so each entry has it. */
	for (uint32_t i = 0; i < count; i++)
		put_le32(raw + INDEX_HEADER_LENGTH + INDEX_ENTRY_LENGTH * i + ENTRY_AT_CAPTURE_TAG, id->tag);
	put_le64(raw + INDEX_AT_PREVIOUS, previous);
	put_le32(raw + INDEX_AT_COUNT, count);
	put_le32(raw + INDEX_AT_LENGTH, length);
	put_le64(raw + INDEX_AT_ENTRIES_CHECKSUM,
		 format_checksum(raw + INDEX_HEADER_LENGTH, used - INDEX_HEADER_LENGTH));
	put_le64(raw + INDEX_AT_CHECKSUM, format_checksum(raw, INDEX_AT_CHECKSUM));
	return length;
}

enum status index_header_decode(struct index_header *header, const uint8_t *raw)
{
	if (piece_kind(raw) != PIECE_INDEX)
		return STATUS_NOT_OURS;
	if (get_le64(raw + INDEX_AT_CHECKSUM) != format_checksum(raw, INDEX_AT_CHECKSUM))
		return STATUS_DAMAGED;
	if (get_le64(raw + INDEX_AT_FEATURES))
		return STATUS_UNSUPPORTED;
	memcpy(header->id.uuid.bytes, raw + INDEX_AT_UUID, UUID_LENGTH);
	header->id.tag = get_le32(raw + INDEX_HEADER_LENGTH + ENTRY_AT_CAPTURE_TAG);
	header->previous = get_le64(raw + INDEX_AT_PREVIOUS);
	header->count = get_le32(raw + INDEX_AT_COUNT);
	header->length = get_le32(raw + INDEX_AT_LENGTH);
	header->entries_checksum = get_le64(raw + INDEX_AT_ENTRIES_CHECKSUM);
	if (header->count < 1 || header->count > index_segment_capacity(INDEX_SEGMENT_MAX) ||
	    header->length != index_segment_length(header->count) ||
	    header->previous > OFFSET_MAX || header->previous % ALIGNMENT)
		return STATUS_DAMAGED;
	return STATUS_OK;
}

enum status index_check_entries(const struct index_header *header, const uint8_t *raw)
{
	uint64_t sum = format_checksum(raw + INDEX_HEADER_LENGTH,
				       (size_t)INDEX_ENTRY_LENGTH * header->count);

	return sum == header->entries_checksum ? STATUS_OK : STATUS_DAMAGED;
}
