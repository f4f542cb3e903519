libnsplit_a_SOURCES += \
	src/bench/activity.h \
	src/bench/bench.h src/bench/bench.c \
	src/bench/ceiling.h src/bench/ceiling.c \
	src/bench/fake.h src/bench/fake.c \
	src/bench/left_out.h \
	src/bench/matrix.h src/bench/matrix.c \
	src/bench/measure.h src/bench/measure.c \
	src/bench/reading.h src/bench/reading.c \
	src/bench/sample.h src/bench/sample.c \
	src/bench/settings.h \
	src/bench/sleep_codec.h src/bench/sleep_codec.c \
	src/bench/summary.h src/bench/summary.c \
	src/bench/targets.h src/bench/targets.c \
	src/bench/verdict.h src/bench/verdict.c
