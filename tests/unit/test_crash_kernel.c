// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory of the machine, from a simulated /proc, and what a capture kernel leaves of it. */
#include "config.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/memory/memory_limits.h"
#include "helper.h"

static void make_directories(void)
{
	ck_assert_int_eq(mkdir("root", 0700), 0);
	ck_assert_int_eq(mkdir("root/proc", 0700), 0);
}

static void put(const char *name, const char *text)
{
	helper_write_file(name, text, strlen(text));
}

static uint64_t ram_of(const char *iomem)
{
	put("root/proc/iomem", iomem);
	return crash_kernel_source("root");
}

START_TEST(test_source)
{
	uint64_t total = crash_kernel_source("nowhere");

	ck_assert_uint_ge(total, 1 << 20);
	make_directories();
	ck_assert_uint_eq(ram_of("00000000-00000fff : Reserved\n"
				 "00001000-0009fbff : System RAM\n"
				 "000a0000-000bffff : PCI Bus 0000:00\n"
				 "00100000-3ffdffff : System RAM\n"
				 "  01000000-01a031d0 : Kernel code\n"
				 "  2f000000-3effffff : Crash kernel\n"
				 "  3f000000-3f0fffff : System RAM\n"
				 "100000000-23fffffff : System RAM\n"
				 "240000000-24fffffff : System RAM (kmem)\n"),
			  0x9ec00 + 0x3fee0000ull + 0x140000000ull);
	/* As unprivileged users see it. */
	ck_assert_uint_eq(ram_of("00000000-00000000 : Reserved\n"
				 "00000000-00000000 : System RAM\n"), total);
	ck_assert_uint_eq(ram_of(""), total);
	ck_assert_uint_eq(ram_of("no such thing : System RAM\n"), total);
}
END_TEST

/*
 * MiB that capture kernels were measured to leave (doc/kdump.md): an upper bound.  The same with dracut and systemd, whose
 * files took 47.1 MiB.
 */
static const struct {
	uint64_t reserved, seen, beside;
} measured[] = {
	{ 192, 109, 59 },
	{ 256, 169, 120 },
	{ 512, 418, 368 },
};

START_TEST(test_of_reserved)
{
	uint64_t left = crash_kernel_leaves(measured[_i].reserved << 20, 0) >> 20;

	ck_assert_uint_le(left, measured[_i].seen);
	ck_assert_uint_ge(left + 8, measured[_i].seen);
}
END_TEST

START_TEST(test_of_initramfs)
{
	uint64_t reserved = measured[_i].reserved << 20;
	uint64_t left = crash_kernel_leaves(reserved, 471 * (1 << 20) / 10) >> 20;

	ck_assert_uint_le(left, measured[_i].beside);
	ck_assert_uint_ge(left + 3, measured[_i].beside);
	ck_assert_uint_eq(crash_kernel_leaves(reserved, reserved), 0);
	ck_assert_uint_eq(crash_kernel_leaves(reserved, UINT64_MAX), 0);
}
END_TEST

/* --- /proc/iomem ----------------------------------------------------------- */

static bool read_text(struct iomem *iomem, const char *text)
{
	mkdir("root", 0700);
	mkdir("root/proc", 0700);
	put("root/proc/iomem", text);
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
START_TEST(test_iomem)
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
	ck_assert_uint_eq(range_list_length(&iomem.reserved), 0x20000000);
	ck_assert_uint_eq(range_list_length(&iomem.captured), range_list_length(&iomem.ram) - 0x20000000);
	iomem_free(&iomem);
}
END_TEST

START_TEST(test_no_iomem)
{
	struct iomem iomem;

	ck_assert(!iomem_read(&iomem, "nowhere"));
	iomem_free(&iomem);
	/* As unprivileged users see it. */
	ck_assert(!read_text(&iomem, "00000000-00000000 : System RAM\n  00000000-00000000 : Crash kernel\n"));
	ck_assert_uint_eq(range_list_length(&iomem.captured), 0);
	iomem_free(&iomem);
	ck_assert(!read_text(&iomem, "no such thing : System RAM\n"));
	iomem_free(&iomem);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("files");

	helper_use_directory(tcase);
	tcase_add_test(tcase, test_source);
	tcase_add_test(tcase, test_iomem);
	tcase_add_test(tcase, test_no_iomem);
	tcase_add_loop_test(tcase, test_of_reserved, 0, LENGTH(measured));
	tcase_add_loop_test(tcase, test_of_initramfs, 0, LENGTH(measured));
	return helper_run_case("crash_kernel", tcase);
}
