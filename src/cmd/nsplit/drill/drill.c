// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The script nsplit-drill of kdump/common does the drill: it makes the cgroup, verifies and removes.  Here is what it
 * cannot know, which is what it is started with, and the capture that it calls this program for.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/names.h"
#include "base/text.h"
#include "bench/bench.h"
#include "cmd/common/message.h"
#include "cmd/common/operands.h"
#include "cmd/nsplit/crash_machine.h"
#include "cmd/nsplit/nsplit.h"
#include "cmd/nsplit/probe.h"
#include "io/path.h"
#include "io/source.h"

/* Descriptors of a capture: where it tells what it has done, and the processes of its cgroup. */
enum { FIGURES = 3, GROUP = 4 };

/* --- a capture of the drill ---------------------------------------------------------------------- */

static const char environment[] = "NSPLIT_DRILL";

void drill_capture_begin(struct drill_capture *c, int *argc, char **argv)
{
	const char *text = getenv(environment);

	*c = (struct drill_capture){ .asked = false };
	if (!text || sscanf(text, "%u %u %" SCNu64 " %u", &c->count, &c->fallbacks, &c->memory, &c->cpus) != 4 ||
	    c->count + 1 >= (unsigned)*argc)
		return;
	c->asked = true;
	*argc -= (int)c->count + 1;
	c->source = argv[*argc];
	c->outputs = argv + *argc + 1;
	/* For getopt(). */
	argv[*argc] = NULL;
}

