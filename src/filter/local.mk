# SPDX-License-Identifier: GPL-2.0-or-later
libnsplit_a_SOURCES += \
	src/filter/filter.h src/filter/filter.c \
	src/filter/first.h src/filter/first.c \
	src/filter/page_source.h src/filter/page_source.c \
	src/filter/places.h src/filter/places.c \
	src/filter/source_bytes.h src/filter/source_bytes.c
