// SPDX-License-Identifier: GPL-2.0-or-later
/* Members opened: what is ours, where the footer is, and the chain of the index. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "helper.h"
#include "set/member.h"
#include "set_maker.h"

enum { SIZE = 3 * MAKER_CHUNK };

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

static void load_says(const char *name, enum status want, const char *text)
{
	struct error e = { 0 };
	struct member m;
	enum status status;

	ck_assert_msg(member_open(&m, name, false, &e) == STATUS_OK, "%s", e.text);
	status = member_load_index(&m, &e);
	ck_assert_msg(status == want, "%s: status %d and not %d: %s", name, status, want, e.text);
	if (text)
		ck_assert_str_eq(e.text, text);
	if (status)
		ck_assert_uint_eq(m.count, 0);
	member_close(&m);
}

/* A member with three records of zeros, one segment, one footer. */
static void make_plain(struct maker *m)
{
	uint8_t *source = maker_source(SIZE);

	maker_init(m, 0, 1, SIZE);
	maker_begin(m);
	for (uint64_t at = 0; at < SIZE; at += MAKER_CHUNK)
		maker_add_record(m, source, at, MAKER_CHUNK);
	maker_add_footer(m);
	free(source);
}

/* --- opening ------------------------------------------------------------- */

START_TEST(test_not_ours)
{
	uint8_t *bytes = helper_pages(2 * UNIT);

	helper_write_file("empty", "", 0);
	open_says("empty", false, STATUS_NOT_OURS,
		  "empty: is no member of an nsplit set: it has 0 bytes");
	helper_write_file("seven", "nsplitS", 7);
	open_says("seven", false, STATUS_NOT_OURS,
		  "seven: is no member of an nsplit set: it has 7 bytes");
	helper_write_file("eight", "nsplitsb", 8);
	open_says("eight", false, STATUS_NOT_OURS, "eight: is no member of an nsplit set");
	helper_write_file("zeros", bytes, 2 * UNIT);
	open_says("zeros", false, STATUS_NOT_OURS, "zeros: is no member of an nsplit set");
	open_says("zeros", true, STATUS_NOT_OURS, "zeros: is no member of an nsplit set");
	/* Ours, but no piece that a member begins with. */
	memcpy(bytes, "nsplitFT", 8);
	helper_write_file("piece", bytes, 2 * UNIT);
	open_says("piece", false, STATUS_NOT_OURS, "piece: is no member of an nsplit set");
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

	make_plain(&m);
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

	make_plain(&made);
	maker_write(&made, "m");
	ck_assert_int_eq(member_open(&m, "m", false, &e), STATUS_OK);
	ck_assert_str_eq(m.name, "m");
	ck_assert(!m.is_stream && !m.has_footer);
	ck_assert_uint_eq(m.size, made.length);
	ck_assert(uuid_equal(&m.superblock.uuid, &maker_uuid));
	ck_assert_uint_eq(m.superblock.members, 1);
	ck_assert_uint_eq(m.superblock.chunk_size, MAKER_CHUNK);
	ck_assert_str_eq(m.superblock.source, "memory");
	member_close(&m);
	maker_free(&made);
}
END_TEST

/* A change of the superblock that is sealed again, and what is said of it. */
static const struct {
	size_t at;
	uint32_t value;
	enum status want;
	const char *text;
} changes[] = {
	{ 8, 2, STATUS_UNSUPPORTED, "m: the superblock at byte 0 is from a newer nsplit; "
				    "this one reads format version 1" },
	{ 8, 0, STATUS_UNSUPPORTED, NULL },
	{ 16, 1, STATUS_UNSUPPORTED, "m: the superblock at byte 0 is from a newer nsplit; "
				     "this one reads format version 1" },
	{ 20, 1u << 31, STATUS_UNSUPPORTED, NULL },
	{ 40, 1, STATUS_DAMAGED, "m: damaged at byte 0: superblock" },	/* number */
	{ 44, 0, STATUS_DAMAGED, "m: damaged at byte 0: superblock" },	/* members */
	{ 44, 255, STATUS_DAMAGED, "m: damaged at byte 0: superblock" },
	{ 48, 2048, STATUS_DAMAGED, "m: damaged at byte 0: superblock" },	/* block size */
	{ 48, 4097, STATUS_DAMAGED, "m: damaged at byte 0: superblock" },
	{ 52, 1u << 27, STATUS_DAMAGED, "m: damaged at byte 0: superblock" },	/* chunk size */
	{ 60, 1u << 31, STATUS_DAMAGED, "m: damaged at byte 0: superblock" },	/* source size */
	{ 12, 0xffffffff, STATUS_OK, NULL },	/* reserved */
	{ 4000, 0xffffffff, STATUS_OK, NULL },
};

