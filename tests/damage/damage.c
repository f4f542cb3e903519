// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Damages sets in every known way, reads each in a process of its own, and judges the result:
 *
 *	damage FLIPS|all SEED DIRECTORY...	FLIPS bit flips over all sets, and the other kinds
 *	damage only KIND:NUMBER DIRECTORY	one change, with all messages
 *
 * Exit status: 0 all results are correct, 1 some are not, 2 the test cannot run.
 */
#include "config.h"

#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "change.h"

enum {
	JOBS = 2,
	HANG = 120,			/* seconds for one change on a busy machine */
	OTHERS = 1000,			/* changes of one kind in one set, except flips */
	WRONG_TOLD = 5,
	/* A set with a larger source takes much longer, so it gets a smaller share. */
	LARGE = 1 << 20, LARGE_SHARE = 4, LARGE_FLIPS = 100000,
};

/* Of one set; shared with the process that tries the changes. */
struct result {
	uint64_t tried[CHANGE_KINDS], verdicts[CHANGE_KINDS][3];
	enum change_kind kind;		/* the change being tried */
	uint64_t number;
	bool done;
};

struct job {
	const char *directory;
	struct trial_set set;
	struct result *result;
	pid_t pid;
};

struct campaign {
	uint64_t flips;			/* a set that is not large */
	uint64_t seed;
};

static uint64_t next_random(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static void try_one(struct job *j, struct changes *c, enum change_kind kind, uint64_t number)
{
	struct result *r = j->result;
	char why[TRIAL_TEXT];
	enum trial_verdict verdict;

	r->kind = kind;
	r->number = number;
	alarm(HANG);
	verdict = changes_try(c, kind, number, why);
	r->tried[kind]++;
	if (++r->verdicts[kind][verdict] <= WRONG_TOLD && verdict == TRIAL_WRONG)
		printf("WRONG: %s %s:%" PRIu64 ": %s\n", j->set.name, change_names[kind], number,
		       why);
}

/* Makes all changes, or at most a given number, spread evenly over the range. */
static void try_kind(struct job *j, struct changes *c, enum change_kind kind, uint64_t most,
		     uint64_t *random)
{
	uint64_t all = changes_count(c, kind), n = min_u64(all, most);

	for (uint64_t i = 0; i < n; i++) {
		uint64_t from = all / n * i, length = i + 1 < n ? all / n : all - from;

		try_one(j, c, kind, n == all ? i : from + next_random(random) % length);
	}
}

/* The memory that njoin may use, with the largest chunks on two threads, and for libraries. */
static void limit_memory(void)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	const rlim_t memory = (rlim_t)1 << 30;

	setrlimit(RLIMIT_AS, &(struct rlimit){ memory, memory });
#endif
}

static bool is_large(const struct job *j)
{
	return j->set.source.length > LARGE;
}

static void try_set(struct job *j, const struct campaign *campaign)
{
	uint64_t random = campaign->seed, flips = campaign->flips, others = OTHERS, units = UINT64_MAX;
	struct changes c;

	if (is_large(j)) {
		flips = min_u64(flips / LARGE_SHARE, LARGE_FLIPS);
		others /= LARGE_SHARE;
		units = others;
	}

	limit_memory();
	/* Without this, most of the time is spent on returning memory and getting it back. */
	mallopt(M_MMAP_THRESHOLD, 64 << 20);
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	trial_lay_out(&j->set);
	changes_init(&c, &j->set);
	try_kind(j, &c, CHANGE_NONE, 1, &random);
	try_kind(j, &c, CHANGE_FLIP, flips, &random);
	for (int kind = CHANGE_FLIP + 1; kind < CHANGE_KINDS; kind++)
		try_kind(j, &c, (enum change_kind)kind,
			 kind == CHANGE_CUT_UNIT ? units : min_u64(others, flips), &random);
	j->result->done = true;
}

