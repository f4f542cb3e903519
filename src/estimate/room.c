// SPDX-License-Identifier: GPL-2.0-or-later
/* What fits on the outputs, and trials of their speed: estimate.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/memory.h"
#include "estimate/estimate.h"
#include "format/format.h"
#include "io/transfer.h"

/* --- a trial, in a process of its own, since a call on a file system that hangs does not return ---------------- */

/* For all trials together: to write, of which one takes no more than its part, and to wait for the disks. */
static const double write_seconds = 1.5, trials_seconds = 3;
/* Of one trial; the part of the free space that it may take; bytes of one write, as of a large record. */
enum { TRIAL_BYTES = 32 << 20, TRIAL_PART = 8, PIECE = 1 << 20 };

/* What the process reports. */
struct result {
	struct trial trial;
	int failed;			/* errno; 0: the trial was made */
};

/* A file without a name; file systems that know no such file get one whose name is removed at once. */
static int open_unnamed(const char *directory)
{
	char name[PATH_MAX + 32];
	int fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT))
		return fd;
	snprintf(name, sizeof(name), "%s/.nsplit-estimate-XXXXXX", directory);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

/* Bytes that no file system can compress. */
static void fill_with_noise(uint8_t *bytes, size_t length)
{
	uint64_t state = 0x9e3779b97f4a7c15;

	for (size_t i = 0; i + sizeof(state) <= length; i += sizeof(state)) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		memcpy(bytes + i, &state, sizeof(state));
	}
}

/* Past the page cache if that is possible, as a capture writes.  Returns errno, or 0. */
static int write_file(int fd, uint8_t *piece, double seconds, struct trial *trial)
{
	double began = clock_seconds(), cpu = clock_thread_seconds();
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0)
		fcntl(fd, F_SETFL, flags | O_DIRECT);
	while (trial->bytes < TRIAL_BYTES && clock_seconds() - began < seconds) {
		/* So that no two pieces are the same. */
		memcpy(piece, &trial->bytes, sizeof(trial->bytes));
		if (transfer_write(fd, piece, PIECE) != PIECE) {
			if (errno != EINVAL || !(fcntl(fd, F_GETFL) & O_DIRECT))
				return errno ? errno : EIO;
			fcntl(fd, F_SETFL, flags);
			continue;
		}
		trial->bytes += PIECE;
	}
	if (fsync(fd) < 0)
		return errno;
	trial->seconds = clock_seconds() - began;
	trial->cpu_seconds = clock_thread_seconds() - cpu;
	return 0;
}

static void make_trial(const char *directory, double seconds, struct result *result)
{
	uint8_t *piece = memory_to_read(PIECE);
	int fd = piece ? open_unnamed(directory) : -1;

	if (fd < 0) {
		result->failed = piece ? errno : ENOMEM;
		return;
	}
	fill_with_noise(piece, PIECE);
	result->failed = write_file(fd, piece, seconds, &result->trial);
}

/*
 * Writes for some seconds next to the file name, which need not exist, and waits until a time.  Any failure says why
 * there is no result; the error begins with the directory's name.
 */
static enum status try_file(struct trial *trial, const char *name, double seconds, double until, struct error *e)
{
	struct result result = { .failed = EIO };
	double waits = until - clock_seconds();
	char directory[PATH_MAX];
	bool answered;
	int ends[2];
	pid_t pid;

	if (!path_directory(name, directory))
		return error_system(e, errno, "%s", name);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_system(e, errno, "%s: trial", directory);
	pid = fork();
	if (pid == 0) {
		make_trial(directory, seconds, &result);
		_exit(transfer_write(ends[1], &result, sizeof(result)) == sizeof(result) ? EXIT_SUCCESS : EXIT_FAILURE);
	}
	if (pid < 0)
		result.failed = errno;
	close(ends[1]);
	answered = pid < 0 || transfer_wait_until(ends[0], until);
	if (pid >= 0 && answered && transfer_read(ends[0], &result, sizeof(result)) != sizeof(result))
		result.failed = EIO;
	close(ends[0]);
	/* A process that hangs in the kernel ends when the file system answers, and init waits for it then. */
	if (!answered)
		kill(pid, SIGKILL);
	while (pid > 0 && waitpid(pid, NULL, answered ? 0 : WNOHANG) < 0 && errno == EINTR)
		;
	*trial = result.trial;
	if (!answered)
		return error_set(e, STATUS_SYSTEM, "%s: a file that was written for a trial was not on the disk after "
				 "%.1f s", directory, waits);
	return result.failed ? error_system(e, result.failed, "%s", directory) : STATUS_OK;
}

