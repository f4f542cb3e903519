libnsplit_a_SOURCES += \
	src/bench/bench.h src/bench/bench.c \
	src/bench/ceiling.c \
	src/bench/measure.c
