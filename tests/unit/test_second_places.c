// SPDX-License-Identifier: GPL-2.0-or-later
/* doc/format.md, section 4: the table of second places. */
#include "config.h"

#include <string.h>

#include "format/superblock.h"
#include "helper.h"

enum { SIZE = 100 * GRANULE };

/* In granules. */
static struct second_place place(uint64_t offset, uint64_t length, uint64_t target)
{
	return (struct second_place){ offset * GRANULE, length * GRANULE, target * GRANULE };
}

static struct second_places two_places(void)
{
	return (struct second_places){ 2, { place(10, 5, 2), place(40, 1, 99) } };
}

START_TEST(test_encode)
{
	static const uint8_t golden[48] =
		"\0\xa0\0\0\0\0\0\0" "\0\x50\0\0\0\0\0\0" "\0\x20\0\0\0\0\0\0"
		"\0\x80\2\0\0\0\0\0" "\0\x10\0\0\0\0\0\0" "\0\x30\6\0\0\0\0";
	const struct second_places places = two_places();
	uint8_t raw[SECOND_PLACES_LENGTH], want[SECOND_PLACES_LENGTH] = { 0 };
	struct second_places back;

	memcpy(want, golden, sizeof(golden));
	memset(raw, 0xff, sizeof(raw));
	second_places_encode(&places, raw);
	ck_assert_mem_eq(raw, want, sizeof(want));
	second_places_decode(&back, 2, raw);
	ck_assert(second_places_equal(&back, &places));
	/* The others are not read. */
	memset(raw + sizeof(golden), 0xff, sizeof(raw) - sizeof(golden));
	second_places_decode(&back, 2, raw);
	ck_assert(second_places_equal(&back, &places));
	second_places_decode(&back, 1, raw);
	ck_assert_uint_eq(back.count, 1);
	ck_assert(!second_places_equal(&back, &places));
	second_places_decode(&back, UINT32_MAX, raw);
	ck_assert_uint_eq(back.count, SECOND_PLACES_MAX);
}
END_TEST

static const struct {
	const char *what;
	struct second_place list[2];	/* the second may be empty */
	bool valid;
} tables[] = {
	{ "behind", { { 0xa000, 0x5000, 0x2000 } }, true },
	{ "in front", { { 0xa000, 0x5000, 0xf000 } }, true },
	{ "at the end", { { 0x5f000, 0x5000, 0x2000 } }, true },
	{ "beyond the end", { { 0x60000, 0x5000, 0x2000 } }, false },
	{ "far beyond it", { { 0xfffffffffffff000, 0x1000, 0x2000 } }, false },
	{ "too long", { { 0xa000, 0xfffffffffffff000, 0x2000 } }, false },
	{ "the target is at the end", { { 0xa000, 0x5000, 0x5f000 } }, true },
	{ "the target ends beyond it", { { 0xa000, 0x5000, 0x60000 } }, false },
	{ "the target is far beyond it", { { 0xa000, 0x5000, 0xfffffffffffff000 } }, false },
	{ "empty", { { 0xa000, 0, 0x2000 } }, false },
	{ "offset within a granule", { { 0xa001, 0x5000, 0x2000 } }, false },
	{ "length not of granules", { { 0xa000, 0x5001, 0x2000 } }, false },
	{ "target within a granule", { { 0xa000, 0x5000, 0x2800 } }, false },
	{ "of itself", { { 0xa000, 0x5000, 0xa000 } }, false },
	{ "of itself in part", { { 0xa000, 0x5000, 0xe000 } }, false },
	{ "of itself in part, in front", { { 0xa000, 0x5000, 0x6000 } }, false },
	{ "two that touch", { { 0xa000, 0x5000, 0x2000 }, { 0xf000, 0x1000, 0x2000 } }, true },
	{ "two that overlap", { { 0xa000, 0x5000, 0x2000 }, { 0xe000, 0x1000, 0x2000 } }, false },
	{ "not in order", { { 0xf000, 0x1000, 0x2000 }, { 0xa000, 0x5000, 0x2000 } }, false },
	{ "a target in the other", { { 0xa000, 0x5000, 0x2000 }, { 0x20000, 0x2000, 0xd000 } }, false },
	{ "a target in the next", { { 0xa000, 0x5000, 0x1c000 }, { 0x20000, 0x2000, 0x1000 } }, false },
	{ "just in front of it", { { 0xa000, 0x5000, 0x1b000 }, { 0x20000, 0x2000, 0x1000 } }, true },
};

START_TEST(test_valid)
{
	struct second_places places = { .count = 1 };

	memcpy(places.list, tables[_i].list, sizeof(tables[_i].list));
	places.count += tables[_i].list[1].offset != 0;
	ck_assert_msg(second_places_valid(&places, SIZE) == tables[_i].valid, "%s", tables[_i].what);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("second_places");

	tcase_add_test(tcase, test_encode);
	tcase_add_loop_test(tcase, test_valid, 0, LENGTH(tables));
	return helper_run_case("second_places", tcase);
}
