// SPDX-License-Identifier: GPL-2.0-or-later
/* The pattern and the ELF head that mkfakevmcore and the kernel module share. */
#include "config.h"

#include <check.h>
#include <elf.h>
#include <endian.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fakevmcore/elfhead.h"
#include "fakevmcore/pattern.h"

#define MIB (1ULL << 20)
#define GIB (1ULL << 30)

/* The largest block, and space to detect a byte too many. */
static uint8_t block[PATTERN_BLOCK_MAX + 8], other[PATTERN_BLOCK_MAX + 8];

static struct pattern settings(enum pattern_kind kind)
{
	return (struct pattern) {
		.kind = kind,
		.block_size = PATTERN_BLOCK_DEFAULT,
		.pool_size = PATTERN_POOL_DEFAULT,
	};
}

/* FNV-1a, carried on from an earlier sum. */
static uint64_t sum(uint64_t hash, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ data[i]) * 0x100000001b3ULL;
	return hash;
}

static uint64_t sum_blocks(const struct pattern *p, uint64_t first, uint64_t count)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (uint64_t i = 0; i < count; i++) {
		pattern_fill(p, first + i, block);
		hash = sum(hash, block, p->block_size);
	}
	return hash;
}

static bool same_filled(const uint8_t *data, size_t len)
{
	return memcmp(data, data + 8, len - 8) == 0;
}

static bool all_zero(const uint8_t *data, size_t len)
{
	return data[0] == 0 && memcmp(data, data + 1, len - 1) == 0;
}

/* --- numbers ------------------------------------------------------------- */

START_TEST(test_little_endian)
{
	static const uint8_t want[14] = { 2, 1, 6, 5, 4, 3, 14, 13, 12, 11, 10, 9, 8, 7 };
	uint8_t got[14];

	le_put16(got, 0x0102);
	le_put32(got + 2, 0x03040506);
	le_put64(got + 6, 0x0708090a0b0c0d0eULL);
	ck_assert_mem_eq(got, want, sizeof(want));
}
END_TEST

/* The published first outputs of splitmix64 for the seed 0. */
START_TEST(test_mix_is_splitmix64)
{
	ck_assert(pattern_mix(PATTERN_STEP) == 0xe220a8397b1dcdafULL);
	ck_assert(pattern_mix(2 * PATTERN_STEP) == 0x6e789e6aa1b965f4ULL);
	ck_assert(pattern_mix(3 * PATTERN_STEP) == 0x06c45d188009454fULL);
}
END_TEST

/* --- the same bytes for ever --------------------------------------------- */

static const struct {
	enum pattern_kind kind;
	uint32_t block_size, compressible;
	uint64_t seed, first, count, want;
} golden[] = {
	{ PATTERN_RANDOM, 4096, 0, 0, 0, 8, 0xedba9b1f643a0a27ULL },
	{ PATTERN_RANDOM, 65536, 30, 1, 5, 2, 0x4c83e6fec755cbf5ULL },
	{ PATTERN_ZERO, 4096, 0, 7, 3, 2, 0xb9d103fd6854a325ULL },
	{ PATTERN_SAME, 4096, 0, 0, 0, 8, 0x0f5c25cc4e65d725ULL },
	{ PATTERN_TEXT, 4096, 0, 0, 0, 8, 0xe499a59b5259e2faULL },
	{ PATTERN_TEXT, 1048576, 0, ~0ULL, 9, 1, 0xa91b9ea42480a3b5ULL },
	{ PATTERN_MIXED, 4096, 0, 0, 0, 1024, 0x3ad7e6944413a4d7ULL },
	{ PATTERN_MIXED, 4096, 50, 12345, 1ULL << 40, 256, 0xce1837a42dfdeeafULL },
	{ PATTERN_MIXED, 16384, 0, 0, 0, 256, 0x73a65c05f20e1403ULL },
};

START_TEST(test_golden)
{
	struct pattern p = settings(golden[_i].kind);
	uint64_t got;

	p.block_size = golden[_i].block_size;
	p.compressible = golden[_i].compressible;
	p.seed = golden[_i].seed;
	got = sum_blocks(&p, golden[_i].first, golden[_i].count);
	ck_assert_msg(got == golden[_i].want, "line %d: the sum is 0x%016llxULL", _i,
		      (unsigned long long)got);
}
END_TEST

