// SPDX-License-Identifier: GPL-2.0-or-later
/* A core shown page by page, compared with one whose memory is known: segments anywhere, once and several times. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "core/pages.h"
#include "filter/page_source.h"
#include "filter/source_bytes.h"
#include "helper.h"
#include "io/source.h"

enum { PAGE = 4096, MEMORY = 64 * PAGE, SEGMENTS = 8, CUT = 3, TRIALS = 60 };

/* A core in a file, and the memory that it describes. */
struct made {
	struct segment segments[SEGMENTS];
	uint8_t *file;			/* owned */
	size_t size;
	uint8_t memory[MEMORY];		/* bytes in no segment are zeros */
	bool stored[MEMORY], present[MEMORY];	/* in a segment; and the file is long enough for it */
};

static uint32_t pick(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 8) % below;
}

/* Memory begins and ends at multiples of this, and is in the file at multiples of it. */
static const uint32_t steps[] = { PAGE, 1, 4, 512 };

static void make(struct made *m, uint32_t trial)
{
	uint32_t seed = trial * 77 + 1, step = steps[trial % LENGTH(steps)];
	uint32_t place = step == PAGE ? 512 : step;
	size_t at = round_up(elf_notes_offset(SEGMENTS + 1), place);
	Elf64_Phdr *h;

	*m = (struct made){ .file = helper_pages(SEGMENTS * MEMORY) };
	h = elf_put_header(m->file, EM_X86_64, SEGMENTS + 1, 0);
	for (size_t i = 0; i < SEGMENTS; i++) {
		struct segment *s = &m->segments[i];

		s->paddr = round_down(pick(&seed, MEMORY - 1), step);
		s->memsz = min_u64(round_up(1 + pick(&seed, 9 * PAGE), step), MEMORY - s->paddr);
		s->filesz = pick(&seed, 4) ? s->memsz : round_down(pick(&seed, (uint32_t)s->memsz), step);
		s->vaddr = 0xffff888000000000 + s->paddr;
		s->offset = at + (size_t)pick(&seed, 5) * place;
		at = s->offset + s->filesz;
		h[i] = elf_load(s);
	}
	m->size = trial % 5 == CUT ? at / 2 : at;
	for (size_t i = 0; i < SEGMENTS; i++)
		for (uint64_t n = 0; n < m->segments[i].filesz; n++) {
			const struct segment *s = &m->segments[i];
			uint64_t paddr = s->paddr + n;

			m->memory[paddr] = m->file[s->offset + n] = (uint8_t)(paddr / PAGE * 37 + paddr % PAGE * 11 + 1);
			m->stored[paddr] = true;
			m->present[paddr] |= s->offset + n < m->size;
		}
	helper_write_file("core", m->file, m->size);
}

static struct source *open_pages(uint32_t page_size, enum mmap_mode mmap)
{
	struct source *source, *shown;
	struct source_bytes bytes;
	struct core_bytes reading;
	struct core core;
	struct error e;

	ck_assert_int_eq(source_open(&source, "core", mmap, &e), STATUS_OK);
	ck_assert_int_eq(source_bytes_open(&bytes, source, &reading, &e), STATUS_OK);
	ck_assert_msg(core_open(&core, &reading, &e) == STATUS_OK, "%s", e.text);
	ck_assert_int_eq(page_source_new(&shown, source, &core, page_size, &e), STATUS_OK);
	core_close(&core);
	source_bytes_close(&bytes);
	return shown;
}

static bool is_there(const struct made *m, uint64_t paddr, uint32_t size)
{
	for (uint64_t i = paddr; i < min_u64(paddr + size, MEMORY); i++)
		if (m->stored[i] && !m->present[i])
			return false;
	return true;
}

static bool is_page(const struct made *m, uint64_t paddr, uint32_t size)
{
	for (uint64_t i = paddr; i < min_u64(paddr + size, MEMORY); i++)
		if (m->stored[i])
			return true;
	return false;
}

/* Each page that has a byte is there once, whole, and where it may be. */
static void assert_pages(const struct made *m, struct source *s, uint32_t size)
{
	struct source_bytes bytes;
	struct core_bytes reading;
	struct pages pages;
	struct core core;
	struct error e;
	uint64_t count = 0;
	uint8_t page[65536];

	ck_assert_int_eq(source_bytes_open(&bytes, s, &reading, &e), STATUS_OK);
	ck_assert_msg(core_open(&core, &reading, &e) == STATUS_OK, "%s", e.text);
	ck_assert_uint_eq(core.segments_count, SEGMENTS);
	ck_assert_msg(pages_find(&pages, &core, size, NULL, &e) == STATUS_OK, "%s", e.text);
	for (uint64_t paddr = 0; paddr < MEMORY; paddr += size) {
		struct page_range run;
		bool is = is_page(m, paddr, size);

		count += is;
		ck_assert_int_eq(pages_next_run(&pages, paddr / size, paddr / size + 1, &run), is);
		if (!is)
			continue;
		ck_assert(!run.ragged && run.offset % size == 0);
		if (reading.read(reading.arg, run.offset, size, page, &e)) {
			ck_assert(!is_there(m, paddr, size));
			continue;
		}
		ck_assert(is_there(m, paddr, size));
		ck_assert_mem_eq(page, m->memory + paddr, min_u64(size, MEMORY - paddr));
	}
	ck_assert_uint_eq(pages.in_core, count);
	ck_assert_uint_eq(pages.by_offset[0]->offset + count * size, s->size);
	pages_free(&pages);
	core_close(&core);
	source_bytes_close(&bytes);
}

