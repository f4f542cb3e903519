// SPDX-License-Identifier: GPL-2.0-or-later
/* The files in a mount, read without FUSE. */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "corpus.h"
#include "fakevmcore/pattern.h"
#include "helper.h"
#include "made_core.h"
#include "mount/cache.h"
#include "mount/view.h"
#include "set_maker.h"

enum { PAGE = 4096 };

static const char info[] = "OSRELEASE=6.1.0\nPAGESIZE=4096\nCRASHTIME=1000000000\n";

/* A core that was captured to three members, some of which are present. */
struct shown {
	struct made_core made;
	struct set set;
	struct cache *cache;
	struct buffers *buffers;
	struct source_view source;
	unsigned damaged;
};

static void count_damage(void *arg, const struct error *e)
{
	struct shown *s = arg;

	(void)e;
	s->damaged++;
}

static void show_members(struct shown *s, const char *members)
{
	const struct cache_settings keep = { .limit = 1 << 20, .damaged = count_damage, .arg = s };
	struct error e;

	maker_open(&s->set, members);
	s->damaged = 0;
	ck_assert_int_eq(cache_new(&s->cache, &s->set, &keep, &e), STATUS_OK);
	s->buffers = cache_take_buffers(s->cache);
	s->source = (struct source_view){
		.set = &s->set,
		.cache = s->cache,
	};
	source_view_init(&s->source);
}

static void show(struct shown *s, struct segment *segments, size_t count, const char *vmcoreinfo,
		 const char *members)
{
	made_core_init(&s->made, segments, count, EM_X86_64, vmcoreinfo, false);
	maker_make_set(s->made.bytes, s->made.size, 3, NULL);
	show_members(s, members);
}

static void hide(struct shown *s)
{
	cache_return_buffers(s->cache, s->buffers);
	cache_free(s->cache);
	set_close(&s->set);
	made_core_free(&s->made);
}

static enum status get(struct shown *s, const struct view *view, uint64_t offset, size_t len,
		       uint8_t *dst, struct error *e)
{
	return view->read(view, s->buffers, offset, len, dst, e);
}

/* Reads a whole view; the result is to be freed. */
static uint8_t *get_all(struct shown *s, const struct view *view)
{
	uint8_t *bytes = malloc(view->size);
	struct error e;

	ck_assert_msg(get(s, view, 0, view->size, bytes, &e) == STATUS_OK, "%s", e.text);
	return bytes;
}

/* Reads parts of a view and compares them with all of it. */
static void assert_parts(struct shown *s, const struct view *view, const uint8_t *all)
{
	uint8_t *bytes = malloc(view->size);
	struct error e;

	for (uint64_t i = 0; i < 1000; i++) {
		uint64_t drawn = pattern_mix(i * PATTERN_STEP), offset = drawn % view->size;
		size_t len = min_u64((drawn >> 32) % (i % 10 ? 9000 : 100000),
				     view->size - offset);

		ck_assert_msg(get(s, view, offset, len, bytes, &e) == STATUS_OK, "%s", e.text);
		ck_assert_msg(!memcmp(bytes, all + offset, len), "%zu bytes at %zu differ", len,
			      (size_t)offset);
	}
	free(bytes);
}

/* Blocks of columns, of several pages each, and others between them. */
START_TEST(test_columns)
{
	enum { SIZE = 5 * MAKER_CHUNK + 100 };
	uint8_t *source = helper_pages(SIZE), *all;
	struct shown s = { .damaged = 0 };
	struct maker m;

	corpus_fill(CORPUS_RAMP, 1, source, SIZE);
	maker_init(&m, 0, 1, SIZE);
	m.superblock.block_size = 2 * PAGE;
	maker_begin(&m);
	for (uint32_t offset = 0; offset < SIZE; offset += MAKER_CHUNK) {
		m.row = offset == MAKER_CHUNK ? 0 : 64;
		maker_add_record(&m, source, offset, (uint32_t)min_u64(MAKER_CHUNK, SIZE - offset));
	}
	maker_end(&m, "m0");
	show_members(&s, "m0");
	all = get_all(&s, &s.source.view);
	ck_assert_mem_eq(all, source, SIZE);
	assert_parts(&s, &s.source.view, source);
	ck_assert_uint_eq(s.damaged, 0);
	free(all);
	free(source);
	hide(&s);
}
END_TEST

