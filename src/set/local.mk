libnsplit_a_SOURCES += \
	src/set/read/cell.h src/set/read/cell.c \
	src/set/read/extent.h src/set/read/extent.c \
	src/set/read/collected.h src/set/read/collected.c \
	src/set/read/contents.h src/set/read/contents.c \
	src/set/read/resolve.h src/set/read/resolve.c \
	src/set/read/left_out.h src/set/read/left_out.c \
	src/set/member.h src/set/member.c \
	src/set/plain.h src/set/plain.c \
	src/set/dump.h src/set/dump.c \
	src/set/dump_codec.h src/set/dump_codec.c \
	src/set/dump_core.h src/set/dump_core.c \
	src/set/dump_file.h src/set/dump_file.c \
	src/set/dump_flat.h src/set/dump_flat.c \
	src/set/dump_header.h src/set/dump_header.c \
	src/set/dump_open.c \
	src/set/dump_page.c \
	src/set/dump_runs.h src/set/dump_runs.c \
	src/set/dump_stream.h src/set/dump_stream.c \
	src/set/flat_core.h src/set/flat_core.c \
	src/set/made.h src/set/made.c \
	src/set/read/range.h src/set/read/range.c \
	src/set/read/reader.h src/set/read/reader.c \
	src/set/read/roots.h src/set/read/roots.c \
	src/set/salvage.h src/set/salvage.c \
	src/set/scan.h src/set/scan.c \
	src/set/set.h src/set/set.c \
	src/set/set_admit.h src/set/set_admit.c \
	src/set/set_map.h src/set/set_map.c \
	src/set/set_open.c \
	src/set/spool.h src/set/spool.c \
	src/set/read/totals.h src/set/read/totals.c \
	src/set/unfinished.h src/set/unfinished.c \
	src/set/read/walk.h src/set/read/walk.c \
	src/set/read/walk_claim.c \
	src/set/read/walk_deliver.c \
	src/set/read/walk_load.c \
	src/set/read/walk_order.c \
	src/set/read/walk_state.h src/set/read/walk_state.c
