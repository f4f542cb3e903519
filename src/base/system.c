// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/system.h"

unsigned cpus_allowed(void)
{
	cpu_set_t set;
	long online;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return (unsigned)CPU_COUNT(&set);
	/* The machine has more than CPU_SETSIZE CPUs. */
	online = sysconf(_SC_NPROCESSORS_ONLN);
	return online < 1 ? 1 : (unsigned)online;
}

enum status random_bytes(void *bytes, size_t len, struct error *e)
{
	ssize_t n = getrandom(bytes, len, GRND_INSECURE);
	int fd;

	if (n == (ssize_t)len)
		return STATUS_OK;
	/* Kernels before 5.6 lack GRND_INSECURE; their /dev/urandom does not wait either. */
	fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return error_system(e, errno, "/dev/urandom");
	n = read(fd, bytes, len);
	close(fd);
	if (n != (ssize_t)len)
		return error_system(e, n < 0 ? errno : EIO, "/dev/urandom");
	return STATUS_OK;
}

/* include/uapi/linux/ioprio.h, which is newer than some of the headers that this is built with. */
enum { IOPRIO_WHO_PROCESS = 1, IOPRIO_CLASS_IDLE = 3, IOPRIO_CLASS_SHIFT = 13 };

void background_enter(void)
{
	const struct sched_param none = { .sched_priority = 0 };

	/* Of policies other than SCHED_IDLE, and for schedulers that know no such policy. */
	setpriority(PRIO_PROCESS, 0, 19);
	sched_setscheduler(0, SCHED_IDLE, &none);
	syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_CLASS_IDLE << IOPRIO_CLASS_SHIFT);
}

static bool make_path(char path[PATH_MAX], const char *directory, const char *name)
{
	if (snprintf(path, PATH_MAX, "%s/%s", directory, name) < PATH_MAX)
		return true;
	errno = ENAMETOOLONG;
	return false;
}

FILE *file_below(const char *directory, const char *name)
{
	char path[PATH_MAX];

	return make_path(path, directory, name) ? fopen(path, "re") : NULL;
}

int file_below_open(const char *directory, const char *name)
{
	char path[PATH_MAX];

	return make_path(path, directory, name) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

bool file_below_number(const char *directory, const char *name, uint64_t *number)
{
	FILE *file = file_below(directory, name);
	bool found = file && fscanf(file, "%" SCNu64, number) == 1;

	if (file)
		fclose(file);
	return found;
}
