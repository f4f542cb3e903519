// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nothing here changes after rules_init() except the counters, which are atomic: the hooks are
 * called by all threads, and neither lock nor allocate.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "change.h"
#include "memory_limit.h"
#include "rules.h"

enum { RULES_MAX = 32, TEXT_MAX = 2048, WRONG_RULE = 120, LOG_FD_MIN = 200,
       PATH_TEXT = 4096 };

static const uint64_t HALF = UINT64_MAX;	/* "short" without a number */

struct rule {
	enum call call;
	const char *name;
	bool by_position;
	uint64_t from, to;	/* calls, both included; or bytes, the second excluded */
	enum effect effect;
	uint64_t number;
	const char *what;	/* as it was written */
	_Atomic uint64_t seen;	/* calls so far that match CALL and NAME */
};

/* A call that is about to be made.  Without a position, offset and length are 0. */
struct attempted {
	enum call call;
	const char *name;	/* NULL: not a file with a path */
	uint64_t offset, length;
};

static const char *const call_names[CALLS] = {
	"open", "read", "pread", "write", "pwrite", "fsync", "fdatasync", "close",
	"fallocate", "ftruncate", "mmap", "rename", "lock",
};

static const struct { const char *name; int number; } errors[] = {
	{ "EIO", EIO }, { "ENOSPC", ENOSPC }, { "EDQUOT", EDQUOT }, { "EFBIG", EFBIG },
	{ "EINTR", EINTR }, { "EAGAIN", EAGAIN }, { "EFAULT", EFAULT }, { "EPIPE", EPIPE },
	{ "EACCES", EACCES }, { "EMFILE", EMFILE }, { "EINVAL", EINVAL }, { "ENXIO", ENXIO },
	{ "ENOMEM", ENOMEM }, { "EOPNOTSUPP", EOPNOTSUPP }, { "ENOLCK", ENOLCK },
};

/* The effects, and the number that is used if the rule has none. */
static const struct { const char *name; enum effect effect; uint64_t number; } effects[] = {
	{ "short", EFFECT_SHORT, UINT64_MAX }, { "slow", EFFECT_SLOW, 0 },
	{ "bus", EFFECT_BUS, 0 }, { "memory-limit", EFFECT_MEMORY_LIMIT, 0 },
	{ "hang", EFFECT_HANG, 0 }, { "note", EFFECT_NOTE, 0 },
	{ "change", EFFECT_CHANGE, 0 }, { "SIGTERM", EFFECT_SIGNAL, SIGTERM },
	{ "SIGINT", EFFECT_SIGNAL, SIGINT }, { "SIGHUP", EFFECT_SIGNAL, SIGHUP },
	{ "SIGKILL", EFFECT_SIGNAL, SIGKILL },
};

/*
 * Static, since a preloaded library has no main() that could pass it on.  Only `seen` and
 * `locks_logged` change while the program runs.
 */
static struct {
	struct rule rules[RULES_MAX];
	unsigned count;
	char text[TEXT_MAX];	/* INJECT, cut into the pieces that the rules point to */
	int log_fd;
	atomic_uint locks_logged;
} schedule = { .log_fd = -1 };

/* Neither the hooks nor a sanitizer must see this call. */
static void say(int fd, const char *text)
{
	if (syscall(SYS_write, fd, text, strlen(text)) < 0)
		return;		/* there is no other way to report it */
}

static void refuse(const char *rule)
{
	say(STDERR_FILENO, "inject: invalid rule: ");
	say(STDERR_FILENO, rule);
	say(STDERR_FILENO, "\n");
	_exit(WRONG_RULE);
}

static bool parse_when(struct rule *r, const char *text)
{
	char *end;

	r->by_position = *text == '@';
	r->from = strtoull(text + r->by_position, &end, 10);
	r->to = r->by_position ? r->from + 1 : r->from;
	if (*end == '-')
		r->to = end[1] ? strtoull(end + 1, &end, 10) : UINT64_MAX;
	else if (r->by_position)
		return false;
	return (*end == '\0' || *end == '-') && r->to >= r->from;
}

/* NAME or NAME=NUMBER */
static bool parse_effect(struct rule *r, const char *what)
{
	size_t length = strcspn(what, "=");

	for (size_t i = 0; i < sizeof(effects) / sizeof(effects[0]); i++) {
		if (strncmp(what, effects[i].name, length) != 0 || effects[i].name[length])
			continue;
		r->effect = effects[i].effect;
		r->number = what[length] ? strtoull(what + length + 1, NULL, 10)
					 : effects[i].number;
		return true;
	}
	return false;
}

static bool parse_what(struct rule *r, const char *what)
{
	r->what = what;
	if (parse_effect(r, what))
		return true;
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (strcmp(what, errors[i].name) != 0)
			continue;
		r->effect = EFFECT_ERRNO;
		r->number = (uint64_t)errors[i].number;
		return true;
	}
	return false;
}

static bool parse_rule(struct rule *r, char *text)
{
	char *save, *call = strtok_r(text, ":", &save);
	char *name = strtok_r(NULL, ":", &save);
	char *when = strtok_r(NULL, ":", &save);
	char *what = strtok_r(NULL, ":", &save);

	if (!what)
		return false;
	for (r->call = 0; r->call < CALLS; r->call++)
		if (strcmp(call, call_names[r->call]) == 0)
			break;
	r->name = name;
	return r->call < CALLS && parse_when(r, when) && parse_what(r, what);
}

static void open_log(const char *name)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, name,
			      O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	/* A high number, since the program may rely on its first descriptors. */
	schedule.log_fd = fcntl(fd, F_DUPFD_CLOEXEC, LOG_FD_MIN);
	syscall(SYS_close, fd);
	say(schedule.log_fd, "ready\n");
}

