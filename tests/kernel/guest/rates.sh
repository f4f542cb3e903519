# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The module in a kernel that watches nothing.

try 'loads' insmod /fakevmcore.ko fakevmcore_size=128M fakevmcore_pattern=random
rates /proc/fakevmcore