static void start(struct job *j, const struct campaign *campaign)
{
	pid_t parent = getpid();

	fflush(stdout);
	j->pid = fork();
	if (j->pid < 0) {
		perror("fork");
		exit(2);
	}
	if (j->pid > 0)
		return;
	/* If the parent has already ended, nobody waits for this process. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	try_set(j, campaign);
	fflush(stdout);
	_exit(0);
}

static void end(struct job *j, int status)
{
	struct result *r = j->result;

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && r->done)
		return;
	printf("WRONG: %s %s:%" PRIu64 ": it ended with wait status %d%s\n", j->set.name,
	       change_names[r->kind], r->number, status,
	       WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? ", hanging" : "");
	r->tried[r->kind]++;
	r->verdicts[r->kind][TRIAL_WRONG]++;
}

static void run_jobs(struct job *jobs, unsigned count, const struct campaign *campaign)
{
	unsigned started = 0, running = 0;

	while (started < count || running) {
		int status;
		pid_t pid;

		for (; running < JOBS && started < count; running++)
			start(&jobs[started++], campaign);
		pid = wait(&status);
		for (unsigned i = 0; i < started; i++)
			if (jobs[i].pid == pid)
				end(&jobs[i], status);
		running--;
	}
}

static void print_row(const char *name, const struct result *r, enum change_kind kind)
{
	const uint64_t *v = r->verdicts[kind];

	if (r->tried[kind])
		printf("%-24s %-9s %9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %7" PRIu64 "\n", name,
		       change_names[kind], r->tried[kind], v[TRIAL_HARMLESS], v[TRIAL_FOUND],
		       v[TRIAL_WRONG]);
}

/* Tries flips set by set, and the other kinds one after another; returns the number of failures. */
static uint64_t print_table(const struct job *jobs, unsigned count)
{
	struct result all = { 0 };
	uint64_t wrong = 0;

	printf("%-24s %-9s %9s %9s %9s %7s\n", "set", "change", "tried", "harmless", "found",
	       "wrong");
	for (unsigned i = 0; i < count; i++) {
		print_row(jobs[i].set.name, jobs[i].result, CHANGE_FLIP);
		for (int kind = 0; kind < CHANGE_KINDS; kind++) {
			all.tried[kind] += jobs[i].result->tried[kind];
			for (int v = 0; v < 3; v++)
				all.verdicts[kind][v] += jobs[i].result->verdicts[kind][v];
		}
	}
	for (int kind = 0; kind < CHANGE_KINDS; kind++) {
		print_row("all", &all, (enum change_kind)kind);
		wrong += all.verdicts[kind][TRIAL_WRONG];
	}
	return wrong;
}

/* The flips of a set that is not large, of all flips. */
static uint64_t share_of_flips(uint64_t flips, const struct job *jobs, unsigned count)
{
	unsigned shares = 0;

	for (unsigned i = 0; i < count; i++)
		shares += is_large(&jobs[i]) ? 1 : LARGE_SHARE;
	return divide_up(flips * LARGE_SHARE, shares);
}

static int try_only(struct trial_set *set, const char *change)
{
	static const char *const said[] = { "harmless", "found", "WRONG" };
	const char *colon = strchr(change, ':');
	char why[TRIAL_TEXT];
	enum trial_verdict verdict;
	struct changes c;

	trial_lay_out(set);
	changes_init(&c, set);
	for (int kind = 0; kind < CHANGE_KINDS && colon; kind++) {
		uint64_t number = strtoull(colon + 1, NULL, 10);

		if (strncmp(change, change_names[kind], (size_t)(colon - change)) ||
		    strlen(change_names[kind]) != (size_t)(colon - change) ||
		    number >= changes_count(&c, (enum change_kind)kind))
			continue;
		verdict = changes_try(&c, (enum change_kind)kind, number, why);
		printf("%s %s: %s: %s\n", set->name, change, said[verdict], why);
		return verdict == TRIAL_WRONG;
	}
	fprintf(stderr, "damage: %s: no such change\n", change);
	return 2;
}

int main(int argc, char **argv)
{
	unsigned count = argc > 3 ? (unsigned)argc - 3 : 0;
	struct campaign campaign;
	struct result *results;
	struct job *jobs = calloc(count + 1, sizeof(*jobs));
	uint64_t wrong;

	if (!count || !jobs) {
		fprintf(stderr, "usage: damage FLIPS|all SEED DIRECTORY... | "
			"damage only KIND:NUMBER DIRECTORY\n");
		return 2;
	}
	results = mmap(NULL, count * sizeof(*results), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (results == MAP_FAILED)
		return 2;
	for (unsigned i = 0; i < count; i++) {
		jobs[i] = (struct job){ .directory = argv[3 + i], .result = &results[i] };
		if (!trial_load(&jobs[i].set, jobs[i].directory))
			return 2;
	}
	if (!strcmp(argv[1], "only"))
		return try_only(&jobs[0].set, argv[2]);
	campaign.seed = strtoull(argv[2], NULL, 10);
	campaign.flips = UINT64_MAX;
	if (strcmp(argv[1], "all"))
		campaign.flips = share_of_flips(strtoull(argv[1], NULL, 10), jobs, count);
	run_jobs(jobs, count, &campaign);
	wrong = print_table(jobs, count);
	for (unsigned i = 0; i < count; i++)
		trial_free(&jobs[i].set);
	free(jobs);
	return wrong != 0;
}
