#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit expands {A..B} in an OUTPUT, for shells that do not.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

echo data > core

# expands PATTERN NAME...: exactly these outputs are created
expands() {
	pattern=$1
	shift
	mkdir made
	(cd made && mkdir d0 d1 d2 d3 && nsplit -q ../core "$pattern") || fail "$pattern fails"
	(cd made && find . -type f | sed 's|^\./||' | sort) > got
	printf '%s\n' "$@" | sort > want
	same got want
	rm -r made
}

expands 'd{0..3}/a' d0/a d1/a d2/a d3/a
expands 'd<0..3>/a' d0/a d1/a d2/a d3/a
expands 'd{3..1}/a' d1/a d2/a d3/a
expands 'm{00..03}' m00 m01 m02 m03
expands 'm{8..011}' m008 m009 m010 m011
expands '{0..1}{0..1}' 00 01 10 11
expands 'd{0..1}/<0..1>' d0/0 d0/1 d1/0 d1/1
expands 'm{a..c}' 'm{a..c}'
expands 'm{0,1}' 'm{0,1}'
expands 'm{0..}' 'm{0..}'
expands 'm{0..1' 'm{0..1'
expands 'm{0..1>' 'm{0..1>'
expands '{}' '{}'

# A name that results twice is an output given twice.
expect_status 2 nsplit core m1 'm{0..1}'
expect_err "nsplit: m1: is the same output as m1"
absent m0
# SOURCE is not expanded.
cp core 'core{0..1}'
expect_status 0 nsplit -q 'core{0..1}' new
closed new
