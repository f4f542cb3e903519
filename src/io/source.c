// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/source.h"
#include "io/transfer.h"

struct source *source_new(const char *name)
{
	struct source *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->fd = -1;
	s->direct_fd = -1;
	s->interrupt_fd = -1;
	s->name = strdup(strcmp(name, "-") == 0 ? "standard input" : name);
	if (s->name)
		return s;
	free(s);
	return NULL;
}

void source_close(struct source *s)
{
	if (!s)
		return;
	if (s->ops && s->ops->close)
		s->ops->close(s);
	if (s->fd >= 0)
		close(s->fd);
	if (s->direct_fd >= 0)
		close(s->direct_fd);
	free(s->name);
	free(s);
}

uint64_t source_growth(const struct source *s)
{
	struct stat st;

	if (s->is_stream || fstat(s->fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_size <= s->size)
		return 0;
	return (uint64_t)st.st_size - s->size;
}

/* Bytes that one byte of page tables maps; the mapped pages themselves are not counted. */
enum { BYTES_MAPPED_BY_BYTE = 512 };

static size_t buffer_size_of(const struct source *s, uint32_t block_size, uint32_t chunk_size)
{
	return s->ops->buffer_size ? s->ops->buffer_size(block_size, chunk_size) : max_u64(block_size, chunk_size);
}

size_t source_reader_memory(const struct source *s, uint32_t block_size, uint32_t chunk_size,
			    enum reading reading)
{
	return (reading == READ_TO_BUFFER ? buffer_size_of(s, block_size, chunk_size) : 0) +
	       source_map_size(s, chunk_size) / BYTES_MAPPED_BY_BYTE;
}

enum status source_reader_init(struct source_reader *r, struct source *s,
			       uint32_t block_size, uint32_t chunk_size,
			       enum reading reading, struct error *e)
{
	*r = (struct source_reader){ .source = s };
	r->buffer_size = buffer_size_of(s, block_size, chunk_size);
	r->map_size = source_map_size(s, chunk_size);
	if (reading == READ_TO_CALLER)
		return STATUS_OK;
	r->destination = r->buffer = aligned_alloc(ALIGNMENT, r->buffer_size);
	if (!r->buffer)
		return error_system(e, ENOMEM, "read buffer of %zu bytes", r->buffer_size);
	memory_touch(r->buffer, r->buffer_size);
	return STATUS_OK;
}

void source_reader_free(struct source_reader *r)
{
	if (r->map)
		munmap(r->map, r->map_size);
	free(r->buffer);
	*r = (struct source_reader){ 0 };
}

/*
 * The page cache reads in pieces of many pages, and one bad sector fails the whole piece, for all
 * threads that wait for it.  True: what the cache could not read was read past it.  Otherwise errno is
 * what it was.
 */
static bool get_past_cache(const struct source_reader *r, uint64_t offset, size_t want)
{
	alignas(ALIGNMENT) uint8_t unit[ALIGNMENT];	/* the destination may be anywhere */
	int errnum = errno, fd = r->source->direct_fd;
	size_t done = 0, length, within;

	while (fd >= 0 && done < want) {
		/* Whole units, since sectors are read. */
		within = (offset + done) % sizeof(unit);
		length = min_u64(sizeof(unit) - within, want - done);
		if (transfer_pread(fd, unit, sizeof(unit), offset + done - within) < within + length)
			break;
		memcpy(r->destination + done, unit + within, length);
		done += length;
	}
	errno = errnum;
	return done == want;
}

enum status source_get_carefully(struct source_reader *r, uint64_t offset, size_t want,
				 const uint8_t **data, size_t *got, struct error *e)
{
	if (r->source->ops->get_carefully)
		return r->source->ops->get_carefully(r, offset, want, data, got, e);
	want = min_u64(want, r->buffer_size);
	*got = transfer_pread(r->source->fd, r->destination, want, offset);
	*data = r->destination;
	if (*got == want || (*got && errno == 0))
		return STATUS_OK;
	if (errno == 0)
		return STATUS_END;
	if (errno == EIO && get_past_cache(r, offset, want)) {
		*got = want;
		return STATUS_OK;
	}
	/* Without the offset: the caller may report several such ranges in one message. */
	return error_system(e, errno, "%s", r->source->name);
}

/* --- SIGBUS ---------------------------------------------------------------- */

/*
 * Where sigbus_survive() of this thread returns after a SIGBUS; NULL outside of it.  It is a global
 * variable because a signal handler gets no argument that could point to it.
 */
static _Thread_local sigjmp_buf *return_point;

static void on_sigbus(int signal)
{
	struct sigaction standard = { .sa_handler = SIG_DFL };

	if (return_point)
		siglongjmp(*return_point, 1);
	/* Not in sigbus_survive(): the access is repeated on return, and then kills the program. */
	sigaction(signal, &standard, NULL);
}

enum status sigbus_install(struct error *e)
{
	struct sigaction action = { .sa_handler = on_sigbus };

	if (sigaction(SIGBUS, &action, NULL) < 0)
		return error_system(e, errno, "SIGBUS handler");
	return STATUS_OK;
}

/* As it was before the handler, which does not return. */
static void unblock_sigbus(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGBUS);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/*
 * sigsetjmp() does not save the signal mask: that is a system call each time, and pages of a source are
 * read many thousand times.
 */
bool sigbus_survive(void (*work)(void *arg), void *arg)
{
	sigjmp_buf here;

	if (sigsetjmp(here, 0)) {
		return_point = NULL;
		unblock_sigbus();
		return false;
	}
	return_point = &here;
	work(arg);
	return_point = NULL;
	return true;
}

/* --- files and block devices ----------------------------------------------- */

/*
 * Files and block devices, read with pread().
 *
 * Each read is small enough to stay in the second-level cache of the CPU while its blocks are
 * packed.  From the page cache, this is as fast as a mapping, and cannot raise SIGBUS.
 */

enum { READ_SIZE = 128 * 1024 };	/* bytes */

static size_t file_buffer_size(uint32_t block_size, uint32_t chunk_size)
{
	return max_u64(block_size, min_u64(READ_SIZE, chunk_size));
}

/*
 * What is known of parts of a sparse file.  tmpfs looks at each page to find where data ends, so to ask again for
 * each unit of each pass, and each struct page, would take longer than to read.  Of a file of up to 2 GiB, a part is a
 * page; of a larger one, a part that is neither is asked for each time.
 */
enum part { PART_UNKNOWN, PART_HOLE, PART_DATA };

enum { PARTS_MAX = 1 << 19, PART_MIN = ALIGNMENT };

/* Threads change parts without a lock: whatever one of them finds is true. */
struct file_parts {
	uint64_t part_size;		/* bytes, a power of two */
	_Atomic unsigned char part[];	/* enum part */
};

/* The end of the parts from the one with offset on that are known to be this, at most end. */
static uint64_t end_of_parts(const struct file_parts *p, uint64_t offset, uint64_t end, enum part what)
{
	while (offset < end &&
	       atomic_load_explicit(&p->part[offset / p->part_size], memory_order_relaxed) == what)
		offset = round_down(offset, p->part_size) + p->part_size;
	return min_u64(offset, end);
}

/* The parts that lie in [from, to) completely; the last one of the file has fewer bytes. */
static void mark_parts(const struct source *s, uint64_t from, uint64_t to, enum part what)
{
	struct file_parts *p = s->state;
	uint64_t end = to == s->size ? divide_up(to, p->part_size) : to / p->part_size;

	for (uint64_t i = divide_up(from, p->part_size); i < end; i++)
		atomic_store_explicit(&p->part[i], (unsigned char)what, memory_order_relaxed);
}

/* lseek() reports the end of a truncated file in the same way as a hole. */
static bool still_reaches(const struct source *s, uint64_t end)
{
	struct stat st;

	return fstat(s->fd, &st) == 0 && (uint64_t)st.st_size >= end;
}

static uint64_t find_data(const struct source *s, uint64_t offset, uint64_t end)
{
	off_t data = lseek(s->fd, (off_t)offset, SEEK_DATA);
	uint64_t found;

	if (data < 0 && errno != ENXIO)
		return offset;
	found = data < 0 ? s->size : min_u64((uint64_t)data, s->size);
	if (found <= offset) {
		/* Nobody wants a hole within a page.  If parts are larger, this marks none. */
		mark_parts(s, round_down(offset, PART_MIN), round_up(offset + 1, PART_MIN), PART_DATA);
		return offset;
	}
	if (still_reaches(s, found))
		mark_parts(s, offset, found, PART_HOLE);
	else if (!still_reaches(s, min_u64(found, end)))
		return offset;
	return min_u64(found, end);
}

static uint64_t find_hole(const struct source *s, uint64_t offset, uint64_t end)
{
	off_t hole = lseek(s->fd, (off_t)offset, SEEK_HOLE);

	if (hole <= (off_t)offset)
		return end;
	mark_parts(s, offset, min_u64((uint64_t)hole, s->size), PART_DATA);
	return min_u64((uint64_t)hole, end);
}

static void file_next_data(const struct source *s, uint64_t offset, uint64_t end, uint64_t *from,
			   uint64_t *to)
{
	const struct file_parts *p = s->state;
	uint64_t data, hole;

	if (!s->sparse)
		return;
	data = end_of_parts(p, offset, end, PART_HOLE);
	if (data > offset && !still_reaches(s, data))
		return;
	hole = end_of_parts(p, data, end, PART_DATA);
	if (hole == data && data < end) {
		data = find_data(s, data, end);
		hole = data < end && to ? find_hole(s, data, end) : end;
	}
	*from = data;
	if (to)
		*to = hole;
}

static bool is_on(int fd, long file_system)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == file_system;
}

