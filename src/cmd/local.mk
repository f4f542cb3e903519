common_sources = \
	src/cmd/choices.h src/cmd/choices.c \
	src/cmd/message.h src/cmd/message.c \
	src/cmd/progress.h src/cmd/progress.c

bin_PROGRAMS += nsplit njoin
nsplit_SOURCES = $(common_sources) \
	src/cmd/nsplit.c \
	src/cmd/nsplit_options.h src/cmd/nsplit_options.c \
	src/cmd/nsplit_probe.h src/cmd/nsplit_probe.c \
	src/cmd/nsplit_report.h src/cmd/nsplit_report.c
nsplit_LDADD = libnsplit.a $(LIBRARIES_USED)
njoin_SOURCES = $(common_sources) \
	src/cmd/njoin.c \
	src/cmd/njoin_info.h src/cmd/njoin_info.c \
	src/cmd/njoin_options.h src/cmd/njoin_options.c \
	src/cmd/njoin_run.h \
	src/cmd/njoin_set.c
njoin_LDADD = libnsplit.a $(LIBRARIES_USED)
