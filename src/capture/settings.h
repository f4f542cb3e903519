// SPDX-License-Identifier: GPL-2.0-or-later
/* What a capture is to do; the source and the sinks come with it. */
#ifndef NSPLIT_CAPTURE_SETTINGS_H
#define NSPLIT_CAPTURE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/fill/layer_policy.h"
#include "capture/form/dump_layout.h"
#include "codec/codec.h"
#include "io/sink.h"
#include "io/source.h"

struct capture_settings {
	struct presets presets;
	const char *codec_text;		/* "zstd:3", "auto"; for the superblock */
	const char *creator;		/* "nsplit 0.1.0", likewise */
	uint32_t block_size;
	uint32_t chunk_size;
	unsigned threads;		/* workers, at least 1 */
	bool serial;			/* one thread takes all steps */
	bool digest;			/* for each output: see struct sink_stats; only if digest_supported() */
	bool stripe;			/* chunk k goes to sink k mod K, in order */
	uint64_t memory_limit;		/* bytes, 0: none */
	/* Program headers of the source that the caller and the policy know, and the bytes of memory for each. */
	uint64_t headers;
	size_t header_memory;
	double sink_timeout;		/* seconds that a call of a sink may take; 0: any time */
	unsigned fallbacks;		/* how many of the sinks, the last ones, are fallbacks: see engine.h */
	/* The form is that of a dump; borrowed, and complete when capture_new() is called.  NULL: members. */
	const struct dump_layout *dump;
	/* With layers: what may be left out, and is stored when; borrowed.  NULL: everything, at once. */
	const struct layer_policy *policy;
	struct capture_id id;
	int64_t fixed_time;		/* for reproducible members; -1: use the clock */
};

#endif
