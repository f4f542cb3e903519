// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/text.h"
#include "bench/fake.h"
#include "fakevmcore/core.h"
#include "io/source.h"

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
