// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * make_kinds_core [mapped|logged]
 *
 * Writes cores into the current directory, for the tests of the programs' command lines:
 *	kinds	with pages of every class (made_kernel.h)
 *	doubted	the same, but in a way that the class user is not believed
 *	mapped	if asked for: the same as kinds, but the memory map is in memory that it describes, as that of a
 *		real kernel is
 *	logged	if asked for: as kinds, with a kernel log
 *	marked	likewise, but the second page of its texts has a memory error
 *	class	the class of each page frame of both, a line each: a word of --exclude, or "none"
 * It is built like a test, since made_core.c uses its assertions.
 */
#include "config.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "helper.h"
#include "made_kernel.h"

enum { MAP_PFN = 6000 };	/* one of 128 pages of the kernel */

/* The program header of the memory map. */
static Elf64_Phdr *map_header(struct made_map *mm)
{
	Elf64_Ehdr *elf = (Elf64_Ehdr *)(void *)mm->m.bytes;
	Elf64_Phdr *header = (Elf64_Phdr *)(void *)(mm->m.bytes + le64toh(elf->e_phoff));

	while (le64toh(header->p_vaddr) != MADE_BASE)
		header++;
	return header;
}

/* The core has the map in two places then, as it has the kernel image. */
static void move_map(struct made_map *mm)
{
	Elf64_Phdr *header = map_header(mm);

	header->p_paddr = htole64(MAP_PFN * 4096);
	memcpy(mm->m.bytes + mm->segments[0].offset + MAP_PFN * 4096, mm->pages, le64toh(header->p_filesz));
}

START_TEST(make_kinds)
{
	struct made_map mm;

	made_kernel_init(&mm);
	helper_write_file("kinds", mm.m.bytes, mm.m.size);
	made_kernel_point_to(&mm, MADE_USER);
	helper_write_file("doubted", mm.m.bytes, mm.m.size);
	made_map_free(&mm);
}
END_TEST

START_TEST(make_mapped)
{
	struct made_map mm;

	made_kernel_init(&mm);
	move_map(&mm);
	helper_write_file("mapped", mm.m.bytes, mm.m.size);
	made_map_free(&mm);
}
END_TEST

START_TEST(make_logged)
{
	const struct made_fields poisoned = { .flags = MADE_PG_POISON, .refcount = 1 };
	struct made_map mm;

	made_kernel_init_logged(&mm);
	helper_write_file("logged", mm.m.bytes, mm.m.size);
	made_page_set(&mm, MADE_LOG + 17, &poisoned);
	helper_write_file("marked", mm.m.bytes, mm.m.size);
	made_map_free(&mm);
}
END_TEST

START_TEST(make_class)
{
	FILE *file = fopen("class", "w");

	ck_assert_ptr_nonnull(file);
	for (uint64_t pfn = 0; pfn < MADE_FRAMES; pfn++) {
		enum page_class c = made_kernel_class(pfn);

		fprintf(file, "%s\n", c == PAGE_CLASSES ? "none" : page_class_name(c));
	}
	ck_assert_int_eq(fclose(file), 0);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *suite = suite_create("make_kinds_core");
	TCase *tcase = tcase_create("make_kinds_core");

	/* Some 64 MiB are written, perhaps while others do. */
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, make_kinds);
	tcase_add_test(tcase, make_class);
	if (argc == 2 && strcmp(argv[1], "mapped") == 0)
		tcase_add_test(tcase, make_mapped);
	if (argc == 2 && strcmp(argv[1], "logged") == 0)
		tcase_add_test(tcase, make_logged);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
