// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets: checking members against each other, and the map. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "helper.h"
#include "set/set.h"
#include "set_maker.h"

enum { SIZE = 7 * MAKER_CHUNK + 1000 };

/* The warnings of set_open(). */
struct warned {
	unsigned count;
	char last[768];
};

static void warn(void *arg, const struct error *e)
{
	struct warned *w = arg;

	w->count++;
	snprintf(w->last, sizeof(w->last), "%s", e->text);
}

/* names: one string, separated by blanks. */
static enum status open_set(struct set *set, const char *names, bool salvage,
			    struct warned *warned, struct error *e)
{
	struct set_settings settings = { .salvage = salvage, .search = salvage, .warn = warn, .arg = warned };
	struct names list = { 0 };
	char *copy = strdup(names), *save = NULL;
	enum status status;

	for (char *name = strtok_r(copy, " ", &save); name; name = strtok_r(NULL, " ", &save))
		ck_assert_int_eq(names_expand(&list, name, MEMBERS_MAX, e), STATUS_OK);
	*warned = (struct warned){ 0 };
	e->text[0] = '\0';
	status = set_open(set, &list, &settings, e);
	names_free(&list);
	free(copy);
	return status;
}

static void opens(struct set *set, const char *names)
{
	struct warned warned;
	struct error e;

	ck_assert_msg(open_set(set, names, false, &warned, &e) == STATUS_OK, "%s", e.text);
	ck_assert_uint_eq(warned.count, 0);
}

static void refuses(const char *names, enum status want, const char *text)
{
	struct warned warned;
	struct error e;
	struct set set;
	enum status status = open_set(&set, names, false, &warned, &e);

	ck_assert_msg(status == want, "%s: status %d and not %d: %s", names, status, want, e.text);
	ck_assert_str_eq(e.text, text);
	set_close(&set);
}

/* Opens with salvage; expects count members, and one warning if text is not NULL. */
static void salvages(struct set *set, const char *names, unsigned count, const char *text)
{
	struct warned warned;
	struct error e;

	ck_assert_msg(open_set(set, names, true, &warned, &e) == STATUS_OK, "%s", e.text);
	ck_assert_uint_eq(warned.count, text ? 1 : 0);
	if (text)
		ck_assert_str_eq(warned.last, text);
	ck_assert_uint_eq(set->count, count);
}

static void hole_is(const struct set *set, uint64_t from, uint64_t want_offset,
		    uint64_t want_length)
{
	uint64_t offset = from, length;

	ck_assert(set_hole(set, &offset, &length));
	ck_assert_uint_eq(offset, want_offset);
	ck_assert_uint_eq(length, want_length);
}

static void no_hole(const struct set *set, uint64_t from)
{
	uint64_t offset = from, length;

	ck_assert_msg(!set_hole(set, &offset, &length), "a hole of %llu bytes at %llu",
		      (unsigned long long)length, (unsigned long long)offset);
}

static void make_set(uint32_t members)
{
	uint8_t *source = maker_source(SIZE);

	maker_make_set(source, SIZE, members, NULL);
	free(source);
}

/* --- whole sets ---------------------------------------------------------- */

START_TEST(test_whole)
{
	static const char *const orders[] = { "m0 m1 m2", "m2 m0 m1", "m{0..2}", "m<2..0>" };
	struct set set;

	make_set(3);
	opens(&set, orders[_i]);
	ck_assert_uint_eq(set.count, 3);
	ck_assert_uint_eq(set.expected, 3);
	ck_assert_uint_eq(set.locations, 8);
	ck_assert_uint_eq(set.source_size, SIZE);
	ck_assert_uint_eq(set.block_size, MAKER_BLOCK);
	ck_assert_uint_eq(set.chunk_size, MAKER_CHUNK);
	ck_assert(capture_id_equal(&set.id, &maker_id));
	ck_assert(!set.stopped && !set.has_stream);
	for (size_t i = 0; i < set.locations; i++) {
		const struct location *location = set.map[i];

		ck_assert_uint_eq(location->entry.source_offset, i * MAKER_CHUNK);
		ck_assert_uint_eq(set.members[location->member].superblock.number, i % 3);
	}
	no_hole(&set, 0);
	for (uint32_t number = 0; number < 4; number++)
		ck_assert_int_eq(set_has_member(&set, number), number < 3);
	set_close(&set);
}
END_TEST

