// SPDX-License-Identifier: GPL-2.0-or-later
/* Sinks that are commands: their input and environment, how they end, and what they leave behind. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/signals.h"
#include "helper.h"
#include "io/sink.h"

enum { LEN = 5 * ALIGNMENT, MANY = 1000 };

static uint8_t *bytes;
static int descriptors;

static int count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int count = 0;

	ck_assert_ptr_nonnull(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static void setup(void)
{
	bytes = helper_noise(LEN);
	signals_prepare();
	descriptors = count_descriptors();
}

/* No child, zombie or descriptor is left. */
static void teardown(void)
{
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
	ck_assert_int_eq(count_descriptors(), descriptors);
	free(bytes);
}

/* Waits until a command has created this file. */
static void wait_for(const char *name)
{
	for (int i = 0; i < 5000 && helper_file_size(name) <= 0; i++)
		usleep(1000);
	ck_assert_int_gt(helper_file_size(name), 0);
}

/* Waits until no process has this ID, except a zombie that init has not reaped yet. */
static void assert_gone(const char *pid_file)
{
	size_t len;
	char *text = (char *)helper_read_file(pid_file, &len);
	pid_t pid = (pid_t)atol(text);
	char stat_name[64], state = 'R';

	free(text);
	ck_assert_int_gt(pid, 1);
	snprintf(stat_name, sizeof(stat_name), "/proc/%d/stat", pid);
	for (int i = 0; i < 5000 && kill(pid, 0) == 0 && state != 'Z'; i++) {
		FILE *file = fopen(stat_name, "r");

		if (file && fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
			state = 'R';
		if (file)
			fclose(file);
		usleep(1000);
	}
	ck_assert(kill(pid, 0) < 0 || state == 'Z');
}

static void append_until_failure(struct sink *s, struct error *e)
{
	for (int i = 0; i < MANY; i++)
		if (sink_append(s, bytes, LEN, e))
			return;
	ck_abort_msg("%s takes everything", s->name);
}

/* --- that succeed --------------------------------------------------------- */

static unsigned long bit(int signal)
{
	return 1UL << (signal - 1);
}

/* A command gets its own session, default signals and only three descriptors. */
START_TEST(test_surroundings)
{
	struct sink s, other;
	struct error e;
	unsigned long ignored;
	size_t len;
	char *text;

	signal(SIGUSR2, SIG_IGN);
	/* Descriptors that this test inherited, such as files of check. */
	for (int fd = 3; fd < 1024; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
	helper_open_sink(&other, "|cat > other", false);
	helper_open_sink(&s, "|cat > a; ls /proc/self/fd > fds; "
			 "sed -n 's/^SigBlk:.//p' /proc/self/status > blocked; "
			 "sed -n 's/^SigIgn:.//p' /proc/self/status > ignored; "
			 "cut -d ' ' -f 6 /proc/$$/stat > session; echo $$ > pid", false);
	ck_assert_int_eq(sink_finish(&s, &e), STATUS_OK);
	helper_close_sink(&s);
	ck_assert_int_eq(sink_finish(&other, &e), STATUS_OK);
	helper_close_sink(&other);
	/* The fourth is the directory that ls reads. */
	text = (char *)helper_read_file("fds", &len);
	ck_assert_int_eq(memcmp(text, "0\n1\n2\n3\n", len), 0);
	free(text);
	helper_assert_file("blocked", (const uint8_t *)"0000000000000000\n", 17);
	text = (char *)helper_read_file("ignored", &len);
	ignored = strtoul(text, NULL, 16);
	free(text);
	ck_assert_uint_eq(ignored & bit(SIGUSR2), bit(SIGUSR2));
	ck_assert_uint_eq(ignored & (bit(SIGPIPE) | bit(SIGXFSZ)), 0);
	text = (char *)helper_read_file("session", &len);
	helper_assert_file("pid", (const uint8_t *)text, len);
	free(text);
}
END_TEST

/* --- that fail ----------------------------------------------------------- */

/* Closes its standard input and keeps running, with a child: both are killed. */
START_TEST(test_takes_no_more)
{
	struct sink s;
	struct error e;

	helper_open_sink(&s, "|sleep 1000 & echo $! > child; echo $$ > pid; exec 0<&-; wait",
			 false);
	append_until_failure(&s, &e);
	ck_assert_str_eq(e.text, "|sleep 1000 & echo $! > child; echo $$ > pid; exec 0<&-; wait: "
			 "stopped reading its input");
	helper_close_sink(&s);
	assert_gone("pid");
	assert_gone("child");
}
END_TEST

/* Ignores SIGTERM. */
START_TEST(test_stubborn)
{
	struct sink s;
	struct error e;

	helper_open_sink(&s, "|trap '' TERM; echo $$ > pid; exec 0<&-; while :; do sleep .1; done",
			 false);
	append_until_failure(&s, &e);
	helper_close_sink(&s);
	assert_gone("pid");
}
END_TEST

/* A background process keeps the pipe open without reading. */
START_TEST(test_fails_behind_a_child)
{
	struct sink s;
	struct error e;

	helper_open_sink(&s, "|exec 3<&0; sleep 100 & echo $! > child; exit 3", false);
	helper_append(&s, bytes, LEN);
	ck_assert_int_eq(sink_finish(&s, &e), STATUS_SYSTEM);
	ck_assert_str_eq(e.text, "|exec 3<&0; sleep 100 & echo $! > child; exit 3: exited with status 3 "
			 "before reading all of its input");
	helper_close_sink(&s);
	assert_gone("child");
}
END_TEST

/* --- that hang ----------------------------------------------------------- */

struct call {
	struct sink *sink;
	bool finish;
	struct error error;
};

static void *make_call(void *arg)
{
	struct call *call = arg;

	if (call->finish)
		sink_finish(call->sink, &call->error);
	else
		append_until_failure(call->sink, &call->error);
	return NULL;
}

/* Hangs in append, while the rest of the pipe is read, and while waiting for the exit. */
START_TEST(test_abandoned)
{
	static const char *const commands[] = {
		"|echo $$ > pid; sleep 1000", "|echo $$ > pid; sleep 1000",
		"|echo $$ > pid; cat > a; sleep 1000",
	};
	struct sink s;
	struct call call = { .sink = &s, .finish = _i > 0 };
	pthread_t thread;

	helper_open_sink(&s, commands[_i], false);
	wait_for("pid");
	helper_append(&s, bytes, ALIGNMENT);
	ck_assert_int_eq(pthread_create(&thread, NULL, make_call, &call), 0);
	usleep(100000);
	sink_abandon(&s);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_int_eq(call.error.status, STATUS_SYSTEM);
	ck_assert_ptr_nonnull(strstr(call.error.text, ": was killed by signal 9 (Killed)"));
	sink_abandon(&s);		/* no effect: it has ended */
	helper_close_sink(&s);
	assert_gone("pid");
}
END_TEST

/* Without sink_finish(), the command is killed before it sees the end of its input. */
START_TEST(test_dropped)
{
	struct error e;
	struct sink s;

	helper_open_sink(&s, "|echo $$ > pid; cat > a; echo whole > b", false);
	wait_for("pid");
	helper_append(&s, bytes, ALIGNMENT);
	if (_i)
		ck_assert_int_eq(sink_discard(&s, &e), STATUS_OK);
	sink_free(&s);
	assert_gone("pid");
	ck_assert_int_eq(helper_file_size("b"), -1);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("commands");

	helper_use_directory(tcase);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_surroundings);
	tcase_add_test(tcase, test_takes_no_more);
	tcase_add_test(tcase, test_stubborn);
	tcase_add_test(tcase, test_fails_behind_a_child);
	tcase_add_loop_test(tcase, test_abandoned, 0, 3);
	tcase_add_loop_test(tcase, test_dropped, 0, 2);
	return helper_run_case("sink_command", tcase);
}
