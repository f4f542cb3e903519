// SPDX-License-Identifier: GPL-2.0-or-later
/* doc/format.md, section 7: classes of pages and what becomes of them. */
#include "config.h"

#include <string.h>

#include "format/format.h"
#include "helper.h"

/* All bytes that a class may have. */
START_TEST(test_entries)
{
	for (unsigned byte = 0; byte < 256; byte++) {
		struct class_table table = class_table_plain();
		unsigned state = byte >> 4, layer = byte & 15;
		bool good = (state == 0 && layer >= 1) || ((state == 1 || state == 2) && !layer) ||
			    (state == 3 && layer >= 2);

		table.of[CLASS_FREE] = (uint8_t)byte;
		ck_assert_msg(class_table_valid(&table) == good, "class 8: %02x", byte);
		table = class_table_plain();
		table.of[CLASSES - 1] = (uint8_t)byte;
		ck_assert_msg(class_table_valid(&table) == good, "class 15: %02x", byte);
		table = class_table_plain();
		table.of[CLASS_SECOND] = (uint8_t)byte;
		ck_assert_msg(class_table_valid(&table) == (good || byte == 0x40), "class 12: %02x", byte);
		table = class_table_plain();
		table.of[CLASS_KERNEL] = (uint8_t)byte;
		ck_assert_msg(class_table_valid(&table) == (byte == 0x01), "class 0: %02x", byte);
		ck_assert_uint_eq(class_entry((enum class_state)state, layer), byte);
	}
}
END_TEST

static const struct {
	uint8_t a, b, want;
} merges[] = {
	{ 0x03, 0x03, 0x03 },
	{ 0x10, 0x10, 0x10 },		/* not decided */
	{ 0x10, 0x20, 0x20 },		/* decided */
	{ 0x10, 0x32, 0x32 },		/* saved after all, in layer 2 */
};

START_TEST(test_merge)
{
	for (size_t i = 0; i < LENGTH(merges); i++) {
		struct class_table a = class_table_plain(), b = a, c;

		a.of[CLASS_FREE] = merges[i].a;
		b.of[CLASS_FREE] = merges[i].b;
		c = b;
		class_table_merge(&b, &a);
		class_table_merge(&a, &c);
		ck_assert_uint_eq(a.of[CLASS_FREE], merges[i].want);
		ck_assert_mem_eq(a.of, b.of, CLASSES);
		ck_assert(class_table_valid(&a));
	}
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("classes");

	tcase_add_test(tcase, test_entries);
	tcase_add_test(tcase, test_merge);
	return helper_run_case("classes", tcase);
}
