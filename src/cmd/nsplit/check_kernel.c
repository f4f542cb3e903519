// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/size.h"
#include "cmd/nsplit/check_kernel.h"

static enum status check_kexec(const struct crash_kernel *kernel, struct error *e)
{
	if (!kernel->kexec_absent)
		return STATUS_OK;
	return error_set(e, STATUS_SYSTEM, "this kernel has no kexec (/sys/kernel/kexec_crash_loaded "
			 "does not exist), so a crash makes no dump");
}

static enum status check_reserved(const struct crash_kernel *kernel, struct error *e)
{
	if (!kernel->reserved_known || kernel->reserved)
		return STATUS_OK;
	if (kernel->requested)
		return error_set(e, STATUS_SYSTEM, "no memory is reserved for a capture kernel, "
				 "although crashkernel= is on the kernel's command line; 'dmesg' may "
				 "say why");
	return error_set(e, STATUS_NO_MEMORY, "no memory is reserved for a capture kernel "
			 "(crashkernel=)");
}

/* None can be loaded without reserved memory, so this is reported only if there is some. */
static enum status check_loaded(const struct crash_kernel *kernel, struct error *e)
{
	if (!kernel->loaded_known || kernel->loaded)
		return STATUS_OK;
	return error_set(e, STATUS_SYSTEM, "no capture kernel is loaded, so a crash makes no dump; "
			 "start the system's kdump service");
}

/* Lockups and hung tasks have settings of their own, and are no crashes for most people. */
static void check_oops(struct findings *found, const struct crash_kernel *kernel)
{
	if (!kernel->oops_known)
		found_unchecked(found, "kernel.panic_on_oops: /proc/sys does not have it");
	else if (kernel->oops_panics)
		found_good(found, "an oops makes a dump (kernel.panic_on_oops)");
	else
		found_note(found, "an oops makes no dump, only a panic does "
			   "(kernel.panic_on_oops=0)");
}

void nsplit_check_kernel(struct findings *found, const struct crash_kernel *kernel)
{
	char size[SIZE_TEXT_LENGTH];
	struct error e;

	if (!found_no_error(found, check_kexec(kernel, &e), &e) ||
	    !found_no_error(found, check_reserved(kernel, &e), &e))
		return;
	if (kernel->reserved_known)
		found_good(found, "%s reserved for a capture kernel (crashkernel=)",
			   size_format(kernel->reserved, size));
	else
		found_unchecked(found, "the memory that is reserved for a capture kernel: this "
				"kernel does not report it");
	if (!found_no_error(found, check_loaded(kernel, &e), &e))
		return;
	if (kernel->fadump)
		found_good(found, "the firmware starts a capture kernel after a crash (fadump)");
	else if (kernel->loaded_known)
		found_good(found, "a capture kernel is loaded");
	else
		found_unchecked(found, "whether a capture kernel is loaded: this kernel does not "
				"report it");
	check_oops(found, kernel);
}
