// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading the index of members: chains of segments, intact and hostile. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/bytes.h"
#include "helper.h"
#include "set/member.h"
#include "set_maker.h"

START_TEST(test_empty)
{
	struct maker m;

	maker_init(&m, 0, 1, 0);
	maker_begin(&m);
	maker_add_footer(&m);
	maker_write(&m, "m");
	maker_load_says("m", STATUS_OK, NULL);
	maker_free(&m);
}
END_TEST

/* Makes records of one block, with a segment after each group of them. */
static void make_long(struct maker *m, const uint32_t *counts, size_t segments)
{
	uint64_t at = 0;

	maker_init(m, 0, 1, SOURCE_SIZE_UNKNOWN);
	m->superblock.chunk_size = MAKER_BLOCK;
	maker_begin(m);
	for (size_t i = 0; i < segments; i++) {
		for (uint32_t k = 0; k < counts[i]; k++, at += MAKER_BLOCK) {
			uint64_t offset = maker_add_zeros(m, at, MAKER_BLOCK);
			struct index_entry entry = {
				.member_offset = offset,
				.source_offset = at,
				.source_length = MAKER_BLOCK,
				.layer = 1,
				.record_length = ALIGNMENT,
				.stored = 1,
			};

			maker_list(m, &entry);
		}
		maker_add_index(m);
	}
	maker_add_footer(m);
}

START_TEST(test_segments)
{
	/* The capacity of segments: that of a capture, and the smallest. */
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
		ck_assert_uint_eq(m.locations[i].entry.source_offset, i * MAKER_BLOCK);
	member_close(&m);
	maker_free(&made);
}
END_TEST

/* The largest segment that the format allows. */
START_TEST(test_largest_segment)
{
	enum { MOST = 32766 };
	struct index_entry entry = { .source_length = 1, .layer = 1, .record_length = ALIGNMENT, .stored = 1 };
	struct maker m;

	maker_init(&m, 0, 1, MAKER_BLOCK);
	maker_begin(&m);
	entry.member_offset = maker_add_bytes(&m, NULL, (size_t)MOST * ALIGNMENT);
	for (int i = 0; i < MOST; i++, entry.member_offset += ALIGNMENT)
		maker_list(&m, &entry);
	m.footer.records = MOST;
	maker_add_index(&m);
	maker_add_footer(&m);
	maker_write(&m, "m");
	maker_load_says("m", STATUS_OK, NULL);
	maker_free(&m);
}
END_TEST

/* The values in a hostile chain of two segments; x.y is field y of segment x. */
struct chain {
	size_t first, second, footer;	/* offsets of the pieces */
	struct maker m;
};

static void make_chain(struct chain *c)
{
	static const uint32_t counts[] = { 2, 3 };

	make_long(&c->m, counts, LENGTH(counts));
	c->first = 3 * ALIGNMENT;
	c->second = c->first + 4 * ALIGNMENT;
	c->footer = c->second + ALIGNMENT;
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
	maker_load_says("m", want, text);
	maker_free(&c->m);
}

enum { FIRST_AT = 3 * ALIGNMENT, SECOND_AT = 7 * ALIGNMENT, FOOTER_AT = 8 * ALIGNMENT };
enum { IN_FIRST, IN_SECOND, IN_FOOTER };

