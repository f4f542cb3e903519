# SPDX-License-Identifier: GPL-2.0-or-later
# Measures, and generates doc/benchmarks.md; takes an hour: make bench CORE=a-real-vmcore
check_PROGRAMS += bench/block_sizes bench/classify bench/scatter
bench_block_sizes_SOURCES = bench/block_sizes.c bench/die.h bench/die.c
bench_block_sizes_LDADD = libnsplit.a $(LIBRARIES_USED)
bench_classify_SOURCES = bench/classify.c bench/die.h bench/die.c
bench_classify_LDADD = libnsplit.a $(LIBRARIES_USED)
bench_scatter_SOURCES = bench/scatter.c bench/die.h bench/die.c
bench_scatter_LDADD = libnsplit.a $(LIBRARIES_USED)

# An LD_PRELOAD for many.py; without a sanitizer and the configured LDFLAGS, as tests/faults/inject.so.
check_DATA += bench/sleepy.so
bench/sleepy.so: bench/sleepy.c
	@$(MKDIR_P) bench
	$(AM_V_CCLD)$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN_CFLAGS) $(CPPFLAGS) $(CFLAGS) \
		-fno-sanitize=all -fPIC -shared -o $@ $(srcdir)/bench/sleepy.c
CLEANFILES += bench/sleepy.so

EXTRA_DIST += \
	bench/before.py \
	bench/columns.py \
	bench/cores.py \
	bench/corpora.py \
	bench/density.py \
	bench/drawing.py \
	bench/emulated.py \
	bench/estimate.py \
	bench/layers.py \
	bench/lib.py \
	bench/limits.py \
	bench/lzo_lz4.py \
	bench/many.py \
	bench/measure.py \
	bench/original.py \
	bench/pictures.py \
	bench/readers.py \
	bench/report.py \
	bench/report_columns.py \
	bench/report_estimate.py \
	bench/report_layers.py \
	bench/report_many.py \
	bench/sleepy.c \
	bench/space.py \
	bench/threads.py \
	bench/tools.py \
	bench/twice.py \
	bench/walks.py \
	doc/benchmarks/columns.json \
	doc/benchmarks/corpora.json \
	doc/benchmarks/density.json \
	doc/benchmarks/emulated.json \
	doc/benchmarks/estimate.json \
	doc/benchmarks/layers.json \
	doc/benchmarks/limits.json \
	doc/benchmarks/many.json \
	doc/benchmarks/lzo_lz4.json \
	doc/benchmarks/readers.json \
	doc/benchmarks/space.json \
	doc/benchmarks/threads.json \
	doc/benchmarks/tools.json \
	doc/benchmarks/twice.json

# For the results of nsplit-bench --json.
dist_pkgdata_DATA += bench/draw.py

dist_docs_DATA += doc/benchmarks.md
picturesdir = $(docdir)/doc/benchmarks
dist_pictures_DATA = \
	doc/benchmarks/density.svg \
	doc/benchmarks/linux.svg \
	doc/benchmarks/lzo-lz4.svg \
	doc/benchmarks/threads-emulated.svg \
	doc/benchmarks/threads-loop.svg \
	doc/benchmarks/tools.svg \
	doc/benchmarks/twice.svg

CORE =
VMLINUX =
BEFORE =
PARTS =
ROUNDS = 9
bench: $(bin_PROGRAMS) bench/block_sizes bench/classify bench/scatter bench/sleepy.so
	CORE='$(CORE)' VMLINUX='$(VMLINUX)' BEFORE='$(BEFORE)' python3 -B $(srcdir)/bench/measure.py --programs='$(abs_builddir)' \
		--rounds=$(ROUNDS) --results=$(srcdir)/doc/benchmarks $(PARTS)
	$(MAKE) bench-report
bench-report:
	python3 -B $(srcdir)/bench/report.py --results=$(srcdir)/doc/benchmarks \
		--document=$(srcdir)/doc/benchmarks.md
.PHONY: bench bench-report
