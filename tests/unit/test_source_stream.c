// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "helper.h"
#include "io/source.h"

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
	TCase *tcase = tcase_create("stream");

	helper_use_directory(tcase);
	tcase_set_timeout(tcase, 30);
	tcase_add_test(tcase, test_cancel_while_one_is_stuck);
	return helper_run_case("source_stream", tcase);
}