static void tell(const char *word, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void tell(const char *word, const char *format, ...)
{
	char text[sizeof(struct error) + 64];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	dprintf(FIGURES, "%s\t%s\n", word, text_make_printable(text));
}

static bool has_failed(const struct sink_stats *stats)
{
	return stats->state != SINK_TAKING && stats->state != SINK_ENDED && stats->state != SINK_RESERVED;
}

/* What was made of an output: if it holds records that count, if it hangs, and if it is of this drill. */
static void tell_output(const struct sink *sink, const struct sink_stats *stats)
{
	bool holds = stats->records && stats->state != SINK_DEAD;
	/* Of one that hangs, the writer still uses the sink; a fallback that was not needed was not even opened. */
	bool unused = stats->hung || stats->state == SINK_RESERVED;
	/* A command may have made its file before it receives anything. */
	bool ours = !unused && (sink->created || (sink->kind == SINK_BLOCK_DEVICE && sink->reached) ||
				sink->kind == SINK_COMMAND);

	tell("output", "%s %s %s %ju:%ju %" PRIu64, holds ? "holds" : "empty", stats->hung ? "hung" : "answers",
	     ours ? "ours" : "other", unused ? 0 : (uintmax_t)sink->identity.device,
	     unused ? 0 : (uintmax_t)sink->identity.inode, unused ? 0 : sink->reached);
}

static void tell_figures(const struct nsplit *nsplit)
{
	char size[SIZE_TEXT_LENGTH], rate[SIZE_TEXT_LENGTH], written[SIZE_TEXT_LENGTH];
	const struct dump_layout *dump = nsplit->options.capture.dump;
	struct capture_progress p = capture_get_progress(nsplit->capture);

	if (nsplit->memory_short)
		tell("short", "%s", "");
	if (dump && dump->elf)
		tell("elf", "%s", "");
	tell("captured", "%s in %.1f s, %s/s; %s written", size_format(p.source_bytes, size), p.seconds,
	     rate_format(p.source_bytes, p.seconds, rate), size_format(p.member_bytes, written));
}

/* When the outputs are closed.  They are in the same order, without those that were skipped. */
static void closed(void *arg, const struct nsplit *nsplit)
{
	const struct drill_capture *c = arg;
	unsigned failed = 0, sink = 0;
	struct error first = { 0 };

	for (unsigned i = 0; i < c->count; i++) {
		struct sink_stats stats = { .state = SINK_DEAD };

		error_set(&stats.why, STATUS_SYSTEM, "%s: cannot be used", c->outputs[i]);
		if (sink < nsplit->count &&
		    strcmp(nsplit->sinks[sink].is_stdout ? "-" : nsplit->sinks[sink].name, c->outputs[i]) == 0) {
			stats = capture_get_sink(nsplit->capture, sink);
			tell_output(&nsplit->sinks[sink++], &stats);
		} else {
			tell("output", "empty answers other 0:0 0");
		}
		if (has_failed(&stats) && !first.status)
			first = stats.why;
		failed += i < c->count - c->fallbacks && has_failed(&stats);
	}
	tell("failed", "%u", failed);
	tell("failure", "%s", first.text);
	tell_figures(nsplit);
}

/* The first ones of those that it may use. */
static void use_cpus(struct nsplit_options *o, unsigned count)
{
	cpu_set_t all, some;
	unsigned taken = 0;

	/* A machine with more than CPU_SETSIZE CPUs is not limited. */
	if (sched_getaffinity(0, sizeof(all), &all) < 0)
		return;
	CPU_ZERO(&some);
	for (int cpu = 0; cpu < CPU_SETSIZE && taken < count; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_SET(cpu, &some);
		taken++;
	}
	if (taken && sched_setaffinity(0, sizeof(some), &some) == 0 && !o->threads_given)
		o->capture.threads = threads_default();
}

static enum status set_outputs(struct nsplit_options *o, const struct drill_capture *c, struct error *e)
{
	enum status status = STATUS_OK;

	names_free(&o->outputs);
	for (unsigned i = 0; i < c->count && !status; i++)
		status = names_append(&o->outputs, c->outputs[i], MEMBERS_MAX, e);
	if (o->required > c->count)
		o->required = c->count;
	o->capture.fallbacks = c->fallbacks;
	return status;
}

/* The source, whose 64 MiB are not charged to the group, and then the limits. */
static enum status prepare(struct nsplit *nsplit, const struct drill_capture *c, struct error *e)
{
	struct nsplit_options *o = &nsplit->options;
	enum status status = set_outputs(o, c, e);

	/* The figures would replace those of a dump, and a digest would stay beside the dump. */
	o->stats_file = NULL;
	o->capture.digest = false;
	if (*c->source) {
		/* Its pages cannot be told apart. */
		o->left_out.classes = 0;
		if (!status)
			status = fake_named(c->source) ? fake_open(&nsplit->source, c->source, e) :
				 source_open(&nsplit->source, c->source, o->mmap, e);
	}
	use_cpus(o, c->cpus);
	if (c->memory)
		nsplit->memory_most = (struct limit){ c->memory, "the memory of the drill" };
	/* 0: the process that writes it. */
	if (!status && write(GROUP, "0", 1) < 0)
		status = error_system(e, errno, "the memory cgroup cannot be entered");
	return status;
}

static int capture(struct nsplit *nsplit, struct drill_capture *c)
{
	struct error e;
	int status;

	if (prepare(nsplit, c, &e)) {
		message("drill: %s", e.text);
		tell("why", "%s", e.text);
		return EXIT_FAILED;
	}
	/* Commands of outputs may be drills, too. */
	unsetenv(environment);
	fcntl(FIGURES, F_SETFD, FD_CLOEXEC);
	close(GROUP);
	nsplit->closed = closed;
	nsplit->closed_arg = c;
	nsplit_supervise(nsplit, NULL);
	status = nsplit_run(nsplit);
	if (nsplit->why.status)
		tell("why", "%s", nsplit->why.text);
	return status;
}

/* --- what the script is started with ------------------------------------------------------------- */

/* A word KEY=VALUE of its command line, or VALUE alone.  They are never freed: the script takes the place of this program. */
static void add(struct names *words, const char *key, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void add(struct names *words, const char *key, const char *format, ...)
{
	char *value = NULL, *word = NULL;
	struct error e;
	va_list args;

	va_start(args, format);
	if (vasprintf(&value, format, args) < 0 ||
	    asprintf(&word, "%s%s%s", key ? key : "", key ? "=" : "", value) < 0 ||
	    names_append(words, word, INT_MAX, &e)) {
		message("drill: not enough memory");
		exit(EXIT_FAILED);
	}
	va_end(args);
	free(value);
	free(word);
}

static void add_if(struct names *words, const char *key, bool value)
{
	if (value)
		add(words, key, "yes");
}

/* False: the capture kernel leaves no memory, which was reported. */
static bool add_limits(struct names *words, const struct nsplit_options *o, const struct crash_machine *machine)
{
	uint64_t memory = o->drill_memory;
	char size[SIZE_TEXT_LENGTH];
	struct crash_kernel kernel;
	struct error why = { .status = STATUS_OK };

	add(words, "cpus", "%u", crash_machine_cpus(machine));
	if (!memory) {
		kernel = crash_machine_kernel(machine, &o->outputs, vmcore_absent(o->source) ? &why : NULL);
		if (why.status)
			add(words, "why", "%s", why.text);
		if (!kernel.reserved_known || !kernel.reserved)
			return true;
		memory = crash_machine_limit(&kernel).bytes;
	}
	if (memory && memory != UINT64_MAX)
		add(words, "memory", "%" PRIu64, memory);
	else if (!memory)
		message("drill failed: of the %s that crashkernel= reserves, nothing is left for programs in a capture kernel",
			size_format(kernel.reserved, size));
	return memory;
}

/* How much a crash of this machine is expected to keep, before it is compressed. */
static uint64_t expected_size(const struct nsplit_options *o)
{
	enum { LEAST = 16 << 20, UNIT = 1 << 20 };
	uint64_t kept = nsplit_estimate_kept(o);

	if (!kept)
		kept = nsplit_space_kept(o, crash_kernel_source(crash_machine_root()));
	return max_u64(round_down(kept, UNIT), LEAST);
}

/* In place of /proc/vmcore: that of the module, if it is loaded. */
static void add_source(struct names *words, const struct nsplit_options *o)
{
	struct source *module;
	struct error ignored;

	add(words, "source", "%s", o->source);
	add(words, "size", "%" PRIu64, o->drill_size);
	if (o->drill_size || !vmcore_absent(o->source))
		return;
	if (source_open(&module, "/proc/fakevmcore", o->mmap, &ignored)) {
		add(words, "expected", "%" PRIu64, expected_size(o));
		return;
	}
	add(words, "module", "%" PRIu64, module->size);
	source_close(module);
}

static void add_options(struct names *words, const struct nsplit_options *o)
{
	static const char *const modes[] = {
		[PROGRESS_AUTO] = "auto", [PROGRESS_ALWAYS] = "always", [PROGRESS_NEVER] = "never",
	};

	add(words, "progress", "%s", modes[o->progress]);
	add_if(words, "plain", o->format == NSPLIT_ELF || strcmp(o->capture.codec_text, "raw") == 0);
	add_if(words, "force", o->force);
	add_if(words, "quiet", o->quiet);
	add_if(words, "filter", o->filter);
	add_if(words, "classes", o->left_out.classes);
	add(words, "fallbacks", "%u", o->capture.fallbacks);
	for (size_t i = 0; i < o->outputs.count; i++)
		add(words, "output", "%s", o->outputs.names[i]);
	for (size_t i = 0; i < o->drill_remove.count; i++)
		add(words, "remove", "%s", o->drill_remove.names[i]);
}

static int refuse_no_output(const struct crash_machine *m)
{
	const char *target = crash_machine_setting(m, "target");
	struct error e;

	if (*target)
		error_set(&e, STATUS_USAGE, "no OUTPUT given; dumps of this system go to another machine (%s), which a drill "
			  "tries with an OUTPUT such as '|ssh ...', or a file on a file system that is mounted", target);
	else if (m->asked)
		error_set(&e, STATUS_USAGE, "no OUTPUT given, and %s does not save to a directory of the running system; "
			  "name an OUTPUT where it saves", crash_machine_setting(m, "system"));
	else
		error_set(&e, STATUS_USAGE, "no OUTPUT given");
	return message_usage_error(&e);
}

/* Executes a script with these words in place of this program.  Returns only if that fails. */
static int start(struct nsplit *nsplit, const char *name, const struct names *words)
{
	const char *directory = getenv("NSPLIT_SCRIPTS");
	char script[PATH_MAX], sh[] = "sh", **argv = calloc(words->count + 3, sizeof(*argv));

	snprintf(script, sizeof(script), "%s/%s", directory ? directory : PKGLIBEXECDIR, name);
	if (argv && access(script, R_OK) == 0) {
		argv[0] = sh;
		argv[1] = script;
		memcpy(argv + 2, words->names, words->count * sizeof(*argv));
		signals_release(&nsplit->heeded);
		execv("/bin/sh", argv);
	}
	message("drill: %s: %s", script, strerror(errno));
	free(argv);
	return EXIT_FAILED;
}

/* The commands of a crash, for which the script needs settings of this program. */
static int print_crash(struct nsplit *nsplit)
{
	const struct nsplit_options *o = &nsplit->options;
	struct names words = { .count = 0 };

	add(&words, NULL, "crash");
	add(&words, "form", "%s", o->format == NSPLIT_ELF ? "elf" : o->format == NSPLIT_KDUMP ? "kdump" : "members");
	add(&words, "now", "%s", o->now);
	add_options(&words, o);
	return start(nsplit, "nsplit-check-system", &words);
}

int nsplit_drill(struct nsplit *nsplit, struct crash_machine *machine, struct drill_capture *c, int argc, char **argv)
{
	struct nsplit_options *o = &nsplit->options;
	struct names words = { .count = 0 };
	char program[PATH_MAX] = "";
	struct error e;
	int figures;

	if (c->asked) {
		/* It ends with the script. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		return capture(nsplit, c);
	}
	if (o->drill == DRILL_CRASH)
		return print_crash(nsplit);
	if (!crash_machine_report_call(machine, o, "drill", &e)) {
		if (o->outputs.count == o->capture.fallbacks)
			return EXIT_FAILED;
		add(&words, "why", "%s", e.text);
	}
	if (o->outputs.count == o->capture.fallbacks)
		return refuse_no_output(machine);
	figures = memfd_create("figures", 0);
	if (figures < 0 || (figures != FIGURES && dup2(figures, FIGURES) < 0) ||
	    readlink("/proc/self/exe", program, sizeof(program) - 1) < 0) {
		message("drill: %s", strerror(errno));
		return EXIT_FAILED;
	}
	add(&words, "nsplit", "%s", program);
	if (!add_limits(&words, o, machine))
		return EXIT_FAILED;
	add_source(&words, o);
	add_options(&words, o);
	add(&words, NULL, "--");
	for (int i = 1; i < argc; i++)
		add(&words, NULL, "%s", argv[i]);
	return start(nsplit, "nsplit-drill", &words);
}
