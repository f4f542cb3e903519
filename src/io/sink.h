// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sinks: the I/O objects behind outputs.
 *
 * A sink is written front to back.  Its life:
 *
 *	sink_probe()		decides what a name means
 *	sink_open()		creates or empties the output
 *	sink_append() ...	and the other calls below, in any order
 *	sink_sync()		makes everything safe against power loss
 *	sink_finish()		only if sink_ends(): ends the output and waits for its confirmation
 *	sink_close()		or sink_discard() for a file that is not to be kept
 *	sink_free()
 *
 * One thread at a time uses a sink; the callers ensure this, so a sink has no lock.  Only
 * sink_abandon() may be called while another thread is inside a call.
 *
 * All calls that return a status leave a complete sentence in *e when they fail, which begins with
 * the name of the output, and errno in e->errnum if a system call failed.  A sink never prints and
 * never ends the program.
 *
 * To add a kind of sink, see "Adding a sink" in HACKING.md.
 */
#ifndef NSPLIT_IO_SINK_H
#define NSPLIT_IO_SINK_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "io/existing.h"
#include "io/path.h"

/*
 * Emulates a disk of limited speed, for benchmarks.  A token bucket that fills only during writes:
 * a disk that was idle does not write faster afterwards, but a thread that woke up late may catch
 * up.
 */

/* Used with one sink, and so by one thread at a time. */
struct throttle {
	double rate;		/* bytes a second, above 0 */
	double began;		/* clock_seconds() at the beginning of the current write */
	double paid;		/* when the tokens for all bytes written will exist */
	double late;		/* seconds by which the last sleep took too long */
	double later_rate;	/* 0: no change */
	double later;		/* clock_seconds() from which on it applies */
};

/* Starts with an empty bucket; rate in bytes a second, above 0. */
void throttle_start(struct throttle *t, uint64_t rate);

/* Changes the rate for writes that begin at least this many seconds from now. */
void throttle_change(struct throttle *t, double seconds, uint64_t rate);

struct command;

enum { SINK_HEAD = 64, IN_MEMORY_LENGTH = 32 };		/* bytes */

enum direct_mode {
	DIRECT_AUTO,		/* direct I/O where the output supports it */
	DIRECT_ALWAYS,		/* fail where it does not */
	DIRECT_NEVER,
};

enum sink_kind {
	SINK_FILE,
	SINK_BLOCK_DEVICE,
	SINK_STREAM,		/* pipe, character device, standard output */
	SINK_NULL,		/* "null:", discards everything */
	SINK_COMMAND,		/* a command that reads the member from its standard input */
};

/* Zeros of a file that are not written. */
enum sink_zeros {
	SINK_ALLOCATED,		/* there is space to write bytes in their place */
	SINK_HOLE,
};

struct sink {
	/* Set by sink_probe(): */
	const struct sink_ops *ops;
	enum sink_kind kind;
	char *name;		/* as given, "|COMMAND" too; "standard output" for "-"; owned */
	bool is_stdout;
	unsigned permits;	/* PERMIT_OVERWRITE... */
	enum direct_mode direct_wanted;
	struct identity identity;	/* of the file or device; type 0: does not exist yet */
	uint64_t seen;		/* of a block device: a hash of what its contents were; 0: unknown */
	char in_memory[IN_MEMORY_LENGTH];	/* "tmpfs", ... if the output is in RAM; else "" */
	struct command *command;	/* of SINK_COMMAND; owned */
	bool unavailable;	/* sink_probe() returned STATUS_SYSTEM */

	/* May be set by the caller before sink_open(): */
	double patience;	/* seconds to wait for the reader of a named pipe; 0: forever */
	struct throttle *throttle;	/* emulates a slower disk; the caller's; NULL: none */

