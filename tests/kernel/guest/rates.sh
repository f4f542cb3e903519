# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The speed of the module in a kernel without debugging.

try 'loads' insmod /fakevmcore.ko fakevmcore_size=128M fakevmcore_pattern=random
rates /proc/fakevmcore