START_TEST(test_empty_source)
{
	uint8_t *source = maker_source(0);
	struct set set;

	maker_make_set(source, 0, 2, NULL);
	opens(&set, "m0 m1");
	ck_assert_uint_eq(set.locations, 0);
	ck_assert_uint_eq(set.source_size, 0);
	no_hole(&set, 0);
	ck_assert_uint_eq(set_find(&set, 0), 0);
	set_close(&set);
	free(source);
}
END_TEST

START_TEST(test_find)
{
	struct set set;

	make_set(2);
	opens(&set, "m0 m1");
	ck_assert_uint_eq(set_find(&set, 0), 0);
	ck_assert_uint_eq(set_find(&set, MAKER_CHUNK - 1), 0);
	ck_assert_uint_eq(set_find(&set, MAKER_CHUNK), 1);
	ck_assert_uint_eq(set_find(&set, 6 * MAKER_CHUNK + 1), 6);
	ck_assert_uint_eq(set_find(&set, 7 * MAKER_CHUNK), 7);
	ck_assert_uint_eq(set_find(&set, SIZE - 1), 7);
	ck_assert_uint_eq(set_find(&set, SIZE - 1), 7);
	ck_assert_uint_eq(set_find(&set, 8 * MAKER_CHUNK), 8);
	ck_assert_uint_eq(set_find(&set, UINT64_MAX), 8);
	set_close(&set);
}
END_TEST

/* --- members that do not belong ------------------------------------------ */

START_TEST(test_foreign)
{
	struct maker m;
	struct set set;

	make_set(2);
	maker_init(&m, 1, 2, SIZE);
	m.superblock.id = maker_other_id;
	maker_begin(&m);
	maker_add_footer(&m);
	maker_write(&m, "other");
	maker_free(&m);
	refuses("m0 other", STATUS_FOREIGN, "other: belongs to a different set than m0");
	refuses("other m0 m1", STATUS_FOREIGN, "m0: belongs to a different set than other");
	salvages(&set, "m0 other m1", 2, "other: belongs to a different set than m0");
	no_hole(&set, 0);
	set_close(&set);
}
END_TEST

START_TEST(test_repeated)
{
	struct set set;
	uint8_t *bytes;
	size_t len;

	make_set(2);
	ck_assert_int_eq(link("m0", "link"), 0);
	ck_assert_int_eq(symlink("m1", "symlink"), 0);
	bytes = helper_read_file("m0", &len);
	helper_write_file("copy", bytes, len);
	free(bytes);
	refuses("m0 m0", STATUS_USAGE, "m0: was given twice");
	refuses("m0 m1 m0", STATUS_USAGE, "m0: was given twice");
	refuses("m0 ./m0", STATUS_USAGE, "./m0: is the same file as m0");
	refuses("m0 m1 link", STATUS_USAGE, "link: is the same file as m0");
	refuses("m0 m1 symlink", STATUS_USAGE, "symlink: is the same file as m1");
	refuses("m0 m1 copy", STATUS_FOREIGN, "copy: is member 0 of the set, and so is m0");
	salvages(&set, "m0 copy m1", 2, "copy: is member 0 of the set, and so is m0");
	no_hole(&set, 0);
	set_close(&set);
}
END_TEST

static void make_odd(const struct superblock *sb)
{
	struct maker m;

	maker_init(&m, 1, 2, SIZE);
	m.superblock = *sb;
	maker_begin(&m);
	maker_add_footer(&m);
	maker_write(&m, "odd");
	maker_free(&m);
}

/* Member 1 of another capture with the same UUID is refused; with salvage it is skipped. */
static void is_refused(const struct superblock *sb, const char *text)
{
	struct set set;

	make_odd(sb);
	refuses("m0 odd", STATUS_FOREIGN, text);
	salvages(&set, "m0 odd m1", 2, text);
	no_hole(&set, 0);
	set_close(&set);
}

static struct superblock usual_superblock(void)
{
	struct superblock sb;
	struct maker m;

	maker_init(&m, 1, 2, SIZE);
	sb = m.superblock;
	maker_free(&m);
	return sb;
}

