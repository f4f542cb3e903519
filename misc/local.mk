# SPDX-License-Identifier: GPL-2.0-or-later
# For file(1), which has no directory that packages add to on all systems.
dist_pkgdata_DATA += misc/nsplit.magic

# For the maintainers of others.  No program or test of ours needs them applied.
EXTRA_DIST += misc/upstream/README misc/upstream/kdump-tools-KDUMP_COLLECTOR.patch
