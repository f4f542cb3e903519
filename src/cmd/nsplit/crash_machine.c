// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/system.h"
#include "cmd/common/message.h"
#include "cmd/common/operands.h"
#include "cmd/nsplit/crash_machine.h"

static const char name_of_script[] = "nsplit-check-system";

/* --- the call of the script --------------------------------------------------------------------- */

/* Its command line, for the shell. */
struct words {
	char script[PATH_MAX];
	char *text;
	size_t size;
	FILE *file;			/* writes text; NULL: there is no memory */
};

static void put_word(struct words *words, const char *word)
{
	if (!words->file)
		return;
	fputs(" '", words->file);
	for (; *word; word++)
		fprintf(words->file, *word == '\'' ? "'\\%c'" : "%c", *word);
	putc('\'', words->file);
}

static void begin(struct words *words, const char *request)
{
	const char *directory = getenv("NSPLIT_SCRIPTS");

	*words = (struct words){ .text = NULL };
	words->file = open_memstream(&words->text, &words->size);
	snprintf(words->script, sizeof(words->script), "%s/%s", directory ? directory : PKGLIBEXECDIR, name_of_script);
	if (words->file)
		fputs("exec < /dev/null sh", words->file);
	put_word(words, words->script);
	put_word(words, request);
}

/* What the script prints, allocated; what it says of mistakes is for the user. */
static enum status run(const struct words *words, char **text, struct error *e)
{
	FILE *output;
	size_t size = 0;
	ssize_t length;
	bool failed;

	if (access(words->script, R_OK) < 0)
		return error_system(e, errno, "%s", words->script);
	output = popen(words->text, "re");
	if (!output)
		return error_system(e, errno, "%s", words->script);
	length = getdelim(text, &size, '\0', output);
	failed = length < 0 && !feof(output);
	/* At the end of a file, it may have allocated memory without a text. */
	if (length < 0 && *text)
		**text = '\0';
	if (pclose(output) == 0 && !failed)
		return STATUS_OK;
	return error_set(e, STATUS_SYSTEM, "%s failed", words->script);
}

/* Other lines than those of a word, a tab and a text are ignored. */
static enum status split(struct script_answer *answer, struct error *e)
{
	char *rest = answer->text, *line;

	while ((line = strsep(&rest, "\n"))) {
		char *tab = strchr(line, '\t');

		if (!tab)
			continue;
		if (!array_grow(&answer->lines, answer->count, sizeof(*answer->lines)))
			return error_system(e, ENOMEM, "%s", name_of_script);
		*tab = '\0';
		answer->lines[answer->count++] = (struct script_line){ line, tab + 1 };
	}
	return STATUS_OK;
}

static void free_answer(struct script_answer *answer)
{
	free(answer->text);
	free(answer->lines);
	*answer = (struct script_answer){ .text = NULL };
}

/* Frees the words.  The answer is empty if the script fails. */
static enum status ask(struct words *words, struct script_answer *answer, struct error *e)
{
	enum status status;

	*answer = (struct script_answer){ .text = NULL };
	if (!words->file || fclose(words->file) != 0)
		status = error_system(e, ENOMEM, "%s", name_of_script);
	else
		status = run(words, &answer->text, e);
	free(words->text);
	if (!status)
		status = split(answer, e);
	if (status)
		free_answer(answer);
	return status;
}

/* "ok", or a severity and the name of a finding; "usage NAME" is an error in the command line. */
static void take_finding(struct findings *found, const struct script_line *line)
{
	struct error e;

	if (strcmp(line->word, "ok") == 0)
		found_add(found, FOUND_GOOD, "", "%s", line->text);
	if (strncmp(line->word, "usage ", strlen("usage ")) == 0)
		found_no_error(found, FOUND_WARNING, line->word + strlen("usage "),
			       error_set(&e, STATUS_USAGE, "%s", line->text), &e);
	for (enum finding_severity s = FOUND_ERROR; s < FOUND_GOOD; s++) {
		size_t length = strlen(finding_severities[s]);

		if (strncmp(line->word, finding_severities[s], length) == 0 && line->word[length] == ' ')
			found_add(found, s, line->word + length + 1, "%s", line->text);
	}
}

/* --- settings ----------------------------------------------------------------------------------- */

const char *crash_machine_root(void)
{
	const char *root = getenv("NSPLIT_ROOT");

	return root ? root : "";
}

