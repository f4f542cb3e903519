#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Fuzzing of everything that reads members: "make fuzz" runs this in the build directory, with the
# results of configure in the environment.
#	FUZZ_SECONDS=N		the time for each target (default: 60); 0: only the seeds and the
#				recipes of past findings
#	FUZZ_TARGETS='A B'	only these targets
#	FUZZ_CC=COMPILER	a clang (default: clang)
#
# Everything is in tests/fuzz/out of the build directory: the library, compiled again with the fuzzer's
# instrumentation; the seeds; corpus, which later runs extend; found, the reproducers; and a log for each
# target.
#
# Exit status: 0 no finding, 1 findings, 77 requirements are missing: the last line says which.

set -eu

LC_ALL=C
export LC_ALL
unset CDPATH
seconds=${FUZZ_SECONDS:-60}
targets=${FUZZ_TARGETS:-superblock footer index record unpack columns member set core export dump}
cc=${FUZZ_CC:-clang}
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
out=${builddir:?}/tests/fuzz/out
flags='-g -O1 -fno-omit-frame-pointer -fno-sanitize-recover=all'
checks=address,undefined

# One allocation is limited to the longest record, 64 MiB of chunk, its table and its run list (doc/format.md,
# section 11); all together to two of them on each of three threads, and the sanitizer.
limits='-malloc_limit_mb=65 -rss_limit_mb=2048 -timeout=20'

skip() {
	printf 'fuzz: skipped: %s\n' "$*"
	exit 77
}

die() {
	printf 'fuzz: %s\n' "$*" >&2
	exit 1
}

needs_or_skip() {
	[ "${have_check:-}" = yes ] ||
		skip 'the program that makes the seeds requires the library check'
	command -v "$cc" > "$out/which" || skip "$cc is not installed; on Debian: apt install clang libclang-rt-dev"
	printf '%s\n' '#include <stddef.h>' 'int LLVMFuzzerTestOneInput(const char *p, size_t n);' \
		'int LLVMFuzzerTestOneInput(const char *p, size_t n) { return n && *p == 1 ? 0 : 0; }' \
		> "$out/try.c"
	# shellcheck disable=SC2086
	"$cc" $flags -fsanitize=fuzzer,$checks -o "$out/try" "$out/try.c" > "$out/try.log" 2>&1 ||
		skip "$cc has no -fsanitize=fuzzer,$checks (Debian: libclang-rt-dev): $(tail -n 1 "$out/try.log")"
}

# --- building ---------------------------------------------------------------

# compile OBJECT SOURCE
compile() {
	# Lists of options.
	# shellcheck disable=SC2086
	"$cc" $flags -fsanitize=fuzzer-no-link,$checks ${fuzz_cppflags:?} ${fuzz_cflags?} \
		-c -o "$out/obj/$1" "$2"
}

# begin COMMAND...: runs it in the background; waits before that if two run, since two CPUs are expected
begin() {
	[ -z "$older" ] || wait "$older" || die 'this does not compile'
	older=$newer
	"$@" &
	newer=$!
}

finish() {
	begin :
	begin :
}

# link PROGRAM SANITIZERS OBJECT...
link() {
	program=$out/$1
	sanitizers=$2
	shift 2
	# shellcheck disable=SC2086
	(cd "$out/obj" && "$cc" $flags "-fsanitize=$sanitizers" -pthread -o "$program" "$@" \
		${fuzz_libs?})
}

# The library, in order and without repetition; and the files of the unit tests that the seeds need.
library_sources() {
	for source in ${fuzz_sources:?}; do
		case $source in
		*.c) printf '%s\n' "$source" ;;
		esac
	done
}

build() {
	if [ -f "$out/built" ] && [ -z "$(find "$top/src" "$here" "$top/tests/unit" \
		"$builddir/config.h" -name '*.[ch]' -newer "$out/built")" ]; then
		return
	fi
	rm -rf "$out/obj" "$out/built"
	mkdir "$out/obj"
	objects=
	older=
	newer=
	for source in $(library_sources) tests/fuzz/fuzz.c tests/fuzz/fuzz_mutate.c tests/fuzz/fuzz_layers.c; do
		object=$(printf '%s' "${source%.c}.o" | tr / _)
		begin compile "$object" "$top/$source"
		objects="$objects $object"
	done
	for source in tests/unit/corpus tests/unit/helper tests/unit/made_core tests/unit/made_log \
		tests/unit/made_map tests/unit/made_dump tests/unit/set_maker tests/unit/layer_maker \
		tests/unit/recipe tests/unit/recipe_change tests/fuzz/seeds; do
		begin compile "${source##*/}.o" "$top/$source.c"
	done
	for target in superblock footer index record unpack columns member set core export dump; do
		begin compile "fuzz_$target.o" "$here/fuzz_$target.c"
	done
	finish
	# Without the mutator, which is for the targets, this is an ordinary program.
	# shellcheck disable=SC2086
	link seeds-maker fuzzer-no-link,$checks seeds.o recipe.o recipe_change.o \
		set_maker.o layer_maker.o made_core.o made_log.o made_map.o made_dump.o helper.o corpus.o \
		${objects%tests_fuzz_fuzz.o*}
	for target in superblock footer index record unpack columns member set core export dump; do
		# shellcheck disable=SC2086
		begin link "fuzz_$target" fuzzer,$checks "fuzz_$target.o" $objects
	done
	finish
	: > "$out/built"
}