START_TEST(test_head_golden)
{
	static const uint64_t want[] = { 0x617c3be575d8e28bULL, 0x94d5c2b51a49f559ULL };
	static const uint64_t sizes[] = { 64 * MIB, 10 * GIB };
	uint64_t got;

	memset(block, 0xa5, sizeof(block));
	elfhead_build(sizes[_i], block);
	got = sum(0xcbf29ce484222325ULL, block, ELFHEAD_SIZE);
	ck_assert_msg(got == want[_i], "the sum is 0x%016llxULL", (unsigned long long)got);
	ck_assert_uint_eq(block[ELFHEAD_SIZE], 0xa5);
}
END_TEST

/* --- blocks -------------------------------------------------------------- */

START_TEST(test_random_access)
{
	enum { COUNT = 256, SIZE = PATTERN_BLOCK_DEFAULT };
	struct pattern p = settings((enum pattern_kind)_i);
	uint8_t *all = malloc((size_t)COUNT * SIZE);

	p.pool_size = COUNT / 2 * SIZE;		/* so that there is a second lap */
	ck_assert_ptr_nonnull(all);
	for (unsigned int i = 0; i < COUNT; i++)
		pattern_fill(&p, i, all + i * SIZE);
	/* Backwards and in strides, over what was there before. */
	for (unsigned int i = COUNT; i--; ) {
		unsigned int n = i * 77 % COUNT;

		pattern_fill(&p, n, block);
		ck_assert_mem_eq(block, all + n * SIZE, SIZE);
	}
	free(all);
}
END_TEST

/* Every byte of the block is set, whatever dst contained, and no other byte. */
START_TEST(test_whole_block)
{
	struct pattern p = settings((enum pattern_kind)_i);

	for (p.block_size = PATTERN_BLOCK_MIN; p.block_size <= PATTERN_BLOCK_MAX;
	     p.block_size *= 4) {
		for (unsigned int i = 0; i < 32; i++) {
			memset(block, 0x00, p.block_size + 1);
			memset(other, 0xff, p.block_size + 1);
			pattern_fill(&p, i, block);
			pattern_fill(&p, i, other);
			ck_assert_mem_eq(block, other, p.block_size);
			ck_assert_uint_eq(block[p.block_size], 0x00);
			ck_assert_uint_eq(other[p.block_size], 0xff);
		}
	}
}
END_TEST

START_TEST(test_seed_matters)
{
	struct pattern p = settings((enum pattern_kind)_i), q = p;

	q.seed = 1;
	if (p.kind == PATTERN_ZERO)
		ck_assert(sum_blocks(&p, 0, 256) == sum_blocks(&q, 0, 256));
	else
		ck_assert(sum_blocks(&p, 0, 256) != sum_blocks(&q, 0, 256));
}
END_TEST

START_TEST(test_pool_laps)
{
	struct pattern p = settings(PATTERN_SAME);
	bool seen[32];

	p.pool_size = 32 * p.block_size;
	for (uint64_t n = 0; n < 32; n++)
		ck_assert(pattern_slot(&p, n) == n);
	for (uint64_t lap = 1; lap < 8; lap++) {
		memset(seen, 0, sizeof(seen));
		for (uint64_t n = 0; n < 32; n++) {
			uint64_t slot = pattern_slot(&p, lap * 32 + n);

			ck_assert(slot < 32 && !seen[slot]);
			seen[slot] = true;
			pattern_fill(&p, lap * 32 + n, block);
			pattern_fill_slot(&p, slot, other);
			ck_assert_mem_eq(block, other, p.block_size);
		}
	}
	p.pool_size = p.block_size;
	ck_assert(pattern_slot(&p, ~0ULL) == 0);
	p = settings(PATTERN_SAME);
	ck_assert(pattern_slot(&p, 16384) != pattern_slot(&p, 32768));
}
END_TEST

static const unsigned int percents[] = { 0, 1, 25, 33, 50, 75, 99, 100 };

START_TEST(test_compressible)
{
	struct pattern p = settings(PATTERN_RANDOM);

	p.compressible = percents[_i];
	for (p.block_size = PATTERN_BLOCK_MIN; p.block_size <= PATTERN_BLOCK_MAX;
	     p.block_size *= 4) {
		uint32_t want = (uint32_t)((uint64_t)p.block_size * p.compressible / 100);
		uint32_t zeros = 0, tail = 0;

		pattern_fill(&p, 17, block);
		for (uint32_t i = 0; i < p.block_size; i++) {
			tail = block[i] ? 0 : tail + 1;
			zeros += !block[i];
		}
		/* Eight bytes of rounding; one random byte in 256 is zero too. */
		ck_assert_uint_ge(tail, want);
		ck_assert_uint_le(tail, want + 16);
		ck_assert_uint_le(zeros, tail + (p.block_size - tail) / 64 + 1);
	}
}
END_TEST

