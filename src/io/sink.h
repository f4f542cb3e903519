// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sinks: outputs while they are written.
 *
 * A sink is appended to, in pieces that are UNIT aligned in memory and
 * a multiple of it long, so that direct I/O can take them as they are.  One
 * thread at a time uses a sink.
 */
#ifndef NSPLIT_IO_SINK_H
#define NSPLIT_IO_SINK_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "io/contents.h"
#include "io/identity.h"
#include "io/in_memory.h"

struct command;
struct throttle;

enum direct_mode {
	DIRECT_AUTO,		/* where the output takes it */
	DIRECT_ALWAYS,		/* or fail */
	DIRECT_NEVER,
};

enum sink_kind {
	SINK_FILE,
	SINK_BLOCK_DEVICE,
	SINK_STREAM,		/* pipe, character device, standard output */
	SINK_NULL,		/* null: takes everything, keeps nothing */
	SINK_COMMAND,		/* a command that is fed the member */
};

/* What a sink may write over; flags. */
enum {
	SINK_OVERWRITE = 1,		/* files that exist; devices that hold nothing but a member */
	SINK_OVERWRITE_DEVICES = 2,	/* with SINK_OVERWRITE: devices, whatever they hold */
	SINK_ANY_OWNER = 4,		/* files and named pipes of other users; see io/owner.h */
};

struct sink {
	const struct sink_ops *ops;
	enum sink_kind kind;
	char *name;		/* as given, "|COMMAND" too; "standard output" for "-" */
	int fd;			/* -1 for SINK_NULL */
	struct identity identity;
	uint64_t length;	/* bytes appended whole; a failed append leaves it */
	uint64_t room;		/* bytes of a block device, else UINT64_MAX */
	unsigned permits;	/* SINK_OVERWRITE... */
	uint64_t sent;		/* bytes of a buffered file that were sent to the disk */
	uint64_t kept;		/* bytes behind length that hold room; see sink_hold() */
	bool broken;		/* bytes that it had taken are lost: it is not only full */
	enum direct_mode direct_wanted;
	bool direct;		/* O_DIRECT is on */
	bool is_stdout;
	bool created;		/* by us: a new file */
	struct contents_seen seen;	/* of a block device, when it was probed */
	double patience;	/* seconds that a named pipe is given to find a reader; 0: for ever */
	char in_memory[IN_MEMORY_LENGTH];	/* what it lies on, if that is in memory; or "" */
	bool lost;		/* it could not be had when it was probed */
	bool unseen;		/* a filter ended well, and no file of its name is here */
	struct command *command;	/* of SINK_COMMAND; owned */
	struct throttle *throttle;	/* an emulated disk, the caller's; NULL: none */
};

struct sink_ops {
	enum status (*append)(struct sink *s, const void *bytes, size_t len, struct error *e);
	enum status (*sync)(struct sink *s, struct error *e);
	/* NULL where it cannot be done. */
	enum status (*write_last)(struct sink *s, const void *bytes, size_t len,
				  struct error *e);
	/* These two go together: a sink that has cut() can be rewound. */
	enum status (*cut)(struct sink *s, struct error *e);
	enum status (*read)(struct sink *s, void *bytes, size_t len, uint64_t offset,
			    struct error *e);
	enum status (*finish)(struct sink *s, struct error *e);
	void (*abandon)(struct sink *s);
	void (*drop)(struct sink *s);	/* before it is closed unfinished */
};

/*
 * What a name means, without touching it.  STATUS_USAGE: it must not be an output (an
 * existing file or a block device that permits do not allow to be written over, what belongs to
 * another user, a directory, a terminal on standard output).  STATUS_SYSTEM: it cannot be one now, and sink_open() will fail for the
 * same reason.  sink_free() is due in any case.
 */
enum status sink_probe(struct sink *s, const char *name, unsigned permits,
		       enum direct_mode direct, struct error *e);

/*
 * The same for a name that filter, a command, is given as $FILE.  A file or block device that
 * has this name is nothing to write over without permits.
 */
enum status sink_probe_filter(struct sink *s, const char *filter, const char *name,
			      unsigned permits, struct error *e);