/* Writes an integer of 4 or 8 bytes into one of the pieces. */
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
	{ "a reference to a record", IN_SECOND, 24, 8, ALIGNMENT, STATUS_DAMAGED,
	  "m: damaged at byte 4096: index segment" },
	{ "a reference between units", IN_SECOND, 24, 8, FIRST_AT + 1, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment" },
	{ "a segment of another set", IN_FIRST, 8, 8, 1, STATUS_FOREIGN,
	  "m: the index segment at byte 12288 belongs to another set" },
	{ "a feature to come", IN_SECOND, 48, 8, 2, STATUS_UNSUPPORTED,
	  "m: the index segment at byte 28672 is from a newer nsplit; this one reads format "
	  "version 1" },
	{ "a length that its count denies", IN_SECOND, 36, 4, 2 * ALIGNMENT, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment" },
	{ "no segment before", IN_SECOND, 24, 8, 0, STATUS_DAMAGED,
	  "m: damaged at byte 32768: footer: more records than the index lists" },
	{ "more records than listed", IN_FOOTER, 440, 8, 6, STATUS_DAMAGED,
	  "m: damaged at byte 32768: footer: more records than the index lists" },
	{ "fewer records than listed", IN_FOOTER, 440, 8, 4, STATUS_DAMAGED,
	  "m: damaged at byte 12288: index segment: more records than the footer states" },
	{ "one record", IN_FOOTER, 440, 8, 1, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: more records than the footer states" },
	{ "more records than fit", IN_FOOTER, 440, 8, 9, STATUS_DAMAGED,
	  "m: damaged at byte 32768: footer" },
	{ "records without end", IN_FOOTER, 440, 8, UINT64_MAX, STATUS_DAMAGED,
	  "m: damaged at byte 32768: footer" },
	{ "an index in a record", IN_FOOTER, 432, 8, ALIGNMENT, STATUS_DAMAGED,
	  "m: damaged at byte 4096: index segment" },
	{ "the wrong last segment", IN_FOOTER, 432, 8, FIRST_AT, STATUS_DAMAGED,
	  "m: damaged at byte 32768: footer: more records than the index lists" },
	/* Entries: the first of the second segment. */
	{ "a record behind its index", IN_SECOND, 64, 8, SECOND_AT, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: invalid entry" },
	{ "a record between units", IN_SECOND, 64, 8, 4097, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: invalid entry" },
	{ "a record at the end of the world", IN_SECOND, 64, 8, (uint64_t)INT64_MAX - 4095,
	  STATUS_DAMAGED, "m: damaged at byte 28672: index segment: invalid entry" },
	{ "a record behind it", IN_SECOND, 64, 8, UINT64_MAX - 4095, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: invalid entry" },
	{ "a source offset between blocks", IN_SECOND, 72, 8, 1, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: invalid entry" },
	{ "a source offset too far", IN_SECOND, 72, 8, UINT64_MAX - 4095, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: invalid entry" },
	{ "no bytes of the source", IN_SECOND, 80, 4, 0x10000000, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: invalid entry" },
	{ "layer 0", IN_SECOND, 80, 4, MAKER_BLOCK, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: invalid entry" },
	{ "more than a cell", IN_SECOND, 80, 4, 0x10000000 + MAKER_BLOCK + 1, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: invalid entry" },
	{ "a record of no length", IN_SECOND, 84, 4, 0, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: invalid entry" },
	{ "a record longer than any", IN_SECOND, 84, 4, 3, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: invalid entry" },
	/* The second record of the second segment is at byte 20480, its last at 24576. */
	{ "a record listed twice", IN_SECOND, 64, 8, 5 * ALIGNMENT, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: invalid entry" },
	{ "records out of order", IN_SECOND, 64, 8, 6 * ALIGNMENT, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: invalid entry" },
	{ "a record in the next one", IN_SECOND, 84, 4, 2, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: invalid entry" },
	{ "a record of the segment behind", IN_FIRST, 96, 8, 4 * ALIGNMENT, STATUS_DAMAGED,
	  "m: damaged at byte 12288: index segment: invalid entry" },
	{ "a record listed by the segment before", IN_SECOND, 64, 8, 2 * ALIGNMENT, STATUS_DAMAGED,
	  "m: damaged at byte 12288: index segment: invalid entry" },
	{ "a record of 256 MiB", IN_SECOND, 84, 4, 0xffff, STATUS_DAMAGED,
	  "m: damaged at byte 28672: index segment: invalid entry" },
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

/* With a wrong checksum, the header or the entries are reported as damaged. */
START_TEST(test_flipped)
{
	static const size_t at[] = { FIRST_AT + 40, FIRST_AT + 60, FIRST_AT + 64, FIRST_AT + 127 };

	for (size_t i = 0; i < LENGTH(at); i++) {
		struct chain c;

		make_chain(&c);
		maker_flip(&c.m, at[i]);
		maker_write(&c.m, "m");
		maker_load_says("m", STATUS_DAMAGED, "m: damaged at byte 12288: index segment");
		maker_free(&c.m);
	}
}
END_TEST

/* A segment that covers the records it lists would extend into the footer. */
START_TEST(test_segment_over_footer)
{
	struct maker m;
	uint8_t *segment;

	maker_make_plain(&m);
	segment = m.bytes + m.length - 2 * ALIGNMENT;
	put_le32(segment + 32, 200);
	put_le32(segment + 36, index_segment_length(200));
	put_le64(segment + 56, format_checksum(segment, 56));
	maker_write(&m, "m");
	maker_load_says("m", STATUS_DAMAGED, NULL);
	maker_free(&m);
}
END_TEST

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* A sparse file whose footer states more records than there is memory to list. */
START_TEST(test_more_than_memory)
{
	const uint64_t far = UINT64_C(1) << 43;
	struct rlimit limit = { UINT64_C(1) << 32, UINT64_C(1) << 32 };
	struct error e;
	struct maker made;
	struct member m;

	maker_make_plain(&made);
	made.footer.records = far / ALIGNMENT;
	put_le64(made.bytes + made.length - ALIGNMENT + 424, far);
	put_le64(made.bytes + made.length - ALIGNMENT + 440, far / ALIGNMENT);
	maker_reseal(made.bytes + made.length - ALIGNMENT);
	maker_write_part(&made, "m", made.length - ALIGNMENT);
	if (truncate("m", (off_t)far) == 0) {
		FILE *file = fopen("m", "a");

		ck_assert_ptr_nonnull(file);
		ck_assert_uint_eq(fwrite(made.bytes + made.length - ALIGNMENT, ALIGNMENT, 1, file), 1);
		ck_assert_int_eq(fclose(file), 0);
		ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
		ck_assert_int_eq(member_open(&m, "m", true, &e), STATUS_OK);
		ck_assert_int_eq(member_load_index(&m, &e), STATUS_DAMAGED);
		/* After a failure, the member can still be salvaged. */
		ck_assert_int_eq(member_add_location(&m, &(struct index_entry){ 0 }, &e), STATUS_OK);
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
	Suite *suite = suite_create("member_index");
	TCase *tcase = tcase_create("index");

	helper_use_directory(tcase);
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
