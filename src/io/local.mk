libnsplit_a_SOURCES += \
	src/io/contents.c \
	src/io/existing.h src/io/existing.c \
	src/io/line_writer.h src/io/line_writer.c \
	src/io/path.h src/io/path.c \
	src/io/sink.h src/io/sink.c \
	src/io/sink_command.c \
	src/io/sink_file.c \
	src/io/sink_probe.c \
	src/io/source.h src/io/source.c \
	src/io/transfer.h src/io/transfer.c

if HAVE_BLKID
libnsplit_a_SOURCES += src/io/contents_blkid.c
else
libnsplit_a_SOURCES += src/io/contents_blank.c
endif
