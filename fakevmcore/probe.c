// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the kernel's headers have: Kbuild compiles this once for each question, and the answer is
 * whether it compiles.  A version number does not tell, since distributions put newer parts
 * into older kernels.
 */
#include <linux/mm.h>
#include <linux/proc_fs.h>

#if defined(PROBE_VM_FLAGS_MOD)
/* From 6.3 on, the flags of a mapping are changed by functions only. */
static inline void probe(struct vm_area_struct *vma)
{
	vm_flags_mod(vma, VM_IO, VM_MAYWRITE);
}
#elif defined(PROBE_PROC_READ_ITER)
/* From 5.10 on, a file of /proc may be read by iterator, which splice and sendfile need. */
static const struct proc_ops probe __attribute__((unused)) = { .proc_read_iter = NULL };
#endif
