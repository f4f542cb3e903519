#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# configure refuses a system whose size_t has 32 bits, with a clear message; the compiler refuses it
# too.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

[ -x "$srcdir/configure" ] || skip 'there is no configure in the source tree'
[ ! -e "$srcdir/config.status" ] || skip 'the source tree is configured itself'
need gcc
# A file without headers compiles for 32 bits without any 32-bit library.
echo 'int size[sizeof(sizeof(int)) == 4 ? 1 : -1];' > size.c
gcc -m32 -c size.c 2> err || skip "gcc does not compile for 32 bits: $(cat err)"

# Links for 64 bits, since there are no 32-bit libraries.
cat > cc32 << 'END'
#!/bin/sh
for word; do
	[ "$word" != -c ] || exec gcc -m32 "$@"
done
exec gcc "$@"
END
chmod +x cc32
mkdir build
cc32=$PWD/cc32
(
	cd build || exit
	expect_status 1 "$srcdir/configure" --quiet CC="$cc32"
	expect_err 'configure: error: nsplit requires a 64-bit size_t, but this compiler has a smaller one; build nsplit for a 64-bit system'
)

# The statement that refuses it without configure; gcc's own header serves both sizes.
printf '#include <stddef.h>\n' > unit.c
grep -h '^_Static_assert(sizeof(size_t)' "$srcdir"/src/base/*.h >> unit.c || fail 'no header refuses it'
gcc -c unit.c
expect_status 1 gcc -m32 -c unit.c
grep -q 'nsplit needs a system with a 64-bit size_t' err || fail "the compiler says: $(cat err)"
