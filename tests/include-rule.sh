#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The include rule (doc/architecture.md): which directory may include which.  The directories are
# those of src/ with what lies below them, and fakevmcore/.  A program of cmd/ includes its own
# directory and cmd/common only, but for cmd/makedumpfile.  fakevmcore/
# contains programs and the kernel module, which share headers; Kbuild lists the files of the module.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

# check TREE: prints "FILE:LINE: DIRECTORY includes OTHER" for each line that breaks the rule
check() {
	(cd "$1" && find src fakevmcore -name '*.[ch]' | sort) > files
	[ -s files ] || fail "no source file in $1"
	while read -r file; do
		sed -n '=;p' "$1/$file" | paste -d : - - |
			sed -n 's|^\([0-9]*\):[ 	]*#[ 	]*include[ 	]*"\(.*\)/[^/]*".*|\1 \2|p' |
			while read -r line other; do
				directory=${file#src/}
				directory=${directory%/*}
				may_include "${directory%%/*}" "${other%%/*}" &&
					same_program "$(program_of "$directory")" "$(program_of "$other")" ||
					echo "$file:$line: $directory includes $other"
			done
	done < files
}

# may_include DIRECTORY OTHER
may_include() {
	case $1 in
	base) allowed='base' ;;
	codec | format | io) allowed="$1 base" ;;
	capture) allowed='capture format codec io base' ;;
	set) allowed='set core format codec io base' ;;
	core) allowed='core format base' ;;
	filter) allowed='filter core format io base' ;;
	estimate) allowed='estimate capture core format codec io base' ;;
	export) allowed='export core set format codec io base' ;;
	mount) allowed='mount export core set format codec io base' ;;
	bench) allowed='bench capture set export core format codec io base fakevmcore' ;;
	cmd) allowed='cmd bench mount capture estimate filter set core export format codec io base fakevmcore' ;;
	fakevmcore) allowed='fakevmcore base' ;;
	*) return 1 ;;
	esac
	case " $allowed " in
	*" $2 "*) return 0 ;;
	esac
	return 1
}

# program_of DIRECTORY: the directory of its program, of which it is a part
program_of() {
	printf '%s\n' "$1" | cut -d / -f 1,2
}

# same_program DIRECTORY OTHER: whether OTHER is not the directory of another program of cmd/
same_program() {
	case $2 in
	cmd/common | "$1") return 0 ;;
	esac
	# Under the name makedumpfile, nsplit does its own work and that of njoin.
	case "$1 $2" in
	'cmd/nsplit cmd/makedumpfile' | 'cmd/makedumpfile cmd/nsplit' | 'cmd/makedumpfile cmd/njoin') return 0 ;;
	esac
	case $2 in
	cmd/*) return 1 ;;
	esac
	return 0
}

# module_files TREE: prints the module's own sources and headers, without the shared headers, which
# use __KERNEL__ to distinguish the two
module_files() {
	(
		cd "$1/fakevmcore"
		sources=$(sed -n 's/^fakevmcore-y := //p' Kbuild | sed 's/\.o/.c/g')
		[ -n "$sources" ] || fail "no source of the module in $1"
		# shellcheck disable=SC2086
		{
			printf '%s\n' $sources
			sed -n 's/^#include "\([^/]*\)"/\1/p' $sources | sort -u |
				xargs grep -L __KERNEL__
		}
	)
}

# check_module TREE: prints what the module includes besides the kernel's headers and those in its
# directory
check_module() {
	module_files "$1" > module
	while read -r file; do
		grep -n '^[ 	]*#[ 	]*include' "$1/fakevmcore/$file" |
			grep -v -e '<linux/[^>]*>' -e '"[^/"]*"' |
			sed "s|^\([0-9]*\):|fakevmcore/$file:\1: the module has |"
	done < module
}

# First a tree that breaks the rule, to see that the check works.
mkdir -p tree/src/base tree/src/codec tree/src/capture tree/src/set tree/src/export \
	tree/src/cmd/p tree/src/bench tree/src/export/d tree/fakevmcore
printf '#include "config.h"\n#include <stdio.h>\n#include "base/b.h"\n' > tree/src/base/b.c
printf '// x\n#include "format/f.h"\n' > tree/src/codec/c.c
printf '#include "format/f.h"\n#include "set/s.h"\n' > tree/src/capture/c.h
printf '#  include "capture/c.h"\n' > tree/src/set/s.c
printf '#include "../capture/c.h"\n#include "set/d/s.h"\n' > tree/src/export/e.c
printf '#include "export/e.h"\n#include "mount/m.h"\n' > tree/src/export/d/f.c
printf '#include "capture/d/c.h"\n#include "cmd/common/c.h"\n#include "cmd/p/c.h"\n' \
	> tree/src/cmd/p/c.c
printf '#include "cmd/q/c.h"\n' > tree/src/cmd/p/d.c
printf '\n\n#include "cmd/c.h" // why\n' > tree/src/set/t.c
printf '#include "fakevmcore/p.h"\n#include "cmd/c.h"\n' > tree/src/bench/b.c
printf '#include "fakevmcore/p.h"\n#include "base/b.h"\n#include "io/i.h"\n' \
	> tree/fakevmcore/m.c
check tree > got
cat > want << END
fakevmcore/m.c:3: fakevmcore includes io
src/bench/b.c:2: bench includes cmd
src/capture/c.h:2: capture includes set
src/cmd/p/d.c:1: cmd/p includes cmd/q
src/codec/c.c:2: codec includes format
src/export/d/f.c:2: export/d includes mount
src/export/e.c:1: export includes ../capture
src/set/s.c:1: set includes capture
src/set/t.c:3: set includes cmd
END
same got want

printf 'obj-m := fakevmcore.o\nfakevmcore-y := k.o l.o\n' > tree/fakevmcore/Kbuild
printf '#include <linux/mm.h>\n#include "k.h"\n#include "base/b.h"\n' > tree/fakevmcore/k.c
printf '#include "shared.h"\n#include <stdio.h>\n' > tree/fakevmcore/l.c
printf '#include <linux/types.h>\n#include <stdint.h>\n' > tree/fakevmcore/k.h
printf '#ifdef __KERNEL__\n#else\n#include <stdint.h>\n#endif\n' \
	> tree/fakevmcore/shared.h
check_module tree > got
cat > want << END
fakevmcore/k.c:3: the module has #include "base/b.h"
fakevmcore/l.c:2: the module has #include <stdio.h>
fakevmcore/k.h:2: the module has #include <stdint.h>
END
same got want

# Now the source itself.
check "$srcdir" > broken
check_module "$srcdir" >> broken
[ ! -s broken ] || fail "the include rule is broken:
$(cat broken)"
