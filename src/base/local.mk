libnsplit_a_SOURCES += \
	src/base/array.h src/base/array.c \
	src/base/background.h src/base/background.c \
	src/base/bytes.h \
	src/base/clock.h \
	src/base/cpus.h src/base/cpus.c \
	src/base/digest.h src/base/digest.c \
	src/base/error.h src/base/error.c \
	src/base/file_below.h src/base/file_below.c \
	src/base/hex.h src/base/hex.c \
	src/base/json.h src/base/json.c \
	src/base/memory.h src/base/memory.c \
	src/base/names.h src/base/names.c \
	src/base/nearest.h src/base/nearest.c \
	src/base/option_set.h src/base/option_set.c \
	src/base/option_table.h src/base/option_table.c \
	src/base/random.h src/base/random.c \
	src/base/range.h src/base/range.c \
	src/base/search.h \
	src/base/signals.h src/base/signals.c \
	src/base/size.h src/base/size.c \
	src/base/supervise.h src/base/supervise.c \
	src/base/text.h src/base/text.c \
	src/base/thread_pool.h src/base/thread_pool.c \
	src/base/alignment.h
