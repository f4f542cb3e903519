#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# No file of src/ calls functions of a file that calls it, directly or through others.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

need nm tsort

# calls: reads the output of "nm -A -g"; prints each pair of a file that uses something and the file that
# defines it
calls() {
	awk '
		{
			file = $1
			sub(/\.o:.*/, "", file)
			# A file that is compiled with flags of its own: src/cmd/nsplit-mount/nsplit_mount-fuse.o.
			name = file
			sub(/.*\//, "", name)
			sub(/[^\/]*$/, "", file)
			sub(/.*-/, "", name)
			file = file name
		}
		$(NF - 1) == "U" { uses[file " " $NF] = 1; next }
		NF > 2 { defined[$NF] = file }
		END {
			for (use in uses) {
				split(use, part, " ")
				if (part[2] in defined && defined[part[2]] != part[1])
					print part[1], defined[part[2]]
			}
		}' | sort -u
}

# cycles: reads such pairs; prints the files of each cycle, one a line
cycles() {
	tsort 2>&1 > /dev/null | sed 's/^tsort: //'
}

# First calls that have a cycle, to see that the check works.
cat > symbols << 'END'
src/a/a.o:0000000000000000 T one
src/a/a.o:                 U two
src/a/a.o:                 U malloc
src/b/program-b.o:0000000000000000 T two
src/b/program-b.o:0000000000000000 T own
src/b/program-b.o:                 U three
src/c.o:0000000000000008 R three
src/c.o:                 U one
src/d.o:                 U own
END
calls < symbols > got
cat > want << 'END'
src/a/a src/b/b
src/b/b src/c
src/c src/a/a
src/d src/b/b
END
same got want
cycles < got > found
[ "$(wc -l < found)" -eq 4 ] || fail "the cycle is not found: $(cat found)"

# objects: prints the object files of the source files; others may be left from an earlier build
objects() {
	(cd "$srcdir" && find src -name '*.c') | while read -r source; do
		for object in "${source%.c}.o" "${source%/*}"/*-"$(basename "$source" .c).o"; do
			[ ! -e "$object" ] || echo "$object"
		done
	done
}

# shellcheck disable=SC2154 # lib.sh sets builddir
cd "$builddir"
objects > "$lib_dir/objects"
# shellcheck disable=SC2154 # and lib_dir
xargs nm -A -g < "$lib_dir/objects" > "$lib_dir/symbols" 2> "$lib_dir/err" || skip 'nm cannot read the object files'
cd "$lib_dir"
calls < symbols > pairs
grep -q '^src/capture/engine/writers src/io/sink$' pairs || skip 'the object files have no symbols, as with -flto'

cycles < pairs > found
[ ! -s found ] || fail "files that call each other:
$(cat found)"
