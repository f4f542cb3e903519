// SPDX-License-Identifier: GPL-2.0-or-later
/* Captures of streams: complete, broken, and with sinks that fail. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "helper.h"
#include "io/source.h"
#include "trial.h"

enum { SIZE = 20 * TRIAL_CHUNK + 5000 };

static const unsigned threads[] = { 0, 1, 2, 5 };	/* 0: serial mode */

static void init(struct trial *t, struct source *source, unsigned count, unsigned outputs)
{
	trial_init(t, source, outputs);
	trial_set_threads(t, count);
}

struct sender {
	int fd;
	const uint8_t *bytes;
	size_t len;
	pthread_t thread;
};

static void *sender_main(void *arg)
{
	struct sender *s = arg;

	for (size_t done = 0; done < s->len; ) {
		size_t piece = min_u64(12345, s->len - done);
		ssize_t n = write(s->fd, s->bytes + done, piece);

		if (n < 0)
			break;
		done += (size_t)n;
	}
	close(s->fd);
	return NULL;
}

static struct source *open_stream(struct sender *s, const uint8_t *bytes, size_t len)
{
	struct source *source;
	struct error e;
	int keep;

	unlink("fifo");
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	keep = open("fifo", O_RDWR);
	ck_assert_int_eq(source_open(&source, "fifo", MMAP_AUTO, &e), STATUS_OK);
	*s = (struct sender){ .fd = open("fifo", O_WRONLY), .bytes = bytes, .len = len };
	close(keep);
	ck_assert_int_eq(pthread_create(&s->thread, NULL, sender_main, s), 0);
	return source;
}

static const size_t sizes[] = {
	0, 1, 4095, 4096, 4097, TRIAL_CHUNK - 1, TRIAL_CHUNK, TRIAL_CHUNK + 1, SIZE,
};

START_TEST(test_stream)
{
	for (size_t n = 0; n < LENGTH(threads); n++) {
		for (unsigned k = 1; k <= 3; k++) {
			uint8_t *bytes = trial_bytes_new(TRIAL_MIXED, sizes[_i]);
			struct sender sender;
			struct source *source = open_stream(&sender, bytes, sizes[_i]);
			struct trial t;

			init(&t, source, threads[n], k);
			t.settings.stripe = k == 3;
			/* With raw it is read to its location in the record. */
			if (k == 2) {
				t.settings.presets = presets_of(&codec_raw, 0);
				t.settings.codec_text = "raw";
			}
			trial_run(&t);
			pthread_join(sender.thread, NULL);
			trial_assert_perfect(&t, bytes, sizes[_i]);
			trial_free(&t);
			source_close(source);
			free(bytes);
		}
	}
}
END_TEST

/* What a dead sink held of a stream is lost and reported; what others hold is complete. */
static void check_lost(struct trial *t, const uint8_t *bytes)
{
	struct member_facts facts[TRIAL_OUTPUTS];
	uint64_t offset = 0, length, missing = 0, held = 0;
	struct copy copy;

	trial_read(t, bytes, SIZE, &copy, facts);
	for (; capture_missing(t->capture, &offset, &length); offset += length) {
		missing += length;
		for (uint64_t i = offset / TRIAL_CHUNK; i * TRIAL_CHUNK < offset + length; i++)
			ck_assert_uint_eq(copy.seen[i], 0);
	}
	for (uint64_t i = 0; i < copy.chunks; i++)
		if (copy.seen[i])
			held += min_u64(TRIAL_CHUNK, SIZE - i * TRIAL_CHUNK);
	ck_assert_uint_eq(held + missing, SIZE);
	ck_assert_int_eq(t->status, missing ? STATUS_MISSING : STATUS_OK);
	trial_free_facts(t, facts);
	copy_free(&copy);
}

START_TEST(test_stream_and_failing_sink)
{
	static const struct trial_sink how[] = {
		{ .fail_append = 1, .errnum = EIO }, { .fail_append = 2, .errnum = EIO },
		{ .fail_append = 5, .errnum = EIO }, { .fail_sync = 1, .errnum = EIO },
		{ .fail_behind = 50000, .errnum = ENOSPC, .rewinds = true },
	};
	uint8_t *bytes = trial_bytes_new(TRIAL_RANDOM, SIZE);

	for (size_t n = 0; n < LENGTH(threads); n++) {
		struct sender sender;
		struct source *source = open_stream(&sender, bytes, SIZE);
		struct trial t;

		init(&t, source, threads[n], 3);
		t.settings.stripe = true;
		t.memory[1] = how[_i];
		trial_run(&t);
		pthread_join(sender.thread, NULL);
		check_lost(&t, bytes);
		ck_assert_int_eq(trial_state(&t, 0), SINK_TAKING);
		ck_assert_int_ne(trial_state(&t, 1), SINK_TAKING);
		trial_free(&t);
		source_close(source);
	}
	free(bytes);
}
END_TEST