	/* Set by sink_open(): */
	int fd;			/* -1: none */
	bool created;		/* a new file, which sink_discard() removes */
	bool direct;		/* whole units are written with O_DIRECT, until a write with it fails */
	bool o_direct;		/* the flag of the descriptor */
	uint64_t capacity;	/* bytes of a block device; UINT64_MAX for other kinds */

	/* Set while it is written: */
	uint64_t length;	/* bytes appended; unchanged by an append that fails */
	uint64_t reserved;	/* bytes after length, written by sink_reserve() */
	uint64_t reached;	/* of a file or device, or a stream: where the last append ended or failed; never goes back */
	uint64_t extended;	/* bytes of a file whose length was set by sink_append_zeros() */
	uint8_t head[SINK_HEAD];	/* the first bytes of the first append */
	uint64_t sent;		/* bytes of a buffered file whose writeback was started */
	atomic_ulong writes;	/* appends, and beginnings of sink_write_at(); any thread reads it */
	bool broken;		/* bytes that were accepted are lost: not merely full */
	bool moved;		/* a file had been renamed when it was synced last */
	bool output_not_found;	/* a filter exited with 0, but its file was not found */
};

/*
 * The functions of a kind.  Functions may be NULL where the comment says so.
 *
 * All are called by the thread that uses the sink, except abandon().  They may block for as long as
 * the output does: the capture has a thread for each sink and a timeout.  They handle EINTR and
 * short writes (io/transfer.h) and take no locks of the capture.
 */
struct sink_ops {
	/* Kernel memory in bytes that the kind adds to what a descriptor costs: a larger pipe. */
	size_t memory;

	/*
	 * Sets s->fd, if the kind has one, and prepares the output to be written from offset 0.
	 * Opened by name: calls sink_check_identity() before it changes anything.  After a failure
	 * sink_open() closes s->fd and removes the file if s->created.  NULL: nothing to open.
	 */
	enum status (*open)(struct sink *s, struct error *e);

	/*
	 * Writes len bytes at s->length, all of them or fails; sink_append() updates s->length.
	 * bytes and len are multiples of ALIGNMENT, as direct I/O requires.  An output without space
	 * sets e->errnum to ENOSPC, EDQUOT or EFBIG.  After any other failure append() is not
	 * called again.  The programs ignore SIGPIPE and SIGXFSZ (base/signals.h), so write() fails
	 * with EPIPE or EFBIG.
	 */
	enum status (*append)(struct sink *s, const void *bytes, size_t len, struct error *e);

	/* See sink_write_at().  NULL: the output is written front to back only. */
	enum status (*write_at)(struct sink *s, const void *bytes, size_t len, uint64_t offset,
				struct error *e);

	/* See sink_append_zeros() and sink_extend().  False: zeros must be written.  NULL: always. */
	bool (*extend)(struct sink *s, uint64_t len, enum sink_zeros zeros);

	/* Makes everything appended safe against power loss, as far as the output can.  NULL: it cannot. */
	enum status (*sync)(struct sink *s, struct error *e);

	/* See sink_write_last().  NULL: the kind has no fixed end. */
	enum status (*write_last)(struct sink *s, const void *bytes, size_t len,
				  struct error *e);

	/* See sink_truncate() and sink_read().  Both or neither: s->length may go back. */
	enum status (*truncate)(struct sink *s, struct error *e);
	enum status (*read)(struct sink *s, void *bytes, size_t len, uint64_t offset,
			    struct error *e);

	/* See sink_space_left().  NULL: unknown. */
	uint64_t (*space_left)(const struct sink *s);

	/*
	 * See sink_finish().  Closes s->fd and sets it to -1, whether it succeeds or fails.  NULL:
	 * the output is complete after sync().
	 */
	enum status (*finish)(struct sink *s, struct error *e);

	/*
	 * See sink_abandon().  Called by another thread while one of the calls above is blocked, or
	 * before or after it.  May use what sink_probe() set, and what a lock of the kind protects
	 * (struct command has one), but not s->fd and other fields that the calls above change.
	 * NULL: cannot be done.
	 */
	void (*abandon)(struct sink *s);

