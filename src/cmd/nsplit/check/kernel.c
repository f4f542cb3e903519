// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/text.h"
#include "cmd/nsplit/check/kernel.h"

static bool check_kexec(struct findings *found, const struct crash_kernel *kernel)
{
	if (kernel->kexec_absent)
		found_kind(found, FINDING_KEXEC_MISSING, "this kernel has no kexec "
			   "(/sys/kernel/kexec_crash_loaded does not exist), so a crash makes no dump");
	return !kernel->kexec_absent;
}

static bool check_reserved(struct findings *found, const struct crash_kernel *kernel)
{
	if (!kernel->reserved_known || kernel->reserved)
		return true;
	if (kernel->requested)
		found_kind(found, FINDING_CRASHKERNEL_FAILED, "no memory is reserved for a capture "
			   "kernel, although crashkernel= is on the kernel's command line; 'dmesg' may "
			   "say why");
	else
		found_kind(found, FINDING_CRASHKERNEL_MISSING, "no memory is reserved for a capture "
			   "kernel (crashkernel=)");
	return false;
}

/* None can be loaded without reserved memory, so this is reported only if there is some. */
static bool check_loaded(struct findings *found, const struct crash_kernel *kernel)
{
	if (!kernel->loaded_known || kernel->loaded)
		return true;
	found_kind(found, FINDING_KERNEL_NOT_LOADED, "no capture kernel is loaded, so a crash makes "
		   "no dump; start the system's kdump service");
	return false;
}

/* Lockups and hung tasks have settings of their own, and are no crashes for most people. */
static void check_oops(struct findings *found, const struct crash_kernel *kernel)
{
	if (!kernel->oops_known)
		found_kind(found, FINDING_OOPS_UNKNOWN, "kernel.panic_on_oops: /proc/sys does not have it");
	else if (kernel->oops_panics)
		found_good(found, "an oops makes a dump (kernel.panic_on_oops)");
	else
		found_kind(found, FINDING_OOPS_NO_DUMP, "an oops makes no dump, only a panic does "
			   "(kernel.panic_on_oops=0)");
}

void nsplit_check_kernel(struct findings *found, const struct crash_kernel *kernel)
{
	char size[SIZE_TEXT_LENGTH];

	if (!check_kexec(found, kernel) || !check_reserved(found, kernel))
		return;
	if (kernel->reserved_known)
		found_good(found, "%s reserved for a capture kernel (crashkernel=)",
			   size_format(kernel->reserved, size));
	else
		found_kind(found, FINDING_CRASHKERNEL_UNKNOWN, "the memory that is reserved for a "
			   "capture kernel: this kernel does not report it");
	if (!check_loaded(found, kernel))
		return;
	if (kernel->fadump)
		found_good(found, "the firmware starts a capture kernel after a crash (fadump)");
	else if (kernel->loaded_known)
		found_good(found, "a capture kernel is loaded");
	else
		found_kind(found, FINDING_KERNEL_UNKNOWN, "whether a capture kernel is loaded: this "
			   "kernel does not report it");
	check_oops(found, kernel);
}
