// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"
#include "base/text.h"
#include "cmd/common/message.h"
#include "cmd/common/operands.h"
#include "cmd/nsplit/check/command.h"
#include "cmd/nsplit/crash_machine.h"

/* --- the kernel ---------------------------------------------------------------------------------- */

static bool check_kexec(struct findings *found, const struct crash_kernel *kernel)
{
	if (kernel->kexec_absent)
		found_kind(found, FINDING_KEXEC_MISSING, "this kernel has no kexec "
			   "(/sys/kernel/kexec_crash_loaded does not exist), so a crash makes no dump");
	return !kernel->kexec_absent;
}

static bool check_reserved(struct findings *found, const struct crash_kernel *kernel)
{
	if (!kernel->reserved_known || kernel->reserved)
		return true;
	if (kernel->requested)
		found_kind(found, FINDING_CRASHKERNEL_FAILED, "no memory is reserved for a capture "
			   "kernel, although crashkernel= is on the kernel's command line; 'dmesg' may "
			   "say why");
	else
		found_kind(found, FINDING_CRASHKERNEL_MISSING, "no memory is reserved for a capture "
			   "kernel (crashkernel=)");
	return false;
}

/* None can be loaded without reserved memory, so this is reported only if there is some. */
static bool check_loaded(struct findings *found, const struct crash_kernel *kernel)
{
	if (!kernel->loaded_known || kernel->loaded)
		return true;
	found_kind(found, FINDING_KERNEL_NOT_LOADED, "no capture kernel is loaded, so a crash makes "
		   "no dump; start the system's kdump service");
	return false;
}

/* Lockups and hung tasks have settings of their own, and are no crashes for most people. */
static void check_oops(struct findings *found, const struct crash_kernel *kernel)
{
	if (!kernel->oops_known)
		found_kind(found, FINDING_OOPS_UNKNOWN, "kernel.panic_on_oops: /proc/sys does not have it");
	else if (kernel->oops_panics)
		found_good(found, "an oops makes a dump (kernel.panic_on_oops)");
	else
		found_kind(found, FINDING_OOPS_NO_DUMP, "an oops makes no dump, only a panic does "
			   "(kernel.panic_on_oops=0)");
}

void nsplit_check_kernel(struct findings *found, const struct crash_kernel *kernel)
{
	char size[SIZE_TEXT_LENGTH];

	if (!check_kexec(found, kernel) || !check_reserved(found, kernel))
		return;
	if (kernel->reserved_known)
		found_good(found, "%s reserved for a capture kernel (crashkernel=)",
			   size_format(kernel->reserved, size));
	else
		found_kind(found, FINDING_CRASHKERNEL_UNKNOWN, "the memory that is reserved for a "
			   "capture kernel: this kernel does not report it");
	if (!check_loaded(found, kernel))
		return;
	if (kernel->fadump)
		found_good(found, "the firmware starts a capture kernel after a crash (fadump)");
	else if (kernel->loaded_known)
		found_good(found, "a capture kernel is loaded");
	else
		found_kind(found, FINDING_KERNEL_UNKNOWN, "whether a capture kernel is loaded: this "
			   "kernel does not report it");
	check_oops(found, kernel);
}

static const char name_of_script[] = "nsplit-check-system";

/* --- this program ------------------------------------------------------------------------------- */

static size_t aligned(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

/* Among the notes of one segment, each of which has the size of its name, of its contents, and its type. */
static bool find_note(const uint8_t *notes, size_t size, char id[BUILD_ID_LENGTH])
{
	ElfW(Nhdr) note;

	while (size >= sizeof(note)) {
		size_t name, all;

		memcpy(&note, notes, sizeof(note));
		name = sizeof(note) + aligned(note.n_namesz);
		all = name + aligned(note.n_descsz);
		if (all > size)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    memcmp(notes + sizeof(note), ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0 &&
		    note.n_descsz && note.n_descsz <= (BUILD_ID_LENGTH - 1) / 2) {
			hex_format(notes + name, note.n_descsz, id);
			return true;
		}
		notes += all;
		size -= all;
	}
	return false;
}

/* The first object is the program itself. */
static int read_notes(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type == PT_NOTE &&
		    find_note((const uint8_t *)(info->dlpi_addr + segment->p_vaddr), segment->p_memsz, arg))
			return 1;
	}
	return -1;
}

bool nsplit_build_id(char id[BUILD_ID_LENGTH])
{
	return dl_iterate_phdr(read_notes, id) == 1;
}

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

