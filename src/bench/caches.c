// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <fcntl.h>
#include <unistd.h>

#include "bench/caches.h"

static const char control[] = "/proc/sys/vm/drop_caches";

bool caches_can_drop(void)
{
	return access(control, W_OK) == 0;
}

bool caches_drop(void)
{
	int fd = open(control, O_WRONLY | O_CLOEXEC);
	bool dropped = fd >= 0 && write(fd, "1", 1) == 1;

	if (fd >= 0)
		close(fd);
	return dropped;
}

void caches_drop_file(const char *name)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return;
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	close(fd);
}
