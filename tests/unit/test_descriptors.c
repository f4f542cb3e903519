// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "format/descriptors.h"
#include "helper.h"

/* Pages of consecutive ranks, and of consecutive offsets. */
static void add(struct descriptors *d, uint64_t rank, uint32_t count, uint64_t offset)
{
	descriptors_begin_run(d, rank);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t at = offset + i;
		struct kdump_descriptor page = { .offset = at, .size = (uint32_t)(at % 1000), .flags = (uint32_t)(at % 7) };

		descriptors_add(d, &page, at + 1);
	}
}

/* --- sectors ------------------------------------------------------------- */

enum { AREA = 8192, SECTOR = 512, LEAST = 300 };

/* The descriptors on a disk that has all sectors of the calls before, and any of this one. */
struct disk {
	uint8_t safe[AREA], bytes[AREA];
	uint64_t first, end;		/* ranks that may be there */
};

/* What a reader may find: nothing, a length that it refuses, or the descriptor as add() makes it. */
static void assert_harmless(const struct disk *disk, const uint8_t *area)
{
	for (uint64_t rank = disk->first; rank < disk->end; rank++) {
		struct kdump_descriptor d = kdump_descriptor_decode(area + rank * KDUMP_DESCRIPTOR_LENGTH);
		bool refused = !d.size && (d.flags == KDUMP_ZLIB || !d.offset);

		ck_assert(refused || (d.offset == LEAST + rank && d.size == d.offset % 1000 && d.flags == d.offset % 7));
	}
}

static enum status write_area(void *arg, uint64_t offset, const uint8_t *bytes, size_t len, struct error *e)
{
	struct disk *disk = arg;

	(void)e;
	ck_assert_uint_le(offset + len, AREA);
	memcpy(disk->bytes + offset, bytes, len);
	return STATUS_OK;
}

/* After a loss of power, with one sector more than before, or all but one. */
static void assert_any_sectors(const struct disk *disk)
{
	for (unsigned sector = 0; sector < AREA / SECTOR; sector++) {
		uint8_t one[AREA], others[AREA];

		memcpy(one, disk->safe, AREA);
		memcpy(others, disk->bytes, AREA);
		memcpy(one + (size_t)sector * SECTOR, disk->bytes + (size_t)sector * SECTOR, SECTOR);
		memcpy(others + (size_t)sector * SECTOR, disk->safe + (size_t)sector * SECTOR, SECTOR);
		assert_harmless(disk, one);
		assert_harmless(disk, others);
	}
}

START_TEST(test_sectors)
{
	struct disk disk = { .end = AREA / KDUMP_DESCRIPTOR_LENGTH };
	const struct descriptors_writer w = { .put = write_area, .arg = &disk };
	struct descriptors d;
	unsigned calls = 0;
	struct error e;

	ck_assert_int_eq(descriptors_init(&d, 16, true, &e), STATUS_OK);
	add(&d, 100, (uint32_t)disk.end - 100, LEAST + 100);
	add(&d, 0, 90, LEAST);
	add(&d, 90, 10, LEAST + 90);
	for (; descriptors_left(&d); calls++) {
		ck_assert_int_eq(descriptors_put(&d, &w, &e), STATUS_OK);
		assert_any_sectors(&disk);
		memcpy(disk.safe, disk.bytes, AREA);
	}
	ck_assert_uint_eq(calls, 3);
	for (uint64_t rank = 0; rank < disk.end; rank++)
		ck_assert_uint_eq(kdump_descriptor_decode(disk.safe + rank * KDUMP_DESCRIPTOR_LENGTH).offset,
				  LEAST + rank);
	descriptors_free(&d);
}
END_TEST

/*
 * Step by step, of a disk that loses what the first sync after step _i should have made safe.  Then the steps are taken
 * again, and those of which the last one is refused stay harmless.
 */
START_TEST(test_failed_sync)
{
	struct disk disk = { .end = AREA / KDUMP_DESCRIPTOR_LENGTH };
	const struct descriptors_writer w = { .put = write_area, .arg = &disk };
	struct descriptors d;
	struct error e;

	ck_assert_int_eq(descriptors_init(&d, 16, true, &e), STATUS_OK);
	add(&d, 0, (uint32_t)disk.end, LEAST);
	for (int call = 0; descriptors_left(&d); call++) {
		ck_assert_int_eq(descriptors_put(&d, &w, &e), STATUS_OK);
		assert_any_sectors(&disk);
		if (call == _i) {
			descriptors_unsafe(&d, NULL, NULL, NULL);
			/* Only those in two sectors come again. */
			for (uint64_t rank = 0; rank < disk.end; rank++)
				if (rank % 64 == 21)
					memcpy(disk.bytes + rank * KDUMP_DESCRIPTOR_LENGTH,
					       disk.safe + rank * KDUMP_DESCRIPTOR_LENGTH, KDUMP_DESCRIPTOR_LENGTH);
		}
		memcpy(disk.safe, disk.bytes, AREA);
	}
	for (uint64_t rank = 0; rank < disk.end; rank++) {
		struct kdump_descriptor found = kdump_descriptor_decode(disk.safe + rank * KDUMP_DESCRIPTOR_LENGTH);

		ck_assert_uint_eq(found.offset, LEAST + rank);
		ck_assert_uint_eq(found.size, (LEAST + rank) % 1000);
	}
	descriptors_free(&d);
}
END_TEST

static bool is_even(void *arg, const struct kdump_descriptor *page, uint64_t checksum)
{
	unsigned *asked = arg;

	++*asked;
	ck_assert_uint_eq(checksum, page->offset + 1);
	return page->offset % 2 == 0;
}

/* Pages that are not there become absent; one that has no checksum, or whose descriptor was written, is not looked for. */
START_TEST(test_lost_pages)
{
	const struct kdump_descriptor absent = { .offset = 4096, .flags = KDUMP_ZLIB };
	struct disk disk = { .end = 8 };
	const struct descriptors_writer w = { .put = write_area, .arg = &disk };
	struct descriptors d;
	unsigned asked = 0;
	struct error e;

	ck_assert_int_eq(descriptors_init(&d, 16, false, &e), STATUS_OK);
	add(&d, 0, 2, LEAST);
	ck_assert_int_eq(descriptors_put(&d, &w, &e), STATUS_OK);
	add(&d, 2, 5, LEAST + 2);
	descriptors_add(&d, &absent, 0);
	descriptors_unsafe(&d, is_even, &asked, &absent);
	ck_assert_uint_eq(asked, 5);
	ck_assert_int_eq(descriptors_put(&d, &w, &e), STATUS_OK);
	for (uint64_t rank = 0; rank < disk.end; rank++) {
		const uint8_t *raw = disk.bytes + rank * KDUMP_DESCRIPTOR_LENGTH;
		bool there = rank < 2 || (rank % 2 == 0 && rank < 7);

		ck_assert_uint_eq(kdump_descriptor_decode(raw).offset, there ? LEAST + rank : absent.offset);
		ck_assert_uint_eq(get_le64(raw + 16), 0);
	}
	descriptors_free(&d);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("descriptors");

	tcase_add_test(tcase, test_sectors);
	tcase_add_loop_test(tcase, test_failed_sync, 0, 2);
	tcase_add_test(tcase, test_lost_pages);
	return helper_run_case("descriptors", tcase);
}
