# SPDX-License-Identifier: GPL-2.0-or-later
libnsplit_a_SOURCES += src/codec/codec.h src/codec/codec.c \
	src/codec/lzo.c
if HAVE_SNAPPY
libnsplit_a_SOURCES += src/codec/snappy.c
endif
if HAVE_LZ4
libnsplit_a_SOURCES += src/codec/lz4.c
endif
if HAVE_ZSTD
libnsplit_a_SOURCES += src/codec/zstd.c
endif
if HAVE_ZLIB
libnsplit_a_SOURCES += src/codec/zlib.c
endif
