# SPDX-License-Identifier: GPL-2.0-or-later
# Damage to small sets, bit by bit: "make damage FLIPS=200000", and some thousand changes in "make
# check".

if HAVE_CHECK
check_PROGRAMS += tests/damage/damage
endif
tests_damage_damage_SOURCES = \
	tests/damage/change.h tests/damage/change.c \
	tests/damage/damage.c \
	tests/damage/reading.h tests/damage/reading.c \
	tests/damage/trial.h tests/damage/trial.c
tests_damage_damage_LDADD = libnsplit.a $(LIBRARIES_USED)

TESTS += tests/damage/damage.sh

EXTRA_DIST += \
	tests/damage/damage.sh \
	tests/damage/run.sh \
	tests/damage/sample.py \
	tests/damage/sets.txt

FLIPS = 200000
SAMPLE = 500
DAMAGE_SEED =
# --layers: only sets with layers.
DAMAGE_OPTIONS =
damage: $(bin_PROGRAMS) $(check_PROGRAMS)
	@builddir='$(abs_builddir)' $(SHELL) $(srcdir)/tests/damage/run.sh \
		$(DAMAGE_OPTIONS) $(FLIPS) $(SAMPLE) $(DAMAGE_SEED) || test $$? -eq 77
.PHONY: damage
