// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kinds of sinks.  Each is one file, sink_KIND.c, that defines the struct sink_ops declared
 * here; sink_probe.c decides which of them a name means.
 */
#ifndef NSPLIT_IO_SINK_KINDS_H
#define NSPLIT_IO_SINK_KINDS_H

#include <signal.h>

#include "io/sink.h"

extern const struct sink_ops sink_file_ops;	/* regular files and block devices */
extern const struct sink_ops sink_stream_ops;
extern const struct sink_ops sink_null_ops;
extern const struct sink_ops sink_command_ops;

/*
 * Before sink_open(); for a command, no effect on other sinks.  mute: the command's standard output
 * is /dev/null.  defaults: the signals that the command must not ignore although this process does;
 * without this call, those that signals_prepare() ignores.
 */
void sink_command_settings(struct sink *s, bool mute, const sigset_t *defaults);

#endif
