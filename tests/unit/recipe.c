// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "codec/codec.h"
#include "corpus.h"
#include "helper.h"
#include "layer_maker.h"
#include "made_dump.h"
#include "made_log.h"
#include "made_map.h"
#include "recipe.h"
#include "recipe_change.h"

enum { LINE = 1 << 20, WAIT = 300 };

static void end_member(struct recipe *r)
{
	if (!r->begun)
		return;
	ck_assert_uint_lt(r->count, RECIPE_MEMBERS);
	/* At least one byte, so that the pointer of an empty member is not NULL. */
	maker_add_bytes(&r->member, NULL, 1);
	r->members[r->count++] = (struct recipe_member){ r->member.bytes, r->member.length - 1 };
	r->member.bytes = NULL;
	maker_free(&r->member);
	r->begun = false;
}

/* Bytes outside of a member begin one. */
static struct maker *member_of(struct recipe *r)
{
	if (!r->begun) {
		maker_init(&r->member, 0, 1, r->settings.source_size);
		r->member.superblock.id = r->settings.id;
	}
	r->begun = true;
	return &r->member;
}

static void begin_member(struct recipe *r, unsigned number, unsigned members)
{
	struct maker *m;

	end_member(r);
	m = member_of(r);
	m->superblock.number = number;
	m->superblock.members = members;
	m->superblock.created = r->settings.created;
	m->superblock.block_size = r->settings.block_size;
	m->superblock.chunk_size = r->settings.chunk_size;
	m->superblock.cell_size = r->settings.cell_size;
	m->superblock.classes = r->settings.classes;
	m->superblock.second = r->settings.second;
	m->codec = r->codec;
	maker_begin(m);
}

/* To be freed. */
static uint8_t *bytes_of(const char *kind, size_t size)
{
	uint8_t *bytes = maker_source(size + ALIGNMENT);

	for (int k = 0; k < CORPUS_KINDS; k++)
		if (!strcmp(kind, corpus_name((enum corpus_kind)k)))
			corpus_fill((enum corpus_kind)k, 7, bytes, size);
	return bytes;
}

/* bytes NULL: zeros. */
static void note_source(struct recipe *r, const uint8_t *bytes, size_t offset, size_t length)
{
	size_t end = offset + length;

	if (end > r->source_capacity) {
		r->source = realloc(r->source, 2 * end);
		ck_assert_ptr_nonnull(r->source);
		memset(r->source + r->source_capacity, 0, 2 * end - r->source_capacity);
		r->source_capacity = 2 * end;
	}
	r->source_length = max_u64(r->source_length, end);
	if (bytes)
		memcpy(r->source + offset, bytes, length);
}

static void add_record(struct recipe *r, const char *kind, unsigned long offset,
		       unsigned length)
{
	uint8_t *bytes = bytes_of(kind, offset + length);

	maker_add_record(member_of(r), bytes, offset, length);
	note_source(r, bytes + offset, offset, length);
	free(bytes);
}

/* Notes what a reader must find: what is stored. */
static void note_runs(struct recipe *r, const uint8_t *bytes, uint64_t offset,
		      const struct run *runs, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t length = min_u64((uint64_t)GRANULE * runs[i].granules,
					  r->settings.source_size - offset);

		if (runs[i].kind == RUN_STORED)
			note_source(r, bytes + offset, offset, length);
		offset += length;
	}
}

/* And what is the same as that. */
static void note_second_places(struct recipe *r)
{
	for (uint32_t i = 0; i < r->settings.second.count; i++) {
		const struct second_place *p = &r->settings.second.list[i];

		if (p->target + p->length <= r->source_length)
			note_source(r, r->source + p->target, p->offset, p->length);
	}
}

static void add_layered(struct recipe *r, const char *kind, unsigned layer, unsigned long offset,
			 const char *text)
{
	enum { RUNS = 64 };
	struct run runs[RUNS];
	uint32_t count = maker_read_runs(text, runs, RUNS);
	uint8_t *bytes = bytes_of(kind, r->settings.source_size);

	ck_assert_msg(count > 0, "no runs: %s", text);
	ck_assert_uint_lt(offset, r->settings.source_size);
	maker_add_layered(member_of(r), bytes, layer, offset, runs, count);
	note_runs(r, bytes, offset, runs, count);
	free(bytes);
}