	/*
	 * Called by sink_close() before it closes s->fd, if that is still open: finish() was not
	 * called.  NULL: nothing to do.
	 */
	void (*drop)(struct sink *s);

	/* Frees what probe and open allocated, except name and fd.  NULL: nothing. */
	void (*free)(struct sink *s);
};

/*
 * Fills in *s from a name, without opening or changing anything.
 *
 * STATUS_USAGE: the name must not be an output: an existing file or block device that permits
 * (PERMIT_OVERWRITE...) do not cover, a file or named pipe of another user, a directory, a terminal
 * on standard output.  STATUS_SYSTEM: the output is not usable now, and sink_open() will fail for
 * the same reason; s->unavailable is set, so that the capture can report and skip the output.
 * STATUS_NO_MEMORY.
 *
 * filter: a command that receives the name as $FILE; NULL: none.  An existing file or block device of this name needs
 * the same permits, since most filters write to it.
 *
 * Call sink_free() in any case.
 */
enum status sink_probe(struct sink *s, const char *name, const char *filter, unsigned permits,
		       enum direct_mode direct, struct error *e);

/*
 * Before sink_open(); for a command, no effect on other sinks.  mute: the command's standard output
 * is /dev/null.  defaults: the signals that the command must not ignore although this process does;
 * without this call, those that signals_prepare() ignores.
 */
void sink_command_settings(struct sink *s, bool mute, const sigset_t *defaults);

/*
 * Opens the output.  A new file gets mode 0600 whatever the umask is; an existing file is truncated
 * and gets mode 0600.  A block device that is mounted or otherwise in use is refused, and so is one
 * that by now holds something that s->permits do not cover; the signatures of what it holds are
 * erased.
 */
enum status sink_open(struct sink *s, struct error *e);

/* Kernel memory in bytes that an open sink uses because its pipe is enlarged; else 0. */
static inline size_t sink_memory(const struct sink *s)
{
	return s->ops->memory;
}

/* True if a write of ALIGNMENT bytes would not block.  Only known of a pipe; true for other kinds. */
bool sink_takes_now(const struct sink *s);

/* Appends all bytes or fails, with s->length unchanged.  bytes and len are multiples of ALIGNMENT. */
enum status sink_append(struct sink *s, const void *bytes, size_t len, struct error *e);

/* Appends len bytes of zeros, a multiple of ALIGNMENT; to a file without writing them, if that is possible. */
enum status sink_append_zeros(struct sink *s, uint64_t len, struct error *e);

/* The same as a hole of a file, without writing anything.  False: of this output, zeros must be written. */
bool sink_extend(struct sink *s, uint64_t len);

/* True if sink_write_at() may be called. */
static inline bool sink_writes_anywhere(const struct sink *s)
{
	return s->ops->write_at;
}

/* Replaces bytes that were appended, of any offset behind the first SINK_HEAD bytes, and of any length. */
enum status sink_write_at(struct sink *s, const void *bytes, size_t len, uint64_t offset, struct error *e);

/*
 * Makes everything appended safe against power loss, where the output has such a notion.  Of a file or
 * block device it fails if others have removed or truncated it, or overwritten its beginning.
 */
enum status sink_sync(struct sink *s, struct error *e);

/* Writes the second copy of the footer at the end of a block device; no effect on other kinds. */
static inline enum status sink_write_last(struct sink *s, const void *bytes, size_t len, struct error *e)
{
	if (!s->ops->write_last)
		return STATUS_OK;
	return s->ops->write_last(s, bytes, len, e);
}

/* True if sink_rewind(), sink_truncate() and sink_read() may be called. */
static inline bool sink_rewinds(const struct sink *s)
{
	return s->ops->truncate;
}

