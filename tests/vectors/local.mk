# SPDX-License-Identifier: GPL-2.0-or-later
# The catalogue of sets: made from recipes, and compared with the table in its README.

if HAVE_CHECK
check_PROGRAMS += tests/vectors/cook tests/vectors/layer_map
tests_vectors_cook_SOURCES = tests/vectors/cook.c
tests_vectors_layer_map_SOURCES = tests/vectors/layer_map.c
endif

TESTS += tests/vectors/decode.sh tests/vectors/layers.sh tests/vectors/vectors.sh

EXTRA_DIST += \
	tests/vectors/README tests/vectors/README.dumps tests/vectors/README.layers \
	tests/vectors/decode.py tests/vectors/decode.sh tests/vectors/dumps.txt \
	tests/vectors/golden-layers.txt \
	tests/vectors/layers.sh \
	tests/vectors/layers.txt \
	tests/vectors/recipes.txt \
	tests/vectors/vectors.py \
	tests/vectors/vectors.sh
