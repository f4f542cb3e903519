# SPDX-License-Identifier: GPL-2.0-or-later
# Seeded schedules of faults: "make faults FAULTS=2000", and sixty of them in "make check".

check_DATA += tests/faults/inject.so tests/faults/as_vmcore.so

inject_sources = \
	$(srcdir)/tests/faults/change.c \
	$(srcdir)/tests/faults/memory_limit.c \
	$(srcdir)/tests/faults/inject.c \
	$(srcdir)/tests/faults/locks.c \
	$(srcdir)/tests/faults/rules.c
inject_headers = \
	$(srcdir)/tests/faults/change.h \
	$(srcdir)/tests/faults/memory_limit.h \
	$(srcdir)/tests/faults/locks.h \
	$(srcdir)/tests/faults/rules.h

# Without a sanitizer, since the library is between the program and the sanitizer's own wrappers.
# Without the configured LDFLAGS, since -static would not make a shared library.
tests/faults/inject.so: $(inject_sources) $(inject_headers)
	@$(MKDIR_P) tests/faults
	$(AM_V_CCLD)$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN_CFLAGS) $(CPPFLAGS) $(CFLAGS) \
		-U_FORTIFY_SOURCE -fno-sanitize=all -fPIC -shared -o $@ $(inject_sources) -ldl

tests/faults/as_vmcore.so: $(srcdir)/tests/faults/as_vmcore.c
	@$(MKDIR_P) tests/faults
	$(AM_V_CCLD)$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN_CFLAGS) $(CPPFLAGS) $(CFLAGS) \
		-U_FORTIFY_SOURCE -fno-sanitize=all -fPIC -shared -o $@ $(srcdir)/tests/faults/as_vmcore.c

TESTS += \
	tests/faults/closing.sh \
	tests/faults/few-mappings.sh \
	tests/faults/figures.sh \
	tests/faults/joined-safe.sh \
	tests/faults/kept.sh \
	tests/faults/left-out.sh \
	tests/faults/locked.sh \
	tests/faults/checkpoints.sh \
	tests/faults/memory.sh \
	tests/faults/never-ready.sh \
	tests/faults/no-descriptor.sh \
	tests/faults/not-touched.sh \
	tests/faults/read-back-hung.sh \
	tests/faults/plain.sh \
	tests/faults/salvage.sh \
	tests/faults/seeds.sh \
	tests/faults/unreadable.sh

check_PROGRAMS += tests/faults/dump_pages
tests_faults_dump_pages_SOURCES = tests/faults/dump_pages.c
tests_faults_dump_pages_LDADD = libnsplit.a $(LIBRARIES_USED)

EXTRA_DIST += \
	tests/faults/as_vmcore.c \
	tests/faults/change.c \
	tests/faults/change.h \
	tests/faults/memory_limit.c \
	tests/faults/memory_limit.h \
	tests/faults/closing.sh \
	tests/faults/kept.sh \
	tests/faults/layers.py \
	tests/faults/left-out.sh \
	tests/faults/locked.sh \
	tests/faults/checkpoints.sh \
	tests/faults/dumps.py \
	tests/faults/faults.py \
	tests/faults/inject.c \
	tests/faults/join.py \
	tests/faults/few-mappings.sh \
	tests/faults/figures.sh \
	tests/faults/joined-safe.sh \
	tests/faults/judge.py \
	tests/faults/locks.c \
	tests/faults/locks.h \
	tests/faults/memory.sh \
	tests/faults/never-ready.sh \
	tests/faults/no-descriptor.sh \
	tests/faults/not-touched.sh \
	tests/faults/peers.py \
	tests/faults/rules.c \
	tests/faults/rules.h \
	tests/faults/run.sh \
	tests/faults/read-back-hung.sh \
	tests/faults/plain.sh \
	tests/faults/salvage.sh \
	tests/faults/schedule.py \
	tests/faults/seeds.sh \
	tests/faults/trial.py \
	tests/faults/unreadable.sh \
	tests/faults/checks.py

CLEANFILES += tests/faults/inject.so tests/faults/as_vmcore.so

FAULTS = 2000
FIRST_SEED = 1
# --layers: captures that leave pages out; --dumps: the same, as dumps in the kdump-compressed form;
# --forms: these or ELF cores, most of a small core.
FAULTS_OPTIONS =
faults: $(bin_PROGRAMS) $(core_makers) tests/faults/inject.so tests/faults/dump_pages
	@builddir='$(abs_builddir)' $(SHELL) $(srcdir)/tests/faults/run.sh \
		$(FAULTS_OPTIONS) $(FAULTS) $(FIRST_SEED) || test $$? -eq 77
.PHONY: faults
