// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * read() and write() of all bytes: handles short counts, and EINTR and EAGAIN unless they do not end.  All functions return
 * the number of bytes transferred.  If it is less than len, errno is the reason, or 0 at the end of
 * the file.
 */
#ifndef NSPLIT_IO_TRANSFER_H
#define NSPLIT_IO_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Calls without success, one after another, before EAGAIN and EINTR count as errors.  A driver may give one of them for
 * ever, and poll() does not wait for a file or a block device.
 */
enum { TRANSFER_TRIES = 100 };

size_t transfer_read(int fd, void *buffer, size_t len);
/* Waits until fd is readable.  False, with errno: failed, or wake_fd is readable (ECANCELED). */
bool transfer_wait(int fd, int wake_fd);
/* Waits until fd is readable, or until a time of clock_seconds().  False: it is not. */
bool transfer_wait_until(int fd, double until);
/* Stops with ECANCELED in errno once wake_fd (-1: none) is readable. */
size_t transfer_read_until(int fd, void *buffer, size_t len, int wake_fd);
size_t transfer_pread(int fd, void *buffer, size_t len, uint64_t offset);
size_t transfer_write(int fd, const void *buffer, size_t len);
size_t transfer_pwrite(int fd, const void *buffer, size_t len, uint64_t offset);

#endif
