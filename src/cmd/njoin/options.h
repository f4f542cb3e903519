// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line of njoin; njoin.1 describes it. */
#ifndef NSPLIT_CMD_NJOIN_OPTIONS_H
#define NSPLIT_CMD_NJOIN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/names.h"
#include "cmd/common/common_options.h"
#include "cmd/common/left_out.h"
#include "cmd/common/progress.h"
#include "codec/codec.h"
#include "core/log.h"
#include "format/format.h"

struct dump;

enum njoin_mode {
	NJOIN_WRITE,
	NJOIN_VERIFY,
	NJOIN_INFO,
	NJOIN_LIST,
	NJOIN_DMESG,
};

/* A set has no more members either. */
enum { OUTPUTS_MAX = MEMBERS_MAX };

/* The form that is written. */
enum njoin_format {
	NJOIN_ELF,		/* the bytes of the source */
	NJOIN_KDUMP,
};

struct njoin_options {
	enum njoin_mode mode;
	enum njoin_format format;
	bool format_given;
	struct names outputs;		/* owned */
	struct left_out_option left_out;
	bool raises_level;		/* to what a dump lacks anyway */
	bool keeps_pages;		/* of a dump: without codec, pages that are not compressed stay so */
	const struct codec *codec;	/* of --compress; NULL: not given */
	int level;
	unsigned threads;
	enum progress_mode progress;
	bool force, quiet, verbose;
	bool overwrite_dumps;		/* as force, and cores, dumps and members, too */
	bool any_owner;
	bool sparse;
	bool salvage;
	bool zero_left_out;		/* with NJOIN_ELF, pages that the capture left out */
	bool json;
	enum log_part log_part;
	bool range_given;
	uint64_t from, length;		/* of --range */
	struct names members;		/* expanded; owned */
	/* With NJOIN_DMESG, is called before the log is written; dump NULL: it is a set or a core.  NULL: nothing is. */
	void (*inspect)(void *arg, const struct vmcoreinfo *info, const struct dump *dump);
	void *inspect_arg;
};

/* The defaults. */
void njoin_options_init(struct njoin_options *o);

/*
 * Reads the command line.  Returns OPTIONS_READ, or the status to exit with at once: after
 * --help and the like, or an error, which has been reported.
 */
int njoin_options_read(struct njoin_options *o, int argc, char **argv);
void njoin_options_free(struct njoin_options *o);

#endif
