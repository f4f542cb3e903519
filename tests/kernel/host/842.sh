# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The algorithm 842, which Debian's kernels leave out, but whose zram takes any compressor of the
# crypto interface: its modules are built from the package of the kernel's source.  The package is
# downloaded once into the build directory, as by "make bench"; nothing is installed.

# modules_842: builds them, and prints their files in the order in which they load; otherwise prints
# why not, and fails
modules_842() {
	source_package=linux-source-$(printf '%s\n' "$kernel_version" | cut -d . -f 1,2)
	source_fetch > 842.log 2>&1 || {
		printf '%s\n' "Debian's package $source_package is not available"
		return 1
	}
	source_unpack >> 842.log 2>&1 || {
		printf '%s cannot be unpacked; remove it\n' "$source_file"
		return 1
	}
	printf 'obj-m := 842_compress.o 842_decompress.o 842.o\n' > 842/Kbuild
	make -C "/lib/modules/$kernel_version/build" M="$PWD/842" >> 842.log 2>&1 || {
		printf 'the modules of 842 cannot be built: %s\n' "$(tail -n 5 842.log)"
		return 1
	}
	printf '%s\n' 842/842_compress.ko 842/842_decompress.ko 842/842.ko
}

# Sets source_file.
source_fetch() {
	source_file=$(printf '%s\n' "$builddir/$source_package"_*.deb | tail -n 1)
	[ ! -f "$source_file" ] || return 0
	apt-get -qq download "$source_package" || return 1
	# The name appears only when the file is complete.
	cp "$source_package"_*.deb "$builddir/$source_package.new" || return 1
	source_file=$builddir/$(basename "$source_package"_*.deb)
	mv "$builddir/$source_package.new" "$source_file"
}

# The files of all three modules are in one directory.
source_unpack() {
	mkdir 842 source
	dpkg-deb --fsys-tarfile "$source_file" |
		tar -xO --wildcards './usr/src/linux-source-*.tar.xz' |
		tar -xJ -C source --strip-components 1 --wildcards '*/lib/842/*' '*/crypto/842.c' || return 1
	mv source/lib/842/*.[ch] source/crypto/842.c 842/
}
