// SPDX-License-Identifier: GPL-2.0-or-later
/* Quantities that are measured, combinations of settings, and what is measured without a disk: fake: and sleep. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/text.h"
#include "bench/bench.h"
#include "fakevmcore/core.h"
#include "format/format.h"
#include "io/source.h"

/* --- statistics ---------------------------------------------------------- */

enum status samples_init(struct samples *s, size_t capacity, struct error *e)
{
	*s = (struct samples){ .capacity = capacity };
	s->values = calloc(capacity, 2 * sizeof(*s->values));
	if (!s->values)
		return error_system(e, ENOMEM, "benchmark");
	s->scratch = s->values + capacity;
	return STATUS_OK;
}

void samples_free(struct samples *s)
{
	free(s->values);
	*s = (struct samples){ 0 };
}

void samples_add(struct samples *s, double value)
{
	s->values[s->count++] = value;
}

bool summary_is_wide(const struct summary *s)
{
	return s->spread > SPREAD_WIDE || s->count < COUNT_FEW;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static const double *sort(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_value);
	return values;
}

static const double *sorted(const struct samples *s)
{
	memcpy(s->scratch, s->values, s->count * sizeof(*s->values));
	return sort(s->scratch, s->count);
}

static bool summarize(const double *values, size_t count, struct summary *summary)
{
	double median = count % 2 ? values[count / 2]
				  : (values[count / 2 - 1] + values[count / 2]) / 2;

	*summary = (struct summary){
		.median = median,
		.least = values[0],
		.most = values[count - 1],
		.spread = (values[count - 1] - values[0]) / median,
		.count = count,
	};
	return true;
}

bool samples_summary(const struct samples *s, struct summary *summary)
{
	return s->count && summarize(sorted(s), s->count, summary);
}

double samples_percentile(const struct samples *s, double share)
{
	size_t rank = (size_t)(share * (double)s->count);

	/* The nearest rank. */
	if ((double)rank < share * (double)s->count)
		rank++;
	return sorted(s)[rank ? rank - 1 : 0];
}

bool samples_share(const struct samples *a, const struct samples *b, struct summary *summary)
{
	size_t pairs = a->count < b->count ? a->count : b->count;

	for (size_t i = 0; i < pairs; i++)
		a->scratch[i] = a->values[i] / b->values[i];
	return pairs && summarize(sort(a->scratch, pairs), pairs, summary);
}

/* --- measures ------------------------------------------------------------ */

/* False: its members cannot be read, since it does not compress (codec_sleep). */
static bool codec_reads_back(const struct bench_codec *codec)
{
	return codec->presets.list[0].codec != &codec_sleep;
}

const struct samples *cell_ceiling(const struct cell *cell, enum measure what)
{
	return &cell->rate[what == MEASURE_CAPTURE ? MEASURE_PACK : MEASURE_UNPACK];
}

bool cell_share(const struct cell *cell, enum measure what, struct summary *share)
{
	return samples_share(&cell->rate[what], cell_ceiling(cell, what), share);
}

double cell_best(const struct cell *cell, enum measure what)
{
	struct summary rate, ceiling;

	if (!samples_summary(&cell->rate[what], &rate) ||
	    !samples_summary(cell_ceiling(cell, what), &ceiling))
		return 0;
	return rate.most / ceiling.most;
}

size_t cells_keeping_up(const struct cell *cells, size_t count, double least)
{
	struct summary share;
	size_t kept = 0;

	while (kept < count && cell_share(&cells[kept], MEASURE_CAPTURE, &share) && share.median >= least)
		kept++;
	return kept;
}

static bool is_result(const struct cell *cell, struct summary *rate)
{
	return codec_reads_back(cell->codec) && samples_summary(&cell->rate[MEASURE_CAPTURE], rate);
}

const struct cell *cells_fastest(const struct cell *cells, size_t count)
{
	const struct cell *fastest = NULL;
	double most = 0;

	for (const struct cell *cell = cells; cell < cells + count; cell++) {
		struct summary rate;

		if (!is_result(cell, &rate) || rate.median <= most)
			continue;
		most = rate.median;
		fastest = cell;
	}
	return fastest;
}

enum fastest_trust cells_fastest_trust(const struct cell *cells, size_t count, const struct cell *fastest)
{
	struct summary most, rate;

