// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/message.h"
#include "cmd/njoin_storage.h"
#include "io/storage.h"

bool njoin_given_identity(const char *name, struct identity *id)
{
	bool standard = strcmp(name, "-") == 0;
	struct stat st;

	if ((standard ? fstat(STDIN_FILENO, &st) : stat(name, &st)) < 0)
		return false;
	*id = identity_of(&st);
	return true;
}

bool njoin_output_identity(const struct output_file *output, struct identity *id)
{
	*id = output->identity;
	return id->type || identity_of_new(id, output->name);
}

/* A member, an operand that may be unusable as one, or an output. */
struct user {
	const char *name;
	enum { MEMBER, SOURCE, GIVEN, OUTPUT } kind;
	struct storage storage;
};

static enum status find_member(struct user *u, const struct member *m, struct error *e)
{
	*u = (struct user){ .name = m->name, .kind = m->plain ? SOURCE : MEMBER };
	return storage_find(&u->storage, &m->identity, STORAGE_SYSFS, e);
}

static enum status find_given(struct user *u, const char *name, struct error *e)
{
	struct identity id;

	*u = (struct user){ .name = name, .kind = GIVEN };
	return njoin_given_identity(name, &id) ? storage_find(&u->storage, &id, STORAGE_SYSFS, e)
					       : STATUS_OK;
}

/* A new file is stored where its directory is.  Without the directory, opening will fail later. */
static enum status find_output(struct user *u, const struct output_file *o, struct error *e)
{
	struct identity id;

	*u = (struct user){ .name = o->name, .kind = OUTPUT };
	return njoin_output_identity(o, &id) ? storage_find(&u->storage, &id, STORAGE_SYSFS, e)
					     : STATUS_OK;
}

static enum status refuse(const struct user *u, const struct user *other, struct error *e)
{

	if (other->kind == GIVEN)
		return error_set(e, STATUS_USAGE, "%s: shares storage with %s, which is given as a "
				 "member; nothing was written; choose another output", u->name,
				 other->name);
	if (other->kind == SOURCE)
		return error_set(e, STATUS_USAGE, "%s: shares storage with %s, the source; nothing "
				 "was written; choose another output", u->name, other->name);
	return error_set(e, STATUS_USAGE, "%s: shares storage with %s, %s; nothing was written; "
			 "choose another output", u->name, other->name,
			 other->kind == MEMBER ? "a member of the set" : "another output");
}

static enum status refuse_or_warn(const struct output_file *o, const struct user *users,
				  const struct user *u, struct error *e)
{
	bool unknown = u->storage.unknown;

	for (const struct user *other = users; other < u; other++) {
		if (storage_shared(&u->storage, &other->storage))
			return refuse(u, other, e);
		unknown |= other->storage.unknown;
	}
	if (unknown && S_ISBLK(o->identity.type))
		message("%s: may share storage with a member: /sys/dev/block does not list all "
			"devices; writing to it anyway", o->name);
	return STATUS_OK;
}

static enum status compare_all(const struct njoin_outputs *outputs, const struct names *given,
			       const struct set *set, struct user *users, struct error *e)
{
	struct user *u = users;
	enum status status = STATUS_OK;

	for (unsigned i = 0; i < set->count && !status; i++)
		status = find_member(u++, &set->members[i], e);
	for (size_t i = 0; i < given->count && !status; i++)
		status = find_given(u++, given->names[i], e);
	for (size_t i = 0; i < outputs->count && !status; i++) {
		status = find_output(u, &outputs->files[i], e);
		if (!status)
			status = refuse_or_warn(&outputs->files[i], users, u, e);
		u++;
	}
	return status;
}

enum status njoin_refuse_shared(const struct njoin_outputs *outputs, const struct names *given,
				const struct set *set, struct error *e)
{
	size_t count = set->count + given->count + outputs->count;
	struct user *users = calloc(count, sizeof(*users));
	enum status status;

	if (!users)
		return error_system(e, ENOMEM, "%zu outputs", outputs->count);
	status = compare_all(outputs, given, set, users, e);
	for (size_t i = 0; i < count; i++)
		storage_free(&users[i].storage);
	free(users);
	return status;
}
