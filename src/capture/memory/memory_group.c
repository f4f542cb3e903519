// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_below.h"
#include "capture/memory/memory_group.h"
#include "capture/memory/memory_limits.h"

/* 10 ms each: a process may be about to end by itself; and one that was killed may be counted for a moment. */
enum { PATIENT_TRIES = 20, REMOVE_TRIES = 300 };

enum { TEXT_LENGTH = 32 };

static bool write_text(const char *directory, const char *name, const char *text)
{
	int fd = file_below_open(directory, name, O_WRONLY);
	ssize_t written;

	if (fd < 0)
		return false;
	written = write(fd, text, strlen(text));
	close(fd);
	return written == (ssize_t)strlen(text);
}

static bool limits_children(const char *directory)
{
	FILE *file = file_below(directory, "cgroup.subtree_control");
	char word[TEXT_LENGTH];
	bool found = false;

	while (file && !found && fscanf(file, "%31s", word) == 1)
		found = strcmp(word, "memory") == 0;
	if (file)
		fclose(file);
	return found;
}

/* Version 2 first: where both are mounted, only one of them has the memory controller. */
static bool find_parent(const char *root, struct memory_hierarchy *h, bool *second)
{
	*second = true;
	if (memory_hierarchy_find(h, root, true)) {
		do
			if (limits_children(h->directory))
				return true;
		while (memory_hierarchy_up(h));
	}
	*second = false;
	return memory_hierarchy_find(h, root, false);
}

static bool set_limit(const struct memory_group *group, uint64_t bytes)
{
	char text[TEXT_LENGTH];

	snprintf(text, sizeof(text), "%" PRIu64, bytes);
	if (group->second) {
		/* A kernel without swap does not have the file. */
		write_text(group->directory, "memory.swap.max", "0");
		return write_text(group->directory, "memory.max", text);
	}
	if (!write_text(group->directory, "memory.limit_in_bytes", text))
		return false;
	/* That of memory and swap together is there only with swapaccount=1. */
	if (!write_text(group->directory, "memory.memsw.limit_in_bytes", text))
		write_text(group->directory, "memory.swappiness", "0");
	return true;
}

enum status memory_group_make(struct memory_group *group, const char *root, uint64_t bytes, struct error *e)
{
	struct memory_hierarchy parent;
	struct error ignored;
	int errnum;

	*group = (struct memory_group){ .directory = "" };
	if (!find_parent(root, &parent, &group->second))
		return error_set(e, STATUS_SYSTEM, "no memory cgroup can be made: this system has no memory "
				 "controller, or its groups may have no children");
	if (snprintf(group->directory, PATH_MAX, "%s/nsplit-drill.%ld", parent.directory, (long)getpid()) >= PATH_MAX ||
	    mkdir(group->directory, 0755) < 0) {
		errnum = errno;
		group->directory[0] = '\0';
		return error_system(e, errnum, "no memory cgroup can be made in %s", parent.directory);
	}
	if (set_limit(group, bytes))
		return STATUS_OK;
	error_system(e, errno, "%s: the limit of the memory cgroup", group->directory);
	memory_group_remove(group, &ignored);
	return e->status;
}

enum status memory_group_enter(const struct memory_group *group, struct error *e)
{
	/* 0: the process that writes it. */
	return write_text(group->directory, "cgroup.procs", "0") ? STATUS_OK :
		error_system(e, errno, "%s: the memory cgroup cannot be entered", group->directory);
}

bool memory_group_peak(const struct memory_group *group, uint64_t *bytes)
{
	return file_below_number(group->directory, group->second ? "memory.peak" : "memory.max_usage_in_bytes", bytes);
}

uint64_t memory_group_kills(const struct memory_group *group)
{
	FILE *file = file_below(group->directory, group->second ? "memory.events" : "memory.oom_control");
	uint64_t number, kills = 0;
	char key[TEXT_LENGTH];

	while (file && fscanf(file, "%31s %" SCNu64, key, &number) == 2)
		if (strcmp(key, "oom_kill") == 0)
			kills = number;
	if (file)
		fclose(file);
	return kills;
}

static void kill_all(const struct memory_group *group)
{
	FILE *file = file_below(group->directory, "cgroup.procs");
	long pid;

	/* 0: a process of another namespace; and -1 would be all of them. */
	while (file && fscanf(file, "%ld", &pid) == 1)
		if (pid > 0)
			kill((pid_t)pid, SIGKILL);
	if (file)
		fclose(file);
}

enum status memory_group_remove(struct memory_group *group, struct error *e)
{
	enum status status = STATUS_OK;

	if (!group->directory[0])
		return STATUS_OK;
	for (int tries = 0; rmdir(group->directory) < 0; tries++) {
		if (errno != EBUSY || tries == REMOVE_TRIES) {
			status = error_system(e, errno, "%s: the memory cgroup cannot be removed", group->directory);
			break;
		}
		if (tries >= PATIENT_TRIES)
			kill_all(group);
		usleep(10000);
	}
	group->directory[0] = '\0';
	return status;
}