static void add_output(struct words *words, const char *name)
{
	char word[COMMAND_WORD_LENGTH];

	if (*name != '|') {
		put_word(words, "--disk");
		put_word(words, name);
		return;
	}
	if (command_program(name + 1, word)) {
		put_word(words, "--program");
		put_word(words, word);
		put_word(words, name);
	}
	if (command_key(name + 1, word)) {
		put_word(words, "--file");
		put_word(words, word);
		put_word(words, name);
	}
}

static void begin(struct words *words, const char *request)
{
	const char *directory = getenv("NSPLIT_SCRIPTS");
	char id[BUILD_ID_LENGTH];

	*words = (struct words){ .text = NULL };
	words->file = open_memstream(&words->text, &words->size);
	snprintf(words->script, sizeof(words->script), "%s/%s", directory ? directory : PKGLIBEXECDIR, name_of_script);
	if (words->file)
		fputs("exec < /dev/null sh", words->file);
	put_word(words, words->script);
	put_word(words, request);
	if (nsplit_build_id(id)) {
		put_word(words, "--build");
		put_word(words, id);
	}
}

/* What the script prints, allocated; what it says of mistakes is for the user. */
static enum status run(const struct words *words, char **lines, struct error *e)
{
	FILE *output;
	size_t size = 0;
	bool failed;

	if (access(words->script, R_OK) < 0)
		return error_system(e, errno, "%s", words->script);
	output = popen(words->text, "re");
	if (!output)
		return error_system(e, errno, "%s", words->script);
	failed = getdelim(lines, &size, '\0', output) < 0 && !feof(output);
	if (pclose(output) == 0 && !failed)
		return STATUS_OK;
	return error_set(e, STATUS_SYSTEM, "%s failed", words->script);
}

/* Frees the words.  *lines: what the script prints, allocated, or NULL if it fails. */
static enum status ask(struct words *words, char **lines, struct error *e)
{
	enum status status;

	*lines = NULL;
	if (!words->file || fclose(words->file) != 0)
		status = error_system(e, ENOMEM, "%s", name_of_script);
	else
		status = run(words, lines, e);
	free(words->text);
	if (status) {
		free(*lines);
		*lines = NULL;
	}
	return status;
}

/* --- what it prints ----------------------------------------------------------------------------- */

/* Takes a line "WORD\tTEXT" off the others.  False: there is none. */
static bool take_line(char **rest, char **word, char **text)
{
	char *tab;

	do {
		*word = *rest ? strsep(rest, "\n") : NULL;
		tab = *word ? strchr(*word, '\t') : NULL;
	} while (*word && !tab);
	if (!*word)
		return false;
	*tab = '\0';
	*text = tab + 1;
	return true;
}

static void take_finding(struct findings *found, const char *word, const char *text)
{
	static const char begin_of_finding[] = "finding ";
	size_t length = strlen(begin_of_finding);

	if (strcmp(word, "ok") == 0)
		found_good(found, "%s", text);
	else if (strncmp(word, begin_of_finding, length) == 0)
		found_kind(found, finding_of_name(word + length), "%s", text);
}

static void report_unknown(struct findings *found, const struct error *e)
{
	found_kind(found, FINDING_SYSTEM_UNKNOWN, "%s, so this system's kdump and its initramfs are not checked", e->text);
}

/* --- settings ----------------------------------------------------------------------------------- */

static const struct {
	const char *word;
	size_t offset;
} texts[] = {
	{ "system", offsetof(struct kdump_system, name) },
	{ "config", offsetof(struct kdump_system, config) },
	{ "disabled", offsetof(struct kdump_system, disabled) },
	{ "misuse", offsetof(struct kdump_system, misuse) },
	{ "collector", offsetof(struct kdump_system, collector) },
	{ "program", offsetof(struct kdump_system, program) },
	{ "options", offsetof(struct kdump_system, options) },
	{ "codec", offsetof(struct kdump_system, codec) },
	{ "level", offsetof(struct kdump_system, level) },
	{ "directory", offsetof(struct kdump_system, directory) },
	{ "output", offsetof(struct kdump_system, output) },
	{ "target", offsetof(struct kdump_system, target) },
	{ "initramfs", offsetof(struct kdump_system, initramfs) },
	{ "lockdown", offsetof(struct kdump_system, lockdown) },
	{ "secure-boot", offsetof(struct kdump_system, secure_boot) },
};

static const char *const kinds[] = {
	[KDUMP_NONE] = "none", [KDUMP_TOOLS] = "tools", [KDUMP_UTILS] = "utils", [KDUMP_SUSE] = "suse",
	[KDUMP_INITRAMFS] = "initramfs",
};