	if (!is_result(fastest, &most) || summary_is_wide(&most))
		return FASTEST_UNRELIABLE;
	for (const struct cell *cell = cells; cell < cells + count; cell++)
		if (is_result(cell, &rate) && summary_is_wide(&rate) && rate.most > most.median)
			return FASTEST_DOUBTFUL;
	return FASTEST_RELIABLE;
}

const struct cell *cells_smallest(const struct cell *cells, size_t count)
{
	const struct cell *smallest = NULL;

	for (const struct cell *cell = cells; cell < cells + count; cell++) {
		struct summary rate;

		if (!is_result(cell, &rate))
			continue;
		if (!smallest || (double)cell->member_bytes <= 1.001 * (double)smallest->member_bytes)
			smallest = cell;
	}
	return smallest;
}

/* --- every combination of the settings ----------------------------------- */

enum { CELLS_MAX = 4096 };		/* more are probably a typing error, or take too long */

static unsigned outputs_of(const struct bench_settings *s, size_t which, size_t threads)
{
	unsigned count = (unsigned)s->output_counts.values[which];

	return count ? count : (unsigned)max_u64(s->threads.values[threads], 1);
}

unsigned matrix_most_outputs(const struct bench_settings *s)
{
	unsigned most = 0;

	for (size_t o = 0; o < s->output_counts.count; o++)
		for (size_t t = 0; t < s->threads.count; t++)
			most = (unsigned)max_u64(most, outputs_of(s, o, t));
	return most;
}

static uint32_t block_size_of(const struct bench_settings *s, size_t which, size_t codec)
{
	uint64_t size = s->block_sizes.values[which];

	/* The option has limited it to 32 bits. */
	return size ? (uint32_t)size : s->codecs[codec].block_size;
}

static uint64_t cell_count(const struct bench_settings *s)
{
	/* This cannot overflow: cmd/nsplit-bench/options.c limits each list to some thousand values. */
	return (uint64_t)s->output_counts.count * s->block_sizes.count * s->codecs_count *
	       s->threads.count;
}

enum status matrix_check(const struct bench_settings *s, struct error *e)
{
	for (size_t i = 0; i < s->block_sizes.count * s->codecs_count; i++) {
		uint32_t size = block_size_of(s, i / s->codecs_count, i % s->codecs_count);

		if (!block_size_valid(size))
			return error_set(e, STATUS_USAGE, "a block size must be a power of two "
					 "from 4K to 1M");
		if (!chunk_size_valid(s->chunk_size, size))
			return error_set(e, STATUS_USAGE, "the chunk size must be a multiple of "
					 "every block size, and at most 64M");
	}
	if (matrix_most_outputs(s) > MEMBERS_MAX)
		return error_set(e, STATUS_USAGE, "a capture has at most %u outputs", MEMBERS_MAX);
	if (cell_count(s) > CELLS_MAX)
		return error_set(e, STATUS_USAGE, "%" PRIu64 " combinations; at most %d can be "
				 "measured", cell_count(s), CELLS_MAX);
	return STATUS_OK;
}

static enum status cell_init(struct cell *cell, const struct bench_settings *s, struct error *e)
{
	enum status status = STATUS_OK;

	for (int i = 0; i < MEASURES && !status; i++)
		status = samples_init(&cell->rate[i], s->rounds, e);
	if (!status && cell->reads)
		status = samples_init(&cell->latency, (size_t)s->rounds * s->random_reads, e);
	return status;
}

enum status matrix_init(struct matrix *m, const struct bench_settings *s, unsigned readable,
			struct error *e)
{
	size_t each[] = { s->output_counts.count, s->block_sizes.count, s->codecs_count,
			  s->threads.count };
	enum status status = STATUS_OK;

	m->count = cell_count(s);
	m->cells = calloc(m->count, sizeof(*m->cells));
	if (!m->cells)
		return error_system(e, ENOMEM, "benchmark");
	for (size_t i = 0; i < m->count && !status; i++) {
		size_t threads = i % each[3], codec = i / each[3] % each[2];
		size_t block = i / each[3] / each[2] % each[1];
		size_t outputs = i / each[3] / each[2] / each[1];

		m->cells[i] = (struct cell){
			.threads = (unsigned)s->threads.values[threads],
			.outputs = outputs_of(s, outputs, threads),
			.block_size = block_size_of(s, block, codec),
			.codec = &s->codecs[codec],
		};
		m->cells[i].reads = s->reads && m->cells[i].outputs <= readable &&
				    codec_reads_back(m->cells[i].codec);
		status = cell_init(&m->cells[i], s, e);
	}
	return status;
}

