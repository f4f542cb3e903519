// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening members: which files are members, and where the footer is. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "helper.h"
#include "set/member.h"
#include "set_maker.h"

static void open_says(const char *name, bool salvage, enum status want, const char *text)
{
	struct error e = { 0 };
	struct member m;
	enum status status = member_open(&m, name, salvage, &e);

	ck_assert_msg(status == want, "%s: status %d and not %d: %s", name, status, want, e.text);
	if (text)
		ck_assert_str_eq(e.text, text);
	member_close(&m);
}

/* --- opening ------------------------------------------------------------- */

START_TEST(test_not_ours)
{
	uint8_t *bytes = helper_pages(2 * ALIGNMENT);

	helper_write_file("empty", "", 0);
	open_says("empty", false, STATUS_CUT,
		  "empty: not a member of an nsplit set: it has 0 bytes");
	helper_write_file("seven", "nsplitS", 7);
	open_says("seven", false, STATUS_CUT,
		  "seven: not a member of an nsplit set: it has 7 bytes");
	helper_write_file("eight", "nsplitsb", 8);
	open_says("eight", false, STATUS_NOT_OURS, "eight: not a member of an nsplit set: no superblock at byte 0");
	helper_write_file("zeros", bytes, 2 * ALIGNMENT);
	open_says("zeros", false, STATUS_NOT_OURS, "zeros: not a member of an nsplit set: no superblock at byte 0");
	open_says("zeros", true, STATUS_NOT_OURS, "zeros: not a member of an nsplit set: no superblock at byte 0");
	/* A piece of the format, but not one with which a member begins. */
	memcpy(bytes, "nsplitFT", 8);
	helper_write_file("piece", bytes, 2 * ALIGNMENT);
	open_says("piece", false, STATUS_NOT_OURS, "piece: not a member of an nsplit set: no superblock at byte 0");
	free(bytes);
}
END_TEST

START_TEST(test_not_a_file)
{
	ck_assert_int_eq(mkdir("directory", 0700), 0);
	open_says("nowhere", false, STATUS_SYSTEM, "nowhere: No such file or directory");
	open_says("directory", false, STATUS_SYSTEM, "directory: Is a directory");
}
END_TEST

START_TEST(test_short)
{
	static const size_t lengths[] = { 8, 9, 4088, 4095 };
	struct maker m;

	maker_make_plain(&m);
	for (size_t i = 0; i < LENGTH(lengths); i++) {
		maker_write_part(&m, "short", lengths[i]);
		open_says("short", false, STATUS_CUT,
			  "short: cut short: it ends in the superblock at byte 0");
		open_says("short", true, STATUS_CUT,
			  "short: cut short: it ends in the superblock at byte 0");
	}
	maker_write_part(&m, "first", 4096);
	open_says("first", false, STATUS_OK, NULL);
	maker_free(&m);
}
END_TEST

START_TEST(test_open)
{
	struct maker made;
	struct member m;
	struct error e;

	maker_make_plain(&made);
	maker_write(&made, "m");
	ck_assert_int_eq(member_open(&m, "m", false, &e), STATUS_OK);
	ck_assert_str_eq(m.name, "m");
	ck_assert(!m.is_stream && !m.has_footer);
	ck_assert_uint_eq(m.size, made.length);
	ck_assert(capture_id_equal(&m.superblock.id, &maker_id));
	ck_assert_uint_eq(m.superblock.members, 1);
	ck_assert_uint_eq(m.superblock.chunk_size, MAKER_CHUNK);
	ck_assert_str_eq(m.superblock.source, "memory");
	member_close(&m);
	maker_free(&made);
}
END_TEST

