# SPDX-License-Identifier: GPL-2.0-or-later
# The dracut module brings it into the capture initramfs of SUSE's kdump.
dist_dracutmodule_SCRIPTS += kdump/suse/nsplit-kdump-transfer

susedocdir = $(docdir)/kdump/suse
dist_susedoc_DATA = kdump/suse/README.md