enum { RECORD = TRIAL_CHUNK + 4096 };	/* of a chunk that does not shrink */

/* Records given up to make space are read back, since they cannot be captured again. */
START_TEST(test_full_anywhere)
{
	uint8_t *bytes = trial_bytes_new(TRIAL_RANDOM, SIZE);

	for (size_t space = 4096 + RECORD; space < 4096 + 4 * (size_t)RECORD; space += 4096) {
		struct sender sender;
		struct source *source = open_stream(&sender, bytes, SIZE);
		struct trial t;

		init(&t, source, threads[_i], 2);
		t.settings.stripe = true;
		t.memory[0] = (struct trial_sink){
			.fail_behind = space, .errnum = ENOSPC, .rewinds = true,
		};
		trial_run(&t);
		pthread_join(sender.thread, NULL);
		trial_assert_perfect(&t, bytes, SIZE);
		ck_assert_int_eq(trial_state(&t, 0), SINK_FULL);
		trial_free(&t);
		source_close(source);
	}
	free(bytes);
}
END_TEST

/* It cannot be read back, memory for that is missing, or no output can take it. */
static const struct { struct trial_sink how; unsigned chunks, outputs; size_t space; } unread[] = {
	{ { .fail_read = true }, 0, 2, 4096 + 2 * RECORD + 4096 },
	{ { .hang_read = 1 }, 0, 2, 4096 + 2 * RECORD + 4096 },
	{ { .hang_read = 1 }, 2, 2, 4096 + 2 * RECORD + 4096 },
	{ { .hang_read = 0 }, 1, 2, 4096 + 2 * RECORD + 4096 },
	{ { .hang_read = 0 }, 0, 1, 4096 + 20 * RECORD + 8192 },
};

START_TEST(test_full_and_unread)
{
	/* What a hung call may still use is never freed, so these remain reachable. */
	static struct trial trials[LENGTH(threads)];
	uint8_t *bytes = trial_bytes_new(TRIAL_RANDOM, SIZE);

	for (size_t n = 0; n < LENGTH(threads); n++) {
		struct sender sender;
		struct source *source;
		struct sink_stats stats;
		struct trial *t = &trials[n];

		if (unread[_i].how.hang_read && !threads[n])
			continue;		/* in serial mode no thread watches */
		source = open_stream(&sender, bytes, SIZE);
		init(t, source, threads[n], unread[_i].outputs);
		t->settings.stripe = unread[_i].outputs > 1;
		t->settings.sink_timeout = 0.3;
		t->interval = 0.01;
		t->chunks = unread[_i].chunks;
		t->memory[0] = unread[_i].how;
		t->memory[0].fail_behind = unread[_i].space;
		t->memory[0].errnum = ENOSPC;
		t->memory[0].rewinds = true;
		trial_run(t);
		pthread_join(sender.thread, NULL);
		ck_assert_int_eq(t->status, STATUS_MISSING);
		stats = capture_get_sink(t->capture, 0);
		ck_assert(stats.hung == !!unread[_i].how.hang_read);
		check_lost(t, bytes);
		if (stats.hung) {
			t->memory[0].released = true;
			while (!t->memory[0].returned)
				usleep(500);
			capture_free(t->capture);
			continue;	/* what the call may still use is not freed */
		}
		ck_assert_int_eq(trial_state(t, 0), SINK_FULL);
		trial_free(t);
		source_close(source);
	}
	free(bytes);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("streams");

	helper_use_directory(tcase);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, test_stream, 0, LENGTH(sizes));
	tcase_add_loop_test(tcase, test_stream_and_failing_sink, 0, 5);
	tcase_add_loop_test(tcase, test_full_anywhere, 0, LENGTH(threads));
	tcase_add_loop_test(tcase, test_full_and_unread, 0, LENGTH(unread));
	return helper_run_case("capture_streams", tcase);
}