/* A change of the superblock, with a correct checksum, and the expected message. */
static const struct {
	size_t at;
	uint32_t value;
	enum status want;
	const char *text;
} changes[] = {
	{ 8, 2, STATUS_UNSUPPORTED, "m: the superblock at byte 0 is from a newer nsplit; "
				    "this one reads format version 1" },
	{ 8, 0, STATUS_UNSUPPORTED, NULL },
	{ 16, 2, STATUS_UNSUPPORTED, "m: the superblock at byte 0 is from a newer nsplit; "
				     "this one reads format version 1" },
	{ 20, 1u << 31, STATUS_UNSUPPORTED, NULL },
	{ 40, 1, STATUS_DAMAGED, "m: damaged at byte 0: superblock" },	/* number */
	{ 44, 0, STATUS_DAMAGED, "m: damaged at byte 0: superblock" },	/* members */
	{ 44, 255, STATUS_DAMAGED, "m: damaged at byte 0: superblock" },
	{ 48, 2048, STATUS_DAMAGED, "m: damaged at byte 0: superblock" },	/* block size */
	{ 48, 4097, STATUS_DAMAGED, "m: damaged at byte 0: superblock" },
	{ 52, 1u << 27, STATUS_DAMAGED, "m: damaged at byte 0: superblock" },	/* chunk size */
	{ 60, 1u << 31, STATUS_DAMAGED, "m: damaged at byte 0: superblock" },	/* source size */
	{ 400, 3 * MAKER_CHUNK / 2, STATUS_DAMAGED, "m: damaged at byte 0: superblock" },	/* cell size */
	{ 12, 0xffffffff, STATUS_OK, NULL },	/* reserved */
	{ 4000, 0xffffffff, STATUS_OK, NULL },
};

START_TEST(test_superblock)
{
	struct maker m;

	maker_make_plain(&m);
	put_le32(m.bytes + changes[_i].at, changes[_i].value);
	maker_write(&m, "unsealed");
	open_says("unsealed", false, STATUS_DAMAGED, "unsealed: damaged at byte 0: superblock");
	maker_reseal(m.bytes);
	maker_write(&m, "m");
	open_says("m", false, changes[_i].want, changes[_i].text);
	/*
	 * A newer format is refused even if there is a footer; any other damage is repaired with
	 * the footer.
	 */
	open_says("m", true, changes[_i].want == STATUS_UNSUPPORTED ? STATUS_UNSUPPORTED
								    : STATUS_OK, NULL);
	maker_free(&m);
}
END_TEST

START_TEST(test_superblock_lost)
{
	struct maker made;
	struct member m;
	struct error e;

	maker_make_plain(&made);
	memset(made.bytes, 0, SUPERBLOCK_LENGTH);
	maker_write(&made, "m");
	open_says("m", false, STATUS_NOT_OURS, "m: not a member of an nsplit set: no superblock at byte 0");
	ck_assert_int_eq(member_open(&m, "m", true, &e), STATUS_OK);
	ck_assert(capture_id_equal(&m.superblock.id, &maker_id));
	ck_assert_uint_eq(m.superblock.source_size, MAKER_PLAIN);
	ck_assert_int_eq(member_load_index(&m, &e), STATUS_OK);
	ck_assert_uint_eq(m.count, 3);
	member_close(&m);
	/* Without a footer, the member cannot be identified. */
	maker_flip(&made, made.length - 1);
	maker_write(&made, "m");
	open_says("m", true, STATUS_NOT_OURS, "m: not a member of an nsplit set: no superblock at byte 0");
	maker_free(&made);
}
END_TEST

/* --- the footer ---------------------------------------------------------- */

START_TEST(test_footer)
{
	struct maker made;
	struct member m;
	struct error e;

	maker_make_plain(&made);
	maker_write(&made, "m");
	ck_assert_int_eq(member_open(&m, "m", false, &e), STATUS_OK);
	ck_assert_int_eq(member_load_index(&m, &e), STATUS_OK);
	ck_assert(m.has_footer);
	ck_assert_uint_eq(m.footer.offset, made.length - FOOTER_LENGTH);
	ck_assert_uint_eq(m.count, 3);
	for (size_t i = 0; i < m.count; i++) {
		ck_assert_uint_eq(m.locations[i].entry.source_offset, i * MAKER_CHUNK);
		ck_assert_uint_eq(m.locations[i].entry.source_length, MAKER_CHUNK);
		ck_assert(!m.locations[i].follows);
	}
	ck_assert_uint_eq(m.locations[0].entry.member_offset, SUPERBLOCK_LENGTH);
	member_close(&m);
	maker_free(&made);
}
END_TEST

