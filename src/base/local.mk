libnsplit_a_SOURCES += \
	src/base/array.h src/base/array.c \
	src/base/bytes.h \
	src/base/clock.h \
	src/base/digest.h src/base/digest.c \
	src/base/error.h src/base/error.c \
	src/base/json.h src/base/json.c \
	src/base/memory.h src/base/memory.c \
	src/base/names.h src/base/names.c \
	src/base/option_table.h src/base/option_table.c \
	src/base/runs.h \
	src/base/signals.h src/base/signals.c \
	src/base/system.h src/base/system.c \
	src/base/text.h src/base/text.c \
	src/base/thread_pool.h src/base/thread_pool.c
