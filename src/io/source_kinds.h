// SPDX-License-Identifier: GPL-2.0-or-later
/* The kinds of sources that source_open() selects from; see io/source_memory.h for another one. */
#ifndef NSPLIT_IO_SOURCE_KINDS_H
#define NSPLIT_IO_SOURCE_KINDS_H

#include <sys/stat.h>

#include "io/source.h"

extern const struct source_ops source_file_ops;
extern const struct source_ops source_map_ops;
extern const struct source_ops source_stream_ops;

/* Allocates the state of a stream. */
enum status source_stream_init(struct source *s, struct error *e);
/* For source_file_ops: sets sparse and stored, and allocates what is known of holes. */
enum status source_find_holes(struct source *s, const struct stat *st, struct error *e);

#endif
