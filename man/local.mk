# SPDX-License-Identifier: GPL-2.0-or-later
dist_man_MANS += \
	man/njoin.1 \
	man/nsplit.1 \
	man/nsplit-bench.1 \
	man/nsplit-check.1 \
	man/nsplit-makedumpfile.1 \
	man/nsplit-mount.1 \
	man/nsplit.conf.5 \
	man/mkfakevmcore.1 \
	man/fakevmcore.4 \
	man/nsplit-disks.conf.5 \
	man/nsplit-format.5