/*
 * A file without holes is not searched for them: each lseek() takes time.  To look at three pages in tmpfs, and at
 * those of no interest, too, takes longer than to read one that is not there.
 */
static enum status find_holes(struct source *s, const struct stat *st, struct error *e)
{
	uint64_t stored = (uint64_t)st->st_blocks * 512, part_size = PART_MIN;
	struct file_parts *p;
	off_t hole;

	if (!S_ISREG(st->st_mode) || stored >= s->size ||
	    (stored >= s->size / 4 * 3 && is_on(s->fd, TMPFS_MAGIC)))
		return STATUS_OK;
	hole = lseek(s->fd, 0, SEEK_HOLE);
	if (hole < 0 || (uint64_t)hole >= s->size)
		return STATUS_OK;
	while (s->size / part_size >= PARTS_MAX)
		part_size *= 2;
	p = calloc(1, sizeof(*p) + divide_up(s->size, part_size));
	if (!p)
		return error_system(e, ENOMEM, "%s", s->name);
	p->part_size = part_size;
	s->state = p;
	s->sparse = true;
	s->stored = stored;
	mark_parts(s, 0, (uint64_t)hole, PART_DATA);
	return STATUS_OK;
}

static void file_close(struct source *s)
{
	free(s->state);
}

const struct source_ops source_file_ops = {
	.buffer_size = file_buffer_size,
	.get = source_get_carefully,
	.next_data = file_next_data,
	.close = file_close,
};

