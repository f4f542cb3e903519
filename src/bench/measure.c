// SPDX-License-Identifier: GPL-2.0-or-later
/* Statistics of what is measured, and a source that is made in memory. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/text.h"
#include "bench/bench.h"
#include "fakevmcore/core.h"
#include "io/source.h"

/* --- statistics ---------------------------------------------------------- */

enum status samples_init(struct samples *s, size_t most, struct error *e)
{
	*s = (struct samples){ .values = calloc(most, 2 * sizeof(*s->values)) };
	if (!s->values)
		return error_system(e, ENOMEM, "benchmark");
	s->scratch = s->values + most;
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

struct summary samples_summary(const struct samples *s)
{
	const double *values = s->scratch;
	double median;

	if (!s->count)
		return (struct summary){ 0 };
	memcpy(s->scratch, s->values, s->count * sizeof(*s->values));
	qsort(s->scratch, s->count, sizeof(*s->scratch), by_value);
	median = (values[(s->count - 1) / 2] + values[s->count / 2]) / 2;
	return (struct summary){
		.median = median,
		.least = values[0],
		.most = values[s->count - 1],
		.spread = (values[s->count - 1] - values[0]) / median,
		.count = s->count,
	};
}

struct summary samples_share(const struct samples *a, const struct samples *b)
{
	struct samples quotients = { .values = b->scratch, .scratch = a->scratch };

	while (quotients.count < a->count && quotients.count < b->count)
		samples_add(&quotients, a->values[quotients.count] / b->values[quotients.count]);
	return samples_summary(&quotients);
}

/* --- measures ------------------------------------------------------------ */

bool measure_is_ceiling(enum measure what)
{
	return what == MEASURE_COPY || what == MEASURE_PACK || what == MEASURE_UNPACK;
}

struct figures cell_figures(const struct cell *cell, enum measure what)
{
	const struct samples *ceiling = &cell->rate[what == MEASURE_CAPTURE ? MEASURE_PACK : MEASURE_UNPACK];
	struct figures f = {
		.rate = samples_summary(&cell->rate[what]),
		.ceiling = samples_summary(ceiling),
		.share = samples_share(&cell->rate[what], ceiling),
	};

	if (f.share.count)
		f.best = f.rate.most / f.ceiling.most;
	return f;
}

/* --- a source that is made in memory ------------------------------------- */

static const char prefix[] = "fake:";

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

/* Unused, but a reader always has a buffer. */
static size_t fake_buffer_size(uint32_t block_size, uint32_t chunk_size)
{
	(void)block_size, (void)chunk_size;
	return ALIGNMENT;
}

/* The memory itself: measures a capture without reading. */
static enum status fake_get(struct source_reader *r, uint64_t offset, size_t want, const uint8_t **data, size_t *got,
			    struct error *e)
{
	const struct fake *fake = r->source->state;
	const struct pattern *p = &fake->core.pattern;
	uint64_t length = p->pool_size - offset % p->pool_size, slot;

	(void)e;
	if (offset >= r->source->size)
		return STATUS_END;
	if (offset < CORE_PIECE) {
		length = CORE_PIECE - offset;
		*data = fake->first + offset;
	} else {
		slot = pattern_slot(p, offset / p->block_size);
		*data = fake->pool + slot * p->block_size + offset % p->block_size;
	}
	*got = min_u64(want, min_u64(length, r->source->size - offset));
	return STATUS_OK;
}

static void fake_close(struct source *s)
{
	struct fake *fake = s->state;

	if (fake->pool)
		munmap(fake->pool, 2 * fake->length);
	free(fake);
}

static const struct source_ops fake_ops = {
	.buffer_size = fake_buffer_size,
	.get = fake_get,
	.get_carefully = fake_get,
	.close = fake_close,
};

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
	struct source *s = source_new(name);
	enum status status;

	if (!fake || !s) {
		free(fake);
		source_close(s);
		return error_system(e, ENOMEM, "%s", name);
	}
	s->ops = &fake_ops;
	s->state = fake;
	status = parse(&fake->core, name, e);
	/* A part of the pool that the source does not reach is left out. */
	fake->length = min_u64(fake->core.pattern.pool_size,
			       round_up(fake->core.size, CORE_PIECE));
	if (!status && !take_memory(fake))
		status = error_system(e, errno, "%s: pool of %" PRIu64 " bytes", name,
				      fake->length);
	if (status) {
		source_close(s);
		return status;
	}
	fill(fake);
	s->size = fake->core.size;
	*source = s;
	return STATUS_OK;
}
