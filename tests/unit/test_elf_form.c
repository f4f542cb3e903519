// SPDX-License-Identifier: GPL-2.0-or-later
/* The headers of an ELF core of the pages that are kept, and the places of these. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "export/elf_form.h"
#include "helper.h"
#include "made_core.h"

enum { PAGE = 4096 };

static const uint64_t direct = 0xffff888000000000, text = 0xffffffff81000000;

/* Memory with a kernel image in it, and other memory of one page. */
static struct segment segments[] = {
	{ .vaddr = 0xffffffff81000000, .paddr = 0x400000, .filesz = 64 * PAGE, .memsz = 64 * PAGE },
	{ .vaddr = 0xffff888000100000, .paddr = 0x100000, .filesz = 2048 * PAGE, .memsz = 2048 * PAGE },
	{ .vaddr = 0xffff888040000000, .paddr = 0x40000000, .filesz = PAGE, .memsz = PAGE },
};

enum { FIRST = 0x100, IMAGE = 0x400, OTHER = 0x40000 };	/* page frames */

struct bench {
	struct made_core made;
	struct core core;
	struct pages pages;
	struct elf_form form;
};

static void bench_open(struct bench *b)
{
	struct error e;

	made_core_init(&b->made, segments, LENGTH(segments), EM_X86_64, NULL, false);
	ck_assert_int_eq(core_open(&b->core, &b->made.source, &e), STATUS_OK);
	ck_assert_int_eq(pages_find(&b->pages, &b->core, PAGE, NULL, 0, &e), STATUS_OK);
	ck_assert_int_eq(pages_leave_out_begin(&b->pages, &e), STATUS_OK);
}

static void bench_make(struct bench *b)
{
	struct error e;

	pages_leave_out_end(&b->pages);
	ck_assert_int_eq(elf_form_init(&b->form, &b->core, &b->pages, &e), STATUS_OK);
}

static void bench_close(struct bench *b)
{
	elf_form_free(&b->form);
	pages_free(&b->pages);
	core_close(&b->core);
	made_core_free(&b->made);
}

static void assert_load(const struct segment *s, uint64_t vaddr, uint64_t paddr, uint64_t offset, uint64_t pages,
			uint64_t memory)
{
	ck_assert_uint_eq(s->vaddr, vaddr);
	ck_assert_uint_eq(s->paddr, paddr);
	ck_assert_uint_eq(s->offset, offset);
	ck_assert_uint_eq(s->filesz, pages * PAGE);
	ck_assert_uint_eq(s->memsz, memory * PAGE);
}

static enum status read_head(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	const struct elf_form *x = arg;

	if (offset + len > x->head_length)
		return error_set(e, STATUS_MISSING, "not a header");
	memcpy(dst, x->head + offset, len);
	return STATUS_OK;
}

/* As readers see it. */
static void open_head(struct bench *b, struct core *core)
{
	const struct core_bytes bytes = {
		.size = b->form.head_length + b->form.places * PAGE, .read = read_head, .arg = &b->form,
	};
	struct error e;

	ck_assert_uint_eq(b->form.head_length % PAGE, 0);
	ck_assert_msg(core_open(core, &bytes, &e) == STATUS_OK, "%s", e.text);
	ck_assert_int_eq(core->machine, EM_X86_64);
	ck_assert_uint_eq(core->notes_size, b->core.notes_size);
	/* Without notes, there is no pointer. */
	if (core->notes_size)
		ck_assert_mem_eq(core->notes, b->core.notes, core->notes_size);
}

START_TEST(test_all)
{
	struct bench b;
	struct core core;
	uint64_t data;

	bench_open(&b);
	bench_make(&b);
	open_head(&b, &core);
	data = b.form.head_length;
	ck_assert_uint_eq(b.form.places, 2049);
	ck_assert_uint_eq(core.segments_count, 3);
	/* The image, in the same bytes as the memory around it. */
	assert_load(&core.segments[0], text, 0x400000, data + (IMAGE - FIRST) * PAGE, 64, 64);
	assert_load(&core.segments[1], direct + 0x100000, 0x100000, data, 2048, 2048);
	assert_load(&core.segments[2], direct + 0x40000000, 0x40000000, data + 2048 * PAGE, 1, 1);
	core_close(&core);
	bench_close(&b);
}
END_TEST

