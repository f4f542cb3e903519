// SPDX-License-Identifier: GPL-2.0-or-later
/* doc/format.md, sections 3, 4 and 11; and what all pieces share. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "format/superblock.h"
#include "helper.h"
#include "piece_check.h"

static enum status decode(const uint8_t *raw)
{
	struct superblock sb;

	return superblock_decode(&sb, raw);
}

static const struct piece_format piece = { decode, 4088 };

enum { CHUNK = 1 << 20, CELL = 16 << 20 };

/* The kernel, then the memory map, then the cache with private data; free pages are left out. */
static struct superblock sample(void)
{
	struct superblock sb = {
		.id = piece_id,
		.number = 3,
		.members = 8,
		.block_size = 4096,
		.chunk_size = CHUNK,
		.cell_size = CELL,
		.source_size = 0x123456789,
		.created = 1000000000,
		.codec = "zstd:3",
		.creator = "nsplit 1.0.0",
		.source = "/proc/vmcore",
		.classes = class_table_plain(),
		.second = { 2, { { 0x5000000, 0x3000, 0x1000 }, { 0x6000000, 0x1000, 0x123455000 } } },
	};

	sb.classes.of[CLASS_MAP] = class_entry(CLASS_SAVED, 2);
	sb.classes.of[CLASS_PRIVATE] = class_entry(CLASS_SAVED, 3);
	sb.classes.of[CLASS_FREE] = class_entry(CLASS_PLANNED_OUT, 0);
	return sb;
}

/* Of a stream. */
static struct superblock sample_plain(void)
{
	struct superblock sb = sample();

	sb.source_size = SOURCE_SIZE_UNKNOWN;
	sb.cell_size = sb.chunk_size;
	sb.classes = class_table_plain();
	sb.second = (struct second_places){ 0 };
	return sb;
}

static const struct piece_change changes[] = {
	/* Section 3: a newer format is not damage, whatever else differs. */
	{ 8, 4, 0, STATUS_UNSUPPORTED },
	{ 8, 4, 2, STATUS_UNSUPPORTED },
	{ 8, 4, UINT32_MAX, STATUS_UNSUPPORTED },
	{ 16, 8, 1, STATUS_UNSUPPORTED },
	{ 16, 8, UINT64_C(1) << 63, STATUS_UNSUPPORTED },
	/* Reserved bytes are ignored, and so are unused entries of the table. */
	{ 12, 4, UINT32_MAX, STATUS_OK },
	{ 424, 8, UINT64_MAX, STATUS_OK },
	{ 2096, 8, 1, STATUS_OK },
	{ 3584, 8, UINT64_MAX, STATUS_OK },
	{ 4080, 8, UINT64_MAX, STATUS_OK },
	/* Fallbacks, which readers do not trust, and the tag. */
	{ 392, 8, UINT64_MAX, STATUS_OK },
	/* Section 11. */
	{ 40, 4, 7, STATUS_OK },
	{ 40, 4, 8, STATUS_DAMAGED },
	{ 40, 4, UINT32_MAX, STATUS_DAMAGED },
	{ 44, 4, 0, STATUS_DAMAGED },
	{ 44, 4, 3, STATUS_DAMAGED },
	{ 44, 4, 254, STATUS_OK },
	{ 44, 4, 255, STATUS_DAMAGED },
	{ 44, 4, UINT32_MAX, STATUS_DAMAGED },
	/* The source: the places are within it, and a stream has one layer. */
	{ 56, 8, 0x123456000, STATUS_OK },
	{ 56, 8, 0x123455fff, STATUS_DAMAGED },
	{ 56, 8, 0, STATUS_DAMAGED },
	{ 56, 8, INT64_MAX, STATUS_OK },
	{ 56, 8, UINT64_C(1) << 63, STATUS_DAMAGED },
	{ 56, 8, UINT64_MAX - 1, STATUS_DAMAGED },
	{ 56, 8, UINT64_MAX, STATUS_DAMAGED },
	/* The classes: see test_classes.c. */
	{ 408, 4, 0x01030200, STATUS_DAMAGED },	/* the kernel is in layer 1 */
	{ 408, 4, 0x01030002, STATUS_DAMAGED },
	{ 420, 4, 0x500101f1, STATUS_DAMAGED },
	/* The second places: see test_second_places.c. */
	{ 404, 4, 0, STATUS_OK },
	{ 404, 4, 1, STATUS_OK },
	{ 404, 4, 65, STATUS_DAMAGED },
	{ 404, 4, UINT32_MAX, STATUS_DAMAGED },
	{ 2048, 8, 0x5000800, STATUS_DAMAGED },
	{ 2048, 8, 0x5ffd000, STATUS_OK },
	{ 2048, 8, 0x5ffe000, STATUS_DAMAGED },	/* overlaps the next one */
	{ 2056, 8, 0, STATUS_DAMAGED },
	{ 2064, 8, 0x5001000, STATUS_DAMAGED },	/* a target within itself */
	{ 2072, 8, 0x123456000, STATUS_DAMAGED },	/* beyond the end */
	{ 2088, 8, 0x123456000, STATUS_DAMAGED },
};

START_TEST(test_change)
{
	struct superblock sb = sample();
	uint8_t raw[SUPERBLOCK_LENGTH];

	superblock_encode(&sb, raw);
	piece_check_change(&piece, raw, &changes[_i], true, changes[_i].want);
	piece_check_change(&piece, raw, &changes[_i], false, STATUS_DAMAGED);
}
END_TEST

