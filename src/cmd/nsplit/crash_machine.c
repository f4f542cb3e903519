// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"
#include "base/text.h"
#include "cmd/common/message.h"
#include "cmd/common/vmcore.h"
#include "cmd/nsplit/check/system.h"
#include "cmd/nsplit/crash_machine.h"

/* Words beside those of kdump: nsplit, a form and two options for it, a codec, -d, -j, SOURCE, OUTPUT, NULL. */
enum { WORDS_MORE = 12 };

static void add(struct collector_call *call, char *word)
{
	call->argv[call->argc++] = word;
}

static void add_words(struct collector_call *call)
{
	char *rest, *word = strtok_r(call->words, " \t", &rest);

	for (; word; word = strtok_r(NULL, " \t", &rest))
		add(call, word);
}

static void add_level(struct collector_call *call, const struct kdump_system *kdump)
{
	if (!*kdump->level)
		return;
	snprintf(call->level, sizeof(call->level), "-d%s", kdump->level);
	add(call, call->level);
}

/* What nsplit's scripts pass in place of makedumpfile's options, unless nsplit.conf sets it. */
static void add_defaults(struct collector_call *call, const struct kdump_system *kdump,
			 const struct nsplit_options *configured)
{
	if (strcmp(configured->codec_text, "raw") == 0)
		add(call, (char *)"-c");
	if (!configured->left_out.given && !configured->capture.stripe)
		add_level(call, kdump);
}

/* What nsplit does with these options under the name of makedumpfile. */
static void add_translated(struct collector_call *call, const struct kdump_system *kdump)
{
	add(call, (char *)"--format=kdump");
	add(call, (char *)"--no-stripe");
	add(call, (char *)"--no-digest");
	snprintf(call->codec, sizeof(call->codec), "--compress=%s", kdump->codec);
	add(call, call->codec);
	add_level(call, kdump);
}

/* The threads are those of the CPUs that the capture kernel starts, unless a number is set. */
static void add_threads(struct collector_call *call, const struct kdump_system *kdump,
			const struct nsplit_options *configured)
{
	unsigned all = threads_default();

	if (!kdump->cpus || kdump->cpus >= all || configured->threads_given)
		return;
	snprintf(call->threads, sizeof(call->threads), "-j%u", kdump->cpus);
	add(call, call->threads);
}

static size_t words_of(const char *text)
{
	size_t count = 0;

	for (; *text; text += strcspn(text, " \t"), text += strspn(text, " \t"))
		count++;
	return count;
}

/* Before anything reads argv, which changes the order of words. */
static void format_text(struct collector_call *call, const struct kdump_system *kdump)
{
	bool link = kdump->caller == KDUMP_CALLS_LINK;

	snprintf(call->text, sizeof(call->text), "%s", link ? "makedumpfile" : "nsplit");
	if (link)
		text_append(call->text, sizeof(call->text), " %s", kdump->options);
	for (int i = 1; i < call->argc && !link; i++)
		text_append(call->text, sizeof(call->text), " %s", call->argv[i]);
	if (link && *kdump->output)
		text_append(call->text, sizeof(call->text), " %s %s", vmcore_name, kdump->output);
}

/* Are the options of the collector those of nsplit, not of makedumpfile? */
static bool has_options_of_nsplit(const struct kdump_system *kdump)
{
	return kdump->caller == KDUMP_CALLS_NSPLIT && (kdump->kind == KDUMP_UTILS || kdump->kind == KDUMP_SUSE);
}

