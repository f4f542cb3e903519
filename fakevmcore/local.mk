# SPDX-License-Identifier: GPL-2.0-or-later
bin_PROGRAMS += mkfakevmcore
mkfakevmcore_SOURCES = \
	fakevmcore/mkfakevmcore.c \
	fakevmcore/stream.c fakevmcore/stream.h \
	fakevmcore/pattern.h fakevmcore/elfhead.h fakevmcore/text.h fakevmcore/le.h
mkfakevmcore_LDADD = libnsplit.a
