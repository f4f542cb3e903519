/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading and mapping with the semantics of fs/proc/vmcore.c.  The file's private_data is a
 * struct fakevmcore, which does not change while the file is open, so any number of threads may
 * read and map at the same time.
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
