// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/nsplit/check/command.h"
#include "cmd/nsplit/check/system.h"

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

enum { WORDS_MAX = 10000 };

/* Words of a command line.  They are copies. */
struct words {
	struct names list;
	struct error e;
	enum status status;
};

static void add(struct words *words, const char *word)
{
	if (!words->status)
		words->status = names_append(&words->list, word, WORDS_MAX, &words->e);
}

/* The program itself has no name, and the kernel's own library no directory. */
static int add_library(struct dl_phdr_info *info, size_t size, void *arg)
{
	const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

	(void)size;
	if (slash) {
		add(arg, "--library");
		add(arg, slash + 1);
	}
	return 0;
}

static void add_output(struct words *words, const char *name)
{
	char word[COMMAND_WORD_LENGTH];

	if (*name != '|') {
		add(words, "--disk");
		add(words, name);
		return;
	}
	if (command_program(name + 1, word)) {
		add(words, "--program");
		add(words, word);
		add(words, name);
	}
	if (command_key(name + 1, word)) {
		add(words, "--file");
		add(words, word);
		add(words, name);
	}
}

static void begin(struct words *words, const char *request)
{
	const char *directory = getenv("NSPLIT_SCRIPTS");
	char script[PATH_MAX], id[BUILD_ID_LENGTH];

	*words = (struct words){ .status = STATUS_OK };
	snprintf(script, sizeof(script), "%s/%s", directory ? directory : PKGLIBEXECDIR, name_of_script);
	add(words, "sh");
	add(words, script);
	add(words, request);
	if (nsplit_build_id(id)) {
		add(words, "--build");
		add(words, id);
	}
}

/* Its standard output is a pipe; what it says of mistakes is for the user. */
static enum status spawn(char **argv, pid_t *pid, int *from, struct error *e)
{
	posix_spawn_file_actions_t files;
	int ends[2], failed = pipe2(ends, O_CLOEXEC) < 0 ? errno : posix_spawn_file_actions_init(&files);

	if (failed)
		return error_system(e, failed, "%s", argv[1]);
	failed = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!failed)
		failed = posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
	if (!failed)
		failed = posix_spawn(pid, "/bin/sh", &files, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	close(ends[1]);
	*from = ends[0];
	if (!failed)
		return STATUS_OK;
	close(ends[0]);
	return error_system(e, failed, "%s", argv[1]);
}

/* Until its end. */
static enum status read_all(int from, char **lines, struct error *e)
{
	FILE *file = fdopen(from, "r");
	size_t size = 0;
	bool failed;

	if (!file) {
		close(from);
		return error_system(e, ENOMEM, "%s", name_of_script);
	}
	failed = getdelim(lines, &size, '\0', file) < 0 && !feof(file);
	fclose(file);
	return failed ? error_system(e, errno, "%s", name_of_script) : STATUS_OK;
}

static enum status run(char **argv, char **lines, struct error *e)
{
	enum status status;
	int from = -1, ended = 0;
	pid_t pid;

	if (access(argv[1], R_OK) < 0)
		return error_system(e, errno, "%s", argv[1]);
	status = spawn(argv, &pid, &from, e);
	if (status)
		return status;
	status = read_all(from, lines, e);
	while (waitpid(pid, &ended, 0) < 0 && errno == EINTR)
		continue;
	return status || !ended ? status : error_set(e, STATUS_SYSTEM, "%s failed", argv[1]);
}

/* Frees the words.  *lines: what the script prints, allocated, or NULL if it fails. */
static enum status ask(struct words *words, char **lines, struct error *e)
{
	enum status status = words->status;
	char **argv;

	*lines = NULL;
	*e = words->e;
	argv = calloc(words->list.count + 1, sizeof(*argv));
	if (!status && !argv)
		status = error_system(e, ENOMEM, "%s", name_of_script);
	for (size_t i = 0; argv && i < words->list.count; i++)
		argv[i] = words->list.names[i];
	if (!status)
		status = run(argv, lines, e);
	if (status) {
		free(*lines);
		*lines = NULL;
	}
	free(argv);
	names_free(&words->list);
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

void kdump_system_find(struct kdump_system *kdump, struct findings *found)
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

void kdump_system_free(struct kdump_system *kdump)
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

void nsplit_check_caller(struct findings *found, const struct kdump_system *kdump)
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
		add(&words, "--not-loaded");
	dl_iterate_phdr(add_library, &words);
	for (size_t i = 0; i < outputs->count; i++)
		add_output(&words, outputs->names[i]);
	kernel->initramfs = take_findings(found, &words);
}