/* configured: the options of a command line without any, which are those of nsplit.conf. */
static enum status make_call(struct collector_call *call, const struct kdump_system *kdump,
			     const struct nsplit_options *configured, struct error *e)
{
	call->words = strdup(kdump->options);
	call->argv = calloc(words_of(kdump->options) + WORDS_MORE, sizeof(*call->argv));
	if (!call->words || !call->argv)
		return error_system(e, ENOMEM, "the command line of %s", kdump->name);
	add(call, (char *)"nsplit");
	if (has_options_of_nsplit(kdump))
		add_words(call);
	else if (kdump->caller == KDUMP_CALLS_LINK)
		add_translated(call, kdump);
	else
		add_defaults(call, kdump, configured);
	add_threads(call, kdump, configured);
	if (*kdump->output) {
		add(call, (char *)vmcore_name);
		add(call, (char *)kdump->output);
	}
	format_text(call, kdump);
	return STATUS_OK;
}

const char *crash_machine_root(void)
{
	const char *root = getenv("NSPLIT_ROOT");

	return root ? root : "";
}

/* --- the call -------------------------------------------------------------------------------------- */

/* Where the call is configured: the file or, without one, the name of the system. */
static const char *origin_of(const struct kdump_system *kdump)
{
	return *kdump->config ? kdump->config : kdump->name;
}

/* In the capture kernel, such a mistake costs no dump. */
static void note_mistake(void *arg, struct error *e)
{
	struct crash_machine *m = arg;

	found_kind(&m->found, FINDING_COLLECTOR_OPTIONS, "%s: %s", origin_of(&m->kdump), e->text);
}

static void ignore_mistake(void *arg, struct error *e)
{
	(void)arg;
	(void)e;
}

/* The options of the configuration, without those of any command line. */
static enum status read_configured(struct nsplit_options *configured, const struct nsplit_options *given,
				   struct error *e)
{
	static const struct mistake_reporter nobody = { .report = ignore_mistake };
	char name[] = "nsplit", *argv[] = { name, NULL };

	return nsplit_options_try(configured, 1, argv, &given->config_choice, &nobody, e);
}

/* Kdump's scripts append /proc/vmcore and the output; so with operands of its own, the line has it as an output. */
static enum status refuse_operands(const struct nsplit_options *called, struct error *e)
{
	for (size_t i = 0; i < called->outputs.count; i++)
		if (strcmp(called->outputs.names[i], vmcore_name) == 0)
			return error_set(e, STATUS_END, "the line names a source or an output, and kdump appends both, so "
					 "nsplit refuses it and saves nothing");
	return STATUS_OK;
}

/* As kdump calls it. */
static enum status read_call(struct crash_machine *m, const struct nsplit_options *given, struct nsplit_options *called,
			     struct error *e)
{
	const struct mistake_reporter reporter = { .report = note_mistake, .arg = m };
	struct nsplit_options configured = { 0 };
	enum status status = read_configured(&configured, given, e);

	if (!status)
		status = make_call(&m->call, &m->kdump, &configured, e);
	nsplit_options_free(&configured);
	if (!status)
		status = nsplit_options_try(called, m->call.argc, m->call.argv, &given->config_choice, &reporter, e);
	return status ? status : refuse_operands(called, e);
}

/* Only its own command line says what this program does, and how it reports. */
static void keep_mode(struct nsplit_options *o, const struct nsplit_options *given)
{
	o->check_params = given->check_params;
	o->capture_only = given->capture_only;
	o->estimate = given->estimate;
	o->drill = given->drill;
	o->drill_size = given->drill_size;
	o->drill_memory = given->drill_memory;
	o->json = given->json;
	o->quiet = given->quiet;
	o->verbose = given->verbose;
	o->progress = given->progress;
}

static enum status take_call(struct crash_machine *m, struct nsplit_options *o, int argc, char **argv, struct error *e)
{
	struct nsplit_options called = { 0 };
	enum status status = read_call(m, o, &called, e);

	if (status) {
		found_kind(&m->found, status == STATUS_END ? FINDING_COLLECTOR_SAVES_NOTHING : FINDING_COLLECTOR_OPTIONS,
			   "%s: %s", origin_of(&m->kdump), e->text);
		nsplit_options_free(&called);
		return STATUS_OK;
	}
	keep_mode(&called, o);
	status = nsplit_options_add(&called, argc, argv, e);
	if (!status) {
		nsplit_options_move(o, &called);
		m->called = true;
	}
	nsplit_options_free(&called);
	return status ? error_prefix(e, "with the options of %s: ", m->kdump.name) : STATUS_OK;
}

