# SPDX-License-Identifier: GPL-2.0-or-later
# The tests: one program for each module, one script for each behaviour.  Only those listed here are
# run.

TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = $(SHELL)

# The tests do not depend on this machine's /etc/nsplit.conf.
export NSPLIT_CONFIG =

# The scripts change to a directory of their own, so all paths are absolute.  Hanging tests are
# ended, but the default of check, 4 seconds, is too short for a sanitizer on a busy machine.  So are the limits in the
# tests for a machine that does ten other things on each CPU.
AM_TESTS_ENVIRONMENT = \
	srcdir='$(abs_srcdir)'; export srcdir; \
	CK_DEFAULT_TIMEOUT=$${CK_DEFAULT_TIMEOUT-60}; export CK_DEFAULT_TIMEOUT; \
	CK_TIMEOUT_MULTIPLIER=$${CK_TIMEOUT_MULTIPLIER-10}; export CK_TIMEOUT_MULTIPLIER; \
	builddir='$(abs_builddir)'; export builddir; \
	PATH='$(abs_builddir)':"$$PATH"; export PATH;

if HAVE_CHECK
# By automake's default rules, each of these consists of the source file of its name and is linked
# with tests/unit/libtest.a.
unit_tests = \
	tests/unit/test_cache \
	tests/unit/test_capture \
	tests/unit/test_capture_dump \
	tests/unit/test_capture_endings \
	tests/unit/test_capture_ends \
	tests/unit/test_capture_failures \
	tests/unit/test_capture_fallback \
	tests/unit/test_capture_hung \
	tests/unit/test_capture_layers \
	tests/unit/test_capture_checkpoints \
	tests/unit/test_capture_sources \
	tests/unit/test_capture_streams \
	tests/unit/test_capture_time \
	tests/unit/test_ceiling \
	tests/unit/test_auto_choice \
	tests/unit/test_classes \
	tests/unit/test_codec \
	tests/unit/test_codec_blocks \
	tests/unit/test_codec_hostile \
	tests/unit/test_contents \
	tests/unit/test_core \
	tests/unit/test_descriptors \
	tests/unit/test_dump_writer \
	tests/unit/test_flattened \
	tests/unit/test_estimate \
	tests/unit/test_dump_file \
	tests/unit/test_fake \
	tests/unit/test_filter \
	tests/unit/test_memory_fit \
	tests/unit/test_columns \
	tests/unit/test_footer \
	tests/unit/test_hard_sets \
	tests/unit/test_index \
	tests/unit/test_json \
	tests/unit/test_kdump_layers \
	tests/unit/test_kdump_split \
	tests/unit/test_kdump_export \
	tests/unit/test_ledger \
	tests/unit/test_left_out \
	tests/unit/test_crash_kernel \
	tests/unit/test_mount_point \
	tests/unit/test_memory_limits \
	tests/unit/test_log \
	tests/unit/test_names \
	tests/unit/test_line_writer \
	tests/unit/test_option_table \
	tests/unit/test_output_file \
	tests/unit/test_pack \
	tests/unit/test_page_parts \
	tests/unit/test_page_class \
	tests/unit/test_page_kind \
	tests/unit/test_page_range \
	tests/unit/test_page_survey \
	tests/unit/test_page_trust \
	tests/unit/test_page_vote \
	tests/unit/test_page_zones \
	tests/unit/test_pages \
	tests/unit/test_page_source \
	tests/unit/test_small_reads \
	tests/unit/test_pages_leave_out \
	tests/unit/test_pattern \
	tests/unit/test_progress \
	tests/unit/test_range \
	tests/unit/test_record \
	tests/unit/test_resolve \
	tests/unit/test_runs \
	tests/unit/test_second_places \
	tests/unit/test_salvage \
	tests/unit/test_sink \
	tests/unit/test_sink_command \
	tests/unit/test_sink_full \
	tests/unit/test_size \
	tests/unit/test_source \
	tests/unit/test_source_stream \
	tests/unit/test_samples \
	tests/unit/test_superblock \
	tests/unit/test_text \
	tests/unit/test_throttle \
	tests/unit/test_transfer \
	tests/unit/test_view \
	tests/unit/test_view_layers \
	tests/unit/test_virt \
	tests/unit/test_virt_tables \
	tests/unit/test_walk \
	tests/unit/test_walk_layers

# They make cores for other tests, and need check, too.
core_makers = tests/unit/make_kinds_core tests/unit/make_layered_core tests/unit/make_log_core
check_PROGRAMS += $(unit_tests) $(core_makers)
check_LIBRARIES = tests/unit/libtest.a
TESTS += $(unit_tests)