START_TEST(test_superblock)
{
	struct maker m;

	make_plain(&m);
	put_le32(m.bytes + changes[_i].at, changes[_i].value);
	maker_write(&m, "unsealed");
	open_says("unsealed", false, STATUS_DAMAGED, "unsealed: damaged at byte 0: superblock");
	maker_reseal(m.bytes);
	maker_write(&m, "m");
	open_says("m", false, changes[_i].want, changes[_i].text);
	/* A newer format is left alone, footer or not; all else the footer makes good. */
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

	make_plain(&made);
	memset(made.bytes, 0, SUPERBLOCK_LENGTH);
	maker_write(&made, "m");
	open_says("m", false, STATUS_NOT_OURS, "m: is no member of an nsplit set");
	ck_assert_int_eq(member_open(&m, "m", true, &e), STATUS_OK);
	ck_assert(uuid_equal(&m.superblock.uuid, &maker_uuid));
	ck_assert_uint_eq(m.superblock.source_size, SIZE);
	ck_assert_int_eq(member_load_index(&m, &e), STATUS_OK);
	ck_assert_uint_eq(m.count, 3);
	member_close(&m);
	/* With the footer gone too there is nothing to know it by. */
	maker_flip(&made, made.length - 1);
	maker_write(&made, "m");
	open_says("m", true, STATUS_NOT_OURS, "m: is no member of an nsplit set");
	maker_free(&made);
}
END_TEST

/* --- the footer ---------------------------------------------------------- */

START_TEST(test_footer)
{
	struct maker made;
	struct member m;
	struct error e;

	make_plain(&made);
	maker_write(&made, "m");
	ck_assert_int_eq(member_open(&m, "m", false, &e), STATUS_OK);
	ck_assert_int_eq(member_load_index(&m, &e), STATUS_OK);
	ck_assert(m.has_footer);
	ck_assert_uint_eq(m.footer.offset, made.length - FOOTER_LENGTH);
	ck_assert_uint_eq(m.count, 3);
	for (size_t i = 0; i < m.count; i++) {
		ck_assert_uint_eq(m.places[i].entry.source_offset, i * MAKER_CHUNK);
		ck_assert_uint_eq(m.places[i].entry.source_length, MAKER_CHUNK);
		ck_assert(!m.places[i].spare);
	}
	ck_assert_uint_eq(m.places[0].entry.member_offset, SUPERBLOCK_LENGTH);
	member_close(&m);
	maker_free(&made);
}
END_TEST

#define NO_FOOTER(name) name ": has no footer: the capture did not end, or the member was cut short"

START_TEST(test_footer_missing)
{
	struct maker m;

	make_plain(&m);
	maker_write_part(&m, "unit", m.length - UNIT);
	load_says("unit", STATUS_CUT, NO_FOOTER("unit"));
	maker_write_part(&m, "byte", m.length - 1);
	load_says("byte", STATUS_CUT, NO_FOOTER("byte"));
	maker_write_part(&m, "first", UNIT);
	load_says("first", STATUS_CUT, NO_FOOTER("first"));
	maker_flip(&m, m.length - 100);
	maker_write(&m, "flipped");
	load_says("flipped", STATUS_CUT, NO_FOOTER("flipped"));
	maker_free(&m);
}
END_TEST

/* A stale footer of the device's last set is none. */
START_TEST(test_footer_foreign)
{
	struct maker m;
	uint8_t *footer;

	make_plain(&m);
	footer = m.bytes + m.length - FOOTER_LENGTH;
	memcpy(footer + 24, maker_other_uuid.bytes, UUID_LENGTH);
	maker_reseal(footer);
	maker_write(&m, "m");
	load_says("m", STATUS_CUT, NO_FOOTER("m"));
	maker_free(&m);
}
END_TEST

/* Less than a unit behind it does no harm; a unit hides it. */
START_TEST(test_footer_and_more)
{
	struct maker m;

	make_plain(&m);
	maker_add_bytes(&m, "x", 1);
	maker_write(&m, "byte");
	load_says("byte", STATUS_OK, NULL);
	maker_add_bytes(&m, NULL, UNIT - 2);
	maker_write(&m, "nearly");
	load_says("nearly", STATUS_OK, NULL);
	maker_add_bytes(&m, NULL, 1);
	maker_write(&m, "unit");
	load_says("unit", STATUS_CUT, NO_FOOTER("unit"));
	maker_free(&m);
}
END_TEST

