// SPDX-License-Identifier: GPL-2.0-or-later
/* Filling chunks for a dump whose pages are larger than a granule: each block is a page, also if some cannot be read. */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "capture/fill/fill.h"
#include "helper.h"
#include "io/source.h"
#include "trial.h"

enum { PAGE = 16384, PAGES = 16, CHUNK = PAGES * PAGE, OF_PAGE = PAGE / GRANULE };

/* The source is the memory of this process, from a multiple of CHUNK on; what is not mapped cannot be read. */
struct bench {
	uint8_t *mapped, *bytes;
	uint8_t *want;
	struct source source;
	struct filler filler;
	struct chunk_pool pool;
	struct chunk_list list;
};

/* All but page 3 are stored. */
static void classify(void *arg, unsigned worker, uint64_t offset, uint32_t granules, uint8_t *classes)
{
	(void)arg;
	(void)worker;
	ck_assert_uint_eq(offset % CHUNK, 0);
	memset(classes, CLASS_KERNEL, granules);
	memset(classes + 3 * OF_PAGE, CLASS_FREE, OF_PAGE);
}

static void map_source(struct bench *b)
{
	static char name[] = "memory";

	b->want = trial_bytes_new(TRIAL_MIXED, CHUNK);
	b->mapped = mmap(NULL, 2 * (size_t)CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(b->mapped, MAP_FAILED);
	b->bytes = (uint8_t *)(uintptr_t)round_up((uintptr_t)b->mapped, CHUNK);
	memcpy(b->bytes, b->want, CHUNK);
	b->source = (struct source){
		.ops = &source_file_ops, .name = name, .fd = open("/proc/self/mem", O_RDONLY),
		.size = (uintptr_t)b->bytes + CHUNK, .direct_fd = -1, .interrupt_fd = -1,
	};
	ck_assert_int_ge(b->source.fd, 0);
}

static void bench_open(struct bench *b, const struct codec *codec, struct layer_policy *policy)
{
	const struct presets presets = presets_of(codec, codec->level_default);
	struct fill_settings settings = {
		.presets = &presets, .policy = policy, .block_size = PAGE, .chunk_size = CHUNK,
	};
	struct error e;

	*policy = (struct layer_policy){ .layers = 2, .plan = class_table_plain(), .classify = classify };
	policy->plan.of[CLASS_FREE] = class_entry(CLASS_LEFT_OUT, 0);
	map_source(b);
	settings.source = &b->source;
	ck_assert_int_eq(filler_init(&b->filler, &settings, 0, &e), STATUS_OK);
	b->filler.packers.of[0].for_dump = true;
	chunk_list_init(&b->list);
	ck_assert_int_eq(chunk_pool_init(&b->pool, 1, chunk_capacity(codec->bound(PAGE), PAGE, CHUNK, 512) + ALIGNMENT,
					 &b->list, &e), STATUS_OK);
}

static void bench_close(struct bench *b)
{
	filler_free(&b->filler);
	chunk_pool_free(&b->pool);
	close(b->source.fd);
	munmap(b->mapped, 2 * (size_t)CHUNK);
	free(b->want);
}

/* The pages of the chunk, unpacked in their order, are those that are neither left out nor unreadable. */
static void assert_pages(const struct bench *b, const struct chunk *chunk, const struct codec *codec, uint32_t bad)
{
	const struct record *r = &chunk->record;
	uint8_t *page = malloc(PAGE);
	uint32_t block = 0, at = r->payload_offset;

	ck_assert_uint_eq(r->block_size, PAGE);
	/* Blocks are moved behind the list if it becomes longer. */
	if (bad == PAGES)
		ck_assert_uint_eq(r->payload_offset % ALIGNMENT, 0);
	for (uint32_t i = 0; i < PAGES; i++) {
		uint32_t entry = get_le32(chunk->bytes + record_table_offset(r) + (size_t)RECORD_ENTRY_LENGTH * block);
		uint32_t length = record_entry_length(entry);

		if (i == 3 || i == bad)
			continue;
		if (record_entry_kind(entry) == BLOCK_PACKED) {
			void *unpacker = codec->unpacker_new ? codec->unpacker_new() : NULL;

			ck_assert(codec->unpack(unpacker, chunk->bytes + at, length, page, PAGE));
			if (unpacker)
				codec->unpacker_free(unpacker);
		} else if (record_entry_kind(entry) == BLOCK_STORED) {
			memcpy(page, chunk->bytes + at, PAGE);
		} else {
			ck_assert_int_eq(record_entry_kind(entry), BLOCK_ZERO);
			memset(page, 0, PAGE);
		}
		ck_assert_mem_eq(page, b->want + (size_t)i * PAGE, PAGE);
		at += length;
		block++;
	}
	ck_assert_uint_eq(block, record_blocks(r));
	free(page);
}

static void check(const struct codec *codec, uint32_t bad)
{
	struct layer_policy policy;
	struct chunk *chunk;
	struct bench b;

	bench_open(&b, codec, &policy);
	if (bad < PAGES)
		ck_assert_int_eq(munmap(b.bytes + (size_t)bad * PAGE + GRANULE, GRANULE), 0);
	chunk = b.list.first;
	chunk->run = unit_run_of((uintptr_t)b.bytes / CHUNK);
	fill_begin(&b.filler, chunk);
	fill_units(&b.filler, chunk);
	ck_assert_uint_eq(chunk->amounts.unreadable, bad < PAGES ? PAGE : 0);
	assert_pages(&b, chunk, codec, bad);
	bench_close(&b);
}

/* _i: 1 is LZO. */
START_TEST(test_pages)
{
	check(_i ? &codec_lzo : &codec_raw, PAGES);
}
END_TEST

START_TEST(test_unreadable)
{
	const struct codec *codec = _i ? &codec_lzo : &codec_raw;

	check(codec, 0);
	check(codec, 7);
	check(codec, PAGES - 1);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fill_dump");
	TCase *tcase = tcase_create("fill_dump");

	tcase_add_loop_test(tcase, test_pages, 0, 2);
	tcase_add_loop_test(tcase, test_unreadable, 0, 2);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
