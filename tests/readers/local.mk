# SPDX-License-Identifier: GPL-2.0-or-later
# What njoin and others make, read by those who read dumps.

if HAVE_KDUMPFILE
check_PROGRAMS += tests/readers/compare
tests_readers_compare_SOURCES = tests/readers/compare.c
tests_readers_compare_CPPFLAGS = $(AM_CPPFLAGS) $(KDUMPFILE_CFLAGS)
tests_readers_compare_LDADD = $(KDUMPFILE_LIBS)
endif

reader_tests = \
	tests/readers/libkdumpfile.sh \
	tests/readers/makedumpfile.sh

TESTS += $(reader_tests)
EXTRA_DIST += $(reader_tests) tests/readers/lib.sh tests/readers/core.py
