// SPDX-License-Identifier: GPL-2.0-or-later
/* The build id of a program, and files that are none. */
#include "config.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "helper.h"
#include "system/build_id.h"

/* An ELF file with one segment of notes. */
struct made {
	ElfW(Ehdr) header;
	ElfW(Phdr) segment;
	struct {
		ElfW(Nhdr) note;
		char name[4], text[4];
		ElfW(Nhdr) second;
		char second_name[4];
		unsigned char id[4];
	} notes;
};

static struct made make(void)
{
	struct made made = {
		.header = { .e_phoff = offsetof(struct made, segment),
			    .e_phentsize = sizeof(made.segment), .e_phnum = 1 },
		.segment = { .p_type = PT_NOTE, .p_offset = offsetof(struct made, notes),
			     .p_filesz = sizeof(made.notes) },
		.notes = { .note = { 4, 4, NT_GNU_ABI_TAG }, .name = "GNU",
			   .second = { 4, 3, NT_GNU_BUILD_ID }, .second_name = "GNU",
			   .id = { 0x01, 0xab, 0xff, 0x77 } },
	};

	memcpy(made.header.e_ident, ELFMAG, SELFMAG);
	made.header.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	return made;
}

START_TEST(test_made)
{
	struct made made = make();
	char id[BUILD_ID_LENGTH];

	ck_assert(build_id_in(&made, sizeof(made), id));
	ck_assert_str_eq(id, "01abff");
	/* A file that ends anywhere before has none. */
	for (size_t size = 0; size < sizeof(made); size++)
		ck_assert(!build_id_in(&made, size, id));
}
END_TEST

START_TEST(test_wrong)
{
	char id[BUILD_ID_LENGTH];
	struct made made;

	made = make();
	made.header.e_ident[EI_CLASS] ^= ELFCLASS32 ^ ELFCLASS64;
	ck_assert(!build_id_in(&made, sizeof(made), id));
	made = make();
	made.header.e_phoff = (ElfW(Off))-1;
	ck_assert(!build_id_in(&made, sizeof(made), id));
	made = make();
	made.segment.p_offset = (ElfW(Off))-8;
	ck_assert(!build_id_in(&made, sizeof(made), id));
	made = make();
	made.notes.note.n_descsz = 0xffffffff;
	ck_assert(!build_id_in(&made, sizeof(made), id));
	made = make();
	made.notes.second.n_descsz = 0;
	ck_assert(!build_id_in(&made, sizeof(made), id));
}
END_TEST

START_TEST(test_files)
{
	char id[BUILD_ID_LENGTH];
	struct made made = make();

	helper_write_file("made", &made, sizeof(made));
	ck_assert(build_id_of("made", id));
	ck_assert_str_eq(id, "01abff");
	helper_write_file("empty", "", 0);
	ck_assert(!build_id_of("empty", id));
	ck_assert(!build_id_of("absent", id));
	ck_assert(!build_id_of(".", id));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("build_id");
	TCase *tcase = tcase_create("files");

	helper_use_directory(tcase);
	tcase_add_test(tcase, test_made);
	tcase_add_test(tcase, test_wrong);
	tcase_add_test(tcase, test_files);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
