// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests for features of the kernel's headers.  Kbuild compiles this file once for each feature;
 * the feature exists if it compiles.  The kernel version is not enough, because distributions
 * backport newer features to older kernels.
 */
#include <linux/mm.h>
#include <linux/proc_fs.h>

#if defined(PROBE_VM_FLAGS_MOD)
/* Since Linux 6.3, the flags of a mapping can be changed only by functions. */
static inline void probe(struct vm_area_struct *vma)
{
	vm_flags_mod(vma, VM_IO, VM_MAYWRITE);
}
#elif defined(PROBE_PROC_READ_ITER)
/* Since Linux 5.10, a /proc file may be read by iterator, which splice and sendfile need. */
static const struct proc_ops probe __attribute__((unused)) = { .proc_read_iter = NULL };
#endif
