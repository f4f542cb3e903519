// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/names.h"
#include "cmd/njoin_outputs.h"
#include "cmd/njoin_storage.h"

/*
 * Operands that --salvage could not use are refused, too: they may be all that is left of a member.
 */
static enum status refuse_given(const struct names *given, const struct output_file *output,
				struct error *e)
{
	struct identity id;

	for (size_t i = 0; i < given->count; i++)
		if (output->identity.type && njoin_given_identity(given->names[i], &id) &&
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
					 set_is_plain(set) ? "the source"
								   : "a member of the set");
	return STATUS_OK;
}

/* A missing directory is reported later, when the file is created. */
static enum status refuse_repeated(const struct output_file *first, const struct output_file *output,
				   struct error *e)
{
	const struct output_file *before = first;
	struct identity id, other;

	for (; before < output; before++)
		if (njoin_output_identity(output, &id) && njoin_output_identity(before, &other) &&
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

enum status njoin_probe_outputs(struct njoin_outputs *outputs, const struct njoin_options *o,
				const struct set *set, struct error *e)
{
	enum status status = STATUS_OK;

	outputs->files = calloc(o->outputs.count + 1, sizeof(*outputs->files));
	if (!outputs->files)
		return error_system(e, ENOMEM, "%zu outputs", o->outputs.count);
	while (outputs->count < o->outputs.count && !status) {
		struct output_file *output = &outputs->files[outputs->count];

		status = output_file_probe(output, o->outputs.names[outputs->count++], o->force, o->sparse, e);
		if (!status)
			status = refuse_stream(o->format, output, e);
		if (!status)
			status = refuse_member(set, output, e);
		if (!status)
			status = refuse_given(&o->members, output, e);
		if (!status)
			status = refuse_repeated(outputs->files, output, e);
	}
	return status ? status : njoin_refuse_shared(outputs, &o->members, set, e);
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
