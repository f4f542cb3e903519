# SPDX-License-Identifier: GPL-2.0-or-later
# doc/benchmarks.md made anew, half an hour: make bench CORE=a-real-vmcore
EXTRA_DIST += \
	bench/corpora.py \
	bench/density.py \
	bench/emulated.py \
	bench/lib.py \
	bench/lzo_lz4.py \
	bench/measure.py \
	bench/report.py \
	bench/threads.py \
	bench/tools.py

CORE =
PARTS =
bench: $(bin_PROGRAMS)
	CORE='$(CORE)' python3 -B $(srcdir)/bench/measure.py --programs='$(abs_builddir)' \
		--results=$(srcdir)/doc/benchmarks $(PARTS)
	$(MAKE) bench-report
bench-report:
	python3 -B $(srcdir)/bench/report.py --results=$(srcdir)/doc/benchmarks \
		--document=$(srcdir)/doc/benchmarks.md
.PHONY: bench bench-report
