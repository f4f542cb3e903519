// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs gnuplot, with its script and its picture in memory. */
#ifndef NSPLIT_CMD_NSPLIT_BENCH_GNUPLOT_H
#define NSPLIT_CMD_NSPLIT_BENCH_GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/* Whether gnuplot is installed.  A system without a shell has none. */
bool gnuplot_found(void);

/*
 * A text as a string of gnuplot.  Any byte can be written in octal: a name with a line feed, a quote or
 * a backquote must not begin another command.
 */
void gnuplot_quote(FILE *script, const char *text);

/* A file in memory, for a script or a picture; the caller closes it. */
enum status gnuplot_file(FILE **file, struct error *e);

/* Begins a script for a picture of this size, in pixels; SVG if it is not PNG. */
void gnuplot_begin(FILE *script, bool png, double width, double height);

/*
 * Runs the script, which draws to standard output, and leaves the picture at its beginning.  name:
 * for messages.
 */
enum status gnuplot_run(FILE *script, FILE *picture, const char *name, struct error *e);

#endif
