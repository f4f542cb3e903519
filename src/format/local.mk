# SPDX-License-Identifier: GPL-2.0-or-later
libnsplit_a_SOURCES += \
	src/format/descriptors.h src/format/descriptors.c \
	src/format/flattened.h src/format/flattened.c \
	src/format/format.h src/format/format.c \
	src/format/kdump.h src/format/kdump.c \
	src/format/record.h src/format/record.c \
	src/format/superblock.h src/format/superblock.c
