// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes lines of text to a descriptor that may block: a stopped terminal, a pipe whose reader
 * sleeps.
 *
 * A thread of the line writer writes them, in the order in which they were put.  Waiting lines are
 * kept in memory of a fixed size, allocated at the start.  A line that does not fit waits as long
 * as the descriptor accepts lines.  Once it has accepted none for a tenth of a second, that line is
 * dropped, and so is, at once, every further line that does not fit, until the descriptor accepts a
 * line again.  The number of dropped lines is written in their place as soon as it fits.  A
 * progress line is kept apart: it is written when no other line waits, and a newer one replaces it.
 *
 * Rejected: to ask poll() before each write, without a thread.  Another process may fill the pipe
 * or stop the terminal between the two calls; for a file, a console driver or a FUSE file poll()
 * promises nothing; and O_NONBLOCK belongs to the open file, which is shared with the shell.
 */
#ifndef NSPLIT_IO_LINE_WRITER_H
#define NSPLIT_IO_LINE_WRITER_H

#include <stdbool.h>
#include <stddef.h>

/* The longest line, and the memory for all waiting lines; bytes. */
enum { LINE_WRITER_LINE = 1536, LINE_WRITER_MEMORY = 32 * 1024 };

struct line_writer;

/*
 * Writes a line that reports the number of dropped lines to *line, at most LINE_WRITER_LINE bytes,
 * and returns its length.
 */
typedef size_t line_writer_describe(unsigned dropped, char *line);

/*
 * fd must stay open until line_writer_end().  The thread blocks all signals.  NULL: out of memory, or it
 * cannot be created.
 */
struct line_writer *line_writer_new(int fd, line_writer_describe *describe);

/* Any thread.  A line is at most LINE_WRITER_LINE bytes long, its newline included. */
void line_writer_put(struct line_writer *w, const char *line, size_t length);
void line_writer_put_progress(struct line_writer *w, const char *line, size_t length);

/*
 * Waits until all lines are written.  False: the descriptor accepted no whole line for
 * LINE_WRITER_PATIENCE seconds, or LINE_WRITER_PATIENCE_MAX seconds have passed; further calls do
 * not wait.
 */
enum { LINE_WRITER_PATIENCE = 2, LINE_WRITER_PATIENCE_MAX = 30 };
bool line_writer_drain(struct line_writer *w);

/*
 * Drains and frees.  False: lines are left, and nothing is freed, because the thread may be blocked
 * in write().
 */
bool line_writer_end(struct line_writer *w);

#endif