START_TEST(test_same)
{
	struct pattern p = settings(PATTERN_SAME);

	for (uint64_t n = 0; n < 64; n++) {
		pattern_fill(&p, n, block);
		pattern_fill(&p, n + 1, other);
		ck_assert(same_filled(block, p.block_size));
		ck_assert_mem_ne(block, other, 8);
	}
}
END_TEST

START_TEST(test_text)
{
	struct pattern p = settings(PATTERN_TEXT);
	unsigned int lines = 0;

	for (uint64_t n = 0; n < 64; n++) {
		pattern_fill(&p, n, block);
		for (uint32_t i = 0; i < p.block_size; i++) {
			ck_assert_msg((block[i] >= ' ' && block[i] < 0x7f) ||
				      memchr("\t\n\r", block[i], 3),
				      "byte 0x%02x in a text", block[i]);
			lines += block[i] == '\n';
		}
	}
	/* Lines of 20 to 60 characters, as people and programs write them. */
	ck_assert_uint_gt(lines, 64 * 4096 / 60);
	ck_assert_uint_lt(lines, 64 * 4096 / 20);
}
END_TEST

/* --- mixed --------------------------------------------------------------- */

static bool is_text(const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (data[i] < '\t' || data[i] > '~')
			return false;
	return true;
}

/* Bytes that are not zero, in percent: sparse tables against random bytes. */
static unsigned int density(const uint8_t *data, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += data[i] != 0;
	return (unsigned int)(n * 100 / len);
}

START_TEST(test_mixed)
{
	enum { COUNT = 16384, CHUNK = 256 };
	struct pattern p = settings(PATTERN_MIXED);
	unsigned int zero = 0, filled = 0, text = 0, sparse = 0, dense = 0;
	unsigned int turns = 0, in_chunk = 0, least = CHUNK, most = 0;
	bool was = false;

	p.seed = (uint64_t)_i * 1000;
	for (unsigned int n = 0; n < COUNT; n++) {
		bool is;

		pattern_fill(&p, n, block);
		is = same_filled(block, p.block_size);
		zero += all_zero(block, p.block_size);
		filled += is;
		if (!is && is_text(block, p.block_size))
			text++;
		else if (!is && density(block, p.block_size) < 95)
			sparse++;
		else if (!is)
			dense++;
		turns += is != was;
		was = is;
		in_chunk += is;
		if (n % CHUNK == CHUNK - 1) {
			least = in_chunk < least ? in_chunk : least;
			most = in_chunk > most ? in_chunk : most;
			in_chunk = 0;
		}
	}
	ck_assert_uint_gt(filled, COUNT * 68 / 100);
	ck_assert_uint_lt(filled, COUNT * 82 / 100);
	ck_assert_uint_gt(zero, COUNT * 55 / 100);
	ck_assert_uint_gt(filled - zero, COUNT * 4 / 100);
	ck_assert_uint_gt(text, COUNT * 3 / 100);
	ck_assert_uint_gt(sparse, COUNT * 6 / 100);
	ck_assert_uint_gt(dense, COUNT * 1 / 100);
	/* Blocks drawn one by one would turn at 37 in 100, and chunks be alike. */
	ck_assert_uint_lt(turns, COUNT * 15 / 100);
	ck_assert_uint_lt(least, CHUNK * 55 / 100);
	ck_assert_uint_gt(most, CHUNK * 90 / 100);
}
END_TEST

START_TEST(test_mixed_compressible)
{
	struct pattern p = settings(PATTERN_MIXED), q = p;
	unsigned int differ = 0;

	q.compressible = 100;
	for (unsigned int n = 0; n < 4096; n++) {
		pattern_fill(&p, n, block);
		pattern_fill(&q, n, other);
		if (memcmp(block, other, p.block_size) == 0)
			continue;
		differ++;
		ck_assert(density(block, p.block_size) > 95);
		ck_assert(all_zero(other, p.block_size));
	}
	ck_assert_uint_gt(differ, 0);
	ck_assert_uint_lt(differ, 4096 * 10 / 100);
}
END_TEST

/* --- settings ------------------------------------------------------------ */

