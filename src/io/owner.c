// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

#include "io/owner.h"

/*
 * "1000 (NAME)", or only the number.  Reads /etc/passwd: getpwuid() may query the network, and
 * needs shared libraries even in a static program.
 */
static void name_of(uid_t user, char *text, size_t size)
{
	FILE *file = fopen("/etc/passwd", "re");
	struct passwd buffer = { 0 }, *entry;
	char line[1024];

	snprintf(text, size, "%u", (unsigned)user);
	while (file && fgetpwent_r(file, &buffer, line, sizeof(line), &entry) == 0)
		if (entry->pw_uid == user) {
			snprintf(text, size, "%u (%s)", (unsigned)user, entry->pw_name);
			break;
		}
	if (file)
		fclose(file);
}

enum status owner_refuse(const struct stat *st, const char *name, struct error *e)
{
	const char *kind = S_ISREG(st->st_mode) ? "file" :
			   S_ISFIFO(st->st_mode) ? "named pipe" : "symbolic link";
	char user[64];

	if (st->st_uid == geteuid() || st->st_uid == 0)
		return STATUS_OK;
	if (!S_ISREG(st->st_mode) && !S_ISFIFO(st->st_mode) && !S_ISLNK(st->st_mode))
		return STATUS_OK;
	name_of(st->st_uid, user, sizeof(user));
	return error_set(e, STATUS_USAGE, "%s: is a %s owned by user %s, who could read the "
			 "dump; use --any-owner to write to it", name, kind, user);
}

enum status owner_refuse_name(const char *name, struct error *e)
{
	enum status status = STATUS_OK;
	struct stat st;

	if (lstat(name, &st) == 0)
		status = owner_refuse(&st, name, e);
	if (!status && stat(name, &st) == 0)
		status = owner_refuse(&st, name, e);
	return status;
}