static void add_packed(struct recipe *r, const char *kind, unsigned length)
{
	uint8_t *bytes = bytes_of(kind, length);
	uint8_t *packed = helper_pages(r->codec->bound(length));
	void *packer = r->codec->packer_new ?
		       r->codec->packer_new(r->codec->level_default, length) : NULL;
	uint8_t head[3] = { (uint8_t)r->codec->id, (uint8_t)(length - 1),
			    (uint8_t)((length - 1) >> 8) };

	maker_add_bytes(member_of(r), head, sizeof(head));
	maker_add_bytes(member_of(r), packed, r->codec->pack(packer, bytes, length, packed));
	if (packer)
		r->codec->packer_free(packer);
	free(packed);
	free(bytes);
}

/* Only the memory that the log needs. */
static bool add_log_core(struct recipe *r, const char *kind)
{
	enum { LOG_CORE = 96 * 1024, LINES = 40 };
	struct made_log m;
	uint32_t at = 0;

	if (!strcmp(kind, "ring"))
		made_ring_init(&m, EM_X86_64, 5, 10, 0);
	else if (!strcmp(kind, "records"))
		made_log_init(&m, EM_X86_64, made_records_info);
	else
		return false;
	for (unsigned i = 0; i < LINES; i++) {
		if (!strcmp(kind, "ring"))
			made_ring_add(&m, i * 1000000, "a line of it", 12);
		else if (!strcmp(kind, "records"))
			at = made_record_put(&m, at, i * 1000000, "a line of it");
	}
	if (!strcmp(kind, "ring")) {
		made_ring_clear(&m, LINES - 5);
	} else {
		made_log_poke64(&m, made_variable(MADE_LOG_BUF), MADE_LOG_MAP + MADE_LOG_TEXT);
		made_log_poke32(&m, made_variable(MADE_LOG_BUF_LEN), 4096);
		made_log_poke32(&m, made_variable(MADE_LOG_NEXT), at);
		made_log_poke32(&m, made_variable(MADE_LOG_FIRST), 0);
		made_log_poke32(&m, made_variable(MADE_LOG_CLEAR), at / 2);
	}
	maker_add_bytes(member_of(r), m.core.bytes, LOG_CORE);
	made_log_free(&m);
	return true;
}

/*
 * Only two sections are present: the map of more would be larger than the core, which is not longer than
 * a fuzzer's input.
 */
static void keep_two_sections(struct made_map *mm)
{
	for (int i = 2; i < MADE_SECTIONS; i++)
		put_le64(mm->sections + i * 32, 0);
}

/* Pages of all kinds.  The core is cut short after the page structures of some 1,700 of them. */
static bool add_map_core(struct recipe *r, const char *kind)
{
	enum { MAP_CORE = 128 * 1024 };
	bool is_new = !strcmp(kind, "map");
	struct made_fields anon = { .mapping = 0xffff888000001001, .refcount = 1 };
	struct made_fields cache = { .flags = MADE_PG_LRU, .refcount = 1, .mapcount = UINT32_MAX };
	struct made_fields slab = { .flags = is_new ? 0 : MADE_PG_SLAB_OLD, .refcount = 1,
				    .mapcount = is_new ? 0xf5000000 : UINT32_MAX };
	struct made_map mm;
	struct error e;

	if (!is_new && strcmp(kind, "map-old") != 0)
		return false;
	made_map_init(&mm, is_new ? made_keys_new : made_keys_old, NULL);
	made_map_open(&mm, &e);
	for (uint64_t order = 0; order < MADE_ORDERS - 1; order++) {
		made_page_free(&mm, (uint64_t)1 << order, (unsigned)order);
		made_page_set(&mm, 1600 + order, &cache);
	}
	made_page_compound(&mm, 1024, 8, is_new, &anon);
	made_page_compound(&mm, 1280, 3, false, &slab);
	made_page_compound(&mm, 1536, 5, is_new, &cache);
	keep_two_sections(&mm);
	maker_add_bytes(member_of(r), mm.m.bytes, MAP_CORE);
	made_map_free(&mm);
	return true;
}

/*
 * What kinds are judged by, in the same size: an image of two frames, with pointers to a slab, and a zone
 * with free blocks.  Mappings lead to the slab, too.
 */