tests_unit_libtest_a_SOURCES = \
	tests/unit/codec_bench.h tests/unit/codec_bench.c \
	tests/unit/corpus.h tests/unit/corpus.c \
	tests/unit/record_sample.h tests/unit/record_sample.c \
	tests/unit/helper.h tests/unit/helper.c \
	tests/unit/kdump_opened.h tests/unit/kdump_opened.c \
	tests/unit/layer_maker.h tests/unit/layer_maker.c \
	tests/unit/layer_trial.h tests/unit/layer_trial.c \
	tests/unit/layer_oracle.h tests/unit/layer_oracle.c \
	tests/unit/layer_random.h tests/unit/layer_random.c \
	tests/unit/made_core.h tests/unit/made_core.c \
	tests/unit/made_dump.h tests/unit/made_dump.c \
	tests/unit/made_kernel.h tests/unit/made_kernel.c \
	tests/unit/made_log.h tests/unit/made_log.c \
	tests/unit/made_map.h tests/unit/made_map.c \
	tests/unit/member_check.h tests/unit/member_check.c \
	tests/unit/piece_check.h tests/unit/piece_check.c \
	tests/unit/recipe.h tests/unit/recipe.c \
	tests/unit/recipe_change.h tests/unit/recipe_change.c \
	tests/unit/set_maker.h tests/unit/set_maker.c \
	tests/unit/trial.h tests/unit/trial.c \
	tests/unit/trial_sink.h tests/unit/trial_sink.c

# The sources of the programs are not in a library.
tests_unit_test_progress_SOURCES = tests/unit/test_progress.c \
	src/cmd/common/progress.h src/cmd/common/progress.c
LDADD = tests/unit/libtest.a libnsplit.a $(LIBRARIES_USED) $(CHECK_LIBS)
AM_CFLAGS += $(CHECK_CFLAGS)
endif

