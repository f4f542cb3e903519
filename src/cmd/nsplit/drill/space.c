// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdbool.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/bytes.h"
#include "base/size.h"
#include "cmd/nsplit/drill/space.h"
#include "io/path.h"
#include "io/space.h"

enum {
	DIVISOR = 2,	/* made-up text has at most half of its size when it is compressed */
	MARGIN = 20,	/* this part of a file system stays free for the other programs of the system */
};

static bool is_compressed(const struct nsplit_options *o)
{
	return o->format != NSPLIT_ELF && strcmp(o->capture.codec_text, "raw") != 0;
}

/* Without the blocks that are reserved for root, although a dump may use them, and without the margin. */
static void leave_margin(const char *name, struct space *space)
{
	char directory[PATH_MAX];
	struct statvfs fs;
	uint64_t free, margin;

	if (!path_directory(name, directory) || statvfs(directory, &fs) < 0)
		return;
	free = min_u64(space->bytes, (uint64_t)fs.f_bavail * fs.f_frsize);
	margin = (uint64_t)fs.f_blocks * fs.f_frsize / MARGIN;
	space->bytes = free > margin ? free - margin : 0;
}

/* What a drill may use.  False: it is unknown, as for a command. */
static bool space_of(const char *name, enum drill_place place, struct space *space)
{
	if ((place != DRILL_FILE && place != DRILL_DEVICE) || !space_of_name(name, space))
		return false;
	if (place == DRILL_FILE)
		leave_margin(name, space);
	return true;
}

enum status drill_space_check(const struct nsplit_options *o, const enum drill_place *places, uint64_t size,
			      struct error *e)
{
	const size_t count = o->outputs.count - o->capture.fallbacks;
	const uint64_t most = is_compressed(o) ? size / DIVISOR : size;
	char here[SIZE_TEXT_LENGTH], needed[SIZE_TEXT_LENGTH];
	struct space usable[MEMBERS_MAX] = { 0 };

	for (size_t i = 0; i < count; i++)
		if (!space_of(o->outputs.names[i], places[i], &usable[i]))
			return STATUS_OK;
	if (space_sum(usable, count) >= most)
		return STATUS_OK;
	return error_set(e, STATUS_SYSTEM, "%s%s: the drill may write %s, and can use %s, since it leaves 5 %% of a file "
			 "system free; free some space, add outputs, or use a smaller --drill-size", o->outputs.names[0],
			 count > 1 ? " and others" : "", size_format(most, needed),
			 size_format(space_sum(usable, count), here));
}