const char *crash_machine_setting(const struct crash_machine *m, const char *word)
{
	for (size_t i = 0; i < m->settings.count; i++)
		if (strcmp(m->settings.lines[i].word, word) == 0)
			return m->settings.lines[i].text;
	return "";
}

static void report_unknown(struct findings *found, const struct error *e)
{
	found_add(found, FOUND_WARNING, "system-unknown",
		  "%s, so the capture kernel and this system's kdump are not checked", e->text);
}

static void ignore_mistake(void *arg, struct error *e)
{
	(void)arg;
	(void)e;
}

/* What the scripts of kdump leave to nsplit.conf if that sets it, and the number of threads without a limit. */
static void add_configured(struct words *words, const struct nsplit_options *given)
{
	static const struct mistake_reporter nobody = { .report = ignore_mistake };
	char name[] = "nsplit", *argv[] = { name, NULL }, threads[16];
	struct nsplit_options configured = { 0 };
	struct error ignored;

	if (!nsplit_options_try(&configured, 1, argv, given->config_choice, &nobody, &ignored)) {
		if (strcmp(configured.codec_text, "raw") != 0)
			put_word(words, "--codec-set");
		if (configured.left_out.given || configured.capture.stripe)
			put_word(words, "--level-set");
		if (!configured.threads_given) {
			snprintf(threads, sizeof(threads), "%u", threads_default());
			put_word(words, "--threads");
			put_word(words, threads);
		}
	}
	nsplit_options_free(&configured);
}

/* --- the call of kdump --------------------------------------------------------------------------- */