/* The message names the offset of the last unit. */
static void load_says_at(const char *name, uint64_t at, const char *before, const char *after)
{
	char text[200];

	snprintf(text, sizeof(text), "%s: %s at byte %" PRIu64 ": %s", name, before, at, after);
	maker_load_says(name, strcmp(before, "damaged") ? STATUS_CUT : STATUS_DAMAGED, text);
}

static void has_no_footer(const char *name, uint64_t at)
{
	load_says_at(name, at, "has no footer", "the capture did not finish, or the member was "
		     "cut short");
}

START_TEST(test_footer_missing)
{
	struct maker m;

	maker_make_plain(&m);
	maker_write_part(&m, "unit", m.length - ALIGNMENT);
	has_no_footer("unit", m.length - 2 * ALIGNMENT);
	maker_write_part(&m, "byte", m.length - 1);
	has_no_footer("byte", m.length - 2 * ALIGNMENT);
	maker_write_part(&m, "first", ALIGNMENT);
	has_no_footer("first", ALIGNMENT);
	maker_write_part(&m, "first", 2 * ALIGNMENT - 1);
	has_no_footer("first", ALIGNMENT);
	maker_flip(&m, m.length - 100);
	maker_write(&m, "flipped");
	load_says_at("flipped", m.length - ALIGNMENT, "damaged", "footer");
	maker_flip(&m, m.length - ALIGNMENT);
	maker_write(&m, "magic");
	has_no_footer("magic", m.length - ALIGNMENT);
	maker_free(&m);
}
END_TEST

/* A footer of the previous set on the device does not count. */
START_TEST(test_footer_foreign)
{
	struct member member;
	struct maker m;
	struct error e;
	uint8_t *footer;

	maker_make_plain(&m);
	footer = m.bytes + m.length - FOOTER_LENGTH;
	memcpy(footer + 24, maker_other_id.uuid.bytes, UUID_LENGTH);
	maker_reseal(footer);
	maker_write(&m, "m");
	has_no_footer("m", m.length - ALIGNMENT);
	/* Nothing of it is kept. */
	ck_assert_int_eq(member_open(&member, "m", false, &e), STATUS_OK);
	ck_assert_int_eq(member_load_index(&member, &e), STATUS_CUT);
	ck_assert_uint_eq(member.footer.records, 0);
	member_close(&member);
	maker_free(&m);
}
END_TEST

/* Nor does one of an earlier capture with the same UUID. */
START_TEST(test_footer_of_other_capture)
{
	static const struct {
		size_t at;
		const char *what;
	} fields[] = {
		{ 64, "time of the capture" }, { 396, "capture tag" },
		{ 136, "name of the source" }, { 392, "number of fallbacks" },
	};
	struct maker m;
	uint8_t *footer;
	char text[200];

	for (size_t i = 0; i < LENGTH(fields); i++) {
		maker_make_plain(&m);
		footer = m.bytes + m.length - FOOTER_LENGTH;
		footer[fields[i].at] ^= 1;
		maker_reseal(footer);
		maker_write(&m, "m");
		snprintf(text, sizeof(text), "m: the footer at byte %zu has the same UUID, but "
			 "is not this member's (different: %s): this capture did not finish, or "
			 "the member was cut short", m.length - ALIGNMENT, fields[i].what);
		maker_load_says("m", STATUS_CUT, text);
		maker_free(&m);
	}
}
END_TEST

/* The footer of another member of the same capture: two outputs were mixed up. */
START_TEST(test_footer_of_other_member)
{
	struct maker m;
	uint8_t *footer;

	maker_make_plain(&m);
	put_le32(m.bytes + 44, 2);
	maker_reseal(m.bytes);
	footer = m.bytes + m.length - FOOTER_LENGTH;
	put_le32(footer + 44, 2);
	put_le32(footer + 40, 1);
	maker_reseal(footer);
	maker_write(&m, "m");
	maker_load_says("m", STATUS_CUT, "m: the footer at byte 36864 has the same UUID, but is "
			"not this member's (different: member number): this capture did "
			"not finish, or the member was cut short");
	maker_free(&m);
}
END_TEST

