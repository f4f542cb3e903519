// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How exports to kdump-compressed files end: hostile members, memory without end, and final names.
 * test_kdump_layers.c compares what is in the files.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "corpus.h"
#include "export/kdump_export.h"
#include "helper.h"
#include "kdump_opened.h"
#include "made_core.h"
#include "io/existing.h"
#include "set_maker.h"

enum { PAGE = 4096, CHUNK = 4 * PAGE, MEMBERS = 3, THREADS = 3 };

static const struct watch no_watch = { .fd = -1, .interval = 1 };

/*
 * Overlapping segments, ragged ends, memory that is not in the file, and a gap.  The kernel image
 * comes before the memory that contains it.
 */
enum { IMAGE, LOW, MAIN, HIGH, SEGMENTS };
static const struct segment usual[SEGMENTS] = {
	[IMAGE] = { .paddr = 0x200000, .filesz = 20 * PAGE, .memsz = 20 * PAGE },
	[LOW] = { .paddr = 0x1000, .filesz = 0x9e00, .memsz = 0x9e00 },
	[MAIN] = { .paddr = 0x100000, .filesz = 0x180000, .memsz = 0x190000 },
	[HIGH] = { .paddr = 0x400200, .filesz = 0x40e00, .memsz = 0x40e00 },
};

struct made {
	struct made_core core;
	struct segment segments[SEGMENTS];
};

/* A page of memory, whose kind depends on its number. */
static void memory_of(uint64_t pfn, uint8_t page[PAGE])
{
	corpus_fill((enum corpus_kind)(pfn / 2 % CORPUS_KINDS), pfn, page, PAGE);
}

static void fill(struct made *m, void (*of)(uint64_t pfn, uint8_t page[PAGE]))
{
	uint8_t page[PAGE];

	for (size_t i = 0; i < SEGMENTS; i++) {
		const struct segment *s = &m->segments[i];

		for (uint64_t at = 0, some; at < s->filesz; at += some) {
			uint64_t within = (s->paddr + at) % PAGE;

			some = min_u64(PAGE - within, s->filesz - at);
			of((s->paddr + at) / PAGE, page);
			memcpy(m->core.bytes + s->offset + at, page + within, some);
		}
	}
}

static void make(struct made *m)
{
	memcpy(m->segments, usual, sizeof(usual));
	made_core_init(&m->core, m->segments, SEGMENTS, EM_X86_64, "OSRELEASE=6.1.0\nPAGESIZE=4096\n", false);
	fill(m, memory_of);
}

/* --- an export, as njoin does it ------------------------------------------------- */

/* And ends the export. */
static enum status walk_over(struct kdump_export *x, struct set *set, bool ends, struct error *e)
{
	struct walk_settings settings = {
		.threads = THREADS,
		.to = UINT64_MAX,
		.watch = no_watch,
	};
	struct walk *walk = NULL;
	enum status status;

	kdump_export_walk(x, &settings);
	status = walk_new(&walk, set, &settings, e);

	if (!status)
		status = walk_run(walk, e);
	if (!status && ends)
		status = kdump_export_end(x, walk, e);
	walk_free(walk);
	return status;
}

static const struct absent nothing_absent = { .missing = NULL };

/* To k0, which does not exist after a failure. */
static enum status export(struct error *e)
{
	struct kdump_export x = { 0 };
	struct output_file file;
	const struct kdump_settings settings = {
		.outputs = &file, .outputs_count = 1, .codec = &codec_lzo, .threads = THREADS,
	};
	enum status status;
	struct set set;

	maker_open(&set, "m{0..2}");
	ck_assert_int_eq(output_file_probe(&file, "k0", PERMIT_OVERWRITE | PERMIT_DUMPS, true, e), STATUS_OK);
	ck_assert_int_eq(output_file_open(&file, e), STATUS_OK);
	status = kdump_export_open(&x, &set, &nothing_absent, e);
	if (!status)
		status = kdump_export_begin(&x, &settings, e);
	if (!status)
		status = walk_over(&x, &set, true, e);
	kdump_export_free(&x);
	output_file_free(&file);
	set_close(&set);
	return status;
}

/* Makes the first packed block of a record claim a greater length; all checksums are correct. */
static bool lie(uint8_t *raw, uint32_t chunk_size, enum codec_id id)
{
	struct record record;
	uint32_t at;

	ck_assert_int_eq(record_decode(&record, raw, chunk_size), STATUS_OK);
	at = record.payload_offset;
	for (uint32_t i = 0; i < record_blocks(&record); i++) {
		uint32_t entry = get_le32(raw + RECORD_HEADER_LENGTH + 4 * i);

		if (record_entry_kind(entry) != BLOCK_PACKED) {
			at += record_entry_length(entry);
			continue;
		}
		/* Snappy: second byte of the length.  zstd: second byte of the size minus 256. */
		raw[at + (id == CODEC_SNAPPY ? 1 : 6)] = 0x7f;
		record.body_checksum = record_body_checksum(&record, raw);
		record_encode(&record, raw);
		return true;
	}
	return false;
}

