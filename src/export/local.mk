libnsplit_a_SOURCES += \
	src/export/copy.h src/export/copy.c \
	src/export/output.h src/export/output.c