/* A newer format is neither damage nor a missing footer. */
START_TEST(test_footer_newer)
{
	struct maker m;
	char text[200];

	maker_make_plain(&m);
	put_le64(m.bytes + m.length - FOOTER_LENGTH + 16, 2);
	maker_reseal(m.bytes + m.length - FOOTER_LENGTH);
	maker_write(&m, "m");
	snprintf(text, sizeof(text), "m: the footer at byte %zu is from a newer nsplit; this one "
		 "reads format version 1", m.length - FOOTER_LENGTH);
	maker_load_says("m", STATUS_UNSUPPORTED, text);
	maker_free(&m);
}
END_TEST

/* Up to a unit of data behind the footer is ignored; a whole unit hides the footer. */
START_TEST(test_footer_and_more)
{
	struct maker m;

	maker_make_plain(&m);
	maker_add_bytes(&m, "x", 1);
	maker_write(&m, "byte");
	maker_load_says("byte", STATUS_OK, NULL);
	maker_add_bytes(&m, NULL, ALIGNMENT - 2);
	maker_write(&m, "nearly");
	maker_load_says("nearly", STATUS_OK, NULL);
	maker_add_bytes(&m, NULL, 1);
	maker_write(&m, "unit");
	has_no_footer("unit", m.length - ALIGNMENT);
	maker_free(&m);
}
END_TEST

/* A device that is SPACE bytes longer than the member, with the copy of the footer at its end. */
START_TEST(test_footer_of_device)
{
	static const size_t spaces[] = { ALIGNMENT, 2 * ALIGNMENT, 5 * ALIGNMENT + 512, 1 << 20 };
	struct maker m;
	size_t member;

	for (size_t i = 0; i < LENGTH(spaces); i++) {
		maker_make_plain(&m);
		member = m.length;
		maker_add_bytes(&m, NULL, spaces[i]);
		memset(m.bytes + member, 0x5a, spaces[i]);
		memcpy(m.bytes + round_down(m.length, ALIGNMENT) - ALIGNMENT, m.bytes + member - ALIGNMENT, ALIGNMENT);
		maker_write(&m, "device");
		maker_load_says("device", STATUS_OK, NULL);
		maker_free(&m);
	}
}
END_TEST

/* A footer whose offset is behind its own position. */
START_TEST(test_footer_too_far)
{
	struct maker m;
	uint8_t *footer;

	maker_make_plain(&m);
	footer = m.bytes + m.length - FOOTER_LENGTH;
	put_le64(footer + 424, m.length);
	maker_reseal(footer);
	maker_write(&m, "m");
	load_says_at("m", m.length - ALIGNMENT, "damaged", "footer");
	maker_free(&m);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("member");
	TCase *tcase = tcase_create("member");

	helper_use_directory(tcase);
	tcase_add_test(tcase, test_not_ours);
	tcase_add_test(tcase, test_not_a_file);
	tcase_add_test(tcase, test_short);
	tcase_add_test(tcase, test_open);
	tcase_add_loop_test(tcase, test_superblock, 0, LENGTH(changes));
	tcase_add_test(tcase, test_superblock_lost);
	tcase_add_test(tcase, test_footer);
	tcase_add_test(tcase, test_footer_missing);
	tcase_add_test(tcase, test_footer_foreign);
	tcase_add_test(tcase, test_footer_of_other_capture);
	tcase_add_test(tcase, test_footer_of_other_member);
	tcase_add_test(tcase, test_footer_newer);
	tcase_add_test(tcase, test_footer_and_more);
	tcase_add_test(tcase, test_footer_of_device);
	tcase_add_test(tcase, test_footer_too_far);
	tcase_set_timeout(tcase, 60);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