/* Cuts the member short to this length, in place, and returns what it was. */
static uint8_t *cut_member(const char *name, off_t to, size_t *len)
{
	uint8_t *whole = helper_read_file(name, len);

	ck_assert_int_eq(truncate(name, to), 0);
	return whole;
}

static void put_back(const char *name, uint8_t *whole, size_t len)
{
	int fd = open(name, O_WRONLY);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, whole, len, 0), (ssize_t)len);
	close(fd);
	free(whole);
}

/* A record that cannot be read now does not read as zeros, and can be read later. */
static void assert_temporary(bool zero_holes)
{
	struct segment s1 = { .paddr = 0x1000, .filesz = 60 * PAGE, .memsz = 60 * PAGE };
	uint8_t bytes[PAGE], *member;
	struct error e;
	struct shown s;
	size_t len;

	show(&s, &s1, 1, info, "m{0..2}");
	s.source.zero_holes = zero_holes;
	member = cut_member("m1", ALIGNMENT + 100, &len);
	for (int again = 0; again < 3; again++)
		ck_assert(loaded_may_recover(get(&s, &s.source.view, MAKER_CHUNK, PAGE, bytes, &e)));
	ck_assert_uint_eq(s.damaged, 1);
	put_back("m1", member, len);
	/* The record is not tried for ten times as long as the last attempt took. */
	while (get(&s, &s.source.view, MAKER_CHUNK, PAGE, bytes, &e))
		usleep(1000);
	ck_assert_int_eq(get(&s, &s.source.view, MAKER_CHUNK, PAGE, bytes, &e), STATUS_OK);
	ck_assert_mem_eq(bytes, s.made.bytes + MAKER_CHUNK, PAGE);
	ck_assert_uint_eq(s.damaged, 1);
	hide(&s);
}

START_TEST(test_temporary_error)
{
	assert_temporary(_i);
}
END_TEST

/* The same chunk in two members, in one record and in two. */
static void show_twice(struct shown *s, const uint8_t *source)
{
	s->made = (struct made_core){ 0 };
	for (uint32_t i = 0; i < 2; i++) {
		char name[] = { 'm', (char)('0' + i), '\0' };
		uint32_t length = i ? MAKER_CHUNK / 2 : MAKER_CHUNK;
		struct maker m;

		maker_init(&m, i, 2, MAKER_CHUNK);
		maker_begin(&m);
		for (uint64_t at = 0; at < MAKER_CHUNK; at += length)
			maker_add_record(&m, source, at, length);
		maker_end(&m, name);
	}
	show_members(s, "m{0..1}");
}

/* While a record cannot be read, and after it was found to be damaged, others have its bytes. */
static void assert_elsewhere(struct shown *s, const uint8_t *source)
{
	static const struct range reads[] = {
		{ 100, 200 }, { 0, MAKER_CHUNK }, { MAKER_CHUNK / 2 - 10, 20 }, { MAKER_CHUNK - 5, 5 },
	};
	uint8_t bytes[MAKER_CHUNK];
	struct error e;

	for (size_t i = 0; i < LENGTH(reads); i++) {
		memset(bytes, 0, sizeof(bytes));
		ck_assert_msg(!get(s, &s->source.view, reads[i].offset, reads[i].length, bytes, &e), "%s",
			      e.text);
		ck_assert_mem_eq(bytes, source + reads[i].offset, reads[i].length);
	}
	ck_assert_uint_eq(s->damaged, 1);
}