void rules_init(void)
{
	const char *text = getenv("INJECT"), *log = getenv("INJECT_LOG");
	char *save, *rule;

	if (log)
		open_log(log);
	if (!text)
		return;
	if (strlen(text) >= TEXT_MAX)
		refuse(text);
	strcpy(schedule.text, text);
	for (rule = strtok_r(schedule.text, " ", &save); rule;
	     rule = strtok_r(NULL, " ", &save)) {
		char copy[TEXT_MAX];

		strcpy(copy, rule);
		if (schedule.count == RULES_MAX ||
		    !parse_rule(&schedule.rules[schedule.count], rule))
			refuse(copy);
		schedule.count++;
	}
}

static void log_fault(const struct rule *r, const struct attempted *a, uint64_t nth)
{
	char line[256];

	snprintf(line, sizeof(line), "%s %s %s call %llu offset %llu length %llu\n",
		 call_names[a->call], a->name, r->what, (unsigned long long)nth,
		 (unsigned long long)a->offset, (unsigned long long)a->length);
	if (schedule.log_fd >= 0)
		say(schedule.log_fd, line);
}

static bool matches(const char *pattern, const char *name)
{
	size_t fixed = strcspn(pattern, "*");

	return strncmp(pattern, name, fixed) == 0 && (pattern[fixed] || !name[fixed]);
}

/* Each rule counts the call, whether or not another rule applies to it. */
static bool fires(struct rule *r, const struct attempted *a, uint64_t *nth)
{
	if (r->call != a->call || !a->name || !matches(r->name, a->name))
		return false;
	*nth = atomic_fetch_add(&r->seen, 1) + 1;
	if (r->by_position)
		return a->offset < r->to && a->offset + a->length > r->from;
	return *nth >= r->from && *nth <= r->to;
}

static struct fault carry_out(const struct rule *r, const struct attempted *a)
{
	struct fault f = { .effect = r->effect, .number = r->number };
	struct timespec delay = {
		.tv_sec = (time_t)(r->number / 1000),
		.tv_nsec = (long)(r->number % 1000) * 1000000,
	};

	if (r->effect == EFFECT_SLOW || r->effect == EFFECT_NOTE)
		nanosleep(&delay, NULL);
	if (r->effect == EFFECT_MEMORY_LIMIT)
		memory_limit(r->number);
	if (r->effect == EFFECT_CHANGE)
		change_file();
	if (r->effect == EFFECT_SIGNAL)
		kill(getpid(), (int)r->number);
	while (r->effect == EFFECT_HANG)
		pause();
	/* Half of the sectors: direct I/O transfers whole sectors. */
	if (r->effect == EFFECT_SHORT && r->number == HALF)
		f.number = a->length >= 1024 ? a->length / 2 / 512 * 512 : (a->length + 1) / 2;
	if (r->effect == EFFECT_BUS && r->by_position) {
		f.from = r->from;
		f.to = r->to;
	}
	return f;
}

/* Counts the call and returns its fault. */
static struct fault apply(const struct attempted *a)
{
	struct fault f = { .effect = EFFECT_NONE };
	int saved = errno;

	for (unsigned i = 0; i < schedule.count; i++) {
		struct rule *r = &schedule.rules[i];
		uint64_t nth;

		if (!fires(r, a, &nth) || f.effect != EFFECT_NONE)
			continue;
		log_fault(r, a, nth);
		f = carry_out(r, a);
	}
	errno = saved;
	return f;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Looked up for each call, so that neither dup() nor a shell's redirection needs a hook. */
static const char *name_of(int fd, char path[PATH_TEXT])
{
	static const char prefix[] = "/proc/self/fd/";
	char link[sizeof(prefix) + 16], digits[16], *p = digits + sizeof(digits) - 1;
	int saved = errno;
	ssize_t length;

	if (fd < 0)
		return NULL;
	*p = '\0';
	do
		*--p = (char)('0' + fd % 10);
	while (fd /= 10);
	memcpy(link, prefix, sizeof(prefix));
	strcat(link, p);
	length = readlink(link, path, PATH_TEXT - 1);
	errno = saved;
	if (length <= 0 || path[0] != '/')
		return NULL;
	path[length] = '\0';
	return base_name(path);
}

const char *rules_call_name(enum call call)
{
	return call_names[call];
}

struct fault rules_ask(enum call call, int fd, uint64_t offset, uint64_t length)
{
	char path[PATH_TEXT];
	struct attempted a = { .call = call, .offset = offset, .length = length };

	a.name = name_of(fd, path);
	return apply(&a);
}

struct fault rules_ask_name(enum call call, const char *path)
{
	struct attempted a = { .call = call, .name = base_name(path) };

	return apply(&a);
}

bool rules_has_path(int fd)
{
	char path[PATH_TEXT];

	return name_of(fd, path);
}

void rules_log_synced(int fd, uint64_t length)
{
	char path[PATH_TEXT], line[256];
	const char *name = name_of(fd, path);

	if (schedule.log_fd < 0 || !name)
		return;
	snprintf(line, sizeof(line), "synced %.100s %llu\n", name, (unsigned long long)length);
	say(schedule.log_fd, line);
}

void rules_log_lock(const char *call, int fd)
{
	char path[PATH_TEXT], line[256];
	const char *name = name_of(fd, path);

	if (schedule.log_fd < 0 || atomic_fetch_add(&schedule.locks_logged, 1) >= LOCKS_LOGGED)
		return;
	if (name)
		snprintf(line, sizeof(line), "lock held: %s %.100s\n", call, name);
	else if (fd >= 0)
		snprintf(line, sizeof(line), "lock held: %s descriptor %d\n", call, fd);
	else
		snprintf(line, sizeof(line), "lock held: %s\n", call);
	say(schedule.log_fd, line);
}