/* A device of SPACE more bytes than the member, with the footer's copy at its end. */
START_TEST(test_footer_of_device)
{
	static const size_t spaces[] = { UNIT, 2 * UNIT, 5 * UNIT + 512, 1 << 20 };
	struct maker m;
	size_t member;

	for (size_t i = 0; i < LENGTH(spaces); i++) {
		make_plain(&m);
		member = m.length;
		maker_add_bytes(&m, NULL, spaces[i]);
		memset(m.bytes + member, 0x5a, spaces[i]);
		memcpy(m.bytes + round_down(m.length, UNIT) - UNIT, m.bytes + member - UNIT, UNIT);
		maker_write(&m, "device");
		load_says("device", STATUS_OK, NULL);
		maker_free(&m);
	}
}
END_TEST

/* A footer that says it lies behind where it was found. */
START_TEST(test_footer_too_far)
{
	struct maker m;
	uint8_t *footer;

	make_plain(&m);
	footer = m.bytes + m.length - FOOTER_LENGTH;
	put_le64(footer + 392, m.length);
	maker_reseal(footer);
	maker_write(&m, "m");
	load_says("m", STATUS_CUT, NO_FOOTER("m"));
	maker_free(&m);
}
END_TEST

/* --- the index ----------------------------------------------------------- */

START_TEST(test_empty)
{
	struct maker m;

	maker_init(&m, 0, 1, 0);
	maker_begin(&m);
	maker_add_footer(&m);
	maker_write(&m, "m");
	load_says("m", STATUS_OK, NULL);
	maker_free(&m);
}
END_TEST

/* Records of one block, split into segments of so many. */
static void make_long(struct maker *m, const uint32_t *counts, size_t segments)
{
	uint64_t at = 0;

	maker_init(m, 0, 1, 0);
	m->superblock.chunk_size = MAKER_BLOCK;
	maker_begin(m);
	for (size_t i = 0; i < segments; i++) {
		for (uint32_t k = 0; k < counts[i]; k++, at += MAKER_BLOCK) {
			uint64_t offset = maker_add_zeros(m, at, MAKER_BLOCK);
			struct index_entry entry = {
				.member_offset = offset,
				.source_offset = at,
				.source_length = MAKER_BLOCK,
				.record_length = UNIT,
			};

			maker_list(m, &entry);
		}
		maker_add_index(m);
	}
	m->superblock.source_size = at;
	maker_add_footer(m);
}

START_TEST(test_segments)
{
	/* What a capture's segments hold, and the least. */
	static const uint32_t counts[] = { 1022, 1022, 1, 300 };
	struct maker made;
	struct member m;
	struct error e;

	make_long(&made, counts, LENGTH(counts));
	maker_write(&made, "m");
	ck_assert_int_eq(member_open(&m, "m", false, &e), STATUS_OK);
	ck_assert_msg(member_load_index(&m, &e) == STATUS_OK, "%s", e.text);
	ck_assert_uint_eq(m.count, 2345);
	for (size_t i = 0; i < m.count; i++)
		ck_assert_uint_eq(m.places[i].entry.source_offset, i * MAKER_BLOCK);
	member_close(&m);
	maker_free(&made);
}
END_TEST

/* The largest segment that the format allows, all entries the same. */
START_TEST(test_largest_segment)
{
	enum { MOST = 32766 };
	struct index_entry entry = { .source_length = 1, .record_length = UNIT };
	struct maker m;

	maker_init(&m, 0, 1, MAKER_BLOCK);
	maker_begin(&m);
	entry.member_offset = maker_add_bytes(&m, NULL, (size_t)MOST * UNIT);
	for (int i = 0; i < MOST; i++)
		maker_list(&m, &entry);
	m.footer.records = MOST;
	maker_add_index(&m);
	maker_add_footer(&m);
	maker_write(&m, "m");
	load_says("m", STATUS_OK, NULL);
	maker_free(&m);
}
END_TEST

/* What a hostile chain of two segments says of itself; x.y: the y'th field of the x'th. */
struct chain {
	size_t first, second, footer;	/* offsets of the pieces */
	struct maker m;
};

static void make_chain(struct chain *c)
{
	static const uint32_t counts[] = { 2, 3 };

	make_long(&c->m, counts, LENGTH(counts));
	c->first = 3 * UNIT;
	c->second = c->first + 4 * UNIT;
	c->footer = c->second + UNIT;
	ck_assert_int_eq(piece_kind(c->m.bytes + c->first), PIECE_INDEX);
	ck_assert_int_eq(piece_kind(c->m.bytes + c->second), PIECE_INDEX);
	ck_assert_int_eq(piece_kind(c->m.bytes + c->footer), PIECE_FOOTER);
}

