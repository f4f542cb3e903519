// SPDX-License-Identifier: GPL-2.0-or-later
/* Each combination occurs once. */
#include "config.h"

#include "bench/settings.h"
#include "helper.h"

static uint64_t threads[] = { 0, 1, 8 }, outputs[] = { 0, 2 }, blocks[] = { 4096, 65536 };
static struct bench_codec codecs[] = {
	{ .text = (char *)"raw" }, { .text = (char *)"lzo" },
};

static struct bench_settings settings_of_all(void)
{
	return (struct bench_settings){
		.threads = { threads, LENGTH(threads) },
		.output_counts = { outputs, LENGTH(outputs) },
		.block_sizes = { blocks, LENGTH(blocks) },
		.codecs = codecs,
		.codecs_count = LENGTH(codecs),
		.chunk_size = 1 << 20,
		.rounds = 2,
		.random_reads = 10,
		.reads = true,
	};
}

static bool same_cell(const struct cell *a, const struct cell *b)
{
	return a->threads == b->threads && a->outputs == b->outputs && a->codec == b->codec &&
	       a->block_size == b->block_size;
}

START_TEST(test_cells)
{
	struct bench_settings s = settings_of_all();
	struct matrix m;
	struct error e;

	ck_assert_int_eq(matrix_check(&s, &e), STATUS_OK);
	ck_assert_uint_eq(matrix_most_outputs(&s), 8);
	ck_assert_int_eq(matrix_init(&m, &s, 2, &e), STATUS_OK);
	ck_assert_uint_eq(m.count, 24);
	for (size_t i = 0; i < m.count; i++) {
		const struct cell *cell = &m.cells[i];

		/* As many outputs as threads, and one in serial mode. */
		if (i < 12)
			ck_assert_uint_eq(cell->outputs, cell->threads ? cell->threads : 1);
		else
			ck_assert_uint_eq(cell->outputs, 2);
		for (size_t j = 0; j < i; j++)
			ck_assert(!same_cell(cell, &m.cells[j]));
		ck_assert(cell->reads == (cell->outputs <= 2));
		ck_assert_uint_eq(cell->latency.capacity, cell->reads ? 20 : 0);
		ck_assert_uint_eq(cell->rate[MEASURE_JOIN].capacity, 2);
	}
	matrix_free(&m);
}
END_TEST

/* Without a block size, each codec has its own. */
START_TEST(test_block_sizes_of_codecs)
{
	static uint64_t none[] = { 0 };
	struct bench_codec two[] = { codecs[0], codecs[1] };
	struct bench_settings s = settings_of_all();
	struct matrix m;
	struct error e;

	two[0].block_size = 4096;
	two[1].block_size = 16384;
	s.codecs = two;
	s.block_sizes = (struct numbers){ none, LENGTH(none) };
	ck_assert_int_eq(matrix_check(&s, &e), STATUS_OK);
	ck_assert_int_eq(matrix_init(&m, &s, 0, &e), STATUS_OK);
	ck_assert_uint_eq(m.count, 12);
	for (size_t i = 0; i < m.count; i++)
		ck_assert_uint_eq(m.cells[i].block_size, m.cells[i].codec->block_size);
	matrix_free(&m);
	s.chunk_size = 8192;
	ck_assert_int_eq(matrix_check(&s, &e), STATUS_USAGE);
	ck_assert_str_eq(e.text, "the chunk size must be a multiple of every block size, and at most 64M");
}
END_TEST

START_TEST(test_wrong)
{
	static uint64_t odd[] = { 4096, 5000 }, many[] = { 255 }, more[1000];
	struct bench_settings s = settings_of_all();
	struct error e;

	s.block_sizes = (struct numbers){ odd, 2 };
	ck_assert_int_eq(matrix_check(&s, &e), STATUS_USAGE);
	ck_assert_str_eq(e.text, "a block size must be a power of two from 4K to 1M");
	s = settings_of_all();
	s.chunk_size = 32768;
	ck_assert_int_eq(matrix_check(&s, &e), STATUS_USAGE);
	ck_assert_str_eq(e.text, "the chunk size must be a multiple of every block size, and at most 64M");
	s = settings_of_all();
	s.threads = (struct numbers){ many, 1 };
	ck_assert_int_eq(matrix_check(&s, &e), STATUS_USAGE);
	ck_assert_str_eq(e.text, "a capture has at most 254 outputs");
	s = settings_of_all();
	s.threads = (struct numbers){ more, LENGTH(more) };
	ck_assert_int_eq(matrix_check(&s, &e), STATUS_USAGE);
	ck_assert_str_eq(e.text, "8000 combinations; at most 4096 can be measured");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("matrix");
	TCase *tcase = tcase_create("matrix");

	tcase_add_test(tcase, test_cells);
	tcase_add_test(tcase, test_block_sizes_of_codecs);
	tcase_add_test(tcase, test_wrong);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
