// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An estimate of a dump of this machine, before it crashes: pages by class, bytes by dump level and codec,
 * and the CPU time to pack them.  With that of the outputs, it takes at most 10 seconds and 32 MiB, whatever the size of the
 * machine (doc/estimate.md).
 */
#ifndef NSPLIT_ESTIMATE_ESTIMATE_H
#define NSPLIT_ESTIMATE_ESTIMATE_H

#include "base/error.h"
#include "codec/codec.h"
#include "format/format.h"
#include "io/path.h"
#include "io/sink.h"

/* As nsplit packs: page by page, or in larger blocks (the memory map: in columns) if pages are left out. */
enum packing { PACKED_BY_PAGE, PACKED_BY_BLOCK, PACKINGS };

enum { CODECS_SHOWN = 5, ESTIMATE_BLOCK_MAX = 64 << 10 };

struct packed {
	double share;			/* stored bytes for each byte of pages */
	double seconds;			/* CPU time for each byte */
};

enum estimate_form { ESTIMATE_MEMBERS, ESTIMATE_KDUMP, ESTIMATE_ELF };

struct estimate_settings {
	const char *root;		/* /proc is below it; "" for this machine */
	enum estimate_form form;
	struct preset presets[CODECS_SHOWN];	/* of a capture; the first one is that of the settings */
	unsigned presets_count;
	uint32_t block_size[PACKINGS];	/* divisors of ESTIMATE_BLOCK_MAX */
	enum packing first;		/* that of the dump which is asked for: it is measured best */
	uint64_t pages_max;		/* to look at, */
	double count_seconds;		/* for up to this time; at least one window is */
	uint64_t sample_max;		/* bytes of the kernel's pages to pack; of other contents less; */
	double sample_seconds;		/* likewise */
};

struct estimate_class {
	uint64_t pages;
	uint64_t margin;		/* in 19 of 20 samples, the number of pages differs by less */
};

struct estimate {
	struct estimate_settings settings;
	uint32_t page_size;
	uint64_t pages;			/* in a dump that leaves nothing out */
	uint64_t pages_seen;		/* of them, looked at */
	struct estimate_class of[CLASSES];
	/* The file that says of which class pages are; if it is /proc/meminfo, pages_why says why it is no better one. */
	const char *pages_from;
	struct error pages_why;
	/* The contents of a sample of pages were read; otherwise shares are known ones, and contents_why says why. */
	bool contents_read;
	struct error contents_why;
	uint64_t sample_bytes;
	struct packed packed[CLASSES][PACKINGS][CODECS_SHOWN];
	double read_rate;		/* bytes a CPU second */
};

/* The defaults of the limits.  Presets and blocks are the caller's. */
void estimate_settings_init(struct estimate_settings *settings);

/* Copies *settings.  Fails only if not even /proc/meminfo can be read, or if out of memory. */
enum status estimate_make(struct estimate *estimate, const struct estimate_settings *settings, struct error *e);

/* Is a class in a dump of this level? */
bool estimate_keeps(enum layer_class class, unsigned level);

/* Pages in a dump of this level. */
uint64_t estimate_pages(const struct estimate *estimate, unsigned level);

/* Bytes of a dump of this level, packed by a preset (its number in the settings). */
uint64_t estimate_bytes(const struct estimate *estimate, unsigned level, unsigned preset);
/* In 19 of 20 samples, the bytes by the first preset differ by less than this, for what the sample of pages is to blame. */
uint64_t estimate_margin(const struct estimate *estimate, unsigned level);

/* CPU seconds of a capture with the first preset, without what writing to the outputs takes. */
double estimate_cpu_seconds(const struct estimate *estimate, unsigned level);

/* The part of one class of these bytes and seconds; to find the classes takes the rest of the seconds. */
double estimate_bytes_of(const struct estimate *estimate, enum layer_class class, unsigned level);
double estimate_cpu_seconds_of(const struct estimate *estimate, enum layer_class class, unsigned level);

/*
 * --- how many dumps the outputs have room for, and how fast they are in a short trial ---
 *
 * A file without a name is written in the directory of an output, synced, and gone afterwards, also if this process is
 * killed.
 */

struct trial {
	uint64_t bytes;			/* that were written and synced */
	double seconds;
	double cpu_seconds;		/* of them; a file system in memory, or with a page cache, takes the CPU */
};

struct room_output {
	struct space space;
	bool space_known;
	bool tried;
	struct trial trial;
	struct error why;		/* why it was not tried; the text of a status other than STATUS_OK */
};

struct room {
	struct room_output *of;		/* one for each output; owned */
	unsigned count;
	bool space_known;		/* of all outputs */
	uint64_t bytes;			/* of them together, if it is known */
	/* Of the outputs that are written from the beginning, all of which were tried; a file system counts once. */
	bool rate_known;
	double rate;			/* bytes a second; 0: they discard everything */
	struct trial tried;		/* all trials of these together */
};

/*
 * Looks at outputs that were probed, and tries their file systems.  fallbacks: the number of the last ones that are
 * written only if others fail.  keep_free: bytes that each file leaves on its file system.  room_free() in any case.
 */
enum status room_look(struct room *room, const struct sink *sinks, unsigned count, unsigned fallbacks, uint64_t keep_free,
		      struct error *e);
void room_free(struct room *room);

/* The dumps that fit into an output, or into all together: a device holds one at most. */
uint64_t room_dumps_of(const struct room_output *output, uint64_t bytes);
uint64_t room_dumps(const struct room *room, uint64_t bytes);

#endif