static const struct {
	uint32_t block, chunk, cell;
	enum status want;
} sizes[] = {
	{ 4096, 4096, 4096, STATUS_OK },
	{ 4096, 12288, 12288, STATUS_OK },
	{ 4096, 12288, 36864, STATUS_OK },
	{ 4096, 12288, 16384, STATUS_DAMAGED },
	{ 8192, 1 << 20, 1 << 20, STATUS_OK },
	{ 1 << 20, 1 << 20, 1 << 20, STATUS_OK },
	{ 4096, 1 << 26, 1 << 26, STATUS_OK },
	{ 0, 1 << 20, 1 << 20, STATUS_DAMAGED },
	{ 2048, 1 << 20, 1 << 20, STATUS_DAMAGED },
	{ 4097, 1 << 20, 1 << 20, STATUS_DAMAGED },
	{ 12288, 12288, 12288, STATUS_DAMAGED },
	{ 1 << 21, 1 << 21, 1 << 21, STATUS_DAMAGED },
	{ 8192, 4096, 8192, STATUS_DAMAGED },
	{ 4096, 0, 4096, STATUS_DAMAGED },
	{ 4096, 2048, 4096, STATUS_DAMAGED },
	{ 4096, 4097, 4097, STATUS_DAMAGED },
	{ 4096, (1 << 26) + 4096, (1 << 26) + 4096, STATUS_DAMAGED },
	{ 4096, UINT32_MAX, UINT32_MAX, STATUS_DAMAGED },
	{ 4096, 1 << 20, 0, STATUS_DAMAGED },
	{ 4096, 1 << 20, 1 << 19, STATUS_DAMAGED },
	{ 4096, 1 << 20, 3 << 19, STATUS_DAMAGED },
	{ 4096, 1 << 20, 3 << 20, STATUS_OK },
	{ 4096, 1 << 20, (1 << 26) + (1 << 20), STATUS_DAMAGED },
};

START_TEST(test_sizes)
{
	struct superblock sb = sample_plain();
	uint8_t raw[SUPERBLOCK_LENGTH];

	sb.block_size = sizes[_i].block;
	sb.chunk_size = sizes[_i].chunk;
	sb.cell_size = sizes[_i].cell;
	superblock_encode(&sb, raw);
	ck_assert_int_eq(decode(raw), sizes[_i].want);
}
END_TEST

static const struct {
	const char *text;
	bool good;
} uuids[] = {
	{ "123e4567-e89b-42d3-a456-426614174000", true },
	{ "123E4567-E89B-42D3-A456-426614174000", true },
	{ "", false },
	{ "123e4567-e89b-42d3-a456-42661417400", false },
	{ "123e4567-e89b-42d3-a456-4266141740000", false },
	{ "123e4567e89b-42d3-a456-4266141740000-", false },
	{ "123e4567-e89b-42d3-a456_426614174000", false },
	{ "123e456-7e89b-42d3-a456-426614174000", false },
	{ "g23e4567-e89b-42d3-a456-426614174000", false },
	{ "123e4567-e89b-42d3-a456-42661417400 ", false },
	{ "123e4567-e89b-42d3-a456-4266141740-0", false },
};

static void differ_in(const struct superblock *a, const char *what)
{
	const struct superblock b = sample();

	ck_assert_pstr_eq(superblocks_differ(a, &b), what);
	ck_assert_pstr_eq(superblocks_differ(&b, a), what);
}

/* Each field that all members of a capture share: not the number, and not what became of the classes. */
START_TEST(test_differ)
{
	struct superblock sb = sample();

	differ_in(&sb, NULL);
	sb.number++;
	differ_in(&sb, NULL);
	sb.classes.of[CLASS_FREE] = class_entry(CLASS_LEFT_OUT, 0);
	differ_in(&sb, NULL);
	sb.source_size = SOURCE_SIZE_UNKNOWN;
	differ_in(&sb, NULL);
	sb.id.tag++;
	differ_in(&sb, "capture tag");
	sb.creator[0]++;
	differ_in(&sb, "creator");
	sb.codec[0]++;
	differ_in(&sb, "codec");
	sb.second.list[1].target = 0;
	differ_in(&sb, "second places");
	sb.cell_size *= 2;
	differ_in(&sb, "cell size");
	sb.chunk_size *= 2;
	differ_in(&sb, "chunk size");
	sb.block_size *= 2;
	differ_in(&sb, "block size");
	sb.fallbacks++;
	differ_in(&sb, "number of fallbacks");
	sb.members++;
	differ_in(&sb, "number of members");
	sb.source_size = 1;
	differ_in(&sb, "size of the source");
	sb.source[0]++;
	differ_in(&sb, "name of the source");
	sb.created++;
	differ_in(&sb, "time of the capture");
}
END_TEST

START_TEST(test_uuid_parse)
{
	struct uuid uuid = { { 0 } };
	char text[UUID_TEXT_LENGTH + 1];

	ck_assert_int_eq(uuid_parse(uuids[_i].text, &uuid), uuids[_i].good);
	if (!uuids[_i].good)
		return;
	ck_assert_mem_eq(uuid.bytes, piece_id.uuid.bytes, UUID_LENGTH);
	uuid_format(&uuid, text);
	ck_assert_str_eq(text, uuids[0].text);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("superblock");
	TCase *tcase = tcase_create("superblock"), *common = tcase_create("common");

	tcase_add_loop_test(tcase, test_change, 0, LENGTH(changes));
	tcase_add_loop_test(tcase, test_sizes, 0, LENGTH(sizes));
	tcase_set_timeout(tcase, 60);
	suite_add_tcase(suite, tcase);
	tcase_add_loop_test(common, test_uuid_parse, 0, LENGTH(uuids));
	tcase_add_test(common, test_differ);
	suite_add_tcase(suite, common);
	return helper_run(suite);
}