START_TEST(test_problems)
{
	static const struct pattern wrong[] = {
		{ PATTERN_KINDS, 4096, 0, MIB, 0 },
		{ PATTERN_MIXED, 0, 0, MIB, 0 },
		{ PATTERN_MIXED, 2048, 0, MIB, 0 },
		{ PATTERN_MIXED, 4097, 0, MIB, 0 },
		{ PATTERN_MIXED, 2 * MIB, 0, 8 * MIB, 0 },
		{ PATTERN_MIXED, 8192, 0, 4096, 0 },
		{ PATTERN_MIXED, 4096, 0, 0, 0 },
		{ PATTERN_MIXED, 4096, 0, 3 * 4096, 0 },
		{ PATTERN_MIXED, 4096, 0, PATTERN_POOL_MAX * 2, 0 },
		{ PATTERN_RANDOM, 4096, 101, MIB, 0 },
		{ PATTERN_ZERO, 4096, 1, MIB, 0 },
		{ PATTERN_SAME, 4096, 1, MIB, 0 },
		{ PATTERN_TEXT, 4096, 1, MIB, 0 },
	};
	static const struct pattern right[] = {
		{ PATTERN_ZERO, 4096, 0, 4096, 0 },
		{ PATTERN_MIXED, MIB, 100, MIB, ~0ULL },
		{ PATTERN_RANDOM, 4096, 100, PATTERN_POOL_MAX, 1 },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		ck_assert_msg(pattern_problem(&wrong[i]) != NULL, "line %zu passes", i);
	for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++)
		ck_assert_ptr_null(pattern_problem(&right[i]));
	ck_assert_str_eq(pattern_name(PATTERN_MIXED), "mixed");
	ck_assert_ptr_null(pattern_name(PATTERN_KINDS));
	ck_assert_ptr_nonnull(elfhead_problem(0));
	ck_assert_ptr_nonnull(elfhead_problem(ELFHEAD_FILE_MIN - 1));
	ck_assert_ptr_null(elfhead_problem(ELFHEAD_FILE_MIN));
	ck_assert_ptr_null(elfhead_problem(ELFHEAD_FILE_MAX));
	ck_assert_ptr_nonnull(elfhead_problem(ELFHEAD_FILE_MAX + 1));
}
END_TEST

/* --- the ELF head, as <elf.h> sees it ------------------------------------- */

static const uint64_t sizes[] = {
	ELFHEAD_FILE_MIN, ELFHEAD_SIZE + 0x9e000, ELFHEAD_SIZE + 0x9e001, 64 * MIB,
	0xb0000000 - 0x100000 + 0x9e000 + ELFHEAD_SIZE, 3 * GIB + 1, 10 * GIB,
	ELFHEAD_FILE_MAX,
};
static const unsigned int loads[] = { 1, 1, 2, 2, 2, 3, 3, 3 };

static void check_segment(const Elf64_Phdr *ph, uint64_t *offset, uint64_t *address)
{
	ck_assert_uint_eq(le32toh(ph->p_type), PT_LOAD);
	ck_assert_uint_eq(le32toh(ph->p_flags), PF_R | PF_W | PF_X);
	/* One after another in the file, with gaps between them in memory. */
	ck_assert(le64toh(ph->p_offset) == *offset);
	ck_assert(le64toh(ph->p_offset) % ELFHEAD_PAGE == 0);
	ck_assert(le64toh(ph->p_paddr) % ELFHEAD_PAGE == 0);
	ck_assert(le64toh(ph->p_paddr) > *address);
	ck_assert(le64toh(ph->p_vaddr) == le64toh(ph->p_paddr) + ELFHEAD_DIRECT_MAP);
	ck_assert(le64toh(ph->p_filesz) > 0);
	ck_assert(le64toh(ph->p_filesz) == le64toh(ph->p_memsz));
	*offset += le64toh(ph->p_filesz);
	*address = le64toh(ph->p_paddr) + le64toh(ph->p_filesz);
}

START_TEST(test_head)
{
	uint64_t offset = ELFHEAD_SIZE, address = 0;
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	elfhead_build(sizes[_i], block);
	memcpy(&eh, block, sizeof(eh));
	ck_assert_mem_eq(eh.e_ident, ELFMAG, SELFMAG);
	ck_assert_uint_eq(eh.e_ident[EI_CLASS], ELFCLASS64);
	ck_assert_uint_eq(eh.e_ident[EI_DATA], ELFDATA2LSB);
	ck_assert_uint_eq(eh.e_ident[EI_VERSION], EV_CURRENT);
	ck_assert_uint_eq(le16toh(eh.e_type), ET_CORE);
	ck_assert_uint_eq(le16toh(eh.e_machine), EM_X86_64);
	ck_assert_uint_eq(le32toh(eh.e_version), EV_CURRENT);
	ck_assert(le64toh(eh.e_phoff) == sizeof(eh));
	ck_assert_uint_eq(le16toh(eh.e_ehsize), sizeof(eh));
	ck_assert_uint_eq(le16toh(eh.e_phentsize), sizeof(ph));
	ck_assert_uint_eq(le16toh(eh.e_phnum), 1 + loads[_i]);

	memcpy(&ph, block + sizeof(eh), sizeof(ph));
	ck_assert_uint_eq(le32toh(ph.p_type), PT_NOTE);
	ck_assert(le64toh(ph.p_offset) == ELFHEAD_PAGE);
	ck_assert(le64toh(ph.p_filesz) <= ELFHEAD_PAGE);
	for (unsigned int i = 1; i <= loads[_i]; i++) {
		memcpy(&ph, block + sizeof(eh) + i * sizeof(ph), sizeof(ph));
		check_segment(&ph, &offset, &address);
	}
	ck_assert(offset == sizes[_i]);
}
END_TEST

