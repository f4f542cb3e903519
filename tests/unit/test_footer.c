// SPDX-License-Identifier: GPL-2.0-or-later
/* doc/format.md, sections 3, 9 and 11. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "format/superblock.h"
#include "helper.h"
#include "piece_check.h"

static enum status decode(const uint8_t *raw)
{
	struct footer footer;

	return footer_decode(&footer, raw);
}

static const struct piece_format piece = { decode, 4088 };

/* A checkpoint after layer 2 of a set whose free pages are saved after all. */
static struct footer sample(void)
{
	struct footer footer = {
		.set = {
			.id = piece_id,
			.number = 1,
			.members = 2,
			.block_size = 8192,
			.chunk_size = 1 << 21,
			.cell_size = 1 << 24,
			.source_size = 0x123456789,
			.created = 1000000000,
			.codec = "lzo",
			.creator = "nsplit 1.0.0",
			.source = "core",
			.classes = class_table_plain(),
			.second = { 1, { { 0x5000000, 0x3000, 0x1000 } } },
		},
		.offset = 0x12000,
		.index = 0x11000,
		.records = 5,
		.source_bytes = 9876543,
		.blocks = { 10, 11, 12, 13 },
		.finished = 1000000042,
		.stopped = true,
		.checkpoint = true,
		.whole = 2,
		.figures = { .unreadable = 0x8000 },
		.reason = "the free pages do not add up",
	};

	footer.set.classes.of[CLASS_MAP] = class_entry(CLASS_SAVED, 2);
	footer.set.classes.of[CLASS_FREE] = class_entry(CLASS_SAVED_AFTER_ALL, 4);
	for (unsigned i = 0; i < CLASSES; i++) {
		footer.figures.first[i] = 0x1000 + i;
		footer.figures.named[i] = 0x2000 + i;
		footer.figures.later[i] = 0x3000 + i;
	}
	return footer;
}

static const struct piece_change changes[] = {
	{ 8, 4, 2, STATUS_UNSUPPORTED },
	{ 16, 8, 4, STATUS_UNSUPPORTED },
	{ 12, 4, UINT32_MAX, STATUS_OK },
	{ 504, 8, UINT64_MAX, STATUS_OK },
	{ 904, 8, UINT64_MAX, STATUS_OK },
	{ 1280, 8, UINT64_MAX, STATUS_OK },
	{ 3584, 8, UINT64_MAX, STATUS_OK },
	{ 4080, 8, UINT64_MAX, STATUS_OK },
	/* As in a superblock. */
	{ 40, 4, 2, STATUS_DAMAGED },
	{ 44, 4, 0, STATUS_DAMAGED },
	{ 44, 4, 255, STATUS_DAMAGED },
	{ 48, 4, 2048, STATUS_DAMAGED },
	{ 52, 4, 4096, STATUS_DAMAGED },
	{ 52, 4, 1 << 25, STATUS_DAMAGED },
	{ 56, 8, UINT64_C(1) << 63, STATUS_DAMAGED },
	{ 56, 8, UINT64_MAX, STATUS_DAMAGED },
	{ 400, 4, 0, STATUS_DAMAGED },
	{ 400, 4, 1 << 20, STATUS_DAMAGED },
	{ 400, 4, 1 << 26, STATUS_OK },
	{ 404, 4, 0, STATUS_OK },
	{ 404, 4, 2, STATUS_DAMAGED },		/* the second is empty */
	{ 404, 4, UINT32_MAX, STATUS_DAMAGED },
	{ 408, 4, 0x01030211, STATUS_DAMAGED },
	{ 416, 4, 0x01010130, STATUS_DAMAGED },
	{ 2048, 8, 0x5000800, STATUS_DAMAGED },
	{ 2064, 8, 0x5001000, STATUS_DAMAGED },
	/* Its own offset: a multiple of 4096, and the member ends within 2^63 - 1. */
	{ 424, 8, 0x12001, STATUS_DAMAGED },
	{ 424, 8, 0x7fffffffffffe000, STATUS_OK },
	{ 424, 8, 0x7ffffffffffff000, STATUS_DAMAGED },
	{ 424, 8, UINT64_C(1) << 63, STATUS_DAMAGED },
	/* The index: a multiple of 4096 before the footer, none only without records. */
	{ 432, 8, 0x11800, STATUS_DAMAGED },
	{ 432, 8, 0x12000, STATUS_DAMAGED },
	{ 432, 8, 0x13000, STATUS_DAMAGED },
	{ 432, 8, UINT64_C(1) << 63, STATUS_DAMAGED },
	{ 432, 8, 0x1000, STATUS_OK },
	{ 432, 8, 0, STATUS_DAMAGED },
	{ 440, 8, 0, STATUS_DAMAGED },
	{ 440, 8, UINT64_MAX, STATUS_OK },
	/* Layers, and figures, which are for reports. */
	{ 500, 4, 0, STATUS_OK },
	{ 500, 4, 15, STATUS_OK },
	{ 500, 4, 16, STATUS_DAMAGED },
	{ 500, 4, UINT32_MAX, STATUS_DAMAGED },
	{ 512, 8, UINT64_MAX, STATUS_OK },
};

START_TEST(test_change)
{
	struct footer footer = sample();
	uint8_t raw[FOOTER_LENGTH];

	footer_encode(&footer, raw);
	piece_check_change(&piece, raw, &changes[_i], true, changes[_i].want);
	piece_check_change(&piece, raw, &changes[_i], false, STATUS_DAMAGED);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("footer");

	tcase_add_loop_test(tcase, test_change, 0, LENGTH(changes));
	tcase_set_timeout(tcase, 60);
	return helper_run_case("footer", tcase);
}
