# SPDX-License-Identifier: GPL-2.0-or-later
libnsplit_a_SOURCES += \
	src/system/build_id.h src/system/build_id.c \
	src/system/initramfs.h src/system/initramfs.c \
	src/system/kdump_find.h src/system/kdump_find.c \
	src/system/kdump_initramfs.c \
	src/system/kdump_suse.c \
	src/system/kdump_tools.c \
	src/system/kdump_utils.c \
	src/system/kdump_system.h src/system/kdump_system.c \
	src/system/rooted.h src/system/rooted.c \
	src/system/setting.h src/system/setting.c