void matrix_free(struct matrix *m)
{
	for (size_t i = 0; m->cells && i < m->count; i++) {
		for (int what = 0; what < MEASURES; what++)
			samples_free(&m->cells[i].rate[what]);
		samples_free(&m->cells[i].latency);
	}
	free(m->cells);
	*m = (struct matrix){ 0 };
}

/* --- how reliable the figures are ---------------------------------------- */

static void count(struct verdict *v, enum judged kind, bool there, const struct summary *s)
{
	if (!there)
		return;
	v->kinds[kind].figures++;
	v->kinds[kind].reliable += !summary_is_wide(s);
	v->kinds[kind].rounds = max_u64(v->kinds[kind].rounds, s->count);
	if (s->spread > v->kinds[kind].widest)
		v->kinds[kind].widest = s->spread;
	v->few &= s->count < COUNT_FEW;
}

static void count_rate(struct verdict *v, enum judged kind, const struct cell *cell,
		       enum measure what)
{
	struct summary s;

	count(v, kind, samples_summary(&cell->rate[what], &s), &s);
}

static void count_share(struct verdict *v, const struct cell *cell, enum measure what)
{
	struct summary s;

	count(v, JUDGED_SHARES, cell_share(cell, what, &s), &s);
}

struct verdict verdict_of(const struct cell *cells, size_t cells_count)
{
	struct verdict v = { .few = true };

	for (const struct cell *cell = cells; cell < cells + cells_count; cell++) {
		count_rate(&v, JUDGED_CAPTURES, cell, MEASURE_CAPTURE);
		count_rate(&v, JUDGED_VERIFIES, cell, MEASURE_VERIFY);
		count_rate(&v, JUDGED_JOINS, cell, MEASURE_JOIN);
		count_rate(&v, JUDGED_CEILINGS, cell, MEASURE_PACK);
		count_rate(&v, JUDGED_CEILINGS, cell, MEASURE_UNPACK);
		for (int what = MEASURE_CAPTURE; what < MEASURES; what++)
			count_share(&v, cell, what);
	}
	return v;
}

static bool is_reliable(const struct verdict *v, enum judged kind)
{
	return v->kinds[kind].reliable == v->kinds[kind].figures;
}

bool verdict_speeds_reliable(const struct verdict *v)
{
	return is_reliable(v, JUDGED_CAPTURES) && is_reliable(v, JUDGED_VERIFIES) &&
	       is_reliable(v, JUDGED_JOINS);
}

bool verdict_shares_reliable(const struct verdict *v)
{
	return is_reliable(v, JUDGED_SHARES);
}

bool verdict_all_reliable(const struct verdict *v)
{
	return verdict_speeds_reliable(v) && verdict_shares_reliable(v) &&
	       is_reliable(v, JUDGED_CEILINGS);
}

static const char prefix[] = "fake:";

enum { NAME_LENGTH = 200 };

/*
 * Blocks of any size must be contiguous.  So the pool is mapped twice, one mapping after the other,
 * and a pass that begins in the middle of the first ends in the middle of the second.  The first
 * piece of the source, which contains the ELF headers, is a copy.
 */
struct fake {
	struct core core;
	uint8_t *pool;			/* mapped twice: 2 * length bytes */
	uint64_t length;		/* bytes of the pool */
	uint8_t first[CORE_PIECE];
};

bool fake_named(const char *name)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

static enum status read_setting(struct core *core, const char *key, const char *value,
				struct error *e)
{
	struct pattern *p = &core->pattern;
	enum status status;
	uint64_t number;

	if (strcmp(key, "pattern") == 0)
		return core_pattern(value, key, &p->kind, e);
	if (strcmp(key, "seed") == 0)
		return number_parse(value, "seed", 0, UINT64_MAX, &p->seed, e);
	if (strcmp(key, "pool") == 0)
		return size_parse(value, &p->pool_size, e);
	if (strcmp(key, "compressible") != 0)
		return error_set(e, STATUS_USAGE, "unknown key '%s': use pattern, compressible, "
				 "seed or pool", key);
	status = number_parse(value, "compressible", 0, 100, &number, e);
	if (!status)
		p->compressible = (uint32_t)number;
	return status;
}