/* --- /proc/vmcore ---------------------------------------------------------- */

/*
 * /proc/vmcore, mapped.  With read(), the capture kernel calls ioremap() for each page, which is
 * more than ten times slower.
 *
 * A window is mapped for a whole chunk: with small windows, the gain is lost to unmapping, which
 * interrupts every CPU on which the program has a thread.  For the same reason windows stay mapped
 * until WINDOWS of them can be unmapped at once; more than four gain nothing.  They are in a range
 * of addresses that each reader keeps.  This costs only addresses, since the pages belong to the
 * dead kernel or to the page cache.
 *
 * The kernel may refuse to map some ranges (EAGAIN); those are read instead, and mapping is tried
 * again for the next window.  A page that cannot be read raises SIGBUS when it is accessed.
 */

enum { WINDOWS = 4 };

static uint64_t page_size(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* A chunk may begin and end inside a page. */
static size_t map_map_size(uint32_t chunk_size)
{
	return WINDOWS * (round_up(chunk_size, page_size()) + page_size());
}

/*
 * Unmaps all windows but keeps the addresses reserved, or reserves them the first time.  If that
 * fails, what is mapped there is unknown, and the addresses are not used again.
 */
static bool clear_windows(struct source_reader *r)
{
	int fixed = r->map ? MAP_FIXED : 0;
	uint8_t *reserved = mmap(r->map, r->map_size, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);

	r->map = reserved == MAP_FAILED ? NULL : reserved;
	r->map_used = 0;
	// cppcheck-suppress memleak		; owned by the reader
	return r->map;
}

/*
 * A window that was refused may leave a hole in the reserved addresses, where a mapping of another
 * thread could be placed.  Reserves the hole again, or else stops using the addresses.
 */
static void fill_hole(struct source_reader *r, uint8_t *hole, size_t length)
{
	void *filled = mmap(hole, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
			    MAP_FIXED_NOREPLACE, -1, 0);

	if (filled == hole)
		// cppcheck-suppress memleak	; part of what the reader owns
		return;
	/* EEXIST: still reserved, or used by another thread already. */
	if (filled != MAP_FAILED)
		munmap(filled, length);		/* kernels before 4.17 ignore the flag */
	r->map = NULL;
}

static uint8_t *map_window(struct source_reader *r, uint64_t start, size_t length)
{
	uint8_t *address, *window;

	if ((!r->map || r->map_used + length > r->map_size) && !clear_windows(r))
		return NULL;
	address = r->map + r->map_used;
	window = mmap(address, length, PROT_READ, MAP_PRIVATE | MAP_POPULATE | MAP_FIXED,
		      r->source->fd, (off_t)start);
	if (window == MAP_FAILED) {
		fill_hole(r, address, length);
		return NULL;
	}
	r->map_used += length;
	return window;
}

static enum status map_get(struct source_reader *r, uint64_t offset, size_t want,
			   const uint8_t **data, size_t *got, struct error *e)
{
	uint64_t start = round_down(offset, page_size());
	uint8_t *window;

	if (offset >= r->source->size)
		return STATUS_END;
	want = min_u64(want, r->source->size - offset);
	window = map_window(r, start, round_up(offset + want, page_size()) - start);
	if (!window && !r->destination)
		return error_set(e, STATUS_SYSTEM, "%s: cannot be mapped", r->source->name);
	if (!window)
		return source_get_carefully(r, offset, want, data, got, e);
	*data = window + (offset - start);
	*got = want;
	return STATUS_OK;
}

const struct source_ops source_map_ops = {
	.buffer_size = file_buffer_size,
	.map_size = map_map_size,
	.get = map_get,
};

/* --- streams ----------------------------------------------------------------- */

/*
 * Pipes, character devices, standard input: bytes in the order in which they arrive.
 *
 * One worker at a time has the turn, and reads a whole chunk, so that chunks are in the order of
 * the stream.  It does not hold the lock meanwhile, since it may wait forever for more bytes.  It
 * waits with poll() on the stream and on an eventfd, so that a capture can be stopped while no
 * bytes arrive.
 */
struct stream {
	pthread_mutex_t lock;
	pthread_cond_t turned;	/* taken or cancelled has changed */
	int wake_fd;		/* eventfd, readable once cancelled */
	/* Under lock: */
	bool taken;		/* a thread has the turn */
	bool cancelled;
	/* Only used by the thread that has the turn, as is source->size: */
	enum status ending;	/* once the stream is over: END, STOPPED or a failure */
	struct error why;	/* of a failure */
};

static enum status stream_init(struct source *s, struct error *e)
{
	struct stream *stream = calloc(1, sizeof(*stream));

	if (!stream)
		return error_system(e, ENOMEM, "%s", s->name);
	pthread_mutex_init(&stream->lock, NULL);
	pthread_cond_init(&stream->turned, NULL);
	s->state = stream;
	stream->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (stream->wake_fd < 0)
		return error_system(e, errno, "eventfd");
	return STATUS_OK;
}

static void stream_close(struct source *s)
{
	struct stream *stream = s->state;

	if (!stream)
		return;
	if (stream->wake_fd >= 0)
		close(stream->wake_fd);
	pthread_cond_destroy(&stream->turned);
	pthread_mutex_destroy(&stream->lock);
	free(stream);
}

static void stream_cancel(struct source *s)
{
	struct stream *stream = s->state;

	pthread_mutex_lock(&stream->lock);
	stream->cancelled = true;
	pthread_cond_broadcast(&stream->turned);
	pthread_mutex_unlock(&stream->lock);
	eventfd_write(stream->wake_fd, 1);
}

/* Waits until read() would not block. */
static enum status wait_readable(struct source *s, struct error *e)
{
	struct stream *stream = s->state;
	struct pollfd fds[3] = {
		{ .fd = stream->wake_fd, .events = POLLIN },
		{ .fd = s->fd, .events = POLLIN },
		{ .fd = s->interrupt_fd, .events = POLLIN },
	};

	for (;;) {
		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			return error_system(e, errno, "%s", s->name);
		if (fds[0].revents)
			return STATUS_STOPPED;
		if (fds[2].revents)
			s->interrupted(s->interrupted_arg);
		else if (fds[1].revents)
			return STATUS_OK;
	}
}

static enum status fill(struct source_reader *r, size_t want, size_t *got, struct error *e)
{
	struct source *s = r->source;
	enum status status;
	unsigned failed = 0;

	for (*got = 0; *got < want; ) {
		ssize_t n;

		if ((status = wait_readable(s, e)))
			return status;
		n = read(s->fd, r->destination + *got, want - *got);
		if (n < 0 && (errno == EINTR || errno == EAGAIN) && ++failed <= TRANSFER_TRIES)
			continue;
		if (n < 0)
			return error_system(e, errno, "%s: after %" PRIu64 " byte%s", s->name,
					    s->size + *got, plural(s->size + *got));
		if (n == 0)
			return STATUS_END;
		*got += (size_t)n;
		failed = 0;
	}
	return STATUS_OK;
}

/* False: cancelled while another thread had the turn. */
static bool take_turn(struct stream *stream)
{
	bool mine;

	pthread_mutex_lock(&stream->lock);
	while (stream->taken && !stream->cancelled)
		pthread_cond_wait(&stream->turned, &stream->lock);
	mine = !stream->taken;
	stream->taken = true;
	pthread_mutex_unlock(&stream->lock);
	return mine;
}

static void pass_turn(struct stream *stream)
{
	pthread_mutex_lock(&stream->lock);
	stream->taken = false;
	pthread_cond_signal(&stream->turned);
	pthread_mutex_unlock(&stream->lock);
}

static enum status stream_take(struct source_reader *r, size_t want, uint64_t *offset,
			       size_t *got, struct error *e)
{
	struct source *s = r->source;
	struct stream *stream = s->state;
	enum status status;
	double start;

	*got = 0;
	if (!take_turn(stream))
		return STATUS_STOPPED;
	start = clock_seconds();
	*offset = s->size;
	if (!stream->ending && s->size > OFFSET_MAX - want)
		stream->ending = error_set(&stream->why, STATUS_SYSTEM, "%s: too long", s->name);
	if (!stream->ending)
		stream->ending = fill(r, want, got, &stream->why);
	s->size += *got;
	status = stream->ending;
	if (status != STATUS_OK)
		*e = stream->why;
	r->turn = clock_seconds() - start;
	pass_turn(stream);
	/* Bytes before the end are returned first; the next call returns the end or the failure. */
	return *got ? STATUS_OK : status;
}

const struct source_ops source_stream_ops = {
	.take = stream_take,
	.cancel = stream_cancel,
	.close = stream_close,
};

/* --- opening --------------------------------------------------------------- */

/*
 * True if a regular file of size 0 may contain bytes: files that the kernel generates often have no
 * size, and are read as streams.  Files of /proc are not probed: reading some of them waits, or
 * consumes what is read.
 */
static bool may_give_bytes(int fd)
{
	char byte;

	return is_on(fd, PROC_SUPER_MAGIC) || pread(fd, &byte, 1, 0) != 0;
}

static enum status find_size(struct source *s, const struct stat *st, struct error *e)
{
	off_t end;

	if (S_ISREG(st->st_mode)) {
		s->size = (uint64_t)st->st_size;
		s->is_stream = st->st_size == 0 && may_give_bytes(s->fd);
		return STATUS_OK;
	}
	if (!S_ISBLK(st->st_mode)) {
		s->is_stream = true;
		return STATUS_OK;
	}
	end = lseek(s->fd, 0, SEEK_END);
	if (end < 0)
		return error_system(e, errno, "%s", s->name);
	s->size = (uint64_t)end;
	return STATUS_OK;
}

static enum status choose_ops(struct source *s, enum mmap_mode mmap, struct error *e)
{
	if (s->is_stream) {
		s->ops = &source_stream_ops;
		s->size = 0;
		return stream_init(s, e);
	}
	s->made_by_kernel = is_on(s->fd, PROC_SUPER_MAGIC);
	if (mmap == MMAP_ALWAYS || (mmap == MMAP_AUTO && s->made_by_kernel)) {
		s->ops = &source_map_ops;
		s->may_fault = true;
		return sigbus_install(e);
	}
	s->ops = &source_file_ops;
	posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	return STATUS_OK;
}

/* Without it, which is not an error, a bad sector may cost the pages next to it. */
static void open_direct(struct source *s, const char *name)
{
	struct identity identity;
	struct stat st;

	s->direct_fd = open(name, O_RDONLY | O_CLOEXEC | O_DIRECT);
	if (s->direct_fd < 0)
		return;
	if (fstat(s->direct_fd, &st) == 0) {
		identity = identity_of(&st);
		if (identity_equal(&identity, &s->identity))
			return;
	}
	close(s->direct_fd);
	s->direct_fd = -1;
}

static enum status open_fd(struct source *s, const char *name, enum mmap_mode mmap,
			   struct error *e)
{
	struct stat st;
	enum status status;

	s->fd = strcmp(name, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
				       : open(name, O_RDONLY | O_CLOEXEC);
	if (s->fd < 0 || fstat(s->fd, &st) < 0)
		return error_system(e, errno, "%s", s->name);
	if (S_ISDIR(st.st_mode))
		return error_system(e, EISDIR, "%s", s->name);
	s->identity = identity_of(&st);
	if (strcmp(name, "-") == 0)
		s->is_stream = true;	/* the file offset of a redirected file is up to the shell */
	else if ((status = find_size(s, &st, e)))
		return status;
	if (!s->is_stream && s->size > OFFSET_MAX)
		return error_set(e, STATUS_USAGE, "%s: too large", s->name);
	status = choose_ops(s, mmap, e);
	if (!status && !s->is_stream && !s->made_by_kernel)
		open_direct(s, name);
	if (!status && s->ops == &source_file_ops)
		status = find_holes(s, &st, e);
	return status;
}

enum status source_open(struct source **source, const char *name, enum mmap_mode mmap,
			struct error *e)
{
	struct source *s = source_new(name);
	enum status status;

	if (!s)
		return error_system(e, ENOMEM, "%s", name);
	status = open_fd(s, name, mmap, e);
	if (status) {
		source_close(s);
		return status;
	}
	*source = s;
	return STATUS_OK;
}

enum status source_expect(struct source **source, const char *name, uint64_t size,
			  enum mmap_mode mmap, struct error *e)
{
	struct source *s = source_new(name);

	if (!s)
		return error_system(e, ENOMEM, "%s", name);
	s->size = size;
	s->made_by_kernel = true;
	s->ops = mmap == MMAP_NEVER ? &source_file_ops : &source_map_ops;
	*source = s;
	return STATUS_OK;
}
