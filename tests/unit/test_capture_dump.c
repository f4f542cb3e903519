// SPDX-License-Identifier: GPL-2.0-or-later
/* Captures into a dump, with pages of one granule or more, of sources that are sparse or cannot be read everywhere. */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "capture/form/dump_writer.h"
#include "format/kdump.h"
#include "helper.h"
#include "io/source.h"
#include "trial.h"

/* Addresses that are not used; below BASE, nothing is mapped. */
enum { HEAD = 65536, CHUNK = 65536, BASE = 16 * CHUNK, AREA = 12 * CHUNK };
/* In the area: a granule that cannot be read. */
enum { BAD = 5 * CHUNK + 36864 };

/* All pages from an offset on are of the dump, but for the first one, which is as the ELF header. */
struct made {
	struct dump_layout layout;
	uint64_t base, end;
};

static void put_head(const void *arg, uint64_t from, size_t len, uint8_t *dst, uint64_t *bits)
{
	(void)bits;
	(void)arg;
	(void)from;
	memset(dst, 0x11, len);
}

static bool next_pages(const void *arg, uint64_t offset, uint64_t end, struct dump_pages *pages)
{
	const struct made *m = arg;
	uint32_t page = m->layout.page_size;
	uint64_t at = max_u64(round_up(offset, page), m->base + page);

	end = min_u64(end, m->end);
	if (at >= end)
		return false;
	*pages = (struct dump_pages){ at, (at - m->base) / page - 1, divide_up(end - at, page) };
	return true;
}

static bool next_ragged(const void *arg, size_t *i, uint64_t *rank, const uint8_t **page)
{
	(void)arg;
	(void)i;
	(void)rank;
	(void)page;
	return false;
}

static struct kdump_descriptor descriptor(const struct trial *t, uint64_t rank)
{
	return kdump_descriptor_decode(t->memory[0].bytes + HEAD + rank * KDUMP_DESCRIPTOR_LENGTH);
}

static void assert_page(const struct trial *t, uint64_t rank, const uint8_t *want, uint32_t page_size)
{
	struct kdump_descriptor d = descriptor(t, rank);
	const uint8_t *at = t->memory[0].bytes + d.offset;
	uint8_t page[65536];

	ck_assert_uint_le(d.offset + d.size, t->memory[0].length);
	if (d.flags) {
		ck_assert_msg(codec_lzo.unpack(NULL, at, d.size, page, page_size), "rank %d: %d bytes, flags %d", (int)rank,
			      (int)d.size, (int)d.flags);
		at = page;
	} else {
		ck_assert_uint_eq(d.size, page_size);
	}
	ck_assert_mem_eq(at, want, page_size);
}

struct capture_kind {
	uint32_t page_size;
	unsigned threads;		/* 0: serial */
	const struct codec *codec;
};

static const struct capture_kind kinds[] = {
	{ 4096, 3, &codec_lzo }, { 4096, 0, &codec_lzo }, { 4096, 1, &codec_raw },
	{ 16384, 3, &codec_lzo }, { 16384, 0, &codec_lzo }, { 16384, 1, &codec_raw },
	{ 65536, 2, &codec_lzo }, { 65536, 0, &codec_raw },
};

/* Captures the area, which is at base in the source, to a file; absent: a page in it, 0: none. */
static void capture_area(struct source *source, uint64_t base, const uint8_t *area, const struct capture_kind *kind,
			 uint64_t absent)
{
	uint32_t page = kind->page_size;
	struct made made = {
		.layout = {
			.page_size = page, .flag = kind->codec == &codec_raw ? 0 : KDUMP_LZO, .head = HEAD,
			.pages = AREA / page - 1, .put_head = put_head, .next_pages = next_pages,
			.next_ragged = next_ragged, .arg = &made,
		},
		.base = base, .end = base + AREA,
	};
	struct trial t;

	trial_init(&t, source, 1);
	t.settings.dump = &made.layout;
	t.settings.block_size = page;
	t.settings.chunk_size = CHUNK;
	t.settings.threads = kind->threads;
	t.settings.serial = !kind->threads;
	t.settings.presets = presets_of(kind->codec, 0);
	t.memory[0].rewinds = t.memory[0].anywhere = true;
	trial_sink_prepare(&t.sinks[0]);
	trial_run(&t);
	ck_assert_int_eq(t.status, absent ? STATUS_MISSING : STATUS_OK);
	for (uint64_t at = page; at < AREA; at += page) {
		if (absent && at == absent)
			ck_assert_uint_eq(descriptor(&t, at / page - 1).size, 0);
		else
			assert_page(&t, at / page - 1, area + at, page);
	}
	trial_free(&t);
}

/* Without holes, and with some that are shorter than a page. */
START_TEST(test_holes)
{
	uint8_t *bytes = trial_bytes_new(TRIAL_MIXED, AREA);
	struct trial_source source;

	for (int sparse = 0; sparse < 2; sparse++) {
		trial_source_init(&source, bytes, AREA);
		source.source.sparse = sparse;
		capture_area(&source.source, 0, bytes, &kinds[_i], 0);
	}
	free(bytes);
}
END_TEST

/*
 * The memory of this process as a source, in which a granule is missing, as in test_capture_sources.c.  Its whole page
 * is absent, and all others are right.
 */
START_TEST(test_bad_granule)
{
	static char name[] = "memory";
	uint8_t *bytes = trial_bytes_new(TRIAL_MIXED, AREA);
	uint8_t *area = mmap((void *)(uintptr_t)BASE, AREA, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	struct source source = {
		.ops = &source_file_ops, .name = name, .fd = open("/proc/self/mem", O_RDONLY),
		.size = BASE + AREA, .direct_fd = -1, .interrupt_fd = -1,
	};

	/* Otherwise, the addresses are in use on this machine. */
	if (area == (uint8_t *)(uintptr_t)BASE && source.fd >= 0) {
		memcpy(area, bytes, AREA);
		ck_assert_int_eq(munmap(area + BAD, GRANULE), 0);
		capture_area(&source, BASE, bytes, &kinds[_i], round_down(BAD, kinds[_i].page_size));
		munmap(area, AREA);
	}
	close(source.fd);
	free(bytes);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("capture_dump");

	tcase_add_loop_test(tcase, test_holes, 0, LENGTH(kinds));
	tcase_add_loop_test(tcase, test_bad_granule, 0, LENGTH(kinds));
	return helper_run_case("capture_dump", tcase);
}
