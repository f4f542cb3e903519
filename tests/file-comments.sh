#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each C file of src/ and fakevmcore/ says in the first sentence of its comment what it is for; NAME.c
# and NAME.h share one.  tests/files.sh prints these sentences.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

list() {
	(cd "$1" && "$files")
}

files=$(cd "$srcdir/tests" && pwd)/files.sh

# A made-up tree first.
mkdir -p tree/src/a tree/fakevmcore
printf '// SPDX-License-Identifier: x\n/*\n * Does it, as doc.md, 1.2,\n * says.  Not this.\n */\n' > tree/src/a/pair.h
printf '// x\n/* Another. */\nint i;\n' > tree/src/a/pair.c
printf '#ifndef X\n/* Of a function. */\n' > tree/src/a/shared.h
printf '/*\n * In the other.\n *\n * More.\n */\n' > tree/src/a/shared.c
printf '// x\n#include "y.h"\n\n/* Of a function. */\n' > tree/src/a/none.c
printf '/*\n * A heading\n *\n * A sentence.\n */\n' > tree/src/a/heading.h
printf '/* SPDX-License-Identifier: x */\n/* Of the module. */\n' > tree/fakevmcore/m.c
list tree > got
cat > want << 'END'
fakevmcore/m.c: Of the module.
src/a/heading.h: 
src/a/none.c: 
src/a/pair.[ch]: Does it, as doc.md, 1.2, says.
src/a/shared.[ch]: In the other.
END
same got want

# Now the source itself.
list "$srcdir" > all
[ "$(wc -l < all)" -gt 100 ] || fail "few source files in $srcdir"
! grep ': $' all > without || fail "files whose comment does not begin with a sentence:
$(cat without)"