static bool add_kernel_core(struct recipe *r, const char *kind)
{
	enum { KERNEL_CORE = 128 * 1024 - 64, IN_FILE = 0x14000, IMAGE = 4, SLAB = 16, ZONE = 0x3000 };
	const uint64_t slab = MADE_DIRECT + SLAB * 4096;
	bool is_new = !strcmp(kind, "kernel");
	const struct segment image = { .vaddr = MADE_TEXT_ADDRESS, .paddr = IMAGE * 4096, .filesz = 8192,
				       .memsz = 8192 };
	struct made_fields reserved = { .flags = MADE_PG_RESERVED, .refcount = 1, .mapcount = UINT32_MAX };
	struct made_fields anon = { .mapping = slab | 1, .refcount = 1 };
	struct made_fields cache = { .flags = MADE_PG_LRU, .mapping = slab, .refcount = 1,
				     .mapcount = UINT32_MAX };
	struct made_fields object = { .flags = is_new ? 0 : MADE_PG_SLAB_OLD, .refcount = 1,
				      .mapcount = is_new ? 0xf5000000 : UINT32_MAX };
	struct made_map mm;
	struct error e;

	if (!is_new && strcmp(kind, "kernel-old") != 0)
		return false;
	made_map_init_whole(&mm, is_new ? made_keys_new : made_keys_old, "SYMBOL(_stext)=ffffffff81000000\n"
			    "SIZE(free_area)=104\nLENGTH(free_area.free_list)=6\n", IN_FILE, &image);
	made_map_open(&mm, &e);
	made_zone_init(&mm, MADE_DIRECT + ZONE);
	for (uint64_t i = 0; i < 16; i++) {
		made_put(&mm, MADE_DIRECT + IMAGE * 4096 + 512 * i, slab + 64 * i);
		made_page_set(&mm, IMAGE + i % 2, &reserved);
		made_page_set(&mm, SLAB + i % 2, &object);
		made_page_set(&mm, 512 + i, &anon);
		made_page_set(&mm, 544 + i, &cache);
	}
	for (unsigned order = 5; order < 9; order++)
		made_zone_add(&mm, MADE_DIRECT + ZONE, order % MADE_LISTS, (uint64_t)1 << order, order);
	made_page_compound(&mm, 576, 5, is_new, &anon);
	made_page_compound(&mm, 608, 3, false, &object);
	keep_two_sections(&mm);
	maker_add_bytes(member_of(r), mm.m.bytes, KERNEL_CORE);
	made_map_free(&mm);
	return true;
}

/* Small cores, with the parts of a kernel that the readers look at. */
static void add_core(struct recipe *r, const char *kind)
{
	static const char x86[] = "OSRELEASE=6.1.0\nPAGESIZE=4096\nNUMBER(phys_base)=0\n"
		"SYMBOL(init_uts_ns)=ffffffff80001000\nOFFSET(uts_namespace.name)=0\n"
		"SYMBOL(swapper_pg_dir)=ffffffff80002000\nCRASHTIME=1000000000\n";
	static const char arm[] = "OSRELEASE=6.1.0\nPAGESIZE=4096\nNUMBER(VA_BITS)=48\n"
		"NUMBER(kimage_voffset)=0xffff7fffc8000000\nNUMBER(PHYS_OFFSET)=0x40000000\n"
		"SYMBOL(_stext)=ffff800008010000\nSYMBOL(init_uts_ns)=ffff800008000000\n";
	/* Page tables at the beginning of memory, for the address ffffc00000000000. */
	static const char tables[] = "OSRELEASE=6.1.0\nPAGESIZE=4096\nNUMBER(VA_BITS)=48\n"
		"NUMBER(kimage_voffset)=0xffff800000000000\nNUMBER(TCR_EL1_T1SZ)=0x10\n"
		"SYMBOL(swapper_pg_dir)=ffff800000000000\n";
	const uint64_t entries[][2] = { { 384 * 8, 0x1003 }, { 0x1000, 0x2003 }, { 0x2000, 0x3003 },
					{ 0x3000, 0x1003 }, { 0x3008, 0x2003 } };
	struct segment whole[] = {
		{ .vaddr = 0xffffffff80001000, .paddr = 0x1000, .filesz = 8192, .memsz = 8192 },
		{ .vaddr = 0xffff888000000000, .paddr = 0, .filesz = 16384, .memsz = 20480 },
	};
	struct segment cut[] = {
		{ .vaddr = 0xffff000000000000, .paddr = 0x40000000, .filesz = 6000, .memsz = 6000 },
		{ .vaddr = 0xffff000000001800, .paddr = 0x40001800, .filesz = 7000, .memsz = 9000 },
	};
	bool has_tables = !strcmp(kind, "tables");
	bool is_arm = !strcmp(kind, "arm") || !strcmp(kind, "ragged") || has_tables;
	struct made_core m;

	if (add_log_core(r, kind) || add_map_core(r, kind) || add_kernel_core(r, kind))
		return;
	made_core_init(&m, strcmp(kind, "ragged") ? whole : cut, 2, is_arm ? EM_AARCH64 : EM_X86_64,
		       has_tables ? tables : is_arm ? arm : x86, !strcmp(kind, "xnum"));
	for (size_t i = 0; has_tables && i < LENGTH(entries); i++)
		made_core_poke64(&m, whole, 2, entries[i][0], entries[i][1]);
	maker_add_bytes(member_of(r), m.bytes, m.size);
	made_core_free(&m);
}