START_TEST(test_hostile_block)
{
	enum codec_id id = _i ? CODEC_ZSTD : CODEC_SNAPPY;
	const struct codec *codec = codec_by_id(id);
	uint8_t *bytes;
	size_t len, at;
	struct error e;
	struct made m;

	if (!codec)
		return;
	make(&m);
	maker_make_set(m.core.bytes, m.core.size, MEMBERS, codec);
	bytes = helper_read_file("m1", &len);
	for (at = round_down(len / 2, ALIGNMENT); at < len; at += ALIGNMENT)
		if (piece_kind(bytes + at) == PIECE_RECORD && lie(bytes + at, CHUNK, id))
			break;
	ck_assert_uint_lt(at, len);
	helper_write_file("m1", bytes, len);
	ck_assert_int_eq(export(&e), STATUS_DAMAGED);
	ck_assert_ptr_nonnull(strstr(e.text, ": packed block of bytes "));
	ck_assert_int_eq(helper_file_size("k0"), -1);
	free(bytes);
	made_core_free(&m.core);
}
END_TEST

/* Sets the length of the highest segment of a synthetic core. */
static void set_memsz(struct made *m, uint64_t memsz)
{
	Elf64_Ehdr h;
	Elf64_Phdr p;
	uint8_t *at;

	memcpy(&h, m->core.bytes, sizeof(h));
	at = m->core.bytes + le64toh(h.e_phoff) + (le16toh(h.e_phnum) - 1) * sizeof(p);
	memcpy(&p, at, sizeof(p));
	ck_assert_uint_eq(le64toh(p.p_paddr), m->segments[HIGH].paddr);
	p.p_memsz = htole64(memsz);
	memcpy(at, &p, sizeof(p));
}

/* Memory that is not in the core takes a byte for 32 KiB in each file. */
START_TEST(test_memory_without_end)
{
	static const uint64_t refused[] = { ((uint64_t)1 << 42), ((uint64_t)1 << 56) - 0x400200 };
	struct error e;
	struct made m;

	make(&m);
	for (size_t i = 0; i < LENGTH(refused); i++) {
		set_memsz(&m, refused[i]);
		maker_make_set(m.core.bytes, m.core.size, MEMBERS, &codec_lzo);
		ck_assert_int_eq(export(&e), STATUS_DAMAGED);
		ck_assert_ptr_nonnull(strstr(e.text, "; nothing was written; use --format=elf"));
		ck_assert_int_eq(helper_file_size("k0"), -1);
	}
	made_core_free(&m.core);
}
END_TEST

/* The largest amount of memory that is accepted. */
START_TEST(test_much_memory)
{
	struct kdump_export x = { 0 };
	struct set set;
	struct error e;
	struct made m;

	make(&m);
	set_memsz(&m, ((uint64_t)1 << 41) - ((uint64_t)1 << 22));
	maker_make_set(m.core.bytes, m.core.size, MEMBERS, &codec_lzo);
	maker_open(&set, "m{0..2}");
	ck_assert_msg(kdump_export_open(&x, &set, &nothing_absent, &e) == STATUS_OK, "%s", e.text);
	ck_assert_uint_eq(x.pages.count, 459);
	kdump_export_free(&x);
	set_close(&set);
	made_core_free(&m.core);
}
END_TEST

/* Pages that are not delivered have descriptors of zeros, which some readers accept. */
START_TEST(test_pages_not_delivered)
{
	struct kdump_export x = { 0 };
	struct output_file file;
	const struct kdump_settings settings = {
		.outputs = &file, .outputs_count = 1, .codec = &codec_lzo, .threads = 1,
	};
	struct set set;
	struct error e;
	struct made m;

	make(&m);
	maker_make_set(m.core.bytes, m.core.size, MEMBERS, &codec_lzo);
	maker_open(&set, "m{0..2}");
	ck_assert_int_eq(output_file_probe(&file, "k0", PERMIT_OVERWRITE | PERMIT_DUMPS, true, &e), STATUS_OK);
	ck_assert_int_eq(output_file_open(&file, &e), STATUS_OK);
	ck_assert_int_eq(kdump_export_open(&x, &set, &nothing_absent, &e), STATUS_OK);
	ck_assert_int_eq(kdump_export_begin(&x, &settings, &e), STATUS_OK);
	ck_assert_int_eq(kdump_export_end(&x, NULL, &e), STATUS_DAMAGED);
	ck_assert_str_eq(e.text, "457 of 459 pages were not delivered: the members changed during "
				 "the export");
	kdump_export_free(&x);
	output_file_free(&file);
	ck_assert_int_eq(helper_file_size("k0"), -1);
	set_close(&set);
	made_core_free(&m.core);
}
END_TEST

/* --- final names ------------------------------------------------------------------- */

struct two {
	struct made made;
	struct set set;
	struct output_file files[2];
	struct kdump_export x;
};

