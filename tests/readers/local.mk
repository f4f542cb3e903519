# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that read dumps, and the output of njoin and of other programs.

if HAVE_KDUMPFILE
reader_programs = tests/readers/compare
check_PROGRAMS += $(reader_programs)
tests_readers_compare_SOURCES = tests/readers/compare.c
tests_readers_compare_CPPFLAGS = $(AM_CPPFLAGS) $(KDUMPFILE_CFLAGS)
tests_readers_compare_LDADD = $(KDUMPFILE_LIBS)
endif

reader_tests = \
	tests/readers/libkdumpfile.sh \
	tests/readers/makedumpfile.sh

TESTS += $(reader_tests)
EXTRA_DIST += $(reader_tests) tests/readers/lib.sh tests/readers/core.py \
	tests/readers/check-readers.sh tests/readers/forms.sh tests/readers/readers.sh \
	tests/readers/analysis.py tests/readers/dumps.py tests/readers/mutations.py \
	tests/readers/reading.py \
	tests/readers/recipes.sh tests/readers/recipes-machine.sh tests/readers/recipes-compare.sh \
	tests/readers/recipes-lines.sh tests/readers/recipes-scripts.sh

# All forms and all readers of one core, by hand:
#	make check-readers CORE=vmcore [VMLINUX=vmlinux]
check-readers: $(bin_PROGRAMS) $(reader_programs)
	@exec env builddir='$(abs_builddir)' $(SHELL) $(srcdir)/tests/readers/check-readers.sh \
		$(CORE) $(VMLINUX)

# Needs crash, drgn, and the debug information of the newest kernel in /boot.
check-crash:
	@$(MAKE) check-kernel SCENARIOS=kdump-crash

# njoin reads what makedumpfile makes of cores, and repairs it if it is cut.
#	make check-dumps CORES='vmcore...' [MAKEDUMPFILE=PROGRAM] [CUTS=N]
check-dumps: $(bin_PROGRAMS)
	@PATH='$(abs_builddir)':"$$PATH" MAKEDUMPFILE='$(MAKEDUMPFILE)' CUTS='$(CUTS)' \
		python3 -B $(srcdir)/tests/readers/dumps.py $(CORES)

# njoin copies what makedumpfile can still copy of its own files, after they were changed.
#	make mutations [MUTATIONS=N] [FIRST_SEED=N] [MAKEDUMPFILE=PROGRAM]
MUTATIONS = 20000
mutations: $(bin_PROGRAMS)
	@PATH='$(abs_builddir)':"$$PATH" MAKEDUMPFILE='$(MAKEDUMPFILE)' \
		python3 -B $(srcdir)/tests/readers/mutations.py $(MUTATIONS) $(FIRST_SEED) || test $$? -eq 77

# The command lines of distributions, each with the original makedumpfile and with nsplit under its name.  Root.
#	make check-recipes CORE=vmcore [MAKEDUMPFILE=PROGRAM] [RECIPES='fedora_fs...']
#		[KDUMP_UTILS=DIR] [SUSE_KDUMP=DIR] [KDUMP_TOOLS=DIR]
# With the sources of kdump-utils, of openSUSE's kdump, or an unpacked package kdump-tools, their scripts run, too.
check-recipes: $(bin_PROGRAMS)
	@exec env srcdir='$(srcdir)' builddir='$(abs_builddir)' CORE='$(CORE)' MAKEDUMPFILE='$(MAKEDUMPFILE)' \
		RECIPES='$(RECIPES)' KDUMP_UTILS='$(KDUMP_UTILS)' SUSE_KDUMP='$(SUSE_KDUMP)' \
		KDUMP_TOOLS='$(KDUMP_TOOLS)' $(SHELL) $(srcdir)/tests/readers/recipes.sh
.PHONY: check-readers check-crash check-dumps mutations check-recipes
