libnsplit_a_SOURCES += \
	src/set/dump.h \
	src/set/dump_file.h src/set/dump_file.c \
	src/set/dump_flat.c \
	src/set/dump_header.h src/set/dump_header.c \
	src/set/dump_open.c \
	src/set/dump_page.c \
	src/set/member.h src/set/member.c \
	src/set/plain.h src/set/plain.c \
	src/set/read/contents.h src/set/read/contents.c \
	src/set/read/range.h src/set/read/range.c \
	src/set/read/reader.h src/set/read/reader.c \
	src/set/read/walk.h src/set/read/walk.c \
	src/set/read/walk_cell.c \
	src/set/read/walk_state.h \
	src/set/salvage.h src/set/salvage.c \
	src/set/set.h src/set/set.c \
	src/set/set_open.c \
	src/set/spool.h src/set/spool.c