/* A split set of k0 and k1, completely written but still without names. */
static void begin_two(struct two *t, bool force)
{
	const struct kdump_settings settings = {
		.outputs = t->files, .outputs_count = 2, .codec = &codec_lzo, .threads = THREADS,
	};
	struct error e;

	t->x = (struct kdump_export){ 0 };
	make(&t->made);
	maker_make_set(t->made.core.bytes, t->made.core.size, MEMBERS, &codec_lzo);
	maker_open(&t->set, "m{0..2}");
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(output_file_probe(&t->files[i], i ? "k1" : "k0", force ? PERMIT_OVERWRITE | PERMIT_DUMPS : 0, true, &e),
				 STATUS_OK);
		ck_assert_int_eq(output_file_open(&t->files[i], &e), STATUS_OK);
	}
	ck_assert_int_eq(kdump_export_open(&t->x, &t->set, &nothing_absent, &e), STATUS_OK);
	ck_assert_int_eq(kdump_export_begin(&t->x, &settings, &e), STATUS_OK);
	ck_assert_int_eq(walk_over(&t->x, &t->set, false, &e), STATUS_OK);
}

static void ends_with(struct two *t, const char *text)
{
	struct error e;

	ck_assert_int_eq(kdump_export_end(&t->x, NULL, &e), STATUS_SYSTEM);
	ck_assert_str_eq(e.text, text);
	kdump_export_free(&t->x);
	for (int i = 0; i < 2; i++)
		output_file_free(&t->files[i]);
	set_close(&t->set);
	made_core_free(&t->made.core);
}

/* The second file cannot be synced, so the first gets no name, and the existing file is kept. */
START_TEST(test_not_synced)
{
	struct two t;
	int fd;

	helper_write_file("k0", "old", 3);
	begin_two(&t, true);
	fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	ck_assert_int_eq(dup2(fd, t.files[1].fd), t.files[1].fd);
	close(fd);
	ends_with(&t, "k1: Invalid argument");
	ck_assert_int_eq(helper_file_size("k0"), 3);
	ck_assert_int_eq(helper_file_size("k1"), -1);
}
END_TEST

/* Another file takes the second name meanwhile: the first is removed, and that file is kept. */
START_TEST(test_name_taken)
{
	struct two t;

	begin_two(&t, false);
	helper_write_file("k1", "other", 5);
	ends_with(&t, "k1: File exists");
	ck_assert_int_eq(helper_file_size("k0"), -1);
	ck_assert_int_eq(helper_file_size("k1"), 5);
}
END_TEST

/* The same with --force, where k0 has already replaced a file, or is new. */
START_TEST(test_name_taken_by_force)
{
	bool replaced = _i;
	struct two t;

	if (replaced)
		helper_write_file("k0", "old", 3);
	begin_two(&t, true);
	ck_assert_int_eq(mkdir("k1", 0777), 0);
	ends_with(&t, replaced ? "k1: Is a directory; k0 has already been replaced"
			       : "k1: Is a directory");
	ck_assert(replaced ? helper_file_size("k0") > PAGE : helper_file_size("k0") == -1);
}
END_TEST

static const uint64_t values[] = { UINT64_MAX, 1, 0, 0x6b6b6b6b6b6b6b6b };

static void repeat(uint64_t pfn, uint8_t page[PAGE])
{
	for (size_t at = 0; at < PAGE; at += 8)
		put_le64(page + at, values[pfn / 3 % 4]);
}

/* Pages that repeat one value are copied once; those of another value beside them are not taken for it. */
START_TEST(test_pages_of_one_value)
{
	uint8_t page[PAGE], read[PAGE];
	struct kdump_opened_page first, second;
	struct kdump_opened v;
	struct made m;
	struct error e;

	make(&m);
	fill(&m, repeat);
	maker_make_set(m.core.bytes, m.core.size, MEMBERS, &codec_lzo);
	ck_assert_int_eq(export(&e), STATUS_OK);
	kdump_opened_open(&v, "k0");
	for (uint64_t pfn = 0x100; pfn < 0x280; pfn++) {
		repeat(pfn, page);
		kdump_opened_read(&v, pfn, read);
		ck_assert_mem_eq(read, page, PAGE);
	}
	first = kdump_opened_read(&v, 0x111, read);
	second = kdump_opened_read(&v, 0x112, read);
	ck_assert_uint_eq(first.offset, second.offset);
	kdump_opened_close(&v);
	made_core_free(&m.core);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("kdump_write");

	helper_use_directory(tcase);
	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, test_hostile_block, 0, 2);
	tcase_add_test(tcase, test_memory_without_end);
	tcase_add_test(tcase, test_much_memory);
	tcase_add_test(tcase, test_pages_not_delivered);
	tcase_add_test(tcase, test_pages_of_one_value);
	tcase_add_test(tcase, test_not_synced);
	tcase_add_test(tcase, test_name_taken);
	tcase_add_loop_test(tcase, test_name_taken_by_force, 0, 2);
	return helper_run_case("kdump_write", tcase);
}