/* In the capture kernel, such a mistake costs no dump. */
static void note_mistake(void *arg, struct error *e)
{
	struct crash_machine *m = arg;

	found_add(&m->found, FOUND_WARNING, "collector-options", "%s: %s", crash_machine_setting(m, "where"), e->text);
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

/* The options become those with which kdump calls nsplit, and those of the command line override them. */
static enum status take_call(struct crash_machine *m, struct nsplit_options *o, int argc, char **argv, struct error *e)
{
	const struct mistake_reporter reporter = { .report = note_mistake, .arg = m };
	struct nsplit_options called = { 0 };
	enum status status = nsplit_options_try(&called, m->argc, m->argv, o->config_choice, &reporter, e);

	if (!status)
		status = refuse_operands(&called, e);
	if (!status) {
		keep_mode(&called, o);
		status = nsplit_options_add(&called, argc, argv, e);
		m->called = !status;
		if (m->called)
			nsplit_options_move(o, &called);
		else
			error_prefix(e, "with the options of %s: ", crash_machine_setting(m, "system"));
	} else if (status == STATUS_END) {
		found_add(&m->found, FOUND_ERROR, "collector-saves-nothing", "%s: %s", crash_machine_setting(m, "where"),
			  e->text);
		status = STATUS_OK;
	} else {
		note_mistake(m, e);
		status = STATUS_OK;
	}
	nsplit_options_free(&called);
	return status;
}

enum status crash_machine_begin(struct crash_machine *m, struct nsplit_options *o, int argc, char **argv, struct error *e)
{
	struct words words;

	*m = (struct crash_machine){ .root = crash_machine_root() };
	/* Such a check is about the capture only. */
	if (o->check_params && (!vmcore_absent(o->source) || o->capture_only))
		return STATUS_OK;
	begin(&words, "settings");
	add_configured(&words, o);
	if (ask(&words, &m->settings, e)) {
		m->unknown = true;
		report_unknown(&m->found, e);
		return STATUS_OK;
	}
	m->asked = !o->has_operands && strcmp(crash_machine_setting(m, "kind"), "none") != 0;
	m->argv = calloc(m->settings.count + 1, sizeof(*m->argv));
	if (!m->argv)
		return error_system(e, ENOMEM, "%s", name_of_script);
	for (size_t i = 0; i < m->settings.count; i++)
		if (strcmp(m->settings.lines[i].word, "word") == 0)
			m->argv[m->argc++] = m->settings.lines[i].text;
	return m->asked && m->argc ? take_call(m, o, argc, argv, e) : STATUS_OK;
}

void crash_machine_end(struct crash_machine *m)
{
	findings_free(&m->found);
	free(m->argv);
	free_answer(&m->settings);
}

/* --- findings ----------------------------------------------------------------------------------- */

/* The program itself has no name, and the kernel's own library no directory. */
static int add_library(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

	(void)size;
	if (slash) {
		put_word(arg, "--library");
		put_word(arg, slash + 1);
	}
	return 0;
}

struct crash_kernel crash_machine_check(const struct crash_machine *m, const char *request, const struct names *outputs,
					struct findings *found)
{
	struct crash_kernel kernel = { .reserved_known = false };
	struct script_answer answer;
	struct words words;
	struct error e;

	if (m->unknown)
		return kernel;
	begin(&words, request);
	dl_iterate_phdr(add_library, &words);
	for (size_t i = 0; outputs && i < outputs->count; i++) {
		put_word(&words, "--output");
		put_word(&words, outputs->names[i]);
	}
	if (ask(&words, &answer, &e))
		report_unknown(found, &e);
	for (size_t i = 0; i < answer.count; i++) {
		const struct script_line *line = &answer.lines[i];
		uint64_t number = strtoull(line->text, NULL, 10);

		take_finding(found, line);
		if (strcmp(line->word, "initramfs-bytes") == 0)
			kernel.initramfs = number;
		if (strcmp(line->word, "reserved-bytes") == 0) {
			kernel.reserved_known = true;
			kernel.reserved = number;
		}
		if (strcmp(line->word, "loaded") == 0) {
			kernel.loaded_known = true;
			kernel.loaded = number;
		}
	}
	free_answer(&answer);
	return kernel;
}

/* Prints the findings.  *why: the first error, if this returns false. */
static bool no_error(const struct findings *found, struct error *why)
{
	size_t i = 0;

	findings_print(found, false);
	while (i < found->count && found->list[i].severity != FOUND_ERROR)
		i++;
	if (i == found->count && !found->incomplete)
		return true;
	error_set(why, STATUS_SYSTEM, "%s", i < found->count ? found->list[i].text : "there was not enough memory for the check");
	return false;
}

bool crash_machine_report_call(struct crash_machine *m, const struct nsplit_options *o, const char *who,
			       struct error *why)
{
	bool saves;

	if (m->asked)
		crash_machine_check(m, "caller", NULL, &m->found);
	saves = no_error(&m->found, why);
	if (m->called && !o->quiet)
		message("%s: the command line of %s", who, crash_machine_setting(m, "call"));
	if (m->called && *crash_machine_setting(m, "more-disks") && !o->quiet)
		message("%s: further disks of the system's kdump are not in it; name all outputs to include them", who);
	return saves;
}

bool nsplit_check_command(struct findings *found, const char *name, const char *command)
{
	struct script_answer answer;
	struct words words;
	struct error e;
	bool good = true;

	begin(&words, "command");
	put_word(&words, name);
	put_word(&words, command);
	if (ask(&words, &answer, &e))
		found_add(found, FOUND_WARNING, "system-unknown", "%s, so %s is not checked", e.text, name);
	for (size_t i = 0; i < answer.count; i++) {
		good = good && strcmp(answer.lines[i].word, "ok") == 0;
		take_finding(found, &answer.lines[i]);
	}
	free_answer(&answer);
	return good;
}

bool nsplit_command_prints(const char *command)
{
	struct script_answer answer;
	struct words words;
	struct error ignored;
	bool prints;

	begin(&words, "prints");
	put_word(&words, command);
	ask(&words, &answer, &ignored);
	prints = answer.count;
	free_answer(&answer);
	return prints;
}

/* --- the capture kernel ------------------------------------------------------------------------------ */

struct crash_kernel crash_machine_kernel(const struct crash_machine *m, const struct names *outputs, struct error *why)
{
	struct findings found = { 0 };
	struct crash_kernel kernel = crash_machine_check(m, "ready", outputs, &found);

	if (why && no_error(&found, why))
		why->status = STATUS_OK;
	findings_free(&found);
	return kernel;
}

struct limit crash_machine_limit(const struct crash_kernel *kernel)
{
	struct limit limit = { UINT64_MAX, "" };

	if (kernel->reserved_known)
		limit = (struct limit){
			crash_kernel_leaves(kernel->reserved, kernel->initramfs),
			kernel->initramfs ? "what a capture kernel with this initramfs leaves free of crashkernel=" :
					    "what a capture kernel leaves free of crashkernel="
		};
	return limit;
}

unsigned crash_machine_cpus(const struct crash_machine *m)
{
	const char *text = crash_machine_setting(m, "cpus");
	/* 0: all; and without the setting, as few as there may be. */
	unsigned all = cpus_allowed(), cpus = *text ? (unsigned)strtoul(text, NULL, 10) : 1;

	return cpus && cpus < all ? cpus : all;
}
