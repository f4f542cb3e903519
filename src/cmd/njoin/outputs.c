// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/names.h"
#include "cmd/common/message.h"
#include "cmd/njoin/outputs.h"
#include "io/existing.h"
#include "io/storage.h"

/* Identifies an operand ("-": standard input), usable as a member or not; false if unknown. */
static bool given_identity(const char *name, struct identity *id)
{
	bool standard = strcmp(name, "-") == 0;
	struct stat st;

	if ((standard ? fstat(STDIN_FILENO, &st) : stat(name, &st)) < 0)
		return false;
	*id = identity_of(&st);
	return true;
}

/* Identifies an output.  A new file is identified by its directory and its name in it. */
static bool output_identity(const struct output_file *output, struct identity *id)
{
	*id = output->identity;
	return id->type || identity_of_new(id, output->name);
}

/*
 * Operands that --salvage could not use are refused, too: they may be all that is left of a member.
 */
static enum status refuse_given(const struct names *given, const struct output_file *output,
				struct error *e)
{
	struct identity id;

	for (size_t i = 0; i < given->count; i++)
		if (output->identity.type && given_identity(given->names[i], &id) &&
		    identity_equal(&output->identity, &id))
			return error_set(e, STATUS_USAGE, "%s: is also given as a member; nothing was "
					 "written; choose another output", output->name);
	return STATUS_OK;
}

static enum status refuse_member(const struct set *set, const struct output_file *output,
				 struct error *e)
{
	for (unsigned i = 0; i < set->count; i++)
		if (output->identity.type &&
		    identity_equal(&output->identity, &set->members[i].identity))
			return error_set(e, STATUS_USAGE, "%s: is %s; nothing was written; choose "
					 "another output", output->name,
					 set_is_made(set) ? "the source" : "a member of the set");
	return STATUS_OK;
}

/* A missing directory is reported later, when the file is created. */
static enum status refuse_repeated(const struct output_file *first, const struct output_file *output,
				   struct error *e)
{
	const struct output_file *before = first;
	struct identity id, other;

	for (; before < output; before++)
		if (output_identity(output, &id) && output_identity(before, &other) &&
		    identity_equal(&id, &other))
			return names_refuse_repeated(output->name, before->name, e);
	return STATUS_OK;
}

static enum status refuse_stream(enum njoin_format format, const struct output_file *output,
				 struct error *e)
{
	if (format == NJOIN_ELF || output_file_seekable(output))
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "%s: is a stream, but --format=kdump requires random "
			 "access; write to a file with -o", output->name);
}

/* --- storage --------------------------------------------------------------------------- */

/* A member, an operand that may be unusable as one, or an output. */
struct user {
	const char *name;
	enum { MEMBER, SOURCE, GIVEN, OUTPUT } kind;
	struct storage storage;
};

static enum status find_member(struct user *u, const struct member *m, struct error *e)
{
	*u = (struct user){ .name = m->name, .kind = m->plain || m->dump ? SOURCE : MEMBER };
	return storage_find(&u->storage, &m->identity, STORAGE_SYSFS, e);
}

static enum status find_given(struct user *u, const char *name, struct error *e)
{
	struct identity id;

	*u = (struct user){ .name = name, .kind = GIVEN };
	return given_identity(name, &id) ? storage_find(&u->storage, &id, STORAGE_SYSFS, e)
					       : STATUS_OK;
}

/* A new file is stored where its directory is.  Without the directory, opening will fail later. */
static enum status find_output(struct user *u, const struct output_file *o, struct error *e)
{
	struct identity id;

	*u = (struct user){ .name = o->name, .kind = OUTPUT };
	return output_identity(o, &id) ? storage_find(&u->storage, &id, STORAGE_SYSFS, e)
					     : STATUS_OK;
}

static enum status refuse_user(const struct user *u, const struct user *other, struct error *e)
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
			return refuse_user(u, other, e);
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

/*
 * Writing to an output would change a member or another output.  A device for which this is not known is
 * reported.
 */
static enum status refuse_shared(const struct njoin_outputs *outputs, const struct names *given,
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

/* ----------------------------------------------------------------------------------------- */

static unsigned permits(const struct njoin_options *o)
{
	return (o->force || o->overwrite_dumps ? PERMIT_OVERWRITE : 0) | (o->overwrite_dumps ? PERMIT_DUMPS : 0) |
	       (o->any_owner ? PERMIT_ANY_OWNER : 0);
}

enum status njoin_probe_outputs(struct njoin_outputs *outputs, const struct njoin_options *o,
				const struct set *set, struct error *e)
{
	enum status status = STATUS_OK;

	outputs->files = calloc(o->outputs.count + 1, sizeof(*outputs->files));
	if (!outputs->files)
		return error_system(e, ENOMEM, "%zu outputs", o->outputs.count);
	while (outputs->count < o->outputs.count && !status) {
		struct output_file *output = &outputs->files[outputs->count];

		status = output_file_probe(output, o->outputs.names[outputs->count++], permits(o), o->sparse, e);
		/* No option allows that. */
		if (refuse_member(set, output, e) || refuse_given(&o->members, output, e))
			status = e->status;
		if (!status)
			status = refuse_stream(o->format, output, e);
		if (!status)
			status = refuse_repeated(outputs->files, output, e);
	}
	return status ? status : refuse_shared(outputs, &o->members, set, e);
}

enum status njoin_open_outputs(const struct njoin_outputs *outputs, struct error *e)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < outputs->count && !status; i++)
		status = output_file_open(&outputs->files[i], e);
	return status;
}

bool njoin_seekable(const struct njoin_outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++)
		if (!output_file_seekable(&outputs->files[i]))
			return false;
	return true;
}

void njoin_abandon_outputs(const struct njoin_outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++)
		output_file_abandon(&outputs->files[i]);
}

void njoin_free_outputs(struct njoin_outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++)
		output_file_free(&outputs->files[i]);
	free(outputs->files);
	*outputs = (struct njoin_outputs){ 0 };
}
