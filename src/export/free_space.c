// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/size.h"
#include "export/free_space.h"

bool free_space_of(const struct output_file *o, struct space *space)
{
	return output_file_seekable(o) && space_of_fd(o->fd, space);
}

enum status free_space_check(const struct output_file *o, uint64_t bytes,
			     void (*warn)(void *arg, const struct error *e), void *arg,
			     struct error *e)
{
	char needed[SIZE_TEXT_LENGTH], available[SIZE_TEXT_LENGTH];
	struct space space;

	if (!free_space_of(o, &space) || bytes <= space.bytes)
		return STATUS_OK;
	size_format(bytes, needed);
	size_format(space.bytes, available);
	if (space.is_device)
		return error_set(e, STATUS_SYSTEM, "%s: has %s, but %s are needed; nothing was "
				 "written; choose a larger device", o->name, available, needed);
	if (space.certain)
		return error_set(e, STATUS_SYSTEM, "%s: its file system has %s free, but at "
				 "least %s are needed; nothing was written; free some space, or "
				 "choose another output", o->name, available, needed);
	error_set(e, STATUS_OK, "%s: may have too little space: at least %s needed, %s free; "
		  "writing it anyway", o->name, needed, available);
	if (warn)
		warn(arg, e);
	return STATUS_OK;
}
