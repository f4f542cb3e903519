// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/targets.h"

/* Removing files from the page cache, so that they are read from the disk. */

static const char control[] = "/proc/sys/vm/drop_caches";

/* True if caches_drop() is permitted.  Drops nothing. */
static bool caches_can_drop(void)
{
	return access(control, W_OK) == 0;
}

/* Drops the page cache of the whole machine.  False: nothing was dropped. */
static bool caches_drop(void)
{
	int fd = open(control, O_WRONLY | O_CLOEXEC);
	bool dropped = fd >= 0 && write(fd, "1", 1) == 1;

	if (fd >= 0)
		close(fd);
	return dropped;
}

/* Drops the clean pages of one file or device, if it exists. */
static void caches_drop_file(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return;
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	close(fd);
}

static bool is_null(const char *name)
{
	return strcmp(name, "null:") == 0;
}

static enum status take_names(struct targets *t, const struct names *names, unsigned needed,
			      struct error *e)
{
	unsigned given = (unsigned)names->count;

	if (needed > given && !(given == 1 && is_null(names->names[0])))
		return error_set(e, STATUS_USAGE, "%u outputs are needed, but only %u given",
				 needed, given);
	t->targets = calloc(needed, sizeof(*t->targets));
	if (!t->targets)
		return error_system(e, ENOMEM, "benchmark");
	for (unsigned i = 0; i < needed; i++)
		t->targets[i].name = names->names[i % given];
	t->count = needed;
	return STATUS_OK;
}

static enum status survey_one(struct target *target, struct error *e)
{
	struct stat st;
	bool exists = stat(target->name, &st) == 0;

	if (strcmp(target->name, "-") == 0 || (exists && S_ISFIFO(st.st_mode)))
		return error_set(e, STATUS_USAGE, "%s: can be written only once, but a benchmark "
				 "writes repeatedly", target->name);
	target->on_disk = !is_null(target->name) && target->name[0] != '|' &&
			  !(exists && S_ISCHR(st.st_mode));
	return STATUS_OK;
}

/* Finds out which targets can be written repeatedly and which can be read. */
static enum status survey(struct targets *t, struct error *e)
{
	for (unsigned i = 0; i < t->count; i++) {
		enum status status = survey_one(&t->targets[i], e);

		if (status)
			return status;
		if (t->targets[i].on_disk && t->readable == i)
			t->readable++;
	}
	return survey_one(&t->join, e);
}

static enum caches choose_caches(const struct targets *t, enum cache_way way)
{
	bool members = false;

	for (unsigned i = 0; i < t->count; i++)
		members |= t->targets[i].on_disk;
	if (!members && t->source->fd < 0)
		return CACHES_NONE;
	switch (way) {
	case CACHE_DROP_MEMBERS:
		return members ? CACHES_MEMBERS : CACHES_KEPT;
	case CACHE_DROP:
		return caches_can_drop() ? CACHES_DROPPED : CACHES_FILES;
	default:
		return CACHES_KEPT;
	}
}

enum status targets_init(struct targets *t, const struct bench_settings *settings,
			 const struct source *source, unsigned needed, struct error *e)
{
	enum status status;

	*t = (struct targets){
		.source = source,
		.join.name = settings->join_to,
		.force = settings->permits & PERMIT_OVERWRITE,
	};
	status = take_names(t, &settings->outputs, needed, e);
	if (!status)
		status = survey(t, e);
	if (!status)
		t->caches = choose_caches(t, settings->cache);
	return status;
}

void targets_free(struct targets *t)
{
	free(t->targets);
	*t = (struct targets){ 0 };
}

void targets_remove(const struct targets *t)
{
	for (unsigned i = 0; i < t->count; i++)
		if (t->targets[i].made || t->targets[i].making)
			unlink(t->targets[i].name);
}

/* Removes a file that the benchmark has created, or empties one that may be overwritten. */
static bool clear(const struct targets *t, struct target *target)
{
	struct stat st;

	if (target->made) {
		target->made = false;
		return unlink(target->name) == 0;
	}
	return t->force && stat(target->name, &st) == 0 && S_ISREG(st.st_mode) &&
	       truncate(target->name, 0) == 0;
}

void targets_clear(const struct targets *t, struct target *targets, unsigned count)
{
	bool any = false;

	for (unsigned i = 0; i < count; i++)
		any |= clear(t, &targets[i]);
	/* Some file systems free space only when they write their metadata. */
	if (any)
		sync();
}

void targets_drop_caches(const struct targets *t)
{
	if (t->caches == CACHES_DROPPED)
		caches_drop();
	if (t->caches != CACHES_FILES && t->caches != CACHES_MEMBERS)
		return;
	if (t->caches == CACHES_FILES && t->source->fd >= 0)
		caches_drop_file(t->source->name);
	for (unsigned i = 0; i < t->count; i++)
		if (t->targets[i].on_disk)
			caches_drop_file(t->targets[i].name);
}