make_seeds() {
	rm -rf "$out/seeds" "$out/findings"
	mkdir "$out/seeds" "$out/findings"
	"$out/seeds-maker" "$out/seeds" < "$here/seeds.txt" > "$out/seeds.log" ||
		die "the seeds cannot be made: $(tail -n 1 "$out/seeds.log")"
	for recipes in "$here"/findings/*.txt; do
		[ -f "$recipes" ] || continue
		"$out/seeds-maker" "$out/findings" < "$recipes" >> "$out/seeds.log" ||
			die "$recipes: $(tail -n 1 "$out/seeds.log")"
	done
}

# --- running ----------------------------------------------------------------

# figure NAME LOG: prints a number of libFuzzer's final statistics
figure() {
	sed -n "s/^stat::$1: *//p" "$2"
}

# coverage LOG last|new: prints the number of edges at the end, or how many of them were not reached
# by the seeds and the corpus
coverage() {
	sed -n 's/^#[0-9]*[[:space:]]*\([A-Z][A-Za-z]*\) .*cov: \([0-9]*\).*/\1 \2/p;
		s/^#[0-9]*[[:space:]]*\(pulse\) .*cov: \([0-9]*\).*/\1 \2/p' "$1" |
		awk -v what="$2" '$1 == "INITED" { first = $2 } { last = $2 }
			END { print what == "last" ? last + 0 : last - first }'
}

# run_target NAME: prints a line of the table; fails after a finding
run_target() {
	log=$out/$1.log
	found=0
	corpus=$out/corpus/$1
	length='-runs=0'

	[ "$seconds" -eq 0 ] || length="-max_total_time=$seconds"
	mkdir -p "$corpus" "$out/seeds/$1" "$out/findings/$1"
	# A mere replay does not extend the corpus.
	[ "$seconds" -gt 0 ] || corpus=
	from=$(date +%s)
	# shellcheck disable=SC2086
	"$out/fuzz_$1" $limits $length -max_len=131072 -print_final_stats=1 \
		-artifact_prefix="$out/found/$1-" $corpus "$out/seeds/$1" "$out/findings/$1" \
		> "$log" 2>&1 || found=1
	printf '%-12s %12s %8d %9d %9d %9d\n' "$1" \
		"$(figure number_of_executed_units "$log")" "$(($(date +%s) - from))" \
		"$(coverage "$log" last)" "$(coverage "$log" new)" "$found"
	[ "$found" -eq 0 ]
}

# run_pair NAME [NAME]...: runs the first two at the same time, since two CPUs are expected
run_pair() {
	run_target "$1" > "$out/$1.row" &
	first=$!
	[ $# -eq 1 ] || run_target "$2" > "$out/$2.row" || bad="$bad $2"
	wait "$first" || bad="$bad $1"
	cat "$out/$1.row"
	[ $# -eq 1 ] || cat "$out/$2.row"
}

# Freed memory is quarantined to detect its use, but little of it, since chunks are large.
ASAN_OPTIONS=quarantine_size_mb=32:allocator_may_return_null=1:detect_leaks=1
UBSAN_OPTIONS=print_stacktrace=1
export ASAN_OPTIONS UBSAN_OPTIONS

mkdir -p "$out/found"
needs_or_skip
build
make_seeds
bad=
printf '%-12s %12s %8s %9s %9s %9s\n' target executions seconds edges new findings
for target in $targets; do
	[ -x "$out/fuzz_$target" ] || die "there is no target $target"
done
# A list of names.
# shellcheck disable=SC2086
set -- $targets
while [ $# -gt 0 ]; do
	run_pair "$@"
	shift $(($# > 1 ? 2 : 1))
done
[ -n "$bad" ] || exit 0
for target in $bad; do
	printf '\n--- %s: how %s ends\n' "$target" "$out/$target.log"
	grep -E '^(==|SUMMARY|fuzz:|artifact|Test unit)|runtime error' "$out/$target.log" ||
		tail -n 20 "$out/$target.log"
done
cat << END

fuzz: reproducers lie in $out/found;
$out/fuzz_TARGET FILE runs one again, and
$out/seeds-maker -d < FILE writes it as steps of a recipe for tests/fuzz/findings
END
exit 1
