# SPDX-License-Identifier: GPL-2.0-or-later
# The dracut module.  It is one directory, with all that it copies into an initramfs.
dracutmoduledir = $(prefix)/lib/dracut/modules.d/95nsplit
dist_dracutmodule_SCRIPTS = $(common_scripts) kdump/dracut/95nsplit/module-setup.sh \
	kdump/dracut/95nsplit/nsplit-or-makedumpfile
dist_dracutmodule_DATA = $(common_functions)

dracutdocdir = $(docdir)/kdump/dracut
dist_dracutdoc_DATA = kdump/dracut/README.md
