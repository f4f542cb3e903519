// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory of a machine, from a made-up /proc/iomem. */
#include "config.h"

#include <string.h>
#include <sys/stat.h>

#include "capture/memory/crash_kernel.h"
#include "helper.h"

static bool read_text(struct iomem *iomem, const char *text)
{
	mkdir("root", 0700);
	mkdir("root/proc", 0700);
	helper_write_file("root/proc/iomem", text, strlen(text));
	return iomem_read(iomem, "root");
}

static void assert_ranges(const struct range_list *list, const struct range *want, size_t count)
{
	ck_assert_uint_eq(list->count, count);
	for (size_t i = 0; i < count; i++) {
		ck_assert_uint_eq(list->ranges[i].offset, want[i].offset);
		ck_assert_uint_eq(list->ranges[i].length, want[i].length);
	}
}

/* Two reserved parts: in the middle, and to the end of a range. */
START_TEST(test_reserved)
{
	static const struct range ram[] = { { 0x1000, 0x9f000 }, { 0x100000, 0x3ff00000 }, { 0x100000000, 0x40000000 } };
	static const struct range captured[] = {
		{ 0x1000, 0x9f000 }, { 0x100000, 0x2ef00000 }, { 0x3f000000, 0x1000000 }, { 0x100000000, 0x30000000 },
	};
	struct iomem iomem;

	ck_assert(read_text(&iomem, "00000000-00000fff : Reserved\n"
				    "100000000-13fffffff : System RAM\n"
				    "  130000000-13fffffff : Crash kernel\n"
				    "00001000-0009ffff : System RAM\n"
				    "00100000-3fffffff : System RAM\n"
				    "  01000000-01a031d0 : Kernel code\n"
				    "  2f000000-3effffff : Crash kernel\n"
				    "240000000-24fffffff : System RAM (kmem)\n"));
	assert_ranges(&iomem.ram, ram, LENGTH(ram));
	assert_ranges(&iomem.captured, captured, LENGTH(captured));
	ck_assert_uint_eq(iomem_sum(&iomem.reserved), 0x20000000);
	ck_assert_uint_eq(iomem_sum(&iomem.captured), iomem_sum(&iomem.ram) - 0x20000000);
	iomem_free(&iomem);
}
END_TEST

START_TEST(test_nothing)
{
	struct iomem iomem;

	ck_assert(!iomem_read(&iomem, "nowhere"));
	iomem_free(&iomem);
	/* As unprivileged users see it. */
	ck_assert(!read_text(&iomem, "00000000-00000000 : System RAM\n  00000000-00000000 : Crash kernel\n"));
	ck_assert_uint_eq(iomem_sum(&iomem.captured), 0);
	iomem_free(&iomem);
	ck_assert(!read_text(&iomem, "no such thing : System RAM\n"));
	iomem_free(&iomem);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("iomem");
	TCase *tcase = tcase_create("files");

	helper_use_directory(tcase);
	tcase_add_test(tcase, test_reserved);
	tcase_add_test(tcase, test_nothing);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
