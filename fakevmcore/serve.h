/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading and mapping, as fs/proc/vmcore.c does both.  The file's private_data is
 * a struct fakevmcore that does not change while the file is open, so all of it
 * may be done by any number of threads at the same time.
 */
#ifndef FAKEVMCORE_SERVE_H
#define FAKEVMCORE_SERVE_H

#include <linux/fs.h>
#include <linux/mm_types.h>

#include "bad.h"
#include "pool.h"

struct fakevmcore {
	struct pool pool;
	struct bad_list bad;
};

/* See probe.c. */
#ifdef HAVE_PROC_READ_ITER
ssize_t serve_read(struct kiocb *iocb, struct iov_iter *to);
#else
ssize_t serve_read(struct file *file, char __user *buffer, size_t len, loff_t *position);
#endif
int serve_mmap(struct file *file, struct vm_area_struct *vma);

#endif
