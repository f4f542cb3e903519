# SPDX-License-Identifier: GPL-2.0-or-later
libnsplit_a_SOURCES += \
	src/capture/auto_choice.h src/capture/auto_choice.c \
	src/capture/auto_codec.h src/capture/auto_codec.c \
	src/capture/auto_estimate.h src/capture/auto_estimate.c \
	src/capture/auto_throughput.h src/capture/auto_throughput.c \
	src/capture/capture.h src/capture/capture.c \
	src/capture/checkpoints.h src/capture/checkpoints.c \
	src/capture/checks.h src/capture/checks.c \
	src/capture/chunk.h src/capture/chunk.c \
	src/capture/closing.h src/capture/closing.c \
	src/capture/crash_kernel.h src/capture/crash_kernel.c \
	src/capture/engine.h src/capture/engine.c \
	src/capture/fail_output.h src/capture/fail_output.c \
	src/capture/figures.h src/capture/figures.c \
	src/capture/fill.h src/capture/fill.c \
	src/capture/fill_plan.c \
	src/capture/fill_read.c \
	src/capture/fill_record.c \
	src/capture/guide.h src/capture/guide.c \
	src/capture/incompressible.h src/capture/incompressible.c \
	src/capture/layers.h src/capture/layers.c \
	src/capture/ledger.h src/capture/ledger.c \
	src/capture/member_writer.h src/capture/member_writer.c \
	src/capture/memory_fit.h src/capture/memory_fit.c \
	src/capture/memory_limits.h src/capture/memory_limits.c \
	src/capture/memory_plan.h src/capture/memory_plan.c \
	src/capture/outcome.h src/capture/outcome.c \
	src/capture/pack.h src/capture/pack.c \
	src/capture/phases.h src/capture/phases.c \
	src/capture/read_back.h src/capture/read_back.c \
	src/capture/serial.h src/capture/serial.c \
	src/capture/threads.h src/capture/threads.c \
	src/capture/watch_outputs.h src/capture/watch_outputs.c \
	src/capture/workers.h src/capture/workers.c \
	src/capture/writers.h src/capture/writers.c
