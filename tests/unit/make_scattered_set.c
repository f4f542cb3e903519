// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * make_scattered_set GIB MEMBER: writes a set with layers of a made-up core of that many GiB, in which
 * the pages of the kernel are scattered: 8 in every MiB, each at a random place.  All other pages are
 * free and left out, but for the memory map, a 64th of the memory, which layer 2 stores.
 *
 * The stored pages are zeros, apart from the headers of the core.  So the member takes 4 KiB for each
 * record, which is 320 MiB for 1024 GiB.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "helper.h"
#include "layer_maker.h"
#include "made_core.h"

enum {
	CHUNK = 1 << 20,
	CELL = 16 << 20,
	SCATTERED = 8,			/* pages in each MiB */
	MIB_GRANULES = (1 << 20) / GRANULE,
	CELL_GRANULES = CELL / GRANULE,
	MAP_SHARE = 64,
};

static uint64_t size;
static const char *name;

struct plan {
	struct maker m;
	struct made_core head;		/* its bytes are the first of the source */
	uint64_t random;
	uint64_t map;			/* where the memory map begins; it ends at the end of the source */
	uint8_t *raw;			/* a record, */
	uint32_t used;			/* and the bytes of it that are not zero */
};

static uint64_t next_random(struct plan *p)
{
	p->random ^= p->random << 13;
	p->random ^= p->random >> 7;
	p->random ^= p->random << 17;
	return p->random;
}

/* A core with one page of memory, whose headers say that all of the source is memory. */
static void make_head(struct made_core *head)
{
	struct segment memory = { .paddr = 0x100000, .vaddr = 0xffff888000100000, .filesz = GRANULE,
				  .memsz = GRANULE };
	Elf64_Phdr *load;

	made_core_init(head, &memory, 1, EM_X86_64, "OSRELEASE=6.1.0-made\nPAGESIZE=4096\n", false);
	load = (Elf64_Phdr *)(void *)(head->bytes + sizeof(Elf64_Ehdr)) + 1;
	load->p_filesz = load->p_memsz = size - load->p_offset;
}

/* --- records ------------------------------------------------------------------------ */

/* The blocks of what is stored: those of the headers, which come first, and zeros. */
static void put_blocks(struct plan *p, struct record *record)
{
	uint32_t table = record_table_offset(record), blocks = record_blocks(record);
	uint64_t copied = record->source_offset ? 0 : min_u64(p->head.size / GRANULE, blocks);

	record->payload_offset = table + RECORD_ENTRY_LENGTH * blocks;
	record->payload_length = (uint32_t)copied * GRANULE;
	for (uint32_t i = 0; i < blocks; i++) {
		uint32_t entry = i < copied ? record_entry(BLOCK_STORED, GRANULE) :
					      record_entry(BLOCK_ZERO, 0);

		put_le32(p->raw + table + RECORD_ENTRY_LENGTH * i, entry);
	}
	memcpy(p->raw + record->payload_offset, p->head.bytes, record->payload_length);
	p->m.footer.blocks[BLOCK_STORED] += copied;
	p->m.footer.blocks[BLOCK_ZERO] += blocks - copied;
}

static void add_record(struct plan *p, unsigned layer, uint64_t offset, uint32_t length,
		       const struct run_list *list)
{
	const struct superblock *sb = &p->m.superblock;
	struct record record = {
		.id = sb->id,
		.source_offset = offset,
		.source_length = length,
		.block_size = sb->block_size,
		.gathered = { .layer = layer, .classes = sb->classes, .cell_size = sb->cell_size },
	};
	struct index_entry entry;

	memset(p->raw, 0, p->used);
	run_list_encode(list, &record, p->raw);
	put_blocks(p, &record);
	record.body_checksum = record_body_checksum(&record, p->raw);
	record_encode(&record, p->raw);
	p->used = record_length(&record);
	entry = index_entry_of(&record, maker_add_bytes(&p->m, p->raw, p->used));
	if (p->m.entries == index_segment_capacity(INDEX_SEGMENT_MAX))
		maker_add_index(&p->m);
	maker_list(&p->m, &entry);
	p->m.footer.records++;
	p->m.footer.source_bytes += record.gathered.stored_length;
}

/* --- layers ------------------------------------------------------------------------- */

/* The pages of a MiB that are the kernel's. */
static void scatter(struct plan *p, bool stored[MIB_GRANULES])
{
	memset(stored, 0, MIB_GRANULES * sizeof(*stored));
	for (unsigned left = SCATTERED; left;) {
		uint64_t i = next_random(p) % MIB_GRANULES;

		left -= !stored[i];
		stored[i] = true;
	}
}

/* No assertion for each granule: each takes a system call. */
static void add_granules(struct run_list *list, enum run_kind kind, unsigned class_number,
			 uint32_t granules)
{
	const struct run run = { kind, class_number, granules, 0 };

	if (!run_list_add(list, &run))
		ck_abort_msg("there are too many runs");
}

static void add_mib(struct plan *p, struct run_list *list, uint64_t offset)
{
	bool stored[MIB_GRANULES];

	scatter(p, stored);
	for (uint64_t i = 0; i < MIB_GRANULES; i++) {
		if (stored[i] || offset + i * GRANULE < p->head.size)
			add_granules(list, RUN_STORED, CLASS_KERNEL, 1);
		else
			add_granules(list, RUN_NAMED, CLASS_FREE, 1);
	}
}

static void add_first(struct plan *p, uint64_t cell)
{
	struct run runs[CELL_GRANULES];
	struct run_list list = { .runs = runs, .capacity = CELL_GRANULES };

	if (cell >= p->map)
		add_granules(&list, RUN_NAMED, CLASS_MAP, CELL_GRANULES);
	for (uint64_t at = cell; cell < p->map && at < cell + CELL; at += MIB_GRANULES * GRANULE)
		add_mib(p, &list, at);
	add_record(p, 1, cell, CELL, &list);
}

static void add_map(struct plan *p)
{
	struct run run;
	struct run_list list = { .runs = &run, .capacity = 1 };

	add_granules(&list, RUN_STORED, CLASS_MAP, CHUNK / GRANULE);
	for (uint64_t at = p->map; at < size; at += CHUNK)
		add_record(p, 2, at, CHUNK, &list);
}

START_TEST(make_set)
{
	struct plan p = { .random = 1, .map = round_down(size - size / MAP_SHARE, CELL) };

	make_head(&p.head);
	maker_init(&p.m, 0, 1, size);
	maker_set_layers(&p.m.superblock, CELL);
	p.m.superblock.chunk_size = CHUNK;
	p.m.superblock.classes.of[CLASS_MAP] = class_entry(CLASS_SAVED, 2);
	p.m.superblock.classes.of[CLASS_FREE] = class_entry(CLASS_LEFT_OUT, 0);
	p.raw = helper_pages(record_length_max_gathered(CHUNK, CELL));
	maker_begin(&p.m);
	for (uint64_t cell = 0; cell < size; cell += CELL)
		add_first(&p, cell);
	add_map(&p);
	maker_add_footer(&p.m);
	maker_write(&p.m, name);
	maker_free(&p.m);
	made_core_free(&p.head);
	free(p.raw);
}
END_TEST

int main(int argc, char **argv)
{
	Suite *suite = suite_create("make_scattered_set");
	TCase *tcase = tcase_create("make_scattered_set");

	if (argc != 3)
		return 2;
	size = strtoull(argv[1], NULL, 10) << 30;
	name = argv[2];
	tcase_add_test(tcase, make_set);
	tcase_set_timeout(tcase, 600);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
