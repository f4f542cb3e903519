# SPDX-License-Identifier: GPL-2.0-or-later
libnsplit_a_SOURCES += \
	src/mount/cache.h src/mount/cache.c \
	src/mount/loaded.h src/mount/loaded.c \
	src/mount/readahead.h src/mount/readahead.c \
	src/mount/source_view.c src/mount/kdump_view.c \
	src/mount/view.h