START_TEST(test_two_captures)
{
	static const char text[] = "odd: belongs to a different capture than m0 with the same UUID "
		"(different: %s); give members of one capture";
	char want[200];

	make_set(2);
	for (int i = 0; i < 6; i++) {
		struct superblock sb = usual_superblock();
		const char *whats[] = { "number of members", "chunk size", "block size",
					"size of the source", "name of the source", "capture tag" };

		sb.members += i == 0;
		sb.chunk_size *= i == 1 ? 2 : 1;
		sb.block_size *= i == 2 ? 2 : 1;
		sb.source_size -= i == 3;
		sb.source[0] ^= i == 4;
		sb.id.tag ^= i == 5;
		snprintf(want, sizeof(want), text, whats[i]);
		is_refused(&sb, want);
	}
}
END_TEST

START_TEST(test_two_times)
{
	struct superblock sb = usual_superblock();

	make_set(2);
	sb.created++;
	sb.id.tag++;
	is_refused(&sb, "odd: was captured at 2001-09-09T01:46:41Z, but m0 at "
			"2001-09-09T01:46:40Z: two captures with the same UUID; give members of "
			"one capture");
}
END_TEST

START_TEST(test_unusable)
{
	struct set set;
	struct warned warned;
	struct error e;

	make_set(2);
	helper_write_file("text", "of another kind", 15);
	refuses("m0 text", STATUS_NOT_OURS, "text: not a member of an nsplit set: no superblock at "
		"byte 0");
	refuses("m0 nowhere", STATUS_SYSTEM, "nowhere: No such file or directory");
	salvages(&set, "text m0 m1", 2, "text: not a member of an nsplit set: no superblock at "
		"byte 0");
	set_close(&set);
	salvages(&set, "m0 nowhere m1", 2, "nowhere: No such file or directory");
	set_close(&set);
	ck_assert_int_eq(open_set(&set, "text nowhere", true, &warned, &e), STATUS_MISSING);
	ck_assert_str_eq(e.text, "no member can be read");
	ck_assert_uint_eq(warned.count, 2);
	set_close(&set);
}
END_TEST

/* --- what is missing ----------------------------------------------------- */

START_TEST(test_missing_member)
{
	struct set set;

	make_set(3);
	opens(&set, "m0 m2");
	ck_assert(set_has_member(&set, 0) && !set_has_member(&set, 1));
	hole_is(&set, 0, MAKER_CHUNK, MAKER_CHUNK);
	hole_is(&set, MAKER_CHUNK, MAKER_CHUNK, MAKER_CHUNK);
	hole_is(&set, MAKER_CHUNK + 1, MAKER_CHUNK + 1, MAKER_CHUNK - 1);
	hole_is(&set, 2 * MAKER_CHUNK - 1, 2 * MAKER_CHUNK - 1, 1);
	hole_is(&set, 2 * MAKER_CHUNK, 4 * MAKER_CHUNK, MAKER_CHUNK);
	hole_is(&set, 5 * MAKER_CHUNK, 7 * MAKER_CHUNK, 1000);
	hole_is(&set, SIZE - 1, SIZE - 1, 1);
	no_hole(&set, SIZE);
	no_hole(&set, UINT64_MAX);
	set_close(&set);

	opens(&set, "m1");
	hole_is(&set, 0, 0, MAKER_CHUNK);
	hole_is(&set, MAKER_CHUNK, 2 * MAKER_CHUNK, 2 * MAKER_CHUNK);
	set_close(&set);
}
END_TEST

START_TEST(test_no_footer)
{
	struct set set;
	uint8_t *bytes;
	size_t len;
	char text[200];

	make_set(2);
	bytes = helper_read_file("m1", &len);
	helper_write_file("cut", bytes, len - ALIGNMENT);
	snprintf(text, sizeof(text), "cut: has no footer at byte %zu: the capture did not "
		 "finish, or the member was cut short; use --salvage to read what is intact", len - 2 * ALIGNMENT);
	refuses("m0 cut", STATUS_CUT, text);
	*strchr(text, ';') = '\0';
	salvages(&set, "m0 cut", 2, text);
	no_hole(&set, 0);
	set_close(&set);
	/* Cut down to the first record. */
	helper_write_file("cut", bytes, ALIGNMENT);
	salvages(&set, "m0 cut", 2, "cut: has no footer at byte 4096: the capture did not "
				    "finish, or the member was cut short");
	hole_is(&set, 0, MAKER_CHUNK, MAKER_CHUNK);
	hole_is(&set, 6 * MAKER_CHUNK, 7 * MAKER_CHUNK, 1000);
	set_close(&set);
	free(bytes);
}
END_TEST

