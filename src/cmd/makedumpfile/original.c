// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/signals.h"
#include "cmd/common/message.h"
#include "cmd/makedumpfile/original.h"

const char original_name[] = "makedumpfile.distrib";

/* Besides $PATH, which in a capture image may lack them. */
static const char *const directories = "/usr/sbin:/usr/bin:/sbin:/bin";

/* A link to this program would execute itself forever. */
static bool is_this_program(const char *path)
{
	struct stat self, other;

	return !stat("/proc/self/exe", &self) && !stat(path, &other) && self.st_dev == other.st_dev &&
	       self.st_ino == other.st_ino;
}

/* Finds it in a list like $PATH. */
static bool find_in(const char *list, char path[PATH_MAX])
{
	while (list && *list) {
		int length = (int)strcspn(list, ":");
		int made = snprintf(path, PATH_MAX, "%.*s/%s", length, list, original_name);

		if (length && made < PATH_MAX && access(path, X_OK) == 0 && !is_this_program(path))
			return true;
		list += length + (list[length] == ':');
	}
	return false;
}

bool original_find(char path[PATH_MAX])
{
	return find_in(getenv("PATH"), path) || find_in(directories, path);
}

void original_run(char **argv, const sigset_t *heeded, const char *why)
{
	char path[PATH_MAX];

	if (!original_find(path))
		return;
	message("%s; %s takes over", why, path);
	message_end();
	signals_release(heeded);
	execv(path, argv);
	message("%s: %s", path, strerror(errno));
}
