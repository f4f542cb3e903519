# SPDX-License-Identifier: GPL-2.0-or-later
libnsplit_a_SOURCES += \
	src/mount/ahead.h src/mount/ahead.c \
	src/mount/cache.h src/mount/cache.c \
	src/mount/hand.h src/mount/hand.c \
	src/mount/view.h \
	src/mount/source_view.c src/mount/kdump_view.c