/* Short gaps stay in a segment, longer ones end it, and what follows the last page is only memory. */
START_TEST(test_left_out)
{
	struct bench b;
	struct core core;
	uint64_t data;

	bench_open(&b);
	pages_leave_out(&b.pages, FIRST, 10);
	pages_leave_out(&b.pages, FIRST + 20, ELF_GAP - 1);
	pages_leave_out(&b.pages, FIRST + 400, ELF_GAP);
	pages_leave_out(&b.pages, IMAGE + 32, FIRST + 2048 - (IMAGE + 32));
	bench_make(&b);
	open_head(&b, &core);
	data = b.form.head_length;
	ck_assert_uint_eq(core.segments_count, 4);
	assert_load(&core.segments[1], direct + 0x10a000, 0x10a000, data, 390, 390 + ELF_GAP);
	assert_load(&core.segments[2], direct + (FIRST + 656) * (uint64_t)PAGE, (FIRST + 656) * (uint64_t)PAGE,
		    data + 390 * PAGE, IMAGE + 32 - (FIRST + 656), 2048 - 656);
	assert_load(&core.segments[3], direct + 0x40000000, 0x40000000, data + (b.form.places - 1) * PAGE, 1, 1);
	assert_load(&core.segments[0], text, 0x400000,
		    data + (elf_form_place(&b.form, IMAGE)) * PAGE, 32, 32);
	ck_assert_uint_eq(elf_form_place(&b.form, FIRST + 10), 0);
	ck_assert_uint_eq(elf_form_place(&b.form, FIRST + 20 + ELF_GAP - 1), 10 + ELF_GAP - 1);
	ck_assert_uint_eq(elf_form_place(&b.form, FIRST + 656), 390);
	ck_assert_uint_eq(elf_form_place(&b.form, OTHER), b.form.places - 1);
	core_close(&core);
	bench_close(&b);
}
END_TEST

/* More segments than the ELF header can count. */
START_TEST(test_many)
{
	enum { COUNT = 70000, STEP = ELF_GAP + 1 };
	struct segment one = { .vaddr = 0xffff888000000000, .memsz = (uint64_t)COUNT * STEP * PAGE };
	struct bench b = { .core = { .machine = EM_X86_64, .segments = &one, .segments_count = 1 } };
	struct page_range *ranges = calloc(COUNT, sizeof(*ranges));
	struct error e;
	struct core core;

	for (uint64_t i = 0; i < COUNT; i++)
		ranges[i] = (struct page_range){ .pfn = i * STEP, .count = 1, .rank = i };
	ck_assert_int_eq(segment_index_physical(&b.core.physical, &one, 1, &e), STATUS_OK);
	b.pages = (struct pages){ .page_size = PAGE, .ranges = ranges, .ranges_count = COUNT, .in_core = COUNT };
	ck_assert_int_eq(elf_form_init(&b.form, &b.core, &b.pages, &e), STATUS_OK);
	open_head(&b, &core);
	ck_assert_uint_eq(core.segments_count, COUNT);
	assert_load(&core.segments[COUNT - 1], direct + (uint64_t)(COUNT - 1) * STEP * PAGE,
		    (uint64_t)(COUNT - 1) * STEP * PAGE, b.form.head_length + (uint64_t)(COUNT - 1) * PAGE, 1, STEP);
	core_close(&core);
	elf_form_free(&b.form);
	segment_index_free(&b.core.physical);
	free(ranges);
}
END_TEST

START_TEST(test_nothing)
{
	struct bench b;

	bench_open(&b);
	pages_leave_out(&b.pages, 0, UINT32_MAX);
	bench_make(&b);
	ck_assert_uint_eq(b.form.places, 0);
	ck_assert_uint_eq(b.form.head_length % PAGE, 0);
	bench_close(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("elf_form");
	TCase *tcase = tcase_create("elf_form");

	tcase_add_test(tcase, test_all);
	tcase_add_test(tcase, test_left_out);
	tcase_add_test(tcase, test_many);
	tcase_add_test(tcase, test_nothing);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
