// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/nsplit-bench/check.h"
#include "cmd/nsplit-bench/draw.h"
#include "cmd/common/message.h"
#include "cmd/common/shell.h"

enum { OPTIONS = 3, OPTION_LENGTH = PATH_MAX + 16 };

/* The options of draw.py, which are those of nsplit-bench. */
struct drawing {
	char options[OPTIONS][OPTION_LENGTH];
	size_t count;
	const char *file;		/* that the first one names; NULL: standard output */
};

static void add(struct drawing *d, const char *option, const char *file)
{
	if (!file)
		return;
	snprintf(d->options[d->count++], OPTION_LENGTH, "--%s%s%s", option, *file ? "=" : "", file);
	if (!d->file && *file)
		d->file = file;
}

static struct drawing drawing_of(const struct bench_options *o)
{
	struct drawing d = { 0 };

	add(&d, "csv", o->csv);
	add(&d, "html", o->html);
	add(&d, "plot", o->plot);
	return d;
}

/* In the tree in which this program was built, or where it is installed. */
static bool find_program(char program[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", program, PATH_MAX - sizeof("bench/draw.py"));
	char *name;

	program[length > 0 ? length : 0] = '\0';
	name = strrchr(program, '/');
	if (name) {
		strcpy(name + 1, "bench/draw.py");
		if (access(program, R_OK) == 0)
			return true;
	}
	strcpy(program, PKGDATADIR "/draw.py");
	return access(program, R_OK) == 0;
}

static bool is_installed(const char *name)
{
	struct error e;
	bool found;

	return !shell_finds(name, name, &found, &e) && found;
}

enum status draw_check(const struct bench_options *o, struct error *e)
{
	bool needs = o->plot && strcmp(o->plot + strlen(o->plot) - strlen(".gp"), ".gp") != 0;
	char program[PATH_MAX];

	if (!o->csv && !o->html && !o->plot)
		return STATUS_OK;
	if (!is_installed("python3"))
		message("python3 is not installed, so the results will be kept as JSON, to be drawn later");
	else if (!find_program(program))
		message("%s does not exist, so the results will be kept as JSON, to be drawn later", program);
	else if (needs && !is_installed("gnuplot"))
		return error_set(e, STATUS_UNSUPPORTED, "--plot=%s: gnuplot is not installed", o->plot);
	else if (o->html && !is_installed("gnuplot"))
		message("gnuplot is not installed, so the page has tables, but no charts");
	return STATUS_OK;
}

/* The program says itself what failed. */
static bool run(const char *program, struct drawing *d, int json)
{
	const char *argv[3 + OPTIONS + 1] = { "python3", "-I", program };
	posix_spawn_file_actions_t files;
	int failed, ended;
	pid_t python;

	for (size_t i = 0; i < d->count; i++)
		argv[3 + i] = d->options[i];
	failed = posix_spawn_file_actions_init(&files);
	if (!failed) {
		failed = posix_spawn_file_actions_adddup2(&files, json, STDIN_FILENO);
		if (!failed)
			failed = posix_spawnp(&python, argv[0], &files, NULL, (char *const *)argv, environ);
		posix_spawn_file_actions_destroy(&files);
	}
	if (failed) {
		message("python3: %s", strerror(failed));
		return false;
	}
	while (waitpid(python, &ended, 0) < 0 && errno == EINTR)
		continue;
	return !ended;
}

static bool draw(const struct bench_report *r, const char *program, struct drawing *d)
{
	int fd = memfd_create("json", MFD_CLOEXEC);
	FILE *json = fd < 0 ? NULL : fdopen(fd, "w");
	bool good = false;

	if (!json) {
		message("results: %s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	bench_json(r, json);
	if (fflush(json) != 0 || ferror(json) || lseek(fd, 0, SEEK_SET) < 0)
		message("results: %s", strerror(errno));
	else
		/* What stdio holds comes first. */
		good = message_flush_output() && run(program, d, fd);
	fclose(json);
	return good;
}

/*
 * Beside the file that is missing, unless --json has written them; never over another file.  Otherwise on standard
 * output: a benchmark may have taken hours.
 */
static void keep(const struct bench_report *r, const char *program, const struct drawing *d)
{
	char name[PATH_MAX] = "", command[PATH_MAX + OPTIONS * OPTION_LENGTH];
	FILE *file = NULL;
	bool failed;
	int fd;

	snprintf(command, sizeof(command), "python3 %s", program);
	for (size_t i = 0; i < d->count; i++)
		text_append(command, sizeof(command), " %s", d->options[i]);
	if (r->options->json) {
		snprintf(name, sizeof(name), "%s", r->options->json);
	} else {
		if (d->file && snprintf(name, sizeof(name), "%s.json", d->file) < (int)sizeof(name))
			fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		else
			fd = -1;
		if (fd >= 0)
			file = fdopen(fd, "w");
		if (file) {
			bench_json(r, file);
			failed = ferror(file);
			if (fclose(file) != 0 || failed)
				file = NULL;
		}
		if (!file) {
			*name = '\0';
			bench_json(r, stdout);
			message_flush_output();
		}
	}
	if (*name)
		message("the results are in %s; draw them later with '%s < %s'", name, command, name);
	else
		message("the results were printed as JSON; draw them later with '%s < JSON'", command);
}

/* They may have been replaced since the beginning. */
static bool may_be_written(const struct bench_options *o)
{
	const struct {
		const char *called, *name;
	} files[] = { { "--csv", o->csv }, { "--html", o->html }, { "--plot", o->plot } };
	struct error e;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (files[i].name && *files[i].name && bench_refuse_report(files[i].called, files[i].name, &e)) {
			message("%s", e.text);
			return false;
		}
	return true;
}

bool draw_all(const struct bench_report *r)
{
	struct drawing d = drawing_of(r->options);
	char program[PATH_MAX];
	bool found = find_program(program);

	if (!d.count || (found && may_be_written(r->options) && is_installed("python3") && draw(r, program, &d)))
		return true;
	keep(r, program, &d);
	return false;
}
