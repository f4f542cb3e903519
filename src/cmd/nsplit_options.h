// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line of nsplit; nsplit.1 describes it. */
#ifndef NSPLIT_CMD_NSPLIT_OPTIONS_H
#define NSPLIT_CMD_NSPLIT_OPTIONS_H

#include "base/names.h"
#include "capture/capture.h"
#include "cmd/common_options.h"
#include "cmd/progress.h"
#include "cmd/stamp.h"

struct nsplit_options {
	struct capture_settings capture;
	char codec_text[PRESET_TEXT_LENGTH];	/* what capture.codec_text points to */
	bool uuid_given;
	enum mmap_mode mmap;
	enum direct_mode direct;
	enum progress_mode progress;
	bool force;
	bool any_owner;
	bool overwrite_devices;	/* with force, whatever they hold */
	bool quiet;
	bool verbose;
	bool dry_run;
	bool check_params;
	char *stats_file;		/* owned; NULL: none */
	char *filter;			/* the command that outputs are names for; owned; NULL: none */
	const char *config;		/* the file that was read; NULL: none */
	const char *source;
	char now[STAMP_LENGTH + 1];	/* what {now} in an output means */
	/* Expanded, and owned. */
	struct names configured;	/* by the key output */
	struct names also;
	struct names fallbacks;
	/* All that are written to, those of also behind the others, and last the fallbacks. */
	struct names outputs;
	size_t required;		/* so many, the first ones, must be right; see nsplit_probe() */
};

/*
 * Reads the command line.  Returns OPTIONS_READ, or the status to exit with at once: after
 * --help and the like, or an error that has been told.
 */
int nsplit_options_read(struct nsplit_options *o, int argc, char **argv);
void nsplit_options_free(struct nsplit_options *o);

#endif
