# SPDX-License-Identifier: GPL-2.0-or-later
# The catalogue of sets: made from recipes, and compared with the table in its README.

if HAVE_CHECK
check_PROGRAMS += tests/vectors/cook
tests_vectors_cook_SOURCES = tests/vectors/cook.c
endif

TESTS += tests/vectors/vectors.sh

EXTRA_DIST += \
	tests/vectors/README \
	tests/vectors/recipes.txt \
	tests/vectors/vectors.py \
	tests/vectors/vectors.sh