/* _i: only the body of the record cannot be read, not its head. */
START_TEST(test_temporary_error_and_copies)
{
	uint8_t *source = helper_noise(MAKER_CHUNK), *member;
	struct shown s;
	size_t len;

	show_twice(&s, source);
	member = cut_member("m0", _i ? 2 * ALIGNMENT : ALIGNMENT + 100, &len);
	assert_elsewhere(&s, source);
	free(member);
	hide(&s);
	free(source);
}
END_TEST

/* _i: only the body is damaged. */
START_TEST(test_damage_and_copies)
{
	uint8_t *source = helper_noise(MAKER_CHUNK), *member;
	struct shown s;
	size_t len;

	show_twice(&s, source);
	member = helper_read_file("m0", &len);
	member[ALIGNMENT + (_i ? 700 : 30)] ^= 1;
	helper_write_file("m0", member, len);
	assert_elsewhere(&s, source);
	free(member);
	hide(&s);
	free(source);
}
END_TEST

/* While the better copy cannot be read, a block that its duplicate lacks is not missing. */
START_TEST(test_temporary_error_and_duplicate)
{
	uint8_t source[MAKER_CHUNK], bytes[MAKER_CHUNK], *better;
	struct error e;
	struct shown s;
	size_t len;

	memset(source, 7, sizeof(source));
	s.made = (struct made_core){ 0 };
	for (uint32_t i = 0; i < 2; i++) {
		char name[] = { 'm', (char)('0' + i), '\0' };
		struct maker m;

		maker_init(&m, i, 2, MAKER_CHUNK);
		maker_begin(&m);
		if (i)
			maker_add_unreadable(&m, 0, MAKER_CHUNK);
		else
			maker_add_record(&m, source, 0, MAKER_CHUNK);
		maker_end(&m, name);
	}
	show_members(&s, "m{0..1}");
	s.source.zero_holes = true;
	better = cut_member("m0", ALIGNMENT + 100, &len);
	ck_assert(loaded_may_recover(get(&s, &s.source.view, 0, MAKER_CHUNK, bytes, &e)));
	put_back("m0", better, len);
	while (get(&s, &s.source.view, 0, MAKER_CHUNK, bytes, &e))
		usleep(1000);
	ck_assert_mem_eq(bytes, source, MAKER_CHUNK);
	hide(&s);
}
END_TEST

/* Overwrites a packed block, and corrects all checksums. */
static void corrupt(uint8_t *raw, uint32_t block)
{
	struct record record;
	uint32_t at, entry;

	ck_assert_int_eq(record_decode(&record, raw, MAKER_CHUNK), STATUS_OK);
	at = record.payload_offset;
	for (uint32_t i = 0; i < block; i++)
		at += record_entry_length(get_le32(raw + RECORD_HEADER_LENGTH + 4 * i));
	entry = get_le32(raw + RECORD_HEADER_LENGTH + 4 * block);
	ck_assert_int_eq(record_entry_kind(entry), BLOCK_PACKED);
	memset(raw + at, 0xff, record_entry_length(entry));
	record.body_checksum = record_body_checksum(&record, raw);
	record_encode(&record, raw);
}

/* The same record of packed blocks in each member; block 1 of the one in m0 is corrupt. */
static void show_corrupt(struct shown *s, uint8_t *source, uint32_t members)
{
	s->made = (struct made_core){ 0 };
	for (size_t i = 0; i < MAKER_CHUNK; i++)
		source[i] = (uint8_t)(i / 100 + i / MAKER_BLOCK);
	for (uint32_t i = 0; i < members; i++) {
		char name[] = { 'm', (char)('0' + i), '\0' };
		struct maker m;
		size_t at;

		maker_init(&m, i, members, MAKER_CHUNK);
		maker_begin(&m);
		at = maker_add_record(&m, source, 0, MAKER_CHUNK);
		if (!i)
			corrupt(m.bytes + at, 1);
		maker_end(&m, name);
	}
	show_members(s, members == 1 ? "m0" : "m{0..1}");
}

