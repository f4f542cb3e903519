// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>

#include "base/text.h"
#include "helper.h"

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define TIB (UINT64_C(1) << 40)
#define PIB (UINT64_C(1) << 50)
#define EIB (UINT64_C(1) << 60)

static const struct {
	const char *text;
	uint64_t bytes;
} sizes[] = {
	{ "0", 0 }, { "1", 1 }, { "007", 7 }, { "12B", 12 },
	{ "4K", 4 * KIB }, { "4k", 4 * KIB }, { "4KiB", 4 * KIB }, { "4kB", 4000 },
	{ "4KB", 4000 }, { "3M", 3 * MIB }, { "3MiB", 3 * MIB }, { "3MB", 3000000 },
	{ "2G", 2 * GIB }, { "2GiB", 2 * GIB }, { "2GB", 2000000000 },
	{ "1T", TIB }, { "1TB", UINT64_C(1000000000000) },
	{ "1m", MIB }, { "1g", GIB }, { "1t", TIB }, { "4kib", 4 * KIB }, { "4mIB", 4 * MIB },
	{ "4kb", 4000 }, { "1gb", 1000000000 }, { "12b", 12 },
	{ "1P", PIB }, { "1PB", UINT64_C(1000000000000000) }, { "7E", 7 * EIB },
	{ "9223372036854775807", INT64_MAX },
};

START_TEST(test_parse)
{
	struct error e;
	uint64_t bytes = 1;

	ck_assert_int_eq(size_parse(sizes[_i].text, &bytes, &e), STATUS_OK);
	ck_assert_uint_eq(bytes, sizes[_i].bytes);
}
END_TEST

static const struct {
	const char *text, *message;
} refused_sizes[] = {
	{ "", "'' is not a size" SIZE_RULE },
	{ "x", "'x' is not a size" SIZE_RULE },
	{ "-1", "'-1' is not a size" SIZE_RULE },
	{ "+1", "'+1' is not a size" SIZE_RULE },
	{ " 1", "' 1' is not a size" SIZE_RULE },
	{ "K", "'K' is not a size" SIZE_RULE },
	{ "1 K", "'1 K': a size has no space before its unit; use 1K" }, { "1 X", "'1 X' is not a size" SIZE_RULE },
	{ "1.5M", "'1.5M' is not a size" SIZE_RULE },
	{ "0x10", "'0x10' is not a size" SIZE_RULE },
	{ "1Z", "'1Z' is not a size" SIZE_RULE },
	{ "1Ki", "'1Ki' is not a size" SIZE_RULE },
	{ "1KiBs", "'1KiBs' is not a size" SIZE_RULE },
	{ "1BB", "'1BB' is not a size" SIZE_RULE },
	{ "9223372036854775808", "'9223372036854775808' is too large" },
	{ "8E", "'8E' is too large" },
	{ "16E", "'16E' is too large" },
	{ "18446744073709551615K", "'18446744073709551615K' is too large" },
	{ "18446744073709551616", "'18446744073709551616' is too large" },
};

START_TEST(test_parse_refused)
{
	struct error e;
	uint64_t bytes;

	ck_assert_int_eq(size_parse(refused_sizes[_i].text, &bytes, &e), STATUS_USAGE);
	ck_assert_str_eq(e.text, refused_sizes[_i].message);
	ck_assert_int_eq(e.status, STATUS_USAGE);
}
END_TEST

static const struct {
	uint64_t bytes;
	const char *text;
} shown[] = {
	{ 0, "0 B" }, { 1, "1 B" }, { 1023, "1023 B" }, { KIB, "1.0 KiB" },
	{ 1536, "1.5 KiB" }, { 4095, "4.0 KiB" }, { MIB - 1, "1.0 MiB" }, { MIB, "1.0 MiB" },
	{ 1023 * KIB, "1023.0 KiB" }, { GIB - 1, "1.0 GiB" }, { 41 * GIB + GIB / 5, "41.2 GiB" },
	{ TIB, "1.0 TiB" }, { PIB, "1.0 PiB" }, { EIB, "1.0 EiB" }, { UINT64_MAX, "16.0 EiB" },
};

START_TEST(test_format)
{
	char text[SIZE_TEXT_LENGTH];

	ck_assert_str_eq(size_format(shown[_i].bytes, text), shown[_i].text);
	ck_assert_ptr_eq(size_format(shown[_i].bytes, text), text);
}
END_TEST

static const struct {
	double seconds;
	const char *text;
} durations[] = {
	{ 0, "0:00" }, { 0.4, "0:00" }, { 0.6, "0:01" }, { 41, "0:41" }, { 59.6, "1:00" },
	{ 61, "1:01" }, { 3599, "59:59" }, { 3600, "1:00:00" }, { 3723, "1:02:03" },
	{ 360000, "100:00:00" },
};

START_TEST(test_duration)
{
	char text[SIZE_TEXT_LENGTH];

	ck_assert_str_eq(duration_format(durations[_i].seconds, text), durations[_i].text);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("size");

	tcase_add_loop_test(tcase, test_parse, 0, LENGTH(sizes));
	tcase_add_loop_test(tcase, test_parse_refused, 0, LENGTH(refused_sizes));
	tcase_add_loop_test(tcase, test_format, 0, LENGTH(shown));
	tcase_add_loop_test(tcase, test_duration, 0, LENGTH(durations));
	return helper_run_case("size", tcase);
}
