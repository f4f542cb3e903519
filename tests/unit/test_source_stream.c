// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "corpus.h"
#include "helper.h"
#include "io/source.h"
#include "io/source_kinds.h"
#include "io/source_open.h"

enum { CHUNK = 65536, READERS = 4 };

static struct source *open_fifo(int *writer)
{
	struct source *s;
	struct error e;
	int keep;

	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	keep = open("fifo", O_RDWR);
	ck_assert_int_ge(keep, 0);
	ck_assert_int_eq(source_open(&s, "fifo", MMAP_AUTO, &e), STATUS_OK);
	*writer = open("fifo", O_WRONLY);
	close(keep);
	ck_assert_int_ge(*writer, 0);
	ck_assert(s->is_stream);
	ck_assert(!s->may_fault);
	ck_assert_ptr_eq(s->ops, &source_stream_ops);
	return s;
}

static void init_reader(struct source_reader *r, struct source *s)
{
	struct error e;

	ck_assert_int_eq(source_reader_init(r, s, 4096, CHUNK, READ_TO_BUFFER, &e), STATUS_OK);
}

/* --- senders ------------------------------------------------------------- */

struct sender {
	int fd;
	const uint8_t *bytes;
	size_t len, piece;
	pthread_t thread;
};

static void *sender_main(void *arg)
{
	struct sender *s = arg;

	for (size_t done = 0; done < s->len; ) {
		size_t piece = min_u64(s->piece, s->len - done);
		ssize_t n = write(s->fd, s->bytes + done, piece);

		if (n < 0)
			break;
		done += (size_t)n;
	}
	close(s->fd);
	return NULL;
}

static void sender_start(struct sender *s, int fd, const uint8_t *bytes, size_t len,
			 size_t piece)
{
	*s = (struct sender){ .fd = fd, .bytes = bytes, .len = len, .piece = piece };
	ck_assert_int_eq(pthread_create(&s->thread, NULL, sender_main, s), 0);
}

static const struct { size_t len, piece; } streams[] = {
	{ 0, 1 }, { 1, 1 }, { 4095, 7 }, { CHUNK - 1, 1000 }, { CHUNK, 4096 },
	{ CHUNK + 1, 5000 }, { 3 * CHUNK + 1234, 65536 }, { 10 * CHUNK, 77777 },
};

/* However the bytes arrive, only the last chunk is shorter. */
START_TEST(test_take)
{
	size_t len = streams[_i].len;
	uint8_t *bytes = helper_pages(len);
	struct source_reader r;
	struct sender sender;
	struct source *s;
	struct error e;
	uint64_t offset;
	size_t got;
	int fd;

	corpus_fill(CORPUS_RANDOM, 5, bytes, len);
	s = open_fifo(&fd);
	init_reader(&r, s);
	ck_assert_uint_ge(source_reader_memory(s, 4096, CHUNK, READ_TO_BUFFER), CHUNK);
	sender_start(&sender, fd, bytes, len, streams[_i].piece);
	for (size_t done = 0; done < len; done += got) {
		ck_assert_int_eq(source_take(&r, CHUNK, &offset, &got, &e), STATUS_OK);
		ck_assert_uint_eq(offset, done);
		ck_assert_uint_eq(got, min_u64(CHUNK, len - done));
		ck_assert_mem_eq(r.buffer, bytes + done, got);
	}
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(source_take(&r, CHUNK, &offset, &got, &e), STATUS_END);
	ck_assert_uint_eq(s->size, len);
	pthread_join(sender.thread, NULL);
	source_reader_free(&r);
	source_close(s);
	free(bytes);
}
END_TEST

/* --- standard input ------------------------------------------------------ */

