#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# nsplit expands the braces in an OUTPUT, for shells that do not.
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
expands 'd{0,2}/a' d0/a d2/a
expands 'm{a..c}' ma mb mc
expands 'd{0,1}/{x,y{1..2}}' d0/x d0/y1 d0/y2 d1/x d1/y1 d1/y2
expands 'm\{0,1\}' 'm{0,1}'
expands 'm{a\,b,c}' 'ma,b' mc
expands 'm\<0..1>' 'm<0..1>'
expands 'by\x2duuid' 'by\x2duuid'
expands 'm<0..1' 'm<0..1'
# In a command, only ranges of numbers.
expands '|{ cat; } > m{0..1}; : {a,b} ${none} \{' m0 m1

# refused PATTERN TEXT: everywhere that outputs are named, nothing is created
refused() {
	text="$1: $2; a backslash before a brace makes it part of the name"
	expect_usage nsplit "outputs: $text" core new "$1"
	for option in --also --fallback; do
		expect_usage nsplit "$option: $text" "$option=$1" core new
	done
	for key in output also fallback; do
		printf '%s = %s\n' $key "$1" > conf
		expect_status 2 nsplit --config=conf core new
		expect_err "nsplit: conf:1: $key: $text"
	done
	expect_usage nsplit-bench "outputs: $text" core "$1"
	expect_usage njoin "members: $text" -o new "$1"
	absent new
}

refused 'm{0..1' 'a brace is not closed'
refused 'm{0..1>' 'a brace is not closed'
refused 'm0..1}' 'a closing brace has no opening brace'
refused 'm{}' 'there is nothing between the braces'
refused 'm{x}' 'the braces hold neither a list (A,B) nor a range (A..B)'
refused 'm{0,1}{Now}' 'the braces hold neither a list (A,B) nor a range (A..B)'
range='a range must be A..B: two numbers of at most 9 digits and without a sign, or two letters of the same case'
for pattern in 'm{0..}' 'm{a..C}' 'm{-1..1}' 'm{0..1000000000}'; do
	refused "$pattern" "$range"
done
refused 'm{0..8..2}' 'a range takes no step (A..B..STEP); write a list, such as {0,2,4}'
refused 'm{a..e..2}' 'a range takes no step (A..B..STEP); write a list, such as {0,2,4}'

# bash drops an empty name.
for pattern in '{,new}' '{new,}' '{new,{,b}}' ''; do
	expect_usage nsplit "outputs: '$pattern' results in an empty name" core "$pattern"
	absent new
done
expect_usage njoin "members: '{,a}' results in an empty name" -o new '{,a}'

# A MEMBER that exists under exactly this name is not expanded.
expect_status 0 nsplit -q core 'm\{0,1\}'
expect_status 0 njoin -q -o copy 'm{0,1}'
same core copy
rm -f copy
expect_status 0 nsplit -q core 'k{a,b}'
expect_status 0 njoin -q -o copy 'k{a..b}'
same core copy

# A name that results twice is an output given twice.
expect_status 2 nsplit core m1 'm{0..1}'
expect_err "nsplit: m1: was given twice"
absent m0
# SOURCE is not expanded.
cp core 'core{0..1}'
expect_status 0 nsplit -q 'core{0..1}' new
closed new

# All names and their order, as in bash.  --filter takes any names, and --dry-run lists them.
need bash
while read -r pattern; do
	expect_status 0 nsplit -n '--filter=cat > "$FILE"' core "$pattern"
	sed -n 's/^output [0-9]*: \(.*\), command$/\1/p' out > got
	bash -fc "printf '%s\\n' $pattern" > want
	diff want got > differences || fail "$pattern: in bash (<), here (>):
$(cat differences)"
done <<'END'
a
a{b,c}
a{b,c,d}e
a{,b}
a{b,}c
{a,b}
x{0,1}/y{0..3}
a{b,c{d,e}}
a{b{1,2},c{3,4}}d
{{a,b},{c,d}}
{{a,b}{c,d},e}
a{b,{c,{d,{e,f}}}}
a{1..3}b{3..1}
{0..5}
{5..0}
{00..12}
{0..012}
{8..011}
{007..9}
{98..102}
{a..f}
{f..a}
{A..F}x
{z..z}
{1..1}
/mnt/disk{0..7}/core
/mnt/{sda,sdb{1..2},sdc}/core.{00..01}
h{1..2}:{a,b}/c
a{b..d,e}
a{1..3,5}
a{b,c..d}
a.{b.c,d..e}
a\{b\}
a\{b,c\}
a{b\,c,d}
a{b\},c}
a\,b
END
