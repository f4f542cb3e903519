# SPDX-License-Identifier: GPL-2.0-or-later
# Parts of the kernel's own that fail: full and lost file systems and devices, little memory;
# and nsplit killed.

parts_tests = \
	tests/parts/closed-before.sh \
	tests/parts/dev-full.sh \
	tests/parts/device-contents.sh \
	tests/parts/device-lost.sh \
	tests/parts/file-limit.sh \
	tests/parts/filesystem-lost.sh \
	tests/parts/frozen.sh \
	tests/parts/full-device.sh \
	tests/parts/full-ext4.sh \
	tests/parts/full-kdump.sh \
	tests/parts/full-sizes.sh \
	tests/parts/full-tmpfs.sh \
	tests/parts/in-memory.sh \
	tests/parts/full-vfat.sh \
	tests/parts/kills.sh \
	tests/parts/memory.sh \
	tests/parts/memory-fit.sh \
	tests/parts/no-room.sh \
	tests/parts/output-storage.sh \
	tests/parts/replaced.sh \
	tests/parts/source-cut.sh \
	tests/parts/source-device.sh

TESTS += $(parts_tests)

EXTRA_DIST += \
	$(parts_tests) \
	tests/parts/filling.sh \
	tests/parts/holes.py \
	tests/parts/kills.py \
	tests/parts/lib.sh \
	tests/parts/sweep.sh

KILLS = 200
KILLS_SEED = 1
kills: $(bin_PROGRAMS)
	@$(AM_TESTS_ENVIRONMENT) KILLS=$(KILLS) KILLS_SEED=$(KILLS_SEED) \
		$(SHELL) $(srcdir)/tests/parts/kills.sh || test $$? -eq 77

PARTS_SIZE = 8G
check-memory: $(bin_PROGRAMS)
	@$(AM_TESTS_ENVIRONMENT) PARTS_SIZE=$(PARTS_SIZE) \
		$(SHELL) $(srcdir)/tests/parts/memory.sh || test $$? -eq 77
.PHONY: kills check-memory
