libnsplit_a_SOURCES += \
	src/set/cell.h src/set/cell.c \
	src/set/extent.h src/set/extent.c \
	src/set/collected.h src/set/collected.c \
	src/set/contents.h src/set/contents.c \
	src/set/contents_find.c \
	src/set/contents_search.h src/set/contents_search.c \
	src/set/head.h src/set/head.c \
	src/set/resolve.h src/set/resolve.c \
	src/set/left_out.h src/set/left_out.c \
	src/set/member.h src/set/member.c \
	src/set/member_index.c \
	src/set/member_open.c \
	src/set/plain.h src/set/plain.c \
	src/set/piece_search.h src/set/piece_search.c \
	src/set/range.h src/set/range.c \
	src/set/reader.h src/set/reader.c \
	src/set/salvage.h src/set/salvage.c \
	src/set/scan.h src/set/scan.c \
	src/set/set.h src/set/set.c \
	src/set/set_admit.h src/set/set_admit.c \
	src/set/set_map.h src/set/set_map.c \
	src/set/set_open.c \
	src/set/spool.h src/set/spool.c \
	src/set/totals.h src/set/totals.c \
	src/set/unfinished.h src/set/unfinished.c \
	src/set/unidentified.h src/set/unidentified.c \
	src/set/walk.h src/set/walk.c \
	src/set/walk_claim.c \
	src/set/walk_deliver.c \
	src/set/walk_load.c \
	src/set/walk_order.c \
	src/set/walk_state.h src/set/walk_state.c \
	src/set/walk_steps.h