/* Modifies text. */
static enum status read_settings(struct core *core, char *text, struct error *e)
{
	char *rest = text, *part = strsep(&rest, ",");
	enum status status = size_parse(part, &core->size, e);

	while (!status && (part = strsep(&rest, ","))) {
		char *value = strchr(part, '=');

		if (!value)
			return error_set(e, STATUS_USAGE, "'%s' needs a value", part);
		*value++ = '\0';
		status = read_setting(core, part, value, e);
	}
	if (!status && core->pattern.pool_size < CORE_PIECE)
		return error_set(e, STATUS_USAGE, "the pool must be at least 1 MiB");
	return status ? status : core_check(core, e);
}

static enum status parse(struct core *core, const char *name, struct error *e)
{
	char *text = strdup(name + strlen(prefix));
	enum status status;

	if (!text)
		return error_system(e, ENOMEM, "%s", name);
	*core = core_default();
	status = read_settings(core, text, e);
	free(text);
	return status ? error_prefix(e, "%s: ", name) : STATUS_OK;
}

enum status fake_suggest(const char *name, struct error *e)
{
	const char *colon = strchr(name, ':'), *settings = colon ? colon + 1 : name;
	char meant[NAME_LENGTH];
	struct error ignored;
	struct core core;

	snprintf(meant, sizeof(meant), "%s%s", prefix, settings);
	if (strlen(settings) + sizeof(prefix) > sizeof(meant) || parse(&core, meant, &ignored))
		return e->status;
	return error_suffix(e, "; use %s for a source that is made in memory", meant);
}

static const uint8_t *fake_find(void *arg, uint64_t offset, uint64_t *length)
{
	const struct fake *fake = arg;
	const struct pattern *p = &fake->core.pattern;
	uint64_t within = offset % p->pool_size, slot;

	if (offset < CORE_PIECE) {
		*length = CORE_PIECE - offset;
		return fake->first + offset;
	}
	*length = p->pool_size - within;
	slot = pattern_slot(p, offset / p->block_size);
	return fake->pool + slot * p->block_size + offset % p->block_size;
}

static void fake_release(void *arg)
{
	struct fake *fake = arg;

	if (fake->pool)
		munmap(fake->pool, 2 * fake->length);
	free(fake);
}

