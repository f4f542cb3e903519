# SPDX-License-Identifier: GPL-2.0-or-later
libnsplit_a_SOURCES += \
	src/system/build_id.h src/system/build_id.c \
	src/system/rooted.h src/system/rooted.c