START_TEST(test_standard_input)
{
	uint8_t *bytes = helper_pages(CHUNK);
	struct source_reader r;
	struct source *s;
	struct error e;
	uint64_t offset;
	size_t got;
	int fd;

	corpus_fill(CORPUS_TEXT, 1, bytes, CHUNK);
	helper_write_file("file", bytes, CHUNK);
	fd = open("file", O_RDONLY);
	ck_assert_int_eq(lseek(fd, 4096, SEEK_SET), 4096);
	ck_assert_int_eq(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	close(fd);
	ck_assert_int_eq(source_open(&s, "-", MMAP_AUTO, &e), STATUS_OK);
	ck_assert_str_eq(s->name, "standard input");
	ck_assert(s->is_stream);	/* also for a file, which is read from its current offset */
	init_reader(&r, s);
	ck_assert_int_eq(source_take(&r, CHUNK, &offset, &got, &e), STATUS_OK);
	ck_assert_uint_eq(offset, 0);
	ck_assert_uint_eq(got, CHUNK - 4096);
	ck_assert_mem_eq(r.buffer, bytes + 4096, got);
	source_reader_free(&r);
	source_close(s);
	free(bytes);
}
END_TEST

START_TEST(test_read_error)
{
	struct source_reader r;
	struct source *s;
	struct error e;
	uint64_t offset;
	size_t got;
	int fd;

	s = open_fifo(&fd);
	init_reader(&r, s);
	ck_assert_int_eq(write(fd, "abc", 3), 3);
	close(fd);
	ck_assert_int_eq(source_take(&r, CHUNK, &offset, &got, &e), STATUS_OK);
	ck_assert_uint_eq(got, 3);
	source_reader_free(&r);
	source_close(s);
	/* A directory can be polled but not read. */
	ck_assert_int_eq(unlink("fifo"), 0);
	s = open_fifo(&fd);
	init_reader(&r, s);
	close(fd);
	fd = open(".", O_RDONLY | O_DIRECTORY);
	ck_assert_int_eq(dup2(fd, s->fd), s->fd);
	close(fd);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(source_take(&r, CHUNK, &offset, &got, &e), STATUS_SYSTEM);
		ck_assert_str_eq(e.text, "fifo: after 0 bytes: Is a directory");
	}
	source_reader_free(&r);
	source_close(s);
}
END_TEST

/* --- many readers, cancel, interrupt ------------------------------------- */

struct taker {
	struct source *source;
	pthread_t thread;
	enum status last;
	size_t total;
	_Atomic int *ended;
};

static void *taker_main(void *arg)
{
	struct taker *t = arg;
	struct source_reader r;
	struct error e;
	uint64_t offset;
	size_t got;

	init_reader(&r, t->source);
	while (!(t->last = source_take(&r, CHUNK, &offset, &got, &e)))
		t->total += got;
	source_reader_free(&r);
	++*t->ended;
	return NULL;
}

static void start_takers(struct taker takers[READERS], struct source *s, _Atomic int *ended)
{
	*ended = 0;
	for (int i = 0; i < READERS; i++) {
		takers[i] = (struct taker){ .source = s, .ended = ended };
		ck_assert_int_eq(pthread_create(&takers[i].thread, NULL, taker_main,
						&takers[i]), 0);
	}
}

static size_t join_takers(struct taker takers[READERS], enum status want)
{
	size_t total = 0;

	for (int i = 0; i < READERS; i++) {
		pthread_join(takers[i].thread, NULL);
		ck_assert_int_eq(takers[i].last, want);
		total += takers[i].total;
	}
	return total;
}

START_TEST(test_many_readers)
{
	size_t len = 20 * CHUNK + 5;
	uint8_t *bytes = helper_pages(len);
	struct taker takers[READERS];
	struct sender sender;
	_Atomic int ended;
	struct source *s;
	int fd;

	s = open_fifo(&fd);
	start_takers(takers, s, &ended);
	sender_start(&sender, fd, bytes, len, 10000);
	ck_assert_uint_eq(join_takers(takers, STATUS_END), len);
	pthread_join(sender.thread, NULL);
	ck_assert_uint_eq(s->size, len);
	source_close(s);
	free(bytes);
}
END_TEST

