// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory available to a capture, from what kernels report. */
#include "config.h"

#include "capture/memory_available.h"
#include "helper.h"

static FILE *text_file(const char *text)
{
	FILE *file = tmpfile();

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	rewind(file);
	return file;
}

static uint64_t ram_of(const char *text)
{
	FILE *file = text_file(text);
	uint64_t ram = available_ram(file);

	fclose(file);
	return ram;
}

START_TEST(test_ram)
{
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
				 "00000000-00000000 : System RAM\n"), 0);
	ck_assert_uint_eq(ram_of(""), 0);
	ck_assert_uint_eq(ram_of("no such thing : System RAM\n"), 0);
}
END_TEST

START_TEST(test_available)
{
	FILE *file = text_file("MemTotal:  1009012 kB\nMemFree: 1 kB\nMemAvailable:   112233 kB\n");
	uint64_t bytes = 0;

	ck_assert(available_meminfo(file, &bytes));
	ck_assert_uint_eq(bytes, 112233ull << 10);
	fclose(file);
	/* Before Linux 3.14. */
	file = text_file("MemTotal:  1009012 kB\nMemFree: 1 kB\n");
	ck_assert(!available_meminfo(file, &bytes));
	fclose(file);
}
END_TEST

/* MiB that capture kernels were measured to leave (doc/kdump.md): an upper bound. */
static const struct {
	uint64_t reserved, seen;
} measured[] = {
	{ 192, 109 },
	{ 256, 169 },
	{ 512, 418 },
};

START_TEST(test_of_reserved)
{
	uint64_t left = available_of_reserved(measured[_i].reserved << 20) >> 20;

	ck_assert_uint_le(left, measured[_i].seen);
	ck_assert_uint_ge(left + 8, measured[_i].seen);
}
END_TEST

START_TEST(test_of_little)
{
	uint64_t before = 0;

	ck_assert_uint_eq(available_of_reserved(0), 0);
	ck_assert_uint_eq(available_of_reserved(64 << 20), 0);
	for (uint64_t reserved = 0; reserved < 1ull << 40; reserved = reserved * 2 + 4096) {
		ck_assert_uint_ge(available_of_reserved(reserved), before);
		before = available_of_reserved(reserved);
	}
}
END_TEST

/* Always less than is available, and 0 of very little. */
START_TEST(test_usable)
{
	uint64_t before = 0;

	ck_assert_uint_eq(available_usable(0), 0);
	ck_assert_uint_eq(available_usable(4 << 20), 0);
	for (uint64_t available = 1 << 20; available < 1ull << 50; available *= 2) {
		uint64_t usable = available_usable(available);

		ck_assert_uint_le(usable + (4 << 20) * (usable > 0), available);
		ck_assert_uint_ge(usable, before);
		before = usable;
	}
}
END_TEST

/* Of the machine that runs this. */
START_TEST(test_here)
{
	ck_assert_uint_ge(available_machine_memory(), 1 << 20);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("available");
	TCase *tcase = tcase_create("available");

	tcase_add_test(tcase, test_ram);
	tcase_add_test(tcase, test_available);
	tcase_add_loop_test(tcase, test_of_reserved, 0, LENGTH(measured));
	tcase_add_test(tcase, test_of_little);
	tcase_add_test(tcase, test_usable);
	tcase_add_test(tcase, test_here);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
