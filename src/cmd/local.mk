common_sources = \
	src/cmd/common_options.h src/cmd/common_options.c \
	src/cmd/foreign_options.h src/cmd/foreign_options.c \
	src/cmd/message.h src/cmd/message.c \
	src/cmd/progress.h src/cmd/progress.c \
	src/cmd/progress_bar.h src/cmd/progress_bar.c

bin_PROGRAMS += nsplit nsplit-bench njoin
nsplit_SOURCES = $(common_sources) \
	src/cmd/config_file.h src/cmd/config_file.c \
	src/cmd/left_out.h src/cmd/left_out.c \
	src/cmd/nsplit.h src/cmd/nsplit.c \
	src/cmd/nsplit_capture.h src/cmd/nsplit_capture.c \
	src/cmd/nsplit_check.h src/cmd/nsplit_check.c \
	src/cmd/nsplit_check_command.h src/cmd/nsplit_check_command.c \
	src/cmd/nsplit_check_kernel.h src/cmd/nsplit_check_kernel.c \
	src/cmd/nsplit_check_memory.h src/cmd/nsplit_check_memory.c \
	src/cmd/nsplit_check_outputs.h src/cmd/nsplit_check_outputs.c \
	src/cmd/nsplit_config.h src/cmd/nsplit_config.c \
	src/cmd/nsplit_mistakes.h src/cmd/nsplit_mistakes.c \
	src/cmd/nsplit_findings.h src/cmd/nsplit_findings.c \
	src/cmd/nsplit_finish.h src/cmd/nsplit_finish.c \
	src/cmd/nsplit_layers.h src/cmd/nsplit_layers.c \
	src/cmd/nsplit_options.h src/cmd/nsplit_options.c \
	src/cmd/nsplit_probe.h src/cmd/nsplit_probe.c \
	src/cmd/nsplit_report.h src/cmd/nsplit_report.c \
	src/cmd/nsplit_settings.h src/cmd/nsplit_settings.c \
	src/cmd/nsplit_space.h src/cmd/nsplit_space.c \
	src/cmd/nsplit_stats.h src/cmd/nsplit_stats.c \
	src/cmd/outputs.h src/cmd/outputs.c \
	src/cmd/shell.h src/cmd/shell.c \
	src/cmd/nsplit_stamp.h src/cmd/nsplit_stamp.c \
	src/cmd/vmcore.h src/cmd/vmcore.c
nsplit_LDADD = libnsplit.a $(LIBRARIES_USED)
njoin_SOURCES = $(common_sources) \
	src/cmd/left_out.h src/cmd/left_out.c \
	src/cmd/njoin.h src/cmd/njoin.c \
	src/cmd/njoin_captured.h src/cmd/njoin_captured.c \
	src/cmd/njoin_core.h src/cmd/njoin_core.c \
	src/cmd/njoin_dmesg.h src/cmd/njoin_dmesg.c \
	src/cmd/njoin_free_space.h src/cmd/njoin_free_space.c \
	src/cmd/njoin_info.h src/cmd/njoin_info.c \
	src/cmd/njoin_join.h src/cmd/njoin_join.c \
	src/cmd/njoin_kdump.h src/cmd/njoin_kdump.c \
	src/cmd/njoin_list.h src/cmd/njoin_list.c \
	src/cmd/njoin_missing.h src/cmd/njoin_missing.c \
	src/cmd/njoin_options.h src/cmd/njoin_options.c \
	src/cmd/njoin_outputs.h src/cmd/njoin_outputs.c \
	src/cmd/njoin_pages.h src/cmd/njoin_pages.c \
	src/cmd/njoin_report.h src/cmd/njoin_report.c \
	src/cmd/njoin_run.h src/cmd/njoin_run.c \
	src/cmd/njoin_set.h src/cmd/njoin_set.c \
	src/cmd/members.h src/cmd/members.c \
	src/cmd/vmcore.h src/cmd/vmcore.c
njoin_LDADD = libnsplit.a $(LIBRARIES_USED)
if HAVE_FUSE
bin_PROGRAMS += nsplit-mount
endif
nsplit_mount_SOURCES = $(common_sources) \
	src/cmd/left_out.h src/cmd/left_out.c \
	src/cmd/members.h src/cmd/members.c \
	src/cmd/nsplit_mount.c \
	src/cmd/nsplit_mount_access.h src/cmd/nsplit_mount_access.c \
	src/cmd/nsplit_mount_daemon.h src/cmd/nsplit_mount_daemon.c \
	src/cmd/nsplit_mount_fuse.h src/cmd/nsplit_mount_fuse.c \
	src/cmd/nsplit_mount_missing.h src/cmd/nsplit_mount_missing.c \
	src/cmd/nsplit_mount_options.h src/cmd/nsplit_mount_options.c \
	src/cmd/nsplit_mount_requests.h src/cmd/nsplit_mount_requests.c \
	src/cmd/vmcore.h src/cmd/vmcore.c
nsplit_mount_CFLAGS = $(AM_CFLAGS) $(FUSE_CFLAGS)
nsplit_mount_LDADD = libnsplit.a $(LIBRARIES_USED) $(FUSE_LIBS)
nsplit_bench_SOURCES = $(common_sources) \
	src/cmd/bench_charts.h src/cmd/bench_charts.c \
	src/cmd/bench_check.h src/cmd/bench_check.c \
	src/cmd/bench_csv.c \
	src/cmd/bench_gnuplot.h src/cmd/bench_gnuplot.c \
	src/cmd/bench_html.h src/cmd/bench_html.c \
	src/cmd/bench_html_style.c \
	src/cmd/bench_html_tables.c \
	src/cmd/bench_json.c \
	src/cmd/bench_options.h src/cmd/bench_options.c \
	src/cmd/bench_plot.c \
	src/cmd/bench_report.h src/cmd/bench_report.c \
	src/cmd/bench_table.c \
	src/cmd/bench_lists.h src/cmd/bench_lists.c \
	src/cmd/bench_machine.h src/cmd/bench_machine.c \
	src/cmd/bench_verdict.h src/cmd/bench_verdict.c \
	src/cmd/nsplit_bench.c \
	src/cmd/outputs.h src/cmd/outputs.c \
	src/cmd/shell.h src/cmd/shell.c \
	src/cmd/vmcore.h src/cmd/vmcore.c
nsplit_bench_LDADD = libnsplit.a $(LIBRARIES_USED)
