// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "estimate/room.h"

/* For all trials together: to write, of which one takes no more than its part, and to wait for the disks. */
static const double write_seconds = 1.5, trials_seconds = 3;
/* Of one trial; and the part of the free space that it may take. */
enum { TRIAL_BYTES = 32 << 20, TRIAL_PART = 8 };

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
	const struct trial_limits limits = {
		.bytes = TRIAL_BYTES, .write_seconds = write_seconds / room->count,
		.seconds = until - clock_seconds(),
	};

	if (may_try(o, &sinks[i]))
		return;
	if (before) {
		o->tried = true;
		o->trial = before->trial;
		return;
	}
	if (limits.seconds < limits.write_seconds) {
		not_tried(o, "no time was left for a trial");
		return;
	}
	o->tried = trial_make(&o->trial, sinks[i].name, &limits, &o->why) == STATUS_OK && o->trial.seconds > 0;
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

static enum status sum_space(struct room *room, struct error *e)
{
	struct space *spaces = calloc(room->count, sizeof(*spaces));

	if (!spaces)
		return error_system(e, ENOMEM, "%u outputs", room->count);
	for (unsigned i = 0; i < room->count; i++)
		spaces[i] = room->of[i].space;
	room->bytes = room->space_known ? space_sum(spaces, room->count) : 0;
	free(spaces);
	return STATUS_OK;
}

enum status room_look(struct room *room, const struct sink *sinks, unsigned count, unsigned fallbacks,
		      struct error *e)
{
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
	}
	return sum_space(room, e);
}

double room_cpu_seconds(const struct room *room, uint64_t bytes)
{
	return room->tried.bytes ? (double)bytes * room->tried.cpu_seconds / (double)room->tried.bytes : 0;
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
