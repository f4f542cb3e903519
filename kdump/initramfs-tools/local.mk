# SPDX-License-Identifier: GPL-2.0-or-later
# Does nothing until NSPLIT_CAPTURE=y: README.md.
initramfshooksdir = $(datadir)/initramfs-tools/hooks
initramfshooks_SCRIPTS = kdump/initramfs-tools/hooks/nsplit
initramfspremountdir = $(datadir)/initramfs-tools/scripts/init-premount
dist_initramfspremount_SCRIPTS = kdump/initramfs-tools/init-premount/nsplit

initramfsdocdir = $(docdir)/kdump/initramfs-tools
dist_initramfsdoc_DATA = kdump/initramfs-tools/README.md

EXTRA_DIST += kdump/initramfs-tools/hooks/nsplit.in
CLEANFILES += kdump/initramfs-tools/hooks/nsplit
kdump/initramfs-tools/hooks/nsplit: kdump/initramfs-tools/hooks/nsplit.in
	@$(MKDIR_P) kdump/initramfs-tools/hooks
	$(AM_V_GEN)sed 's|@pkglibexecdir''@|$(pkglibexecdir)|; s|@bindir''@|$(bindir)|' \
		$(srcdir)/kdump/initramfs-tools/hooks/nsplit.in > $@
	@chmod +x $@
