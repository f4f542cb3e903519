libnsplit_a_SOURCES += \
	src/bench/bench.h src/bench/bench.c \
	src/bench/ceiling.h src/bench/ceiling.c \
	src/bench/fake.h src/bench/fake.c \
	src/bench/measure.h src/bench/measure.c \
	src/bench/settings.h \
	src/bench/sleep_codec.h src/bench/sleep_codec.c \
	src/bench/targets.h src/bench/targets.c
