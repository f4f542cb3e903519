# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit on many kernels, emulated: "make check-kernels", which is not part of "make check" because it
# fetches kernels and takes minutes for each; and the kernel module with some of them: "make check-fakevmcore".

EXTRA_PROGRAMS += tests/kernels/fill
tests_kernels_fill_SOURCES = tests/kernels/fill.h tests/kernels/fill.c tests/kernels/fill_busy.c
tests_kernels_fill_LDFLAGS = -static
tests_kernels_fill_LDADD =

page_core_sources = tests/kernels/page_core.c tests/kernels/page_core.h \
	tests/kernels/page_words.c tests/kernels/page_words.h
EXTRA_PROGRAMS += tests/kernels/page_kinds
tests_kernels_page_kinds_SOURCES = tests/kernels/page_kinds.c $(page_core_sources)
tests_kernels_page_kinds_LDADD = libnsplit.a $(LIBRARIES_USED)

EXTRA_PROGRAMS += tests/kernels/page_damage
page_damage_sources = tests/kernels/page_damage.h tests/kernels/page_damage_core.c \
	tests/kernels/page_damage_known.c \
	tests/kernels/page_damage_note.c \
	tests/kernels/page_damage_pages.c \
	tests/kernels/page_damage_sections.c \
	tests/kernels/page_damage_tables.c
tests_kernels_page_damage_SOURCES = tests/kernels/page_damage.c $(page_damage_sources)
tests_kernels_page_damage_LDADD = libnsplit.a $(LIBRARIES_USED)

EXTRA_PROGRAMS += tests/kernels/page_damage_capture
tests_kernels_page_damage_capture_SOURCES = tests/kernels/page_damage_capture.c $(page_damage_sources)
tests_kernels_page_damage_capture_LDADD = libnsplit.a $(LIBRARIES_USED)

EXTRA_PROGRAMS += tests/kernels/page_sets
tests_kernels_page_sets_SOURCES = tests/kernels/page_sets.c $(page_core_sources)
tests_kernels_page_sets_LDADD = libnsplit.a $(LIBRARIES_USED)

EXTRA_PROGRAMS += tests/kernels/page_joined
tests_kernels_page_joined_SOURCES = tests/kernels/page_joined.c $(page_core_sources)
tests_kernels_page_joined_LDADD = libnsplit.a $(LIBRARIES_USED)

EXTRA_DIST += \
	tests/kernels/check-cross.sh \
	tests/kernels/check-fakevmcore.sh \
	tests/kernels/check-kernels.sh \
	tests/kernels/guest/capture.sh \
	tests/kernels/guest/crash.sh \
	tests/kernels/guest/dumps.sh \
	tests/kernels/guest/figures.sh \
	tests/kernels/guest/init \
	tests/kernels/guest/layers.sh \
	tests/kernels/host/cross.sh \
	tests/kernels/host/cached.sh \
	tests/kernels/host/checks.sh \
	tests/kernels/host/core.sh \
	tests/kernels/host/dumps.sh \
	tests/kernels/host/filtered-readers.sh \
	tests/kernels/host/filtered.sh \
	tests/kernels/host/headers.sh \
	tests/kernels/host/kernels.sh \
	tests/kernels/host/layers.sh \
	tests/kernels/host/list.sh \
	tests/kernels/host/log.sh \
	tests/kernels/host/machine.sh \
	tests/kernels/host/needs.sh \
	tests/kernels/host/make-module.sh \
	tests/kernels/host/packages.sh \
	tests/kernels/host/tasks.sh \
	tests/kernels/host/tools.sh \
	tests/kernels/host/words.sh \
	tests/kernels/estimates.py \
	tests/kernels/kernel_pages.py \
	tests/kernels/machines

CLEANFILES += tests/kernels/fill tests/kernels/page_damage \
	tests/kernels/page_damage_capture tests/kernels/page_joined tests/kernels/page_kinds \
	tests/kernels/page_sets tests/kernels/*.log

# exec replaces make's shell, so that a signal to make reaches the script.
check-kernels: $(bin_PROGRAMS) tests/kernels/fill tests/kernels/page_damage \
		tests/kernels/page_damage_capture tests/kernels/page_joined tests/kernels/page_kinds \
		tests/kernels/page_sets tests/faults/as_vmcore.so $(reader_programs)
	@exec env builddir='$(abs_builddir)' \
		$(SHELL) $(srcdir)/tests/kernels/check-kernels.sh $(KERNELS)
check-fakevmcore: $(bin_PROGRAMS) tests/kernel/mapped
	@exec env builddir='$(abs_builddir)' \
		$(SHELL) $(srcdir)/tests/kernels/check-fakevmcore.sh $(KERNELS)
.PHONY: check-kernels check-fakevmcore

cross_checks = check-arm64 check-ppc64el check-riscv64 check-s390x
$(cross_checks):
	@exec env builddir='$(abs_builddir)' CROSS_TESTS='$(CROSS_TESTS)' \
		$(SHELL) $(srcdir)/tests/kernels/check-cross.sh $(@:check-%=%)
.PHONY: $(cross_checks)
