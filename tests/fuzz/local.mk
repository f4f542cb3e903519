# SPDX-License-Identifier: GPL-2.0-or-later
# Fuzzing of everything that reads members: "make fuzz", which is not part of "make check" because
# it takes minutes and needs clang.

EXTRA_DIST += \
	tests/fuzz/run.sh \
	tests/fuzz/seeds.txt tests/fuzz/seeds.c \
	tests/fuzz/findings/README tests/fuzz/findings/found-chunk-size.txt \
	tests/fuzz/findings/found-cell-size.txt tests/fuzz/findings/second-lost.txt \
	tests/fuzz/findings/walk-size.txt \
	tests/fuzz/fuzz.h tests/fuzz/fuzz.c tests/fuzz/fuzz_mutate.c \
	tests/fuzz/fuzz_layers.h tests/fuzz/fuzz_layers.c \
	tests/fuzz/fuzz_superblock.c \
	tests/fuzz/fuzz_footer.c \
	tests/fuzz/fuzz_index.c \
	tests/fuzz/fuzz_record.c \
	tests/fuzz/fuzz_unpack.c \
	tests/fuzz/fuzz_columns.c \
	tests/fuzz/fuzz_core.c \
	tests/fuzz/fuzz_dump.c \
	tests/fuzz/fuzz_export.c \
	tests/fuzz/fuzz_member.c \
	tests/fuzz/fuzz_set.c

if HAVE_CHECK
fuzz_have_check = yes
endif

fuzz_cflags = -std=gnu11 $(PTHREAD_CFLAGS) $(XXHASH_CFLAGS) $(LZO_CFLAGS) $(SNAPPY_CFLAGS) \
	$(LZ4_CFLAGS) $(ZSTD_CFLAGS) $(ZLIB_CFLAGS) $(BLKID_CFLAGS) $(CHECK_CFLAGS)

# The compiler is always clang, and the flags are those of the fuzzer.  Missing requirements are
# reported without a failure; .ci/run treats that as a failure.
fuzz:
	@builddir='$(abs_builddir)' have_check='$(fuzz_have_check)' \
	fuzz_sources='$(libnsplit_a_SOURCES)' \
	fuzz_cppflags='$(DEFS) -I$(abs_builddir) -I$(abs_top_srcdir)/src -I$(abs_top_srcdir)' \
	fuzz_cflags='$(fuzz_cflags)' \
	fuzz_libs='$(LIBRARIES_USED) $(CHECK_LIBS)' \
	FUZZ_SECONDS='$(FUZZ_SECONDS)' FUZZ_TARGETS='$(FUZZ_TARGETS)' FUZZ_CC='$(FUZZ_CC)' \
	$(SHELL) $(srcdir)/tests/fuzz/run.sh || test $$? -eq 77
.PHONY: fuzz

clean-local: fuzz-clean
fuzz-clean:
	rm -rf tests/fuzz/out
.PHONY: fuzz-clean
