libnsplit_a_SOURCES += \
	src/capture/available.h src/capture/available.c \
	src/capture/capture.h src/capture/capture.c \
	src/capture/choice.h src/capture/choice.c \
	src/capture/chunk.h src/capture/chunk.c \
	src/capture/end_commands.c \
	src/capture/engine.h src/capture/engine.c \
	src/capture/estimate.h src/capture/estimate.c \
	src/capture/fallback.c \
	src/capture/fill.h src/capture/fill.c \
	src/capture/fit.h src/capture/fit.c \
	src/capture/incompressible.h src/capture/incompressible.c \
	src/capture/ledger.h src/capture/ledger.c \
	src/capture/limits.h src/capture/limits.c \
	src/capture/member_writer.h src/capture/member_writer.c \
	src/capture/outputs.c \
	src/capture/pack.h src/capture/pack.c \
	src/capture/rescue.c \
	src/capture/serial.c \
	src/capture/threads.c \
	src/capture/throughput.h src/capture/throughput.c
