// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines of text for a descriptor that may not take them: a terminal that was stopped, a pipe
 * whose reader sleeps.
 *
 * A thread of the outbox writes the lines.  The memory is fixed and is taken at the start.  Lines
 * are written in the order in which they were put in.  A line that finds no room waits for as long
 * as the descriptor takes lines.  If the descriptor has taken none for a tenth of a second, the
 * line is dropped, and so is each line after it that finds no room, at once, until the descriptor
 * takes a line again.  The number of dropped lines is written in their place as soon as there is
 * room.  A progress line is kept apart: it is written when no other line waits, and a newer one
 * replaces it.
 *
 * Rejected: to ask poll() before each write, and no thread.  Another process may fill the pipe or
 * stop the terminal between the two calls; poll() promises nothing for a file, a console driver or
 * a FUSE file; and O_NONBLOCK belongs to the open file, which the shell that started us shares.
 * Only where there is no thread, poll() is all there is: the lines are then written by the threads
 * that put lines in, as far as poll() says that they are taken.
 */
#ifndef NSPLIT_IO_LINE_WRITER_H
#define NSPLIT_IO_LINE_WRITER_H

#include <stdbool.h>
#include <stddef.h>

/* The longest line, and the memory for all that wait; bytes. */
enum { LINE_WRITER_LINE = 1536, LINE_WRITER_MEMORY = 32 * 1024 };

struct line_writer;

/* Writes a line about the number of dropped lines, at most LINE_WRITER_LINE bytes; returns its length. */
typedef size_t line_writer_describe(unsigned dropped, char *line);

/*
 * fd must stay open until line_writer_end().  thread: a thread is wanted, and does without if none can be
 * created.  It blocks all signals.  NULL: out of memory.
 */
struct line_writer *line_writer_new(int fd, bool thread, line_writer_describe *describe);

/* From any thread.  A line is at most LINE_WRITER_LINE bytes long and brings its own newline. */
void line_writer_put(struct line_writer *o, const char *line, size_t length);
void line_writer_put_progress(struct line_writer *o, const char *line, size_t length);

/*
 * Waits until all lines are written, for as long as the descriptor takes some: false when it took
 * no whole line for OUTBOX_PATIENCE seconds, or when OUTBOX_PATIENCE_MAX have passed; after that
 * it does not wait again.
 */
enum { OUTBOX_PATIENCE = 2, OUTBOX_PATIENCE_MAX = 30 };
bool line_writer_drain(struct line_writer *o);

/*
 * Drains and frees it.  False: the descriptor did not take all lines.  The thread may then be in
 * write() for ever, and the outbox stays in memory for it.
 */
bool line_writer_end(struct line_writer *o);

#endif