/* All of it; what cannot be read is not there, byte by byte. */
static void read_all(struct source_reader *r, uint8_t *image, bool *there)
{
	const uint8_t *data;
	struct error e;
	size_t got;

	for (uint64_t at = 0; at < r->source->size; at += got) {
		there[at] = !source_get_carefully(r, at, PAGE, &data, &got, &e);
		got = there[at] ? got : 1;
		memset(there + at, there[at], got);
		memcpy(image + at, there[at] ? data : (const uint8_t *)"", got);
	}
}

/* Any range, in both ways: whole pages, unless it begins or ends within one. */
static void assert_ranges(const struct made *m, struct source *s, uint32_t size, uint32_t seed)
{
	uint8_t *image = malloc(s->size);
	bool *there = malloc(s->size);
	struct source_reader r;
	const uint8_t *data;
	struct error e;

	ck_assert_int_eq(source_reader_init(&r, s, size, 1 << 20, READ_TO_BUFFER, &e), STATUS_OK);
	read_all(&r, image, there);
	for (int i = 0; i < 3000; i++) {
		uint64_t at = pick(&seed, (uint32_t)s->size), want = 1 + pick(&seed, 5 * PAGE), length = want, from;
		bool carefully = pick(&seed, 2);
		size_t got;
		enum status status;

		if (pick(&seed, 2)) {
			at = round_down(at, size);
			want = round_up(want, size);
		}
		want = min_u64(want, s->size - at);
		status = carefully ? source_get_carefully(&r, at, want, &data, &got, &e) :
				     source_get(&r, at, want, &data, &got, &e);
		if (status) {
			/* Of what was asked for, or of the first page. */
			ck_assert_ptr_ne(memchr(there + at, false, carefully ? want : min_u64(want, size - at % size)), NULL);
			continue;
		}
		ck_assert(got && got <= want);
		ck_assert_mem_eq(data, image + at, got);
		ck_assert(got == want || !is_there(m, 0, MEMORY) || (at + got) % size == 0);
		from = source_original(s, at, &length);
		ck_assert(length);
		if (from < m->size)
			ck_assert_mem_eq(m->file + from, image + at, min_u64(length, m->size - from));
	}
	ck_assert_int_eq(source_get(&r, s->size, 1, &data, &(size_t){ 0 }, &e), STATUS_END);
	ck_assert_int_eq(source_get_carefully(&r, s->size, 1, &data, &(size_t){ 0 }, &e), STATUS_END);
	source_reader_free(&r);
	free(image);
	free(there);
}

/* What next_data() takes for a hole reads as zeros. */
static void assert_holes(struct source *s)
{
	uint64_t from, to, last = 0;
	struct source_reader r;
	const uint8_t *data;
	struct error e;
	size_t got;

	ck_assert_int_eq(source_reader_init(&r, s, PAGE, 1 << 20, READ_TO_BUFFER, &e), STATUS_OK);
	for (uint64_t at = 0; at < s->size; at = to) {
		source_next_data(s, at, s->size, &from, &to);
		ck_assert(from >= at && to <= s->size && (to > from || from == s->size));
		for (uint64_t i = last; i < from; i += got) {
			ck_assert_int_eq(source_get_carefully(&r, i, from - i, &data, &got, &e), STATUS_OK);
			ck_assert(bytes_are_zero(data, got));
		}
		last = to = from == s->size ? from : to;
	}
	source_reader_free(&r);
}

START_TEST(test_random)
{
	static const uint32_t sizes[] = { PAGE, 16384, 65536 };
	uint32_t size = sizes[_i / 4 % LENGTH(sizes)];
	struct made *m = malloc(sizeof(*m));
	struct source *s;

	make(m, (uint32_t)_i);
	if (!is_page(m, 0, MEMORY)) {
		free(m->file);
		free(m);
		return;
	}
	s = open_pages(size, _i % 2 ? MMAP_ALWAYS : MMAP_NEVER);
	assert_pages(m, s, size);
	assert_ranges(m, s, size, (uint32_t)_i);
	assert_holes(s);
	source_close(s);
	free(m->file);
	free(m);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("page_source");

	helper_use_directory(tcase);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_random, 0, TRIALS);
	return helper_run_case("page_source", tcase);
}