/* Unpacking shows the damage; then the duplicate is used. */
START_TEST(test_corrupt_and_duplicate)
{
	uint8_t source[MAKER_CHUNK], bytes[MAKER_CHUNK];
	struct error e;
	struct shown s;

	show_corrupt(&s, source, 2);
	ck_assert_int_eq(get(&s, &s.source.view, 10, 100, bytes, &e), STATUS_OK);
	for (int again = 0; again < 2; again++) {
		memset(bytes, 0, sizeof(bytes));
		ck_assert_msg(get(&s, &s.source.view, 0, MAKER_CHUNK, bytes, &e) == STATUS_OK,
			      "%s", e.text);
		ck_assert_mem_eq(bytes, source, MAKER_CHUNK);
	}
	ck_assert_uint_eq(s.damaged, 1);
	hide(&s);
}
END_TEST

/* What is left of a block that could not be unpacked is not given for its bytes. */
START_TEST(test_corrupt_again)
{
	uint8_t source[MAKER_CHUNK], bytes[MAKER_BLOCK];
	struct cached *cached;
	struct error e;
	struct shown s;

	show_corrupt(&s, source, 1);
	ck_assert_int_eq(cache_take(s.cache, s.buffers, 0, CACHED_PACKED, &cached, &e), STATUS_OK);
	for (uint64_t at = MAKER_BLOCK + 1; at < MAKER_BLOCK + 4; at++)
		ck_assert_int_ne(cached_read(cached, s.buffers, at, 10, bytes, &e), STATUS_OK);
	ck_assert_int_eq(cached_read(cached, s.buffers, 1, 10, bytes, &e), STATUS_OK);
	ck_assert_mem_eq(bytes, source + 1, 10);
	cache_release(s.cache, cached, false);
	hide(&s);
}
END_TEST

/* Once it is known, all of the record is lost. */
START_TEST(test_corrupt)
{
	uint8_t source[MAKER_CHUNK], bytes[MAKER_CHUNK];
	struct cached *cached;
	struct error e;
	struct shown s;

	show_corrupt(&s, source, 1);
	ck_assert_msg(cache_take(s.cache, s.buffers, 0, CACHED_UNPACKED, &cached, &e) == STATUS_OK,
		      "%s", e.text);
	cache_release(s.cache, cached, false);
	ck_assert_uint_eq(s.damaged, 0);
	ck_assert_int_eq(get(&s, &s.source.view, 0, MAKER_BLOCK, bytes, &e), STATUS_OK);
	ck_assert_mem_eq(bytes, source, MAKER_BLOCK);
	ck_assert_int_eq(get(&s, &s.source.view, 10, MAKER_BLOCK, bytes, &e), STATUS_MISSING);
	ck_assert_uint_eq(s.damaged, 1);

	s.source.zero_holes = true;
	memset(bytes, 1, sizeof(bytes));
	ck_assert_int_eq(get(&s, &s.source.view, 0, MAKER_CHUNK, bytes, &e), STATUS_OK);
	memset(source, 0, MAKER_CHUNK);
	ck_assert_mem_eq(bytes, source, MAKER_CHUNK);
	ck_assert_int_eq(get(&s, &s.source.view, 10, MAKER_CHUNK - 20, bytes, &e), STATUS_OK);
	ck_assert_mem_eq(bytes, source + 10, MAKER_CHUNK - 20);
	ck_assert_uint_eq(s.damaged, 1);
	hide(&s);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("view");

	helper_use_directory(tcase);
	tcase_add_test(tcase, test_columns);
	tcase_add_loop_test(tcase, test_temporary_error, 0, 2);
	tcase_add_test(tcase, test_temporary_error_and_duplicate);
	tcase_add_loop_test(tcase, test_temporary_error_and_copies, 0, 2);
	tcase_add_loop_test(tcase, test_damage_and_copies, 0, 2);
	tcase_add_test(tcase, test_corrupt_and_duplicate);
	tcase_add_test(tcase, test_corrupt_again);
	tcase_add_test(tcase, test_corrupt);
	return helper_run_case("view", tcase);
}
