// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/random.h"

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