static void chain_says(struct chain *c, enum status want, const char *text)
{
	maker_reseal(c->m.bytes + c->first);
	maker_reseal(c->m.bytes + c->second);
	maker_reseal(c->m.bytes + c->footer);
	maker_write(&c->m, "m");
	load_says("m", want, text);
	maker_free(&c->m);
}

enum { FIRST_AT = 3 * UNIT, SECOND_AT = 7 * UNIT, FOOTER_AT = 8 * UNIT };
enum { IN_FIRST, IN_SECOND, IN_FOOTER };

/* An integer of 4 or 8 bytes put into one of the pieces. */
static const struct hostile {
	const char *what;
	int piece;
	size_t at;
	unsigned bytes;
	uint64_t value;
	enum status want;
	const char *text;
} hostiles[] = {
	{ "nothing wrong", IN_FIRST, 32, 4, 2, STATUS_OK, NULL },
	{ "a segment before itself", IN_SECOND, 24, 8, SECOND_AT, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment" },
	{ "a segment before the first", IN_FIRST, 24, 8, FIRST_AT, STATUS_DAMAGED,
	  "m: damaged at byte 12288: index segment" },
	{ "a loop", IN_FIRST, 24, 8, SECOND_AT, STATUS_DAMAGED,
	  "m: damaged at byte 12288: index segment" },
	{ "a reference forward", IN_SECOND, 24, 8, FOOTER_AT, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment" },
	{ "a reference beyond the end", IN_SECOND, 24, 8, 1u << 30, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment" },
	{ "a reference to a record", IN_SECOND, 24, 8, UNIT, STATUS_DAMAGED,
	  "m: damaged at byte 4096: index segment" },
	{ "a reference between units", IN_SECOND, 24, 8, FIRST_AT + 1, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment" },
	{ "a segment of another set", IN_FIRST, 8, 8, 1, STATUS_FOREIGN,
	  "m: the index segment at byte 12288 is of another set" },
	{ "a feature to come", IN_SECOND, 48, 8, 1, STATUS_UNSUPPORTED,
	  "m: the index segment at byte 28672 is from a newer nsplit; this one reads format "
	  "version 1" },
	{ "a length that its count denies", IN_SECOND, 36, 4, 2 * UNIT, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment" },
	{ "no segment before", IN_SECOND, 24, 8, 0, STATUS_DAMAGED,
	  "m: damaged at byte 32768: footer: more records than the index lists" },
	{ "more records than listed", IN_FOOTER, 408, 8, 6, STATUS_DAMAGED,
	  "m: damaged at byte 32768: footer: more records than the index lists" },
	{ "fewer records than listed", IN_FOOTER, 408, 8, 4, STATUS_DAMAGED,
	  "m: damaged at byte 12288: index segment: more records than the footer tells" },
	{ "one record", IN_FOOTER, 408, 8, 1, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: more records than the footer tells" },
	{ "more records than fit", IN_FOOTER, 408, 8, 9, STATUS_DAMAGED,
	  "m: damaged at byte 32768: footer" },
	{ "records without end", IN_FOOTER, 408, 8, UINT64_MAX, STATUS_DAMAGED,
	  "m: damaged at byte 32768: footer" },
	{ "an index in a record", IN_FOOTER, 400, 8, UNIT, STATUS_DAMAGED,
	  "m: damaged at byte 4096: index segment" },
	{ "the wrong last segment", IN_FOOTER, 400, 8, FIRST_AT, STATUS_DAMAGED,
	  "m: damaged at byte 32768: footer: more records than the index lists" },
	/* Entries: the first of the second segment. */
	{ "a record behind its index", IN_SECOND, 64, 8, SECOND_AT, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: unlawful entry" },
	{ "a record between units", IN_SECOND, 64, 8, 4097, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: unlawful entry" },
	{ "a record at the end of the world", IN_SECOND, 64, 8, (uint64_t)INT64_MAX - 4095,
	  STATUS_DAMAGED, "m: damaged at byte 28672: index segment: unlawful entry" },
	{ "a record behind it", IN_SECOND, 64, 8, UINT64_MAX - 4095, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: unlawful entry" },
	{ "a source offset between blocks", IN_SECOND, 72, 8, 1, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: unlawful entry" },
	{ "a source offset too far", IN_SECOND, 72, 8, UINT64_MAX - 4095, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: unlawful entry" },
	{ "no bytes of the source", IN_SECOND, 80, 4, 0, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: unlawful entry" },
	{ "more than a chunk", IN_SECOND, 80, 4, MAKER_BLOCK + 1, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: unlawful entry" },
	{ "a record of no length", IN_SECOND, 84, 4, 0, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: unlawful entry" },
	{ "a record of half a unit", IN_SECOND, 84, 4, 6144, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: unlawful entry" },
	{ "a record longer than any", IN_SECOND, 84, 4, 3 * UNIT, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: unlawful entry" },
	{ "a record of 4 GiB", IN_SECOND, 84, 4, 0xfffff000, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: unlawful entry" },
};

START_TEST(test_hostile)
{
	const struct hostile *h = &hostiles[_i];
	struct chain c;
	uint8_t *piece;

	make_chain(&c);
	piece = c.m.bytes + (h->piece == IN_FIRST ? c.first :
			     h->piece == IN_SECOND ? c.second : c.footer);
	if (h->bytes == 4)
		put_le32(piece + h->at, (uint32_t)h->value);
	else
		put_le64(piece + h->at, h->value);
	chain_says(&c, h->want, h->text);
}
END_TEST

/* Without the checksums made right, header and entries tell of themselves. */
START_TEST(test_flipped)
{
	static const size_t at[] = { FIRST_AT + 40, FIRST_AT + 60, FIRST_AT + 64, FIRST_AT + 127 };

	for (size_t i = 0; i < LENGTH(at); i++) {
		struct chain c;

		make_chain(&c);
		maker_flip(&c.m, at[i]);
		maker_write(&c.m, "m");
		load_says("m", STATUS_DAMAGED, "m: damaged at byte 12288: index segment");
		maker_free(&c.m);
	}
}
END_TEST

/* A segment that was overwritten by what it lists would be read into the footer. */
START_TEST(test_segment_over_footer)
{
	struct maker m;
	uint8_t *segment;

	make_plain(&m);
	segment = m.bytes + m.length - 2 * UNIT;
	put_le32(segment + 32, 200);
	put_le32(segment + 36, index_segment_length(200));
	put_le64(segment + 56, format_checksum(segment, 56));
	maker_write(&m, "m");
	load_says("m", STATUS_DAMAGED, NULL);
	maker_free(&m);
}
END_TEST

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* A sparse file that promises more records than there is memory to list. */
START_TEST(test_more_than_memory)
{
	const uint64_t far = UINT64_C(1) << 43;
	struct rlimit limit = { UINT64_C(1) << 32, UINT64_C(1) << 32 };
	struct error e;
	struct maker made;
	struct member m;

	make_plain(&made);
	made.footer.records = far / UNIT;
	put_le64(made.bytes + made.length - UNIT + 392, far);
	put_le64(made.bytes + made.length - UNIT + 408, far / UNIT);
	maker_reseal(made.bytes + made.length - UNIT);
	maker_write_part(&made, "m", made.length - UNIT);
	if (truncate("m", (off_t)far) == 0) {
		FILE *file = fopen("m", "a");

		ck_assert_ptr_nonnull(file);
		ck_assert_uint_eq(fwrite(made.bytes + made.length - UNIT, UNIT, 1, file), 1);
		ck_assert_int_eq(fclose(file), 0);
		ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
		ck_assert_int_eq(member_open(&m, "m", true, &e), STATUS_OK);
		ck_assert_int_eq(member_load_index(&m, &e), STATUS_NO_MEMORY);
		/* What is left must be fit for a salvage. */
		ck_assert_int_eq(member_add_place(&m, &(struct index_entry){ 0 }, &e), STATUS_OK);
		ck_assert_uint_eq(m.count, 1);
		member_close(&m);
	} else {
		ck_assert_msg(errno == EFBIG, "truncate: %s", strerror(errno));
	}
	maker_free(&made);
}
END_TEST
#endif

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
	tcase_add_test(tcase, test_footer_and_more);
	tcase_add_test(tcase, test_footer_of_device);
	tcase_add_test(tcase, test_footer_too_far);
	tcase_add_test(tcase, test_empty);
	tcase_add_test(tcase, test_segments);
	tcase_add_test(tcase, test_largest_segment);
	tcase_add_loop_test(tcase, test_hostile, 0, LENGTH(hostiles));
	tcase_add_test(tcase, test_flipped);
	tcase_add_test(tcase, test_segment_over_footer);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	tcase_add_test(tcase, test_more_than_memory);
#endif
	tcase_set_timeout(tcase, 60);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