static const char *const callers[] = {
	[KDUMP_CALLS_NONE] = "none", [KDUMP_CALLS_NSPLIT] = "nsplit", [KDUMP_CALLS_LINK] = "link",
	[KDUMP_CALLS_OTHER] = "other", [KDUMP_CALLS_MISSING] = "missing",
};

enum { TEXTS = sizeof(texts) / sizeof(*texts), KINDS = sizeof(kinds) / sizeof(*kinds),
       CALLERS = sizeof(callers) / sizeof(*callers) };

/* 0 if it is none of the names. */
static int number_of(const char *const *names, int count, const char *name)
{
	for (int i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return 0;
}

static void set_text(struct kdump_system *kdump, size_t offset, const char *text)
{
	memcpy((char *)kdump + offset, &text, sizeof(text));
}

static void take_setting(struct kdump_system *kdump, const char *word, const char *text)
{
	for (size_t i = 0; i < TEXTS; i++)
		if (strcmp(word, texts[i].word) == 0)
			set_text(kdump, texts[i].offset, text);
	if (strcmp(word, "kind") == 0)
		kdump->kind = (enum kdump_kind)number_of(kinds, KINDS, text);
	else if (strcmp(word, "caller") == 0)
		kdump->caller = (enum kdump_caller)number_of(callers, CALLERS, text);
	else if (strcmp(word, "cpus") == 0)
		kdump->cpus = (unsigned)strtoul(text, NULL, 10);
	else if (strcmp(word, "more-disks") == 0)
		kdump->more_disks = true;
	else if (strcmp(word, "from-initramfs") == 0)
		kdump->from_initramfs = true;
}

/* Reports why nothing is known of the system, if that is so. */
static void kdump_system_find(struct kdump_system *kdump, struct findings *found)
{
	char *rest, *word, *text;
	struct words words;
	struct error e;

	*kdump = (struct kdump_system){ .kind = KDUMP_UNKNOWN, .cpus = 1 };
	for (size_t i = 0; i < TEXTS; i++)
		set_text(kdump, texts[i].offset, "");
	kdump->name = kdump->lockdown = "unknown";
	begin(&words, "settings");
	if (ask(&words, &kdump->lines, &e)) {
		report_unknown(found, &e);
		return;
	}
	rest = kdump->lines;
	while (take_line(&rest, &word, &text))
		take_setting(kdump, word, text);
}

static void kdump_system_free(struct kdump_system *kdump)
{
	free(kdump->lines);
	kdump->lines = NULL;
}

/* --- findings ----------------------------------------------------------------------------------- */

/* Returns the bytes of the files of the initramfs; 0: unknown, or it does not save the dump. */
static uint64_t take_findings(struct findings *found, struct words *words)
{
	char *lines, *rest, *word, *text;
	uint64_t bytes = 0;
	struct error e;

	if (ask(words, &lines, &e)) {
		report_unknown(found, &e);
		return 0;
	}
	rest = lines;
	while (take_line(&rest, &word, &text))
		if (strcmp(word, "initramfs-bytes") == 0)
			bytes = strtoull(text, NULL, 10);
		else
			take_finding(found, word, text);
	free(lines);
	return bytes;
}

/* Whether the kdump system calls nsplit, and this build of it. */
static void check_caller(struct findings *found, const struct kdump_system *kdump)
{
	struct words words;

	if (kdump->kind == KDUMP_UNKNOWN)
		return;
	begin(&words, "caller");
	take_findings(found, &words);
}

void nsplit_check_system(struct findings *found, const struct kdump_system *kdump, struct crash_kernel *kernel,
			 const struct names *outputs)
{
	struct words words;

	if (kdump->kind == KDUMP_UNKNOWN)
		return;
	begin(&words, "check");
	if (kernel->loaded_known && !kernel->loaded && !kernel->kexec_absent)
		put_word(&words, "--not-loaded");
	dl_iterate_phdr(add_library, &words);
	for (size_t i = 0; i < outputs->count; i++)
		add_output(&words, outputs->names[i]);
	kernel->initramfs = take_findings(found, &words);
}

/* --- the command line of nsplit there --------------------------------------------------------------- */

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
		check_caller(&m->found, &m->kdump);
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

struct limit crash_machine_limit(const struct crash_kernel *kernel)
{
	struct limit limit = { UINT64_MAX, "" };

	if (kernel->reserved_known && kernel->initramfs)
		limit = (struct limit){
			crash_kernel_leaves_beside(kernel->reserved, kernel->initramfs),
			"what a capture kernel with this initramfs leaves free of crashkernel="
		};
	else if (kernel->reserved_known)
		limit = (struct limit){
			crash_kernel_leaves(kernel->reserved),
			"what a capture kernel leaves free of crashkernel="
		};
	return limit;
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
