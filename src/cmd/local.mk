common_sources = \
	src/cmd/common/common_options.h src/cmd/common/common_options.c \
	src/cmd/common/message.h src/cmd/common/message.c \
	src/cmd/common/progress.h src/cmd/common/progress.c

# What nsplit does, too, under the name makedumpfile.
njoin_work = \
	src/cmd/common/left_out.h src/cmd/common/left_out.c \
	src/cmd/njoin/njoin.h src/cmd/njoin/njoin.c \
	src/cmd/njoin/info.c \
	src/cmd/njoin/join.c \
	src/cmd/njoin/list.c \
	src/cmd/njoin/options.c \
	src/cmd/njoin/run.c \
	src/cmd/common/operands.h src/cmd/common/operands.c

bin_PROGRAMS += nsplit nsplit-bench njoin
nsplit_SOURCES = $(common_sources) $(njoin_work) \
	src/cmd/makedumpfile/makedumpfile.h src/cmd/makedumpfile/makedumpfile.c \
	src/cmd/makedumpfile/options.c \
	src/cmd/nsplit/main.c \
	src/cmd/nsplit/nsplit.h src/cmd/nsplit/nsplit.c \
	src/cmd/nsplit/check/check.c \
	src/cmd/nsplit/check/findings.h src/cmd/nsplit/check/findings.c \
	src/cmd/nsplit/crash_machine.h src/cmd/nsplit/crash_machine.c \
	src/cmd/nsplit/drill/drill.c \
	src/cmd/nsplit/dump.h src/cmd/nsplit/dump.c \
	src/cmd/nsplit/estimate/estimate.c \
	src/cmd/nsplit/finish.c \
	src/cmd/nsplit/options.h src/cmd/nsplit/options.c \
	src/cmd/nsplit/probe.h src/cmd/nsplit/probe.c \
	src/cmd/nsplit/report.c \
	src/cmd/nsplit/settings.c \
	src/cmd/common/page_policy.h src/cmd/common/page_policy.c
nsplit_LDADD = libnsplit.a $(LIBRARIES_USED)
njoin_SOURCES = $(common_sources) $(njoin_work) \
	src/cmd/njoin/main.c
njoin_LDADD = libnsplit.a $(LIBRARIES_USED)
if HAVE_FUSE
bin_PROGRAMS += nsplit-mount
endif
nsplit_mount_SOURCES = $(common_sources) \
	src/cmd/common/left_out.h src/cmd/common/left_out.c \
	src/cmd/nsplit-mount/nsplit_mount.c \
	src/cmd/common/operands.h src/cmd/common/operands.c
nsplit_mount_CFLAGS = $(AM_CFLAGS) $(FUSE_CFLAGS)
nsplit_mount_LDADD = libnsplit.a $(LIBRARIES_USED) $(FUSE_LIBS)
nsplit_bench_SOURCES = $(common_sources) \
	src/cmd/nsplit-bench/nsplit_bench.h src/cmd/nsplit-bench/nsplit_bench.c \
	src/cmd/nsplit-bench/options.c src/cmd/nsplit-bench/report.c \
	src/cmd/common/left_out.h src/cmd/common/left_out.c \
	src/cmd/common/operands.h src/cmd/common/operands.c \
	src/cmd/common/page_policy.h src/cmd/common/page_policy.c
nsplit_bench_LDADD = libnsplit.a $(LIBRARIES_USED)
