// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whole transfers: short counts, EINTR and EAGAIN are dealt with here and
 * nowhere else.  All return the bytes moved; fewer than len means that errno
 * tells why, or 0 in errno: the end of the file.
 */
#ifndef NSPLIT_IO_TRANSFER_H
#define NSPLIT_IO_TRANSFER_H

#include <stddef.h>
#include <stdint.h>

size_t transfer_read(int fd, void *buffer, size_t len);
/* Gives up when wake_fd (-1: none) is readable, with ECANCELED in errno. */
size_t transfer_read_until(int fd, void *buffer, size_t len, int wake_fd);
size_t transfer_pread(int fd, void *buffer, size_t len, uint64_t offset);
size_t transfer_write(int fd, const void *buffer, size_t len);
size_t transfer_pwrite(int fd, const void *buffer, size_t len, uint64_t offset);

#endif
