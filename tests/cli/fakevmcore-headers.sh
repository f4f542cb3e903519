#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The build of the kernel module depends on the features of the kernel's headers, not on their
# version: enterprise distributions backport newer features to a kernel with the version 5.14.
# shellcheck source=tests/cli/lib.sh
. "${srcdir:?}/tests/cli/lib.sh"

long_test
need make
for kdir in /lib/modules/*/build; do :; done
[ -e "$kdir/Makefile" ] || skip 'no kernel headers are installed'
# ccache does not see that a header was put before the one that it has seen.
export CCACHE_DISABLE=1
# The headers work only with the compiler that the kernel was built with.
compiler=$(sed -n 's/^CONFIG_CC_VERSION_TEXT="\([^ ]*\) .*/\1/p' "$kdir/.config")
need "${compiler:?}"

# find_header NAME: prints the path of <NAME>, which may be in either of Debian's two header trees
find_header() {
	common=$(sed -n 's|^include \(/.*\)/Makefile$|\1|p' "$kdir/Makefile")
	for header in "$kdir/include/$1" "$kdir/include/generated/uapi/$1" "$common/include/$1"; do
		[ ! -e "$header" ] || break
	done
	[ -e "$header" ] || fail "no header $1"
	echo "$header"
}

# build WHAT WANT: builds the module with the headers of shadow/ before the kernel's own, and
# checks that it found the features WANT
build() {
	rm -rf module
	mkdir module
	cp "$srcdir"/fakevmcore/*.[ch] "$srcdir/fakevmcore/Kbuild" "$srcdir/fakevmcore/Makefile" module
	make -C module KDIR="$kdir" CC="$compiler -I$PWD/shadow" > log 2>&1 || fail "$1: $(cat log)"
	[ -e module/fakevmcore.ko ] || fail "$1: no module: $(cat log)"
	! grep 'probe.c does not compile' log || fail "$1: $(cat log)"
	grep -o -e '-DHAVE_[A-Z_]*' module/.serve.o.cmd | sort -u | tr '\n' ' ' > found
	printf '%s' "$2" > want
	cmp -s found want || fail "$1: found '$(cat found)' and not '$2'"
	make -C module KDIR="$kdir" CC="$compiler -I$PWD/shadow" clean > log 2>&1 ||
		fail "$1: clean: $(cat log)"
	! grep 'fakevmcore:' log || fail "$1: clean: $(cat log)"
}

# version MAJOR MINOR: sets the version that the headers report
version() {
	sed -e "s/\(LINUX_VERSION_CODE\) .*/\1 $(($1 * 65536 + $2 * 256))/" \
		"$(find_header linux/version.h)" > shadow/linux/version.h
}

mkdir -p shadow/linux
read_iter=
! grep -q proc_read_iter "$(find_header linux/proc_fs.h)" || read_iter='-DHAVE_PROC_READ_ITER '
flags_mod=
! grep -q 'void vm_flags_mod(' "$(find_header linux/mm.h)" || flags_mod='-DHAVE_VM_FLAGS_MOD '
build 'the kernel as it is' "$read_iter$flags_mod"
version 5 14
build 'an older number' "$read_iter$flags_mod"
version 6 6
build 'a newer number' "$read_iter$flags_mod"

[ -n "$read_iter" ] || skip 'this kernel is too old for the rest'
version 6 6
sed '/proc_read_iter/d' "$(find_header linux/proc_fs.h)" > shadow/linux/proc_fs.h
build 'no proc_read_iter' "$flags_mod"
rm shadow/linux/proc_fs.h

[ -z "$flags_mod" ] || skip 'the flags of a mapping are read-only in this kernel already'
# As in 6.3: vm_flags is read-only, and only functions change it.
version 5 14
sed 's/^\([	 ]*\)unsigned long vm_flags;.*/\1union { const vm_flags_t vm_flags; vm_flags_t __vm_flags; };/' \
	"$(find_header linux/mm_types.h)" > shadow/linux/mm_types.h
grep -q 'const vm_flags_t' shadow/linux/mm_types.h || skip 'this kernel has the flags elsewhere'
{
	cat "$(find_header linux/mm.h)"
	cat << 'END'
#ifndef SHADOW_VM_FLAGS_MOD
#define SHADOW_VM_FLAGS_MOD
static inline void vm_flags_mod(struct vm_area_struct *vma, vm_flags_t set, vm_flags_t clear)
{
	vma->__vm_flags = (vma->__vm_flags | set) & ~clear;
}
#endif
END
} > shadow/linux/mm.h
build 'newer parts in an older kernel' '-DHAVE_PROC_READ_ITER -DHAVE_VM_FLAGS_MOD '