/* --- outputs -------------------------------------------------------------------- */

static enum status not_tried(struct room_output *o, const char *why)
{
	return error_set(&o->why, STATUS_USAGE, "%s", why);
}

/* Why an output is not tried; STATUS_OK: it can be. */
static enum status may_try(struct room_output *o, const struct sink *sink)
{
	switch (sink->kind) {
	case SINK_FILE:
		if (sink->unavailable)
			return not_tried(o, "it cannot be written now");
		if (!o->space_known)
			return not_tried(o, "its free space is unknown");
		if (o->space.bytes < (uint64_t)TRIAL_BYTES * TRIAL_PART)
			return not_tried(o, "it has too little free space for a trial");
		return STATUS_OK;
	case SINK_BLOCK_DEVICE:
		return not_tried(o, "a trial would overwrite the device");
	case SINK_COMMAND:
		return not_tried(o, "a command is not run for a trial");
	case SINK_NULL:
		return not_tried(o, "it stores nothing");
	default:
		return not_tried(o, "a pipe or a character device is not tried");
	}
}

/* The output before this one that is on the same file system, if it was tried. */
static const struct room_output *same_before(const struct room *room, unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (room->of[k].tried && room->of[i].space_known &&
		    space_is_shared(&room->of[k].space, &room->of[i].space))
			return &room->of[k];
	return NULL;
}

static void try_output(struct room *room, const struct sink *sinks, unsigned i, double until)
{
	struct room_output *o = &room->of[i];
	const struct room_output *before = same_before(room, i);
	double seconds = write_seconds / room->count;

	if (may_try(o, &sinks[i]))
		return;
	if (before) {
		o->tried = true;
		o->trial = before->trial;
	} else if (until - clock_seconds() < seconds) {
		not_tried(o, "no time was left for a trial");
	} else {
		o->tried = try_file(&o->trial, sinks[i].name, seconds, until, &o->why) == STATUS_OK && o->trial.seconds > 0;
	}
}

/* An output on the file system of one before it adds nothing. */
static void add_rate(struct room *room, const struct sink *sinks, unsigned i)
{
	const struct room_output *o = &room->of[i];

	room->rate_known = room->rate_known && (o->tried || sinks[i].kind == SINK_NULL);
	if (!o->tried || same_before(room, i))
		return;
	room->rate += (double)o->trial.bytes / o->trial.seconds;
	room->tried.bytes += o->trial.bytes;
	room->tried.seconds += o->trial.seconds;
	room->tried.cpu_seconds += o->trial.cpu_seconds;
}

enum status room_look(struct room *room, const struct sink *sinks, unsigned count, unsigned fallbacks, uint64_t keep_free,
		      struct error *e)
{
	struct space spaces[MEMBERS_MAX];
	double until = clock_seconds() + trials_seconds;

	*room = (struct room){ .count = count, .space_known = count, .rate_known = count };
	if (!count)
		return STATUS_OK;
	room->of = calloc(count, sizeof(*room->of));
	if (!room->of)
		return error_system(e, ENOMEM, "%u outputs", count);
	for (unsigned i = 0; i < count; i++) {
		struct room_output *o = &room->of[i];

		o->space_known = sinks[i].name &&
				 (sinks[i].kind == SINK_FILE || sinks[i].kind == SINK_BLOCK_DEVICE) &&
				 space_of_name(sinks[i].name, &o->space);
		try_output(room, sinks, i, until);
		room->space_known = room->space_known && o->space_known;
		if (i + fallbacks < count)
			add_rate(room, sinks, i);
		space_keep_free(&o->space, keep_free);
		spaces[i] = o->space;
	}
	room->bytes = room->space_known ? space_sum(spaces, count) : 0;
	return STATUS_OK;
}

void room_free(struct room *room)
{
	free(room->of);
	*room = (struct room){ 0 };
}

static uint64_t dumps(uint64_t space, uint64_t bytes, bool once)
{
	uint64_t number = bytes ? space / bytes : 0;

	return once ? min_u64(number, 1) : number;
}

uint64_t room_dumps_of(const struct room_output *output, uint64_t bytes)
{
	return output->space_known ? dumps(output->space.bytes, bytes, output->space.is_device) : 0;
}

uint64_t room_dumps(const struct room *room, uint64_t bytes)
{
	bool device = false;

	for (unsigned i = 0; i < room->count; i++)
		device = device || room->of[i].space.is_device;
	return room->space_known ? dumps(room->bytes, bytes, device) : 0;
}
