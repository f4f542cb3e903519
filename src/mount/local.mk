# SPDX-License-Identifier: GPL-2.0-or-later
libnsplit_a_SOURCES += \
	src/mount/cache.h src/mount/cache.c \
	src/mount/view.h src/mount/view.c
