// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * --format=kdump and elf: makes the layout of a dump (capture/form/dump_writer.h), whose pages are chosen before the
 * capture begins, and connects it with the engine.  If the source is not the core of a kernel, a member is written
 * instead: a dump that njoin opens is better than none.
 */
#ifndef NSPLIT_CMD_NSPLIT_DUMP_H
#define NSPLIT_CMD_NSPLIT_DUMP_H

#include <stdatomic.h>

#include "cmd/common/message.h"
#include "cmd/common/page_policy.h"
#include "cmd/nsplit/options.h"
#include "core/pages.h"
#include "export/elf_form.h"
#include "export/kdump.h"
#include "filter/filter.h"
#include "filter/source_bytes.h"

/* Reads the pages that are not whole in any place of the source, one at a time. */
struct ragged_reader {
	atomic_bool reads;		/* at the moment; the writer */
	struct message_list unreadable;	/* the writer */
	uint8_t page[];
};

/* All zero: none is wanted.  Must not be moved once it is open. */
struct nsplit_dump {
	struct source *source;		/* borrowed */
	struct core core;
	struct source_bytes bytes;	/* of one thread at a time: this one, and then the writer */
	struct vmcoreinfo info;
	struct pages pages;
	struct kdump form;		/* one of these two */
	struct elf_form elf;
	uint8_t *head;			/* what comes before the bitmaps; owned */
	struct ragged_reader *ragged;	/* owned */
	struct dump_layout layout;
	struct page_policy *page_policy;	/* borrowed */
	struct layer_policy policy;	/* of these pages */
	bool zero;			/* see struct left_out_option */
	bool one_pass;			/* for an output that is written front to back */
	unsigned makers;		/* threads that make parts of the choice again; 0: there is memory for a bit for each page */
	struct filter_choice choice;	/* of the pages, and what was decided about classes */
	bool dropped;			/* flattened: classes that were wanted would not fit the limit */
	atomic_ullong changed;		/* pages of parts that are lost; any thread */
	struct message_list lost;	/* these parts; the maker's thread */
};

struct nsplit;

/* STATUS_USAGE, with a sentence that says why, if the options need a source that is not a stream. */
enum status nsplit_refuse_stream(const struct nsplit_options *o, const struct source *source, struct error *e);
/* Of the source; 0: it is a stream, or no core that can be read. */
uint64_t nsplit_count_headers(struct source *source);
/*
 * Sets the number of program headers of the source, if the options need them, and the memory for each.  root: the source
 * is the /proc/vmcore of this machine (crash_machine.h), which does not exist yet; NULL: it exists.
 */
void nsplit_set_headers(struct capture_settings *settings, const struct nsplit_options *o, struct source *source,
			const char *root);
/* What a capture may take of the memory. */
struct limit nsplit_limit(const struct nsplit *nsplit);
/* Does a capture of this source look at it before, because of these options or the source itself? */
bool nsplit_has_policy(const struct nsplit_options *o, const struct source *source);
struct filter_wishes nsplit_wishes(const struct nsplit_options *o);
/* Calls page_policy_open(), unless memory is too short for the headers. */
const struct layer_policy *nsplit_open_policy(struct nsplit *nsplit);
/*
 * Before the capture is fitted to the memory: reads the headers of the source, calls page_policy_open(), and sets block
 * size, form and policy in the settings.  The source may become one that shows it page by page.  Fails only if the
 * options require a dump, and the source is not the core of a kernel.
 */
enum status nsplit_dump_open(struct nsplit *nsplit, struct error *e);
/*
 * Before the pages are chosen: their bits are not to be kept, but made again when they are asked for, which takes less
 * memory and more time; or not.  False: it would not take less.
 */
bool nsplit_dump_by_parts(struct nsplit *nsplit, bool by_parts);
/*
 * When the settings are final, chooses the pages; without a dump, does nothing.  If it fails, nothing is left out, or a
 * member is written.
 */
void nsplit_dump_choose(struct nsplit *nsplit);
/* Everything is captured after all, without layers, for this reason; also without a dump. */
void nsplit_dump_give_up(struct nsplit *nsplit, const char *why);
/* The codec of the settings may have changed since. */
void nsplit_dump_set_codec(struct nsplit *nsplit);
void nsplit_dump_close(struct nsplit_dump *d);

#endif