/* If the index is damaged, the records are searched. */
START_TEST(test_damaged_index)
{
	struct set set;
	uint8_t *bytes;
	size_t len;
	char text[200];

	make_set(2);
	bytes = helper_read_file("m1", &len);
	bytes[len - 2 * ALIGNMENT + 70] ^= 1;
	helper_write_file("bad", bytes, len);
	snprintf(text, sizeof(text), "bad: damaged at byte %zu: index segment; use --salvage to "
		 "read what is intact", len - 2 * ALIGNMENT);
	refuses("m0 bad", STATUS_DAMAGED, text);
	*strchr(text, ';') = '\0';
	salvages(&set, "m0 bad", 2, text);
	ck_assert_uint_eq(set.locations, 8);
	no_hole(&set, 0);
	set_close(&set);
	free(bytes);
}
END_TEST

/* A member that is identified only by its footer is reported. */
START_TEST(test_lost_superblock)
{
	struct set set;
	uint8_t *bytes;
	size_t len;

	make_set(2);
	bytes = helper_read_file("m1", &len);
	bytes[100] ^= 1;
	helper_write_file("bad", bytes, len);
	free(bytes);
	refuses("m0 bad", STATUS_DAMAGED, "bad: damaged at byte 0: superblock");
	salvages(&set, "m0 bad", 2, "bad: damaged at byte 0: superblock");
	no_hole(&set, 0);
	ck_assert(set_has_member(&set, 1));
	set_close(&set);
}
END_TEST

/* --- several records in a cell ----------------------------------------- */

/* Makes a member of the listed records, each an offset and a length in blocks. */
static void make_member(const char *name, uint32_t number, const uint32_t (*records)[2],
			size_t count)
{
	uint8_t *source = maker_source(SIZE);
	struct maker m;

	maker_init(&m, number, 2, 4 * MAKER_CHUNK);
	maker_begin(&m);
	for (size_t i = 0; i < count; i++)
		maker_add_record(&m, source, records[i][0] * (uint64_t)MAKER_BLOCK,
				 records[i][1] * (uint32_t)MAKER_BLOCK);
	maker_add_footer(&m);
	maker_write(&m, name);
	maker_free(&m);
	free(source);
}

/* In the map, records are in the order of their cells; copies, and records that overlap, are not damage. */
START_TEST(test_same_cell)
{
	static const uint32_t one[][2] = { { 0, 4 }, { 8, 4 }, { 0, 4 }, { 4, 4 } };
	static const uint32_t two[][2] = { { 12, 4 }, { 1, 2 }, { 0, 4 }, { 10, 2 } };
	static const bool follows[] = { false, true, true, true, false, false, true, false };
	struct set set;

	make_member("m0", 0, one, LENGTH(one));
	make_member("m1", 1, two, LENGTH(two));
	opens(&set, "m0 m1");
	ck_assert_uint_eq(set.locations, LENGTH(follows));
	for (size_t i = 0; i < set.locations; i++)
		ck_assert_int_eq(set.map[i]->follows, follows[i]);
	no_hole(&set, 0);
	ck_assert_uint_eq(set_find(&set, 0), 0);
	ck_assert_uint_eq(set_find(&set, MAKER_CHUNK - 1), 0);
	ck_assert_uint_eq(set_find(&set, MAKER_CHUNK), 4);
	ck_assert_uint_eq(set_find(&set, 2 * MAKER_CHUNK), 5);
	ck_assert_uint_eq(set_find(&set, 3 * MAKER_CHUNK), 7);
	set_close(&set);
	opens(&set, "m1");
	hole_is(&set, 0, MAKER_CHUNK, MAKER_CHUNK + 2 * MAKER_BLOCK);
	set_close(&set);
}
END_TEST

/* A record that extends beyond the end of its cell. */
START_TEST(test_beyond_cell)
{
	static const uint32_t records[][2] = { { 1, 4 } };

	make_member("m", 0, records, 1);
	refuses("m", STATUS_DAMAGED, "m: damaged at byte 16384: index segment: invalid entry; use --salvage "
		"to read what is intact");
}
END_TEST

static void ignore(void *arg, const struct error *e)
{
	(void)arg;
	(void)e;
}