/* MAP_POPULATE: page faults happen here, not during the measurement. */
static bool map_twice(struct fake *fake, int fd)
{
	void *memory = mmap(NULL, 2 * fake->length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return false;
	fake->pool = memory;
	for (int half = 0; half < 2 && memory != MAP_FAILED; half++)
		memory = mmap(fake->pool + (uint64_t)half * fake->length, fake->length,
			      PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE,
			      fd, 0);
	return memory != MAP_FAILED;
}

static bool take_memory(struct fake *fake)
{
	int fd = memfd_create("fake", MFD_CLOEXEC);
	bool taken = fd >= 0 && ftruncate(fd, (off_t)fake->length) == 0 && map_twice(fake, fd);
	int errnum = errno;

	if (fd >= 0)
		close(fd);
	errno = errnum;
	return taken;
}

/* The pool has the bytes of its first pass, except the ELF headers. */
static void fill(struct fake *fake)
{
	const struct pattern *p = &fake->core.pattern;

	for (uint64_t slot = 0; slot < fake->length / p->block_size; slot++)
		pattern_fill_slot(p, slot, fake->pool + slot * p->block_size);
	core_make(&fake->core, 0, fake->first);
}

enum status fake_open(struct source **source, const char *name, struct error *e)
{
	struct fake *fake = calloc(1, sizeof(*fake));
	struct source_memory memory = { fake_find, fake_release, fake };
	enum status status;

	if (!fake)
		return error_system(e, ENOMEM, "%s", name);
	status = parse(&fake->core, name, e);
	/* A part of the pool that the source does not reach is left out. */
	fake->length = min_u64(fake->core.pattern.pool_size,
			       round_up(fake->core.size, CORE_PIECE));
	if (!status && !take_memory(fake))
		status = error_system(e, errno, "%s: pool of %" PRIu64 " bytes", name,
				      fake->length);
	if (status) {
		fake_release(fake);
		return status;
	}
	fill(fake);
	return source_from_memory(source, name, fake->core.size, &memory, e);
}

enum {
	BLOCK = 4096,			/* bytes, of which the level is the time */
	GROUP = 1 << 20,		/* bytes that have a time in common: a chunk, by default */
	NANOSECONDS_MAX = 1000000,	/* so that one sleep, which cannot be interrupted, is short */
	NANOSECONDS_DEFAULT = 100000,
	PACKED_PART = 3,
};

/*
 * A thread sleeps once so much is owed: shorter sleeps cost CPU, and take longer than they should.  What a
 * sleep takes too long is deducted from the next.
 */
static const double SLEEP_LEAST = 400e-6;	/* seconds */
enum { SLEEP_BLOCKS = 64 };

struct sleeper {
	double block;			/* seconds for BLOCK bytes, on average */
	double group;			/* the same in this group */
	double x;			/* 0 to 1: which group this is */
	size_t left;			/* bytes of it */
	double owed;			/* seconds to sleep; negative: slept too long */
};

/*
 * Multiples of the golden ratio are spread evenly from the first few on, so that all threads have the same
 * average; each begins elsewhere.
 */
static const double GOLDEN = 0.6180339887498949;

static void *sleep_packer_new(int level, size_t block_size)
{
	struct sleeper *s = calloc(1, sizeof(*s));

	(void)block_size;
	if (!s)
		return NULL;
	s->block = level / 1e9;
	/* Differs from packer to packer, and from run to run. */
	s->x = (double)((uint64_t)(uintptr_t)s * 0x9e3779b97f4a7c15 >> 32) / 4294967296.0;
	return s;
}

static size_t sleep_packer_memory(const void *packer)
{
	(void)packer;
	return sizeof(struct sleeper);
}

static size_t sleep_bound(size_t len)
{
	return len;
}

/* Of the mean: 2 of 5 a thirtieth, the others evenly from 0.145 to 3.145. */
static double group_factor(double x)
{
	return x < 0.4 ? 1 / 30.0 : 0.145 + 3 * (x - 0.4) / 0.6;
}

static void sleep_off(struct sleeper *s)
{
	double began = clock_seconds();

	clock_sleep_until(began + s->owed);
	s->owed -= clock_seconds() - began;
}

static void begin_group(struct sleeper *s)
{
	s->x += s->x + GOLDEN < 1 ? GOLDEN : GOLDEN - 1;
	s->group = s->block * group_factor(s->x);
	s->left = GROUP;
}

static size_t sleep_pack(void *packer, const void *src, size_t len, void *dst)
{
	struct sleeper *s = packer;

	(void)src;
	if (!s->left)
		begin_group(s);
	s->left -= min_u64(len, s->left);
	s->owed += s->group * (double)len / BLOCK;
	if (s->owed > SLEEP_LEAST && s->owed > SLEEP_BLOCKS * s->block)
		sleep_off(s);
	memset(dst, 0, len / PACKED_PART);
	return len / PACKED_PART;
}

const struct codec codec_sleep = {
	.name = "sleep",
	.id = CODEC_RAW,		/* in which a packed block is an error */
	.has_levels = true,
	.level_min = 1,
	.level_max = NANOSECONDS_MAX,
	.level_default = NANOSECONDS_DEFAULT,
	.bound = sleep_bound,
	.packer_new = sleep_packer_new,
	.packer_free = free,
	.packer_memory = sleep_packer_memory,
	.pack = sleep_pack,
};

bool sleep_codec_named(const char *text)
{
	size_t len = strlen(codec_sleep.name);

	return strncmp(text, codec_sleep.name, len) == 0 && (!text[len] || text[len] == ':');
}

enum status sleep_codec_find(const char *text, struct presets *presets, struct error *e)
{
	const char *colon = strchr(text, ':');
	int level = codec_sleep.level_default;
	enum status status = colon ? codec_level(&codec_sleep, colon + 1, &level, e) : STATUS_OK;

	*presets = presets_of(&codec_sleep, level);
	return status;
}