static void begin_set(struct recipe *r, unsigned uuid)
{
	end_member(r);
	r->settings.id.uuid.bytes[UUID_LENGTH - 1] = (uint8_t)uuid;
	r->source_length = 0;
	if (r->source)
		memset(r->source, 0, r->source_capacity);
}

/* Settings of the members that follow; false: not such a step. */
static bool set_up(struct recipe *r, const char *step)
{
	struct superblock *s = &r->settings;
	unsigned flags, threads, length, from = 0, to = 0;
	uint64_t vaddr;

	if (sscanf(step, "walk=%u/%u/%u/%u", &flags, &threads, &from, &to) >= 2) {
		r->head[0] = (uint8_t)flags;
		r->head[1] = (uint8_t)threads;
		put_le32(r->head + 6, from);
		put_le32(r->head + 8, to);
		r->has_head = true;
		return true;
	}
	if (sscanf(step, "vaddr=%" SCNx64, &vaddr) == 1) {
		put_le32(r->head + 2, (uint32_t)vaddr);
		put_le32(r->head + 12, (uint32_t)(vaddr >> 32));
		return true;
	}
	if (sscanf(step, "layers=%u", &from) == 1) {
		maker_set_layers(s, from);
		return true;
	}
	if (sscanf(step, "second=%u+%u>%u", &from, &length, &to) == 3) {
		maker_add_second(s, from, length, to);
		return true;
	}
	if (sscanf(step, "class=%u:%x", &from, &to) == 2 && from < CLASSES) {
		s->classes.of[from] = (uint8_t)to;
		if (r->begun)
			r->member.superblock.classes = s->classes;
		return true;
	}
	return sscanf(step, "block=%u", &s->block_size) == 1 ||
	       sscanf(step, "tag=%" SCNu32, &s->id.tag) == 1 ||
	       sscanf(step, "created=%" SCNd64, &s->created) == 1 ||
	       sscanf(step, "chunk=%u", &s->chunk_size) == 1 ||
	       sscanf(step, "size=%" SCNu64, &s->source_size) == 1;
}

static void copy_member(struct recipe *r, unsigned of)
{
	end_member(r);
	ck_assert_uint_lt(of, r->count);
	maker_add_bytes(member_of(r), r->members[of].bytes, r->members[of].length);
}

/* Each begins another file. */
static void add_dump(struct recipe *r, const char *map, uint32_t version, uint64_t first, uint64_t end)
{
	static const char info[] = "OSRELEASE=6.1.0\nPAGESIZE=4096\nCRASHTIME=1000000000\n";
	const struct made_dump_settings s = {
		.map = map, .codec = r->codec, .version = version, .split = end > 0, .first = first, .end = end,
		.vmcoreinfo = info,
	};
	uint8_t page[MADE_DUMP_PAGE];
	struct made_dump m;

	end_member(r);
	snprintf(r->map, sizeof(r->map), "%s", map);
	for (uint64_t pfn = 0; map[pfn]; pfn++) {
		made_dump_page(map, pfn, page);
		note_source(r, page, pfn * MADE_DUMP_PAGE, MADE_DUMP_PAGE);
	}
	made_dump_init(&m, &s);
	maker_add_bytes(member_of(r), m.bytes, m.size);
	maker_add_bytes(member_of(r), NULL, round_up(m.size, ALIGNMENT) - m.size);
	made_dump_free(&m);
}

