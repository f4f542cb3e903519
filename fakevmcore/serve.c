// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/uio.h>

#include "serve.h"

/* --- read ----------------------------------------------------------------- */

/* Bytes copied before signals and rescheduling are checked. */
#define READ_STEP SZ_1M

/*
 * Copies at most len bytes from `at` on and returns their number, which is smaller if the buffer
 * is invalid or a pipe is full.  It copies page by page, because hardened usercopy can reject a
 * copy that spans pages.
 */
static size_t copy_range(const struct pool *pool, u64 at, size_t len, struct iov_iter *to)
{
	size_t n, done, within = at & (PAGE_SIZE - 1);
	unsigned long count;
	struct page *page;

	len = min_t(size_t, len, READ_STEP);
	count = (within + len + PAGE_SIZE - 1) >> PAGE_SHIFT;
	page = pool_range(pool, at >> PAGE_SHIFT, count, &count);
	len = min_t(size_t, len, count * PAGE_SIZE - within);
	for (done = 0; done < len; done += n, page++, within = 0) {
		n = min_t(size_t, len - done, PAGE_SIZE - within);
		if (copy_to_iter(page_address(page) + within, n, to) != n)
			break;
	}
	return done;
}

static bool has_bad(const struct bad_list *bad, u64 first, u64 last)
{
	const struct bad_range *range = bad_find(bad, first);

	return range && range->first <= last;
}

static ssize_t read_at(const struct fakevmcore *fake, loff_t *position, struct iov_iter *to)
{
	size_t n, len = iov_iter_count(to), done = 0;
	u64 start = *position;

	if (!len || start >= fake->pool.size)
		return 0;
	len = min_t(u64, len, fake->pool.size - start);
	/* As with /proc/vmcore, the pages before a bad one are lost, too. */
	if (has_bad(&fake->bad, start >> PAGE_SHIFT, (start + len - 1) >> PAGE_SHIFT))
		return -EFAULT;

	while (done < len) {
		n = copy_range(&fake->pool, start + done, len - done, to);
		done += n;
		if (!n || fatal_signal_pending(current))
			break;
		cond_resched();
	}
	*position += done;
	return done ? done : -EFAULT;
}

#ifdef HAVE_PROC_READ_ITER
ssize_t serve_read(struct kiocb *iocb, struct iov_iter *to)
{
	return read_at(iocb->ki_filp->private_data, &iocb->ki_pos, to);
}
#else
ssize_t serve_read(struct file *file, char __user *buffer, size_t len, loff_t *position)
{
	struct iovec one = { .iov_base = buffer, .iov_len = len };
	struct iov_iter to;

	iov_iter_init(&to, READ, &one, 1, len);
	return read_at(file->private_data, position, &to);
}
#endif

/* --- mmap ----------------------------------------------------------------- */

/* All good pages are mapped from the start, so a fault is on a bad page. */
static vm_fault_t serve_fault(struct vm_fault *vmf)
{
	return VM_FAULT_SIGBUS;
}

static const struct vm_operations_struct serve_vm_ops = {
	.fault = serve_fault,
};

/*
 * Makes the mapping permanently read-only, with pages that are not reference-counted, as after
 * remap_pfn_range(): get_user_pages() fails, and the mapping cannot grow.
 */
static void set_flags(struct vm_area_struct *vma)
{
	const unsigned long on = VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP;
	const unsigned long off = VM_MAYWRITE | VM_MAYEXEC;

#ifdef HAVE_VM_FLAGS_MOD
	vm_flags_mod(vma, on, off);
#else
	vma->vm_flags = (vma->vm_flags | on) & ~off;
#endif
}

struct map_position {
	struct vm_area_struct *vma;
	unsigned long pfn;	/* of the next page */
};

static int map_page(pte_t *pte, unsigned long address, void *data)
{
	struct map_position *position = data;
	struct vm_area_struct *vma = position->vma;

	set_pte_at(vma->vm_mm, address, pte,
		   pte_mkspecial(pfn_pte(position->pfn++, vma->vm_page_prot)));
	return 0;
}

/*
 * On x86, remap_pfn_range() of a part of the mapping looks up the memory type of every page in
 * the list of resources, under one lock for all CPUs; mapping and unmapping then take twice the
 * time (measured).  /proc/vmcore maps most windows in one piece, which avoids this.  The pool is
 * ordinary memory, so the lookup is not needed.
 */
static int map_range(struct vm_area_struct *vma, unsigned long address, unsigned long pfn,
		     unsigned long count)
{
	struct map_position position = { .vma = vma, .pfn = pfn };
	unsigned long len = count << PAGE_SHIFT;

	if (IS_ENABLED(CONFIG_X86_PAT))
		return apply_to_page_range(vma->vm_mm, address, len, map_page, &position);
	return remap_pfn_range(vma, address, pfn, len, vma->vm_page_prot);
}

/* Maps pages first to end - 1 of the file, none of which is bad. */
static int map_good(struct vm_area_struct *vma, const struct pool *pool, u64 first,
		    u64 end)
{
	unsigned long address, count;
	struct page *page;
	u64 at;

	for (at = first; at < end; at += count) {
		address = vma->vm_start + ((at - vma->vm_pgoff) << PAGE_SHIFT);
		page = pool_range(pool, at, end - at, &count);
		if (map_range(vma, address, page_to_pfn(page), count))
			return -EAGAIN;
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
	}
	return 0;
}

int serve_mmap(struct file *file, struct vm_area_struct *vma)
{
	const struct fakevmcore *fake = file->private_data;
	u64 at = vma->vm_pgoff, all = pool_file_pages(&fake->pool);
	u64 end, count = vma_pages(vma);
	int err = 0;

	if (count > all || at > all - count)
		return -EINVAL;
	if (vma->vm_flags & (VM_WRITE | VM_EXEC))
		return -EPERM;
	set_flags(vma);
	vma->vm_ops = &serve_vm_ops;

	/* After an error, the caller unmaps what was mapped before it. */
	for (end = at + count; at < end && !err; ) {
		const struct bad_range *bad = bad_find(&fake->bad, at);

		err = map_good(vma, &fake->pool, at, bad ? min(bad->first, end) : end);
		at = bad ? bad->last + 1 : end;
	}
	return err;
}