/*
 * Sets the length, in general back; the next append overwrites what follows it.  A file keeps its blocks until
 * sink_truncate() or sink_sync(), so that no other output can take them.
 */
void sink_rewind(struct sink *s, uint64_t length);
/* Writes after the end without appending: reserves the space for the next append. */
enum status sink_reserve(struct sink *s, const void *bytes, size_t len, struct error *e);
/* Truncates a file after its length and what sink_reserve() wrote there. */
static inline enum status sink_truncate(struct sink *s, struct error *e)
{
	return s->ops->truncate(s, e);
}

/* Reads bytes that were appended, from the disk rather than from the page cache. */
static inline enum status sink_read(struct sink *s, void *bytes, size_t len, uint64_t offset, struct error *e)
{
	return s->ops->read(s, bytes, len, offset, e);
}

/* Bytes that can still be appended, if that is known in advance; else UINT64_MAX. */
static inline uint64_t sink_space_left(const struct sink *s)
{
	return s->ops->space_left ? s->ops->space_left(s) : UINT64_MAX;
}

/* Bytes that the file system of a file has left for others than root; UINT64_MAX: it is no file, or they are unknown. */
uint64_t sink_free_space(const struct sink *s);

/* Bytes of a buffered file that the next sync may have to write, at most, as far as its writes do not wait for them. */
enum { SINK_BEHIND = 36 << 20 };

/*
 * After a failed call: whether the sink is only full, so that what it had accepted is intact and it
 * can be rewound.
 */
bool sink_is_full(const struct sink *s, const struct error *e);

/* True if sink_finish() must be called after the last append, as for a command. */
static inline bool sink_ends(const struct sink *s)
{
	return s->ops->finish;
}

/*
 * Ends the output and waits until it confirms that it has stored everything.  A command's input is
 * closed, and its exit status must be 0.
 */
static inline enum status sink_finish(struct sink *s, struct error *e)
{
	return s->ops->finish(s, e);
}

/*
 * Makes a call that is blocked in another thread return, where that is possible: kills the command.
 * Any thread.
 */
static inline void sink_abandon(struct sink *s)
{
	if (s->ops->abandon)
		s->ops->abandon(s);
}

/* Closes; a failure means that data was lost. */
enum status sink_close(struct sink *s, struct error *e);

/*
 * Closes, and removes the file if sink_open() created it and the name still leads to it.  A failure means
 * that it is still there.
 */
enum status sink_discard(struct sink *s, struct error *e);

/* Closes if still open, and frees what sink_probe() allocated; no effect on a zeroed struct. */
void sink_free(struct sink *s);

/* --- for the kinds ------------------------------------------------------- */

/* Each kind is a file, sink_KIND.c, or a part of sink.c; sink_probe.c decides which of them a name means. */
extern const struct sink_ops sink_file_ops;	/* regular files and block devices */
extern const struct sink_ops sink_stream_ops;
extern const struct sink_ops sink_null_ops;

/* Makes it a command, for sink_probe().  file: the value of $FILE, which must outlive the sink; NULL: unchanged. */
enum status sink_set_command(struct sink *s, const char *text, const char *file, struct error *e);

/*
 * path_creation_error() for an output.  If its directory does not exist and its name looks like a file
 * on another machine, the text says how to write to one.
 */
enum status sink_creation_error(const struct sink *s, int errnum, struct error *e);

/* For the kinds' open(): fails unless s->fd is what sink_probe() saw, or a file just created. */
enum status sink_check_identity(struct sink *s, struct error *e);

/* Has the file no name any more?  One that was renamed has. */
bool sink_is_removed(const struct sink *s);

/*
 * Of a file or block device that has been synced; size: of the file, before sink_truncate().
 * STATUS_SYSTEM: what was appended is not there any more.  A file that was only renamed is intact,
 * and s->moved is set.  What cannot be found out is no failure.
 */
enum status sink_look(struct sink *s, uint64_t size, struct error *e);

#endif