static void flatten(struct recipe *r, int piece)
{
	struct maker *m = member_of(r);
	uint8_t *flat;
	size_t size = made_dump_flatten(m->bytes, m->length, (size_t)abs(piece), piece < 0, &flat);

	m->length = 0;
	maker_add_bytes(m, flat, size);
	maker_add_bytes(m, NULL, round_up(size, ALIGNMENT) - size);
	free(flat);
}

/* False: the codec was left out. */
static bool take_step(struct recipe *r, const char *step)
{
	unsigned number, members, length;
	unsigned long offset;
	struct error e;
	char kind[32], runs[256];
	int level;

	if (!strncmp(step, "codec=", 6))
		return codec_find(step + 6, &r->codec, &level, &e) == STATUS_OK;
	if (sscanf(step, "uuid=%u", &number) == 1)
		begin_set(r, number);
	else if (sscanf(step, "member=%u/%u", &number, &members) == 2)
		begin_member(r, number, members);
	else if (sscanf(step, "copy=%u", &number) == 1)
		copy_member(r, number);
	else if (sscanf(step, "record=%31[^@]@%lu+%u", kind, &offset, &length) == 3)
		add_record(r, kind, offset, length);
	else if (sscanf(step, "unreadable=%lu+%u", &offset, &length) == 2) {
		maker_add_unreadable(member_of(r), offset, length);
		note_source(r, NULL, offset, length);
	} else if (sscanf(step, "packed=%31[^+]+%u", kind, &length) == 2)
		add_packed(r, kind, length);
	else if (sscanf(step, "row=%u", &number) == 1)
		member_of(r)->row = number;
	else if (sscanf(step, "core=%31s", kind) == 1)
		add_core(r, kind);
	else if (sscanf(step, "dump=%255[^/]/%u/%lu/%u", runs, &number, &offset, &length) == 4)
		add_dump(r, runs, number, offset, length);
	else if (sscanf(step, "flat=%d", &level) == 1)
		flatten(r, level);
	else if (!strcmp(step, "index"))
		maker_add_index(member_of(r));
	else if (!strcmp(step, "footer"))
		maker_add_footer(member_of(r));
	else if (sscanf(step, "layered=%31[^/]/%u@%lu:%255s", kind, &number, &offset, runs) == 4)
		add_layered(r, kind, number, offset, runs);
	else if (sscanf(step, "checkpoint=%u", &number) == 1)
		maker_add_checkpoint(member_of(r), number);
	else if (!set_up(r, step))
		ck_assert_msg(recipe_change(r, member_of(r), step), "no step: %s", step);
	return true;
}

bool recipe_read(struct recipe *r, char *line)
{
	const char *step;

	*r = (struct recipe){
		.settings = { .id = maker_id, .created = MAKER_CREATED, .block_size = MAKER_BLOCK,
			      .chunk_size = MAKER_CHUNK, .source_size = MAKER_PLAIN,
			      .classes = class_table_plain() },
		.codec = &codec_lzo,
	};
	r->target = strtok(line, " \t\n");
	if (!r->target || *r->target == '#')
		return false;
	r->name = strtok(NULL, " \t\n");
	ck_assert_msg(r->name != NULL, "a recipe without a name: %s", r->target);
	while (!r->left_out && (step = strtok(NULL, " \t\n")))
		r->left_out = !take_step(r, step);
	end_member(r);
	if (r->settings.source_size != SOURCE_SIZE_UNKNOWN &&
	    r->settings.source_size < (uint64_t)1 << 30)
		note_source(r, NULL, 0, r->settings.source_size);
	note_second_places(r);
	return true;
}

void recipe_free(struct recipe *r)
{
	for (unsigned i = 0; i < r->count; i++)
		free(r->members[i].bytes);
	free(r->source);
	maker_free(&r->member);
}

/* Of recipe_run(), for its one test. */
static void (*serve_each)(const struct recipe *r);

START_TEST(test_recipes)
{
	char *line = malloc(LINE);
	struct recipe r;

	ck_assert_ptr_nonnull(line);
	while (fgets(line, LINE, stdin)) {
		if (recipe_read(&r, line) && !r.left_out)
			serve_each(&r);
		recipe_free(&r);
	}
	free(line);
}
END_TEST

int recipe_run(void (*serve)(const struct recipe *r))
{
	Suite *suite = suite_create("recipes");
	TCase *tcase = tcase_create("recipes");

	serve_each = serve;
	tcase_set_timeout(tcase, WAIT);
	tcase_add_test(tcase, test_recipes);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
