# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit in real kernels, emulated: "make check-kernel", which is not part of "make check" because
# it takes minutes and needs more than a compiler.

EXTRA_PROGRAMS = tests/kernel/mapped
tests_kernel_mapped_SOURCES = tests/kernel/mapped.c
tests_kernel_mapped_LDADD =

EXTRA_DIST += \
	tests/kernel/check-kernel.sh \
	tests/kernel/guest/99kdump-lines/kdump.sh \
	tests/kernel/guest/99kdump-lines/module-setup.sh \
	tests/kernel/guest/99kdump-lines/root.sh \
	tests/kernel/guest/99memory-lines/memory.sh \
	tests/kernel/guest/99memory-lines/module-setup.sh \
	tests/kernel/guest/99memory-lines/root.sh \
	tests/kernel/guest/capture.sh \
	tests/kernel/guest/crash.sh \
	tests/kernel/guest/debian.sh \
	tests/kernel/guest/debian-makedumpfile.sh \
	tests/kernel/guest/debian-reference.sh \
	tests/kernel/guest/density.sh \
	tests/kernel/guest/fakevmcore.sh \
	tests/kernel/guest/drill.sh \
	tests/kernel/guest/drilled.sh \
	tests/kernel/guest/figures.sh \
	tests/kernel/guest/init \
	tests/kernel/guest/initramfs-reference \
	tests/kernel/guest/lib.sh \
	tests/kernel/guest/memory.sh \
	tests/kernel/guest/rates.sh \
	tests/kernel/guest/refusals \
	tests/kernel/host/842.sh \
	tests/kernel/host/checks.sh \
	tests/kernel/host/initramfs.sh \
	tests/kernel/host/debian.sh \
	tests/kernel/host/debian-root.sh \
	tests/kernel/host/image.sh \
	tests/kernel/host/installed.sh \
	tests/kernel/host/kdump.sh \
	tests/kernel/host/machine.sh \
	tests/kernel/host/needs.sh \
	tests/kernel/host/pools.awk \
	tests/kernel/scenarios/debian.sh \
	tests/kernel/scenarios/debian-makedumpfile.sh \
	tests/kernel/scenarios/density.sh \
	tests/kernel/scenarios/dracut.sh \
	tests/kernel/scenarios/drill.sh \
	tests/kernel/scenarios/fakevmcore.sh \
	tests/kernel/scenarios/initramfs-tools.sh \
	tests/kernel/scenarios/kdump-1cpu.sh \
	tests/kernel/scenarios/kdump-2cpu.sh \
	tests/kernel/scenarios/kdump-crash.sh \
	tests/kernel/scenarios/kdump-small.sh \
	tests/kernel/scenarios/memory.sh \
	tests/kernel/scenarios/memory-dracut.sh

CLEANFILES += tests/kernel/mapped tests/kernel/*.log tests/kernel/debian-*.tar

# exec replaces make's shell, so that a signal to make reaches the script.  The comparison of pages
# needs libkdumpfile.
check-kernel: $(bin_PROGRAMS) tests/kernel/mapped tests/kernels/page_joined $(reader_programs)
	@exec env builddir='$(abs_builddir)' \
		$(SHELL) $(srcdir)/tests/kernel/check-kernel.sh $(SCENARIOS)
.PHONY: check-kernel
