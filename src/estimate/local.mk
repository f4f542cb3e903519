# SPDX-License-Identifier: GPL-2.0-or-later
libnsplit_a_SOURCES += src/estimate/estimate.h src/estimate/estimate.c src/estimate/room.c
