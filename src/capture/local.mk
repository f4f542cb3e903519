# SPDX-License-Identifier: GPL-2.0-or-later
libnsplit_a_SOURCES += \
	src/capture/settings.h \
	src/capture/auto/auto_codec.h src/capture/auto/auto_codec.c \
	src/capture/engine/capture.h src/capture/engine/capture.c \
	src/capture/engine/engine.h src/capture/engine/engine.c \
	src/capture/engine/figures.c \
	src/capture/fill/fill.h src/capture/fill/fill.c \
	src/capture/fill/ledger.h src/capture/fill/ledger.c \
	src/capture/form/core_writer.c \
	src/capture/form/dump_output.h src/capture/form/dump_output.c \
	src/capture/form/dump_writer.h src/capture/form/dump_writer.c \
	src/capture/form/form.h \
	src/capture/form/member_writer.h src/capture/form/member_writer.c \
	src/capture/memory/memory_limits.h src/capture/memory/memory_limits.c \
	src/capture/memory/memory_plan.h src/capture/memory/memory_plan.c \
	src/capture/fill/pack.h src/capture/fill/pack.c \
	src/capture/engine/workers.c \
	src/capture/engine/writers.c
