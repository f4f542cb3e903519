# SPDX-License-Identifier: GPL-2.0-or-later
libnsplit_a_SOURCES += \
	src/estimate/advice.h src/estimate/advice.c \
	src/estimate/census.h src/estimate/census.c \
	src/estimate/content.h src/estimate/content.c \
	src/estimate/estimate.h src/estimate/estimate.c src/estimate/forecast.c \
	src/estimate/known.h src/estimate/known.c \
	src/estimate/page_word.h src/estimate/page_word.c \
	src/estimate/room.h src/estimate/room.c \
	src/estimate/sample.h src/estimate/sample.c \
	src/estimate/trial.h src/estimate/trial.c