/* No bytes arrive and the pipe stays open: source_cancel() wakes all waiting threads. */
START_TEST(test_cancel)
{
	struct taker takers[READERS];
	struct source_reader r;
	_Atomic int ended;
	struct source *s;
	struct error e;
	uint64_t offset;
	size_t got;
	int fd;

	s = open_fifo(&fd);
	start_takers(takers, s, &ended);
	ck_assert_int_eq(write(fd, "abcde", 5), 5);
	usleep(20000);
	ck_assert_int_eq(ended, 0);
	source_cancel(s);
	/* The thread that had read some bytes returns them first. */
	ck_assert_uint_eq(join_takers(takers, STATUS_STOPPED), 5);
	source_cancel(s);
	init_reader(&r, s);
	ck_assert_int_eq(source_take(&r, CHUNK, &offset, &got, &e), STATUS_STOPPED);
	source_reader_free(&r);
	source_close(s);
	close(fd);
}
END_TEST

struct interrupted {
	struct source *source;
	int fd, calls;
};

static void on_interrupt(void *arg)
{
	struct interrupted *i = arg;
	uint64_t count;

	ck_assert_int_eq(read(i->fd, &count, sizeof(count)), (ssize_t)sizeof(count));
	if (++i->calls == 3) {
		source_cancel(i->source);
		return;
	}
	count = 1;
	ck_assert_int_eq(write(i->fd, &count, sizeof(count)), (ssize_t)sizeof(count));
}

/* In serial mode there is no other thread: interrupted() is called during the wait. */
START_TEST(test_interrupt)
{
	struct interrupted arg = { .fd = eventfd(1, 0) };
	struct source_reader r;
	struct source *s;
	struct error e;
	uint64_t offset;
	size_t got;
	int fd;

	s = open_fifo(&fd);
	arg.source = s;
	s->interrupt_fd = arg.fd;
	s->interrupted = on_interrupt;
	s->interrupted_arg = &arg;
	init_reader(&r, s);
	ck_assert_int_eq(source_take(&r, CHUNK, &offset, &got, &e), STATUS_STOPPED);
	ck_assert_int_eq(arg.calls, 3);
	source_reader_free(&r);
	source_close(s);
	close(arg.fd);
	close(fd);
}
END_TEST

struct stuck {
	struct source *source;
	int fd;
	struct taker takers[READERS];
	_Atomic int ended;
};

/* The thread that has the turn does not return; after source_cancel(), the others do. */
static void on_interrupt_stay(void *arg)
{
	struct stuck *stuck = arg;
	uint64_t count;

	ck_assert_int_eq(read(stuck->fd, &count, sizeof(count)), (ssize_t)sizeof(count));
	start_takers(stuck->takers, stuck->source, &stuck->ended);
	usleep(20000);
	ck_assert_int_eq(stuck->ended, 0);
	source_cancel(stuck->source);
	ck_assert_uint_eq(join_takers(stuck->takers, STATUS_STOPPED), 0);
}

START_TEST(test_cancel_while_one_is_stuck)
{
	struct stuck stuck = { .fd = eventfd(1, 0) };
	struct source_reader r;
	struct error e;
	uint64_t offset;
	size_t got;
	int fd;

	stuck.source = open_fifo(&fd);
	stuck.source->interrupt_fd = stuck.fd;
	stuck.source->interrupted = on_interrupt_stay;
	stuck.source->interrupted_arg = &stuck;
	init_reader(&r, stuck.source);
	ck_assert_int_eq(source_take(&r, CHUNK, &offset, &got, &e), STATUS_STOPPED);
	ck_assert_int_eq(stuck.ended, READERS);
	source_reader_free(&r);
	source_close(stuck.source);
	close(stuck.fd);
	close(fd);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("source_stream");
	TCase *tcase = tcase_create("stream");

	helper_use_directory(tcase);
	tcase_set_timeout(tcase, 30);
	tcase_add_loop_test(tcase, test_take, 0, LENGTH(streams));
	tcase_add_test(tcase, test_standard_input);
	tcase_add_test(tcase, test_read_error);
	tcase_add_test(tcase, test_many_readers);
	tcase_add_test(tcase, test_cancel);
	tcase_add_test(tcase, test_interrupt);
	tcase_add_test(tcase, test_cancel_while_one_is_stuck);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