enum status crash_machine_begin(struct crash_machine *m, struct nsplit_options *o, int argc, char **argv, struct error *e)
{
	*m = (struct crash_machine){ .root = crash_machine_root() };
	/* Such a check is about the capture only. */
	if (o->check_params && (!vmcore_absent(o->source) || o->capture_only))
		return STATUS_OK;
	kdump_system_find(&m->kdump, &m->found);
	m->asked = !o->has_operands && m->kdump.kind != KDUMP_NONE && m->kdump.kind != KDUMP_UNKNOWN;
	return m->asked && !*m->kdump.misuse ? take_call(m, o, argc, argv, e) : STATUS_OK;
}

void crash_machine_end(struct crash_machine *m)
{
	findings_free(&m->found);
	free(m->call.argv);
	free(m->call.words);
	kdump_system_free(&m->kdump);
}

/* *why: the first error, if this returns false. */
static bool no_error(const struct findings *found, struct error *why)
{
	size_t i = 0;

	while (i < found->count && found->list[i].severity != FOUND_ERROR)
		i++;
	if (i == found->count && !found->incomplete)
		return true;
	error_set(why, STATUS_SYSTEM, "%s", i < found->count ? found->list[i].text : "there was no memory for the check");
	return false;
}

bool crash_machine_report_call(struct crash_machine *m, const struct nsplit_options *o, const char *who,
			       struct error *why)
{
	bool other = m->kdump.caller == KDUMP_CALLS_OTHER || m->kdump.caller == KDUMP_CALLS_MISSING;

	if (m->asked)
		nsplit_check_caller(&m->found, &m->kdump);
	findings_print(&m->found, false);
	if (m->called && !o->quiet)
		message("%s: the command line of %s%s: %s", who, m->kdump.name, other ? ", if it called nsplit" : "",
			m->call.text);
	if (m->called && m->kdump.more_disks && !o->quiet)
		message("%s: further disks of the system's kdump are not in it; name all outputs to include them", who);
	return no_error(&m->found, why);
}

/* --- the capture kernel ------------------------------------------------------------------------------ */

struct crash_kernel crash_machine_kernel(const struct crash_machine *m, const struct names *outputs)
{
	struct crash_kernel kernel = crash_kernel_of(m->root);
	struct findings ignored = { 0 };

	if (m->kdump.kind != KDUMP_NONE)
		nsplit_check_system(&ignored, &m->kdump, &kernel, outputs);
	findings_free(&ignored);
	return kernel;
}

struct limits crash_machine_limits(const struct crash_kernel *kernel)
{
	struct limits limits = { .memory = { UINT64_MAX, "" }, .addresses = { UINT64_MAX, "" } };

	if (kernel->reserved_known && kernel->initramfs)
		limits.memory = (struct limit){
			crash_kernel_leaves_beside(kernel->reserved, kernel->initramfs),
			"what a capture kernel with this initramfs leaves free of crashkernel="
		};
	else if (kernel->reserved_known)
		limits.memory = (struct limit){
			crash_kernel_leaves(kernel->reserved),
			"what a capture kernel leaves free of crashkernel="
		};
	return limits;
}

unsigned crash_machine_cpus(const struct crash_machine *m)
{
	unsigned all = cpus_allowed();

	return m->kdump.cpus && m->kdump.cpus < all ? m->kdump.cpus : all;
}

bool crash_machine_is_ready(const struct crash_kernel *kernel, struct error *why)
{
	struct findings found = { 0 };
	bool ready;

	nsplit_check_kernel(&found, kernel);
	findings_print(&found, false);
	ready = no_error(&found, why);
	findings_free(&found);
	return ready;
}
