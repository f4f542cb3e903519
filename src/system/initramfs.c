// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "system/initramfs.h"

/* Runs programs of the system for what they print. */

static int set_files(posix_spawn_file_actions_t *files, int out)
{
	int failed = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

	if (!failed)
		failed = posix_spawn_file_actions_adddup2(files, out, STDOUT_FILENO);
	if (!failed)
		failed = posix_spawn_file_actions_addopen(files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	return failed;
}

static enum status run(const char *const *argv, int out, bool *good, struct error *e)
{
	posix_spawn_file_actions_t files;
	int ended = 0, failed = posix_spawn_file_actions_init(&files);
	pid_t pid;

	if (failed)
		return error_system(e, failed, "%s", argv[0]);
	failed = set_files(&files, out);
	if (!failed)
		failed = posix_spawnp(&pid, argv[0], &files, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&files);
	/* EACCES: it is in no directory of PATH that can be searched. */
	if (failed == ENOENT || failed == EACCES)
		return error_set(e, STATUS_MISSING, "%s is not installed", argv[0]);
	if (failed)
		return error_system(e, failed, "%s", argv[0]);
	while (waitpid(pid, &ended, 0) < 0 && errno == EINTR)
		continue;
	*good = !ended;
	return STATUS_OK;
}

/*
 * Runs the program, which is looked for in PATH, and waits for it.  *output is a temporary file at its
 * beginning, which the caller closes; its messages are dropped.  Sets *good if its exit status is 0.
 * STATUS_MISSING: there is no such program.  STATUS_SYSTEM: it cannot be run.
 */
static enum status program_output(const char *const *argv, FILE **output, bool *good, struct error *e)
{
	FILE *file = tmpfile();
	enum status status;

	*output = NULL;
	if (!file)
		return error_system(e, errno, "temporary file");
	status = run(argv, fileno(file), good, e);
	if (status) {
		fclose(file);
		return status;
	}
	rewind(file);
	*output = file;
	return STATUS_OK;
}

enum {
	FILES_MAX = 1 << 20,	/* more than any initramfs has */
	PAGE = 4096,		/* files in memory take whole pages */
};

/* dracut's module squash packs most files into an image, whose files the list shows below one of these. */
static const char *const images[] = { "squashfs-root/", "erofs-root/" };

static const char *without_image(const char *name)
{
	for (int i = 0; i < 2; i++)
		if (strncmp(name, images[i], strlen(images[i])) == 0)
			return name + strlen(images[i]);
	return name;
}

/* --- the list ----------------------------------------------------------------------------------- */

/* The text after a number of words, or NULL. */
static char *after_words(char *text, unsigned words)
{
	while (words--) {
		text += strcspn(text, " ");
		text += strspn(text, " ");
	}
	return *text ? text : NULL;
}

/*
 * A line as of ls -l, "-rwxr-xr-x 1 root root 14568 Nov 26 12:00 usr/bin/a", of find -ls, which has two numbers
 * before that, or of unsquashfs, "-rwxr-xr-x root/root 14568 2026-11-26 12:00 squashfs-root/usr/bin/a".  Only
 * regular files and links are of interest; the other lines begin with other letters, or are no list.
 */
static char *parse_line(char *line, uint64_t *size)
{
	char *second, *number, *name, *arrow;
	bool squashed;

	line += strspn(line, " ");
	if (isdigit((unsigned char)*line))
		line = after_words(line, 2);
	if (!line || (*line != '-' && *line != 'l') || strcspn(line, " ") < 10)
		return NULL;
	second = after_words(line, 1);
	if (!second)
		return NULL;
	squashed = memchr(second, '/', strcspn(second, " ")) != NULL;
	number = after_words(line, squashed ? 2 : 4);
	name = after_words(line, squashed ? 5 : 8);
	if (!number || !name)
		return NULL;
	arrow = strstr(name, " -> ");
	if (arrow)
		*arrow = '\0';
	*size = *line == '-' ? strtoull(number, NULL, 10) : 0;
	return name + strspn(name, "./");
}

static enum status read_list(struct initramfs *initramfs, FILE *list, struct error *e)
{
	enum status status = STATUS_OK;
	char *line = NULL, *name;
	size_t length = 0;
	uint64_t size;

	while (!status && getline(&line, &length, list) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		name = parse_line(line, &size);
		if (!name || !*name)
			continue;
		if (without_image(name) == name)
			initramfs->bytes += (size + PAGE - 1) / PAGE * PAGE;
		status = names_append(&initramfs->files, name, FILES_MAX, e);
	}
	free(line);
	if (!status && !initramfs->files.count)
		return error_set(e, STATUS_MISSING, "%s could not list its files",
				 initramfs->is_dracut ? "lsinitrd" : "lsinitramfs");
	return status;
}

/* With the program of dracut or that of initramfs-tools. */
static enum status list_files(struct initramfs *initramfs, bool *installed, struct error *e)
{
	const char *const dracut[] = { "lsinitrd", initramfs->image, NULL };
	const char *const debian[] = { "lsinitramfs", "-l", initramfs->image, NULL };
	enum status status;
	FILE *list;
	bool good;

	status = program_output(initramfs->is_dracut ? dracut : debian, &list, &good, e);
	*installed = status != STATUS_MISSING;
	if (status)
		return status;
	/* lsinitrd also fails if it has listed all files, but then does not find what else it shows. */
	status = read_list(initramfs, list, e);
	fclose(list);
	return status;
}

enum status initramfs_open(struct initramfs *initramfs, const char *image, struct error *e)
{
	bool debian, dracut;
	struct error first;

	*initramfs = (struct initramfs){ .image = image };
	if (!list_files(initramfs, &debian, &first))
		return STATUS_OK;
	/* An image that this program cannot read may be one of the other's. */
	initramfs->is_dracut = true;
	if (!list_files(initramfs, &dracut, e))
		return STATUS_OK;
	if (dracut)
		return e->status;
	*e = first;
	return debian ? e->status :
			error_set(e, STATUS_MISSING, "neither lsinitrd nor lsinitramfs is installed");
}

void initramfs_close(struct initramfs *initramfs)
{
	names_free(&initramfs->files);
}

/* --- files -------------------------------------------------------------------------------------- */

const char *initramfs_find(const struct initramfs *initramfs, const char *name)
{
	for (size_t i = 0; i < initramfs->files.count; i++)
		if (strcmp(without_image(initramfs->files.names[i]), name) == 0)
			return initramfs->files.names[i];
	return NULL;
}

const char *initramfs_find_base(const struct initramfs *initramfs, const char *base)
{
	for (size_t i = 0; i < initramfs->files.count; i++) {
		const char *slash = strrchr(initramfs->files.names[i], '/');

		if (strcmp(slash ? slash + 1 : initramfs->files.names[i], base) == 0)
			return initramfs->files.names[i];
	}
	return NULL;
}

/*
 * unmkinitramfs can only unpack all of it.  If the image has a part for the CPU's microcode before it, the rest
 * is below main.
 */
static const char unpack[] =
	"set -e; d=$(mktemp -d); trap 'rm -rf \"$d\"' EXIT; unmkinitramfs \"$1\" \"$d\"; "
	"[ ! -d \"$d/main\" ] || cd \"$d/main\"; [ -d \"$d/main\" ] || cd \"$d\"; cat \"$2\"";

enum status initramfs_read(const struct initramfs *initramfs, const char *file, FILE **contents,
			   struct error *e)
{
	const char *const dracut[] = { "lsinitrd", "-f", file, initramfs->image, NULL };
	const char *const debian[] = { "sh", "-c", unpack, "sh", initramfs->image, file, NULL };
	enum status status;
	bool good;

	status = program_output(initramfs->is_dracut ? dracut : debian, contents, &good, e);
	if (status || good)
		return status;
	fclose(*contents);
	*contents = NULL;
	return error_set(e, STATUS_MISSING, "%s could not unpack it",
			 initramfs->is_dracut ? "lsinitrd" : "unmkinitramfs");
}