script_tests = \
	tests/cli/age.sh \
	tests/cli/check-machines.sh \
	tests/cli/completion.sh \
	tests/cli/configure-size.sh \
	tests/cli/examples.sh \
	tests/cli/examples-disks.sh \
	tests/cli/examples-mount.sh \
	tests/cli/fakevmcore-headers.sh \
	tests/cli/fakevmcore-version.sh \
	tests/cli/golden-members.sh \
	tests/cli/golden-serial.sh \
	tests/cli/help.sh \
	tests/cli/hostile-cores.sh \
	tests/cli/kdump-debian.sh \
	tests/cli/kdump-debian-status.sh \
	tests/cli/kdump-tools-patch.sh \
	tests/cli/kdump-dracut-lines.sh \
	tests/cli/kdump-dracut-makedumpfile.sh \
	tests/cli/kdump-dracut-module.sh \
	tests/cli/kdump-find-disks.sh \
	tests/cli/kdump-full.sh \
	tests/cli/kdump-full-layers.sh \
	tests/cli/kdump-functions.sh \
	tests/cli/kdump-guides.sh \
	tests/cli/kdump-initramfs-makedumpfile.sh \
	tests/cli/kdump-initramfs-tools.sh \
	tests/cli/kdump-join.sh \
	tests/cli/kdump-join-device.sh \
	tests/cli/kdump-join-lock.sh \
	tests/cli/kdump-mounted-disks.sh \
	tests/cli/kdump-suse.sh \
	tests/cli/magic.sh \
	tests/cli/makedumpfile-again.sh \
	tests/cli/makedumpfile-check-params.sh \
	tests/cli/makedumpfile-config.sh \
	tests/cli/makedumpfile-dmesg.sh \
	tests/cli/makedumpfile-flat-device.sh \
	tests/cli/makedumpfile-flat.sh \
	tests/cli/makedumpfile-ignored.sh \
	tests/cli/dump-by-parts.sh \
	tests/cli/makedumpfile-levels.sh \
	tests/cli/makedumpfile-messages.sh \
	tests/cli/makedumpfile-mistakes.sh \
	tests/cli/makedumpfile-names.sh \
	tests/cli/makedumpfile-options.sh \
	tests/cli/makedumpfile-original.sh \
	tests/cli/mkfakevmcore.sh \
	tests/cli/mkfakevmcore-check.sh \
	tests/cli/mkfakevmcore-elf.sh \
	tests/cli/mkfakevmcore-errors.sh \
	tests/cli/njoin-absent.sh \
	tests/cli/njoin-device-holes.sh \
	tests/cli/njoin-digest.sh \
	tests/cli/njoin-dmesg.sh \
	tests/cli/njoin-dmesg-holes.sh \
	tests/cli/njoin-dmesg-signals.sh \
	tests/cli/njoin-dump.sh \
	tests/cli/njoin-dump-broken.sh \
	tests/cli/njoin-dump-cut.sh \
	tests/cli/njoin-dump-erased.sh \
	tests/cli/njoin-dump-flat.sh \
	tests/cli/njoin-dump-header.sh \
	tests/cli/njoin-dump-holes.sh \
	tests/cli/njoin-dump-level.sh \
	tests/cli/njoin-dump-machine.sh \
	tests/cli/njoin-fifos.sh \
	tests/cli/njoin-force.sh \
	tests/cli/njoin-info.sh \
	tests/cli/njoin-info-json.sh \
	tests/cli/njoin-kdump.sh \
	tests/cli/njoin-kdump-signal.sh \
	tests/cli/njoin-kdump-stream.sh \
	tests/cli/njoin-layers.sh \
	tests/cli/njoin-list.sh \
	tests/cli/njoin-long-name.sh \
	tests/cli/njoin-long-notes.sh \
	tests/cli/njoin-members.sh \
	tests/cli/njoin-missing.sh \
	tests/cli/njoin-full-output.sh \
	tests/cli/njoin-not-ours.sh \
	tests/cli/njoin-plain.sh \
	tests/cli/njoin-output-member.sh \
	tests/cli/njoin-range.sh \
	tests/cli/njoin-repeated.sh \
	tests/cli/njoin-salvage.sh \
	tests/cli/njoin-salvage-lost.sh \
	tests/cli/njoin-salvage-signal.sh \
	tests/cli/njoin-salvage-sparse.sh \
	tests/cli/njoin-sigterm.sh \
	tests/cli/njoin-sparse.sh \
	tests/cli/njoin-sparse-core.sh \
	tests/cli/njoin-spool.sh \
	tests/cli/njoin-sync.sh \
	tests/cli/njoin-unfinished.sh \
	tests/cli/njoin-usage.sh \
	tests/cli/njoin-verify.sh \
	tests/cli/nsplit-bench.sh \
	tests/cli/nsplit-also.sh \
	tests/cli/nsplit-bench-ends.sh \
	tests/cli/draw.sh \
	tests/cli/nsplit-bench-terminal.sh \
	tests/cli/nsplit-bench-usage.sh \
	tests/cli/nsplit-braces.sh \
	tests/cli/nsplit-check-files.sh \
	tests/cli/nsplit-check-initramfs.sh \
	tests/cli/nsplit-check-json.sh \
	tests/cli/nsplit-check-names.sh \
	tests/cli/nsplit-check-params.sh \
	tests/cli/nsplit-check-programs.sh \
	tests/cli/nsplit-check-setup.sh \
	tests/cli/nsplit-check-system.sh \
	tests/cli/nsplit-closed-descriptors.sh \
	tests/cli/nsplit-codecs.sh \
	tests/cli/nsplit-collector.sh \
	tests/cli/nsplit-config-owner.sh \
	tests/cli/nsplit-config.sh \
	tests/cli/nsplit-config-errors.sh \
	tests/cli/nsplit-config-etc.sh \
	tests/cli/nsplit-config-example.sh \
	tests/cli/nsplit-columns.sh \
	tests/cli/nsplit-command.sh \
	tests/cli/nsplit-command-ends.sh \
	tests/cli/nsplit-digest.sh \
	tests/cli/nsplit-digest-device.sh \
	tests/cli/nsplit-drill.sh \
	tests/cli/nsplit-drill-commands.sh \
	tests/cli/nsplit-drill-crash.sh \
	tests/cli/nsplit-drill-ends.sh \
	tests/cli/nsplit-drill-limits.sh \
	tests/cli/nsplit-dry-run.sh \
	tests/cli/nsplit-dump-level.sh \
	tests/cli/nsplit-estimate.sh \
	tests/cli/nsplit-kdump-call.sh \
	tests/cli/nsplit-elf.sh \
	tests/cli/nsplit-kdump.sh \
	tests/cli/nsplit-unaligned.sh \
	tests/cli/nsplit-many-headers.sh \
	tests/cli/nsplit-kdump-full.sh \
	tests/cli/nsplit-kdump-memory.sh \
	tests/cli/nsplit-kdump-signal.sh \
	tests/cli/nsplit-kdump-space.sh \
	tests/cli/nsplit-kdump-unreadable.sh \
	tests/cli/nsplit-kdump-usage.sh \
	tests/cli/nsplit-layers-unreadable.sh \
	tests/cli/nsplit-limits.sh \
	tests/cli/slips.sh \
	tests/cli/nsplit-fallback.sh \
	tests/cli/nsplit-filter.sh \
	tests/cli/nsplit-force.sh \
	tests/cli/nsplit-full-output.sh \
	tests/cli/nsplit-full-together.sh \
	tests/cli/nsplit-growing-source.sh \
	tests/cli/nsplit-ignored-signal.sh \
	tests/cli/nsplit-locked.sh \
	tests/cli/nsplit-locked-memory.sh \
	tests/cli/nsplit-long-stream.sh \
	tests/cli/nsplit-lost-output.sh \
	tests/cli/nsplit-mem-limit.sh \
	tests/cli/nsplit-mistakes.sh \
	tests/cli/nsplit-mount.sh \
	tests/cli/nsplit-mount-access.sh \
	tests/cli/nsplit-mount-again.sh \
	tests/cli/nsplit-mount-dump-level.sh \
	tests/cli/nsplit-mount-ends.sh \
	tests/cli/nsplit-mount-kdump.sh \
	tests/cli/nsplit-mount-layers.sh \
	tests/cli/nsplit-mount-missing.sh \
	tests/cli/nsplit-mount-stopped-stderr.sh \
	tests/cli/nsplit-mount-usage.sh \
	tests/cli/nsplit-no-memory.sh \
	tests/cli/nsplit-no-output-left.sh \
	tests/cli/nsplit-now.sh \
	tests/cli/nsplit-operands.sh \
	tests/cli/nsplit-options.sh \
	tests/cli/nsplit-owner.sh \
	tests/cli/nsplit-pipe-reader.sh \
	tests/cli/nsplit-repeated.sh \
	tests/cli/nsplit-second-places.sh \
	tests/cli/nsplit-sigterm.sh \
	tests/cli/nsplit-sigusr1.sh \
	tests/cli/nsplit-sink-timeout.sh \
	tests/cli/nsplit-sizeless-source.sh \
	tests/cli/nsplit-source.sh \
	tests/cli/nsplit-space.sh \
	tests/cli/nsplit-sparse.sh \
	tests/cli/nsplit-stats-file.sh \
	tests/cli/nsplit-stats.sh \
	tests/cli/nsplit-stdout.sh \
	tests/cli/options.sh \
	tests/cli/quickstart-again.sh \
	tests/cli/quickstart-check.sh \
	tests/cli/quickstart-demo.sh \
	tests/cli/quickstart-interrupt.sh \
	tests/cli/quickstart-needs.sh \
	tests/cli/quickstart-usage.sh \
	tests/cli/nsplit-stopped-stderr.sh \
	tests/cli/nsplit-sync.sh \
	tests/cli/nsplit-terminal.sh \
	tests/cli/remote-layers.sh \
	tests/cli/roundtrip-codecs.sh \
	tests/cli/roundtrip-sizes.sh \
	tests/cli/roundtrip-streams.sh \
	tests/cli/unknown-options.sh \
	tests/bench.sh \
	tests/pool-models.sh \
	tests/figures.sh \
	tests/file-comments.sh \
	tests/file-cycles.sh \
	tests/include-rule.sh \
	tests/man-diagnostics.sh \
	tests/man-see-also.sh \
	tests/man-width.sh

TESTS += $(script_tests)

# How many "make check" runs, for ./quickstart check.
count-tests:
	@set -- $(TESTS); echo $$#
.PHONY: count-tests

EXTRA_DIST += $(script_tests) tests/at-exit.sh tests/cli/lib.sh tests/cli/mount-lib.sh \
	tests/cli/quickstart-lib.sh tests/cli/examples-lib.sh \
	tests/cli/drill-lib.sh tests/cli/hostile-cores.py tests/cli/kdump-check.py tests/cli/kdump-level.py tests/cli/more-memory.py \
	tests/cli/dump-made.py \
	tests/cli/flatten.py tests/cli/kdump-compare.py tests/cli/kdump-pages.py tests/cli/page-tables.py \
	tests/cli/check-lib.sh tests/cli/kdump-lib.sh tests/cli/kdump-debian-lib.sh tests/cli/kdump-join-lib.sh tests/cli/makedumpfile-lib.sh tests/files.sh tests/man-diagnostics.py

EXTRA_DIST += tests/vectors/golden.txt