/* Without superblock and footer, of records that store less than a chunk: they still have one layer. */
START_TEST(test_only_records)
{
	const struct set_settings settings = { .salvage = true, .search = true, .warn = ignore };
	uint8_t *source = maker_source(SIZE);
	struct names list = { 0 };
	struct maker m;
	struct error e;
	struct set set;

	maker_init(&m, 0, 1, SIZE);
	maker_begin(&m);
	maker_add_record(&m, source, 0, MAKER_BLOCK);
	maker_add_record(&m, source, MAKER_CHUNK, 2 * MAKER_BLOCK);
	memset(m.bytes, 0, ALIGNMENT);
	maker_write(&m, "records");
	maker_free(&m);
	free(source);
	ck_assert_int_eq(names_expand(&list, "records", 1, &e), STATUS_OK);
	ck_assert_msg(!set_open(&set, &list, &settings, &e), "%s", e.text);
	names_free(&list);
	ck_assert(set.assumed);
	ck_assert_uint_eq(set.locations, 2);
	ck_assert_uint_eq(set.cell_size, MAKER_CHUNK);
	ck_assert_uint_eq(set.chunk_size, 2 * MAKER_BLOCK);
	ck_assert(!set_has_layers(&set));
	set_close(&set);
}
END_TEST

/* --- the size of the source ---------------------------------------------- */

/* A set of one member, with these source sizes in superblock and footer; the last record ends at end. */
static void make_sizes(uint64_t first, uint64_t last, uint32_t end, bool stopped)
{
	uint8_t *source = maker_source(SIZE);
	struct maker m;

	maker_init(&m, 0, 1, first);
	maker_begin(&m);
	maker_add_record(&m, source, 0, MAKER_CHUNK);
	maker_add_record(&m, source, MAKER_CHUNK, end - MAKER_CHUNK);
	m.superblock.source_size = last;
	m.footer.stopped = stopped;
	maker_add_footer(&m);
	maker_write(&m, "m");
	maker_free(&m);
	free(source);
}

START_TEST(test_sizes)
{
	enum { END = MAKER_CHUNK + 5000, WHOLE = MAKER_CHUNK + 2 * GRANULE };
	struct set set;

	make_sizes(SOURCE_SIZE_UNKNOWN, END, END, false);
	opens(&set, "m");
	ck_assert_uint_eq(set.source_size, END);
	no_hole(&set, 0);
	set_close(&set);

	make_sizes(SOURCE_SIZE_UNKNOWN, SOURCE_SIZE_UNKNOWN, END, true);
	opens(&set, "m");
	ck_assert_uint_eq(set.source_size, END);
	ck_assert(set.stopped);
	set_close(&set);

	make_sizes(2 * END, 2 * END, WHOLE, true);
	opens(&set, "m");
	ck_assert_uint_eq(set.source_size, 2 * END);
	ck_assert(set.stopped);
	hole_is(&set, 0, WHOLE, 2 * END - WHOLE);
	set_close(&set);

	/* Only the last granule of the source may be shorter. */
	make_sizes(2 * END, 2 * END, END, true);
	refuses("m", STATUS_DAMAGED, "m: damaged at byte 16384: record: it ends within a granule");
	salvages(&set, "m", 1, "m: damaged at byte 16384: record: it ends within a granule");
	hole_is(&set, 0, MAKER_CHUNK, 2 * END - MAKER_CHUNK);
	set_close(&set);

	make_sizes(END - 1, END - 1, END, false);
	refuses("m", STATUS_DAMAGED, "m: damaged at byte 16384: record: beyond the end of the source");
	salvages(&set, "m", 1, "m: damaged at byte 16384: record: beyond the end of the source");
	ck_assert_uint_eq(set.source_size, END - 1);
	no_hole(&set, 0);
	set_close(&set);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("set");
	TCase *tcase = tcase_create("set");

	helper_use_directory(tcase);
	tcase_add_loop_test(tcase, test_whole, 0, 4);
	tcase_add_test(tcase, test_empty_source);
	tcase_add_test(tcase, test_find);
	tcase_add_test(tcase, test_foreign);
	tcase_add_test(tcase, test_repeated);
	tcase_add_test(tcase, test_two_captures);
	tcase_add_test(tcase, test_two_times);
	tcase_add_test(tcase, test_unusable);
	tcase_add_test(tcase, test_missing_member);
	tcase_add_test(tcase, test_no_footer);
	tcase_add_test(tcase, test_damaged_index);
	tcase_add_test(tcase, test_lost_superblock);
	tcase_add_test(tcase, test_same_cell);
	tcase_add_test(tcase, test_beyond_cell);
	tcase_add_test(tcase, test_only_records);
	tcase_add_test(tcase, test_sizes);
	tcase_set_timeout(tcase, 60);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
