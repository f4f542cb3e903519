# SPDX-License-Identifier: GPL-2.0-or-later
# Full and lost file systems and devices, little memory, and nsplit killed.

system_tests = \
	tests/system/changed-output.sh \
	tests/system/closed-before.sh \
	tests/system/dev-full.sh \
	tests/system/device-contents.sh \
	tests/system/device-lost.sh \
	tests/system/drill.sh \
	tests/system/file-limit.sh \
	tests/system/filesystem-lost.sh \
	tests/system/frozen.sh \
	tests/system/full-device.sh \
	tests/system/full-ext4.sh \
	tests/system/full-kdump.sh \
	tests/system/full-sizes.sh \
	tests/system/full-sizes-disk.sh \
	tests/system/full-tmpfs.sh \
	tests/system/in-memory.sh \
	tests/system/full-vfat.sh \
	tests/system/kills.sh \
	tests/system/kills-layers.sh \
	tests/system/layers-memory.sh \
	tests/system/lost.sh \
	tests/system/memory.sh \
	tests/system/memory-fit.sh \
	tests/system/no-space.sh \
	tests/system/output-storage.sh \
	tests/system/replaced.sh \
	tests/system/source-cut.sh \
	tests/system/source-device.sh

TESTS += $(system_tests)

EXTRA_DIST += \
	$(system_tests) \
	tests/system/filling.sh \
	tests/system/holes.py \
	tests/system/kills.py \
	tests/system/kills_layers.py \
	tests/system/layered.py \
	tests/system/lib.sh \
	tests/system/lost.py \
	tests/system/running.py \
	tests/system/sweep.sh

KILLS = 200
KILLS_SEED = 1
# --layers: captures that leave pages out.
KILLS_OPTIONS =
kills: $(bin_PROGRAMS) $(check_PROGRAMS) $(check_DATA)
	@$(AM_TESTS_ENVIRONMENT) KILLS=$(KILLS) KILLS_SEED=$(KILLS_SEED) \
		$(SHELL) $(srcdir)/tests/system/kills$(KILLS_OPTIONS:--layers=-layers).sh || test $$? -eq 77

LOST = 200
LOST_SEED = 1
lost: $(bin_PROGRAMS) $(check_PROGRAMS) $(check_DATA)
	@$(AM_TESTS_ENVIRONMENT) LOST=$(LOST) LOST_SEED=$(LOST_SEED) \
		$(SHELL) $(srcdir)/tests/system/lost.sh || test $$? -eq 77

# What the scripts run.
check_PROGRAMS += tests/system/peak_memory
tests_system_peak_memory_LDADD =

# layers-memory.sh also needs 320 KiB in TMPDIR for each GiB.
CHECK_MEMORY_SIZE = 8G
CHECK_MEMORY_GIB = 1024
check-memory: $(bin_PROGRAMS) $(check_PROGRAMS)
	@$(AM_TESTS_ENVIRONMENT) CHECK_MEMORY_SIZE=$(CHECK_MEMORY_SIZE) \
		$(SHELL) $(srcdir)/tests/system/memory.sh || test $$? -eq 77
	@$(AM_TESTS_ENVIRONMENT) CHECK_MEMORY_GIB=$(CHECK_MEMORY_GIB) \
		$(SHELL) $(srcdir)/tests/system/layers-memory.sh || test $$? -eq 77
.PHONY: kills lost check-memory
