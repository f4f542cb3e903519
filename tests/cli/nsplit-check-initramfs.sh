#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# --check-params finds that nsplit in the capture initramfs is of another build, or lacks a library.  The
# linker has to write build ids, and to use shared libraries.
# Much here is for the stubs.
# shellcheck disable=SC2016
# shellcheck source=tests/cli/check-lib.sh
. "${srcdir:?}/tests/cli/check-lib.sh"

fedora
expect_status 0 checks --json
grep -q '^  "build": "[0-9a-f]*",$' out || skip 'this nsplit has no build id'

cp "$builddir/njoin" image/usr/libexec/nsplit/nsplit
pack
finds initramfs-other-build warning \
	"nsplit in the capture initramfs $initramfs is not the same build as this program; make it again"
debian_initramfs
cp "$builddir/njoin" image/usr/bin/nsplit
pack
finds initramfs-other-build warning \
	"nsplit in the capture initramfs $initramfs is not the same build as this program; make it again"
# dracut strips programs.
if command -v strip > /dev/null; then
	fedora
	strip image/usr/libexec/nsplit/nsplit
	pack
	expect_status 0 checks -v
	grep -qxF "nsplit: ok: nsplit in the capture initramfs $initramfs is the same build as this program" err ||
		fail "$(cat err)"
fi

# The nsplit that is called, by its name and through a link.
for machine in fedora fedora_link; do
	$machine
	cp "$builddir/njoin" root/usr/bin/nsplit
	finds collector-other-build warning \
		'kdump-utils calls /usr/bin/nsplit, which is not the same build as this program'
done

# A file that is no program.
fedora
echo '#!/bin/sh' > image/usr/libexec/nsplit/nsplit
pack
expect_status 0 checks -v
grep -q "not checked: whether nsplit in the capture initramfs $initramfs is the same build: it has no build id" err ||
	fail "$(cat err)"

# The module squash of dracut: most files are in an image, which lsinitrd lists as unsquashfs does, or as
# find -ls.  It fails afterwards if the image contains no parameters of the kernel.
for form in squashfs erofs; do
	fedora
	{
		printf '%s\n' "root=$form-root" 'case $1 in' '-f) exec tar xOf "$3" "./${2#"$root"/}" ;;' 'esac' \
			'echo "Image: $1: 30M"'
		if [ $form = squashfs ]; then
			echo 'tar tvf "$1" | sed "s|\./|$root/|"'
		else
			echo 'image=$1'
			printf '%s' "$list_tar"
			echo ' | sed "s|\./|$root/|; s/^/ 123 4 /"'
		fi
		echo 'exit 1'
	} | stub lsinitrd
	expect_status 0 checks -v
	grep -qxF "nsplit: ok: nsplit in the capture initramfs $initramfs is the same build as this program" err ||
		fail "$form: $(cat err)"
	expect_status 0 checks --json
	! grep -q initramfs_bytes out || fail "$form: $(cat out)"
	cp "$builddir/njoin" image/usr/libexec/nsplit/nsplit
	pack
	finds initramfs-other-build warning \
		"nsplit in the capture initramfs $initramfs is not the same build as this program; make it again"
done

# An image that cannot be read, and one whose files cannot be unpacked.
fedora
echo 'exit 1' | stub lsinitrd
expect_status 0 checks -v
grep -qxF "nsplit: not checked: what is in the capture initramfs $initramfs: lsinitrd could not list its files" err ||
	fail "$(cat err)"
debian_initramfs
echo 'exit 1' | stub unmkinitramfs
expect_status 0 checks -v
grep -qxF "nsplit: not checked: whether nsplit is the same build in the capture initramfs $initramfs: unmkinitramfs could not unpack it" err ||
	fail "$(cat err)"

library=$(libraries | grep '^lib' | head -n 1)
[ -n "$library" ] || skip 'this nsplit is linked statically'
fedora
rm "image/usr/lib/$library"
pack
finds initramfs-library error \
	"the capture initramfs $initramfs lacks a library that nsplit needs: $library"