/* Returns where the next note begins. */
static const uint8_t *check_note(const uint8_t *at, const char *name, unsigned int type,
				 const uint8_t **content, uint32_t *size)
{
	Elf64_Nhdr nh;

	memcpy(&nh, at, sizeof(nh));
	ck_assert_uint_eq(le32toh(nh.n_namesz), strlen(name) + 1);
	ck_assert_uint_eq(le32toh(nh.n_type), type);
	ck_assert_str_eq((const char *)at + sizeof(nh), name);
	*size = le32toh(nh.n_descsz);
	*content = at + sizeof(nh) + (strlen(name) + 1 + 3) / 4 * 4;
	return *content + (*size + 3) / 4 * 4;
}

START_TEST(test_notes)
{
	const uint8_t *at = block + ELFHEAD_PAGE, *content;
	char text[ELFHEAD_PAGE];
	Elf64_Phdr ph;
	uint32_t size;

	elfhead_build(64 * MIB, block);
	memcpy(&ph, block + sizeof(Elf64_Ehdr), sizeof(ph));
	at = check_note(at, "CORE", NT_PRSTATUS, &content, &size);
	ck_assert_uint_eq(size, 336);	/* struct elf_prstatus of x86_64 */
	at = check_note(at, "VMCOREINFO", 0, &content, &size);
	ck_assert(at == block + ELFHEAD_PAGE + le64toh(ph.p_filesz));

	ck_assert_uint_lt(size, sizeof(text));
	memcpy(text, content, size);
	text[size] = '\0';
	ck_assert_ptr_eq(strstr(text, "OSRELEASE="), text);
	ck_assert_ptr_nonnull(strstr(text, "\nPAGESIZE=4096\n"));
	ck_assert_ptr_nonnull(strstr(text, "\nCRASHTIME=1000000000\n"));
	ck_assert_uint_eq(text[size - 1], '\n');
}
END_TEST

static Suite *pattern_suite(void)
{
	Suite *s = suite_create("pattern");
	TCase *numbers = tcase_create("numbers"), *blocks = tcase_create("blocks");
	TCase *mixed = tcase_create("mixed"), *head = tcase_create("head");

	tcase_add_test(numbers, test_little_endian);
	tcase_add_test(numbers, test_mix_is_splitmix64);
	tcase_add_test(numbers, test_problems);
	tcase_add_loop_test(blocks, test_golden, 0, sizeof(golden) / sizeof(*golden));
	tcase_add_loop_test(blocks, test_random_access, 0, PATTERN_KINDS);
	tcase_add_loop_test(blocks, test_whole_block, 0, PATTERN_KINDS);
	tcase_add_loop_test(blocks, test_seed_matters, 0, PATTERN_KINDS);
	tcase_add_test(blocks, test_pool_laps);
	tcase_add_loop_test(blocks, test_compressible, 0,
			    sizeof(percents) / sizeof(*percents));
	tcase_add_test(blocks, test_same);
	tcase_add_test(blocks, test_text);
	tcase_add_loop_test(mixed, test_mixed, 0, 5);
	tcase_add_test(mixed, test_mixed_compressible);
	tcase_add_loop_test(head, test_head_golden, 0, 2);
	tcase_add_loop_test(head, test_head, 0, sizeof(sizes) / sizeof(*sizes));
	tcase_add_test(head, test_notes);
	/* Sanitizers slow the loops down. */
	tcase_set_timeout(blocks, 60);
	tcase_set_timeout(mixed, 60);
	suite_add_tcase(s, numbers);
	suite_add_tcase(s, blocks);
	suite_add_tcase(s, mixed);
	suite_add_tcase(s, head);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(pattern_suite());
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
