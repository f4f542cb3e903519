// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "helper.h"
#include "trial_sink.h"

/* A sink has no field for private state; the field for space is used by block devices only. */
static struct trial_sink *trial_of(const struct sink *s)
{
	return (struct trial_sink *)(uintptr_t)s->capacity;
}

static void keep(struct trial_sink *t, const void *bytes, size_t len, size_t offset)
{
	if (offset + len > t->capacity) {
		t->capacity = 2 * (offset + len);
		t->bytes = realloc(t->bytes, t->capacity);
		if (!t->bytes)
			ck_abort_msg("out of memory");
	}
	memcpy(t->bytes + offset, bytes, len);
	t->length = t->length > offset + len ? t->length : offset + len;
}

/* What is there can be overwritten in place, unless the sink copies on write. */
static bool is_full(const struct trial_sink *t, size_t offset, size_t len)
{
	if (!t->fail_behind)
		return false;
	return offset + len > t->fail_behind || (t->copies && t->length + len > t->fail_behind);
}

static void hang(struct trial_sink *t)
{
	while (!t->released)
		usleep(500);
	t->returned++;
}

static void begin_call(struct trial_sink *t)
{
	t->late += t->returned;
}

static unsigned tell_time(struct trial_sink *t)
{
	return t->clock ? ++*t->clock : 0;
}

static enum status trial_append(struct sink *s, const void *bytes, size_t len, struct error *e)
{
	struct trial_sink *t = trial_of(s);
	size_t offset = s->ops->truncate ? s->length : t->length;

	begin_call(t);
	if (len % ALIGNMENT || (uintptr_t)bytes % ALIGNMENT)
		ck_abort_msg("%s: %zu bytes at %p cannot be written directly", s->name, len,
			     bytes);
	if (t->delay)
		usleep(t->delay);
	t->appends++;
	t->appended = tell_time(t);
	if (t->appends == t->hang_append)
		hang(t);
	if ((t->fail_append && t->appends >= t->fail_append) ||
	    is_full(t, offset, len)) {
		if (!is_full(t, offset, len / 2))
			keep(t, bytes, len / 2, offset);
		t->failed = true;
		return error_system(e, t->errnum, "%s", s->name);
	}
	if (t->before_append)
		t->before_append(t->arg, t, bytes, len);
	keep(t, bytes, len, offset);
	return STATUS_OK;
}

static enum status trial_write_at(struct sink *s, const void *bytes, size_t len, uint64_t offset, struct error *e)
{
	struct trial_sink *t = trial_of(s);

	begin_call(t);
	t->writes_at++;
	if (offset + len > s->length)
		ck_abort_msg("%s: bytes behind the end are replaced", s->name);
	if (t->fail_write_at && t->writes_at >= t->fail_write_at)
		return error_system(e, t->errnum, "%s", s->name);
	if (t->before_write_at)
		t->before_write_at(t->arg, t, bytes, len, offset);
	keep(t, bytes, len, offset);
	return STATUS_OK;
}

static enum status trial_truncate(struct sink *s, struct error *e)
{
	struct trial_sink *t = trial_of(s);

	(void)e;
	begin_call(t);
	if (t->length > s->length + s->reserved)
		t->length = s->length + s->reserved;
	return STATUS_OK;
}

static enum status trial_sync(struct sink *s, struct error *e)
{
	struct trial_sink *t = trial_of(s);

	begin_call(t);
	t->syncs++;
	if (s->ops->truncate)
		trial_truncate(s, e);
	if (t->syncs == t->hang_sync)
		hang(t);
	if (t->fail_sync && (t->sync_once ? t->syncs == t->fail_sync
					  : t->syncs >= t->fail_sync)) {
		t->failed = true;
		return error_system(e, t->errnum, "%s", s->name);
	}
	t->safe = s->length;
	return STATUS_OK;
}

static enum status trial_read(struct sink *s, void *bytes, size_t len, uint64_t offset,
			      struct error *e)
{
	struct trial_sink *t = trial_of(s);

	begin_call(t);
	t->reads++;
	if (t->reads == t->hang_read)
		hang(t);
	if (t->fail_read || offset + len > t->length)
		return error_system(e, EIO, "%s", s->name);
	memcpy(bytes, t->bytes + offset, len);
	return STATUS_OK;
}

static enum status trial_finish(struct sink *s, struct error *e)
{
	struct trial_sink *t = trial_of(s);

	begin_call(t);
	t->begun = tell_time(t);
	if (t->delay)
		usleep(t->delay);
	if (t->hang_finish)
		hang(t);
	t->finished = tell_time(t);
	if (t->fail_finish)
		return error_set(e, STATUS_SYSTEM, "%s: ended badly", s->name);
	return STATUS_OK;
}

static void trial_abandon(struct sink *s)
{
	trial_of(s)->abandoned++;
}

static const struct sink_ops trial_ops = {
	.append = trial_append,
	.sync = trial_sync,
};

static const struct sink_ops trial_rewinding_ops = {
	.append = trial_append,
	.sync = trial_sync,
	.truncate = trial_truncate,
	.read = trial_read,
};

static const struct sink_ops trial_anywhere_ops = {
	.append = trial_append,
	.write_at = trial_write_at,
	.sync = trial_sync,
	.truncate = trial_truncate,
	.read = trial_read,
};

static uint64_t trial_space_left(const struct sink *s)
{
	const struct trial_sink *t = trial_of(s);

	return t->fail_behind > s->length ? t->fail_behind - s->length : 0;
}

static const struct sink_ops trial_device_ops = {
	.append = trial_append,
	.sync = trial_sync,
	.truncate = trial_truncate,
	.read = trial_read,
	.space_left = trial_space_left,
};

static const struct sink_ops trial_ending_ops = {
	.append = trial_append,
	.sync = trial_sync,
	.finish = trial_finish,
	.abandon = trial_abandon,
};

void trial_sink_prepare(struct sink *s)
{
	const struct trial_sink *t = trial_of(s);

	if (s->ops == &trial_ops && t->rewinds)
		s->ops = t->anywhere ? &trial_anywhere_ops : t->knows_space ? &trial_device_ops : &trial_rewinding_ops;
}

void trial_sink_ends(struct sink *s)
{
	s->ops = &trial_ending_ops;
}

void trial_sink_probe(struct sink *s, struct trial_sink *t, const char *name)
{
	*s = (struct sink){
		.ops = &trial_ops,
		.kind = SINK_NULL,	/* there is nothing to open */
		.name = strdup(name),
		.fd = -1,
		.capacity = (uintptr_t)t,
	};
	ck_assert_ptr_nonnull(s->name);
}

void trial_sink_free(struct trial_sink *t)
{
	free(t->bytes);
	t->bytes = NULL;
}