/*
 * Opens what was probed, and empties a file that was there: a new one gets mode 0600
 * whatever the umask, an old one is taken over with mode 0600.  A block
 * device that is mounted or otherwise in use is refused, and so is one that holds something by
 * now, unless s->permits allow that; then all signatures on it are erased.
 */
enum status sink_open(struct sink *s, struct error *e);

/* What the kernel keeps in memory for it while it is written, because we want it to; bytes. */
size_t sink_memory(const struct sink *s);

/* Would a UNIT be taken at once?  A pipe that is full does not; of others that is not known, and true. */
bool sink_takes_now(const struct sink *s);

/* Appends all or fails; see sink.length. */
enum status sink_append(struct sink *s, const void *bytes, size_t len, struct error *e);

/* Everything appended is safe against power loss, where the output knows such a thing. */
enum status sink_sync(struct sink *s, struct error *e);

/* The second copy of the footer at the end of a block device; nothing elsewhere. */
enum status sink_write_last(struct sink *s, const void *bytes, size_t len, struct error *e);

/* Can it go back, and write again over what it has?  (A stream cannot.) */
bool sink_rewinds(const struct sink *s);
/*
 * Goes back to length: what lies behind it is written over by the next append, in place.  A file
 * keeps its blocks until sink_cut() or sink_sync(), so that no other output can take them.
 */
void sink_rewind(struct sink *s, uint64_t length);
/* Writes at the end without appending: it holds the room for what is appended next. */
enum status sink_hold(struct sink *s, const void *bytes, size_t len, struct error *e);
/* A file gives back the blocks behind its end, and behind what sink_hold() wrote there. */
enum status sink_cut(struct sink *s, struct error *e);
/* Reads what was appended, and perhaps not written over since; from the disk, if it is there. */
enum status sink_read(struct sink *s, void *bytes, size_t len, uint64_t offset,
		      struct error *e);
/* Bytes that can still be appended, as far as that is known beforehand; else UINT64_MAX. */
uint64_t sink_space_left(const struct sink *s);
/* After a call that failed: is the sink only full, so that what it took before is good? */
bool sink_is_full(const struct sink *s, const struct error *e);

/*
 * Is it only good once it has ended (a command)?  Then sink_finish() comes after the last
 * append: it closes, waits for the end, and says whether that was one in peace.
 */
bool sink_ends(const struct sink *s);
enum status sink_finish(struct sink *s, struct error *e);

/*
 * From another thread than the one that is in a call and does not come back: sees to it that
 * it does, where that is possible.
 */
void sink_abandon(struct sink *s);

/* Closes; the error is the last chance to hear of lost data. */
enum status sink_close(struct sink *s, struct error *e);

/* Closes and removes a file that sink_open() made. */
void sink_discard(struct sink *s);

/* Closes if still open, and gives back what sink_probe() took. */
void sink_free(struct sink *s);

extern const struct sink_ops sink_file_ops;
extern const struct sink_ops sink_stream_ops;
extern const struct sink_ops sink_null_ops;
extern const struct sink_ops sink_command_ops;

/* For sink_file_ops: turns O_DIRECT on as direct_wanted says. */
enum status sink_file_set_direct(struct sink *s, struct error *e);
/* For sink_stream_ops: opens a pipe or device by its name. */
enum status sink_stream_open(struct sink *s, struct error *e);
/*
 * Of a block device: clears its first unit and its last, and makes that safe, so that nothing of an
 * earlier capture is taken for the footer or the beginning of this one.
 */
enum status sink_file_forget(struct sink *s, struct error *e);
/* Of a block device: where the last whole unit lies, which is the second footer's; 0: it has none. */
uint64_t sink_file_last_offset(const struct sink *s);
/* For sink_command_ops: runs it. */
enum status sink_command_open(struct sink *s, struct error *e);

/*
 * For a sink that is a command, and nothing for others: is its standard output to be
 * /dev/null, and which signals that are ignored here shall not be ignored there?  (If this is
 * not called: no; those that signals_prepare() ignores.)
 */
void sink_command_settings(struct sink *s, bool mute, const sigset_t *defaults);

#endif
