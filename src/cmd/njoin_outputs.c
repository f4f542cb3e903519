// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/njoin_outputs.h"
#include "cmd/njoin_storage.h"

bool njoin_given_identity(const char *name, struct identity *id)
{
	bool standard = strcmp(name, "-") == 0;
	struct stat st;

	if ((standard ? fstat(STDIN_FILENO, &st) : stat(name, &st)) < 0)
		return false;
	*id = identity_of(&st);
	return true;
}

/* What --salvage could not use is not written over either: it may be all that is left of a member. */
static enum status refuse_given(const struct run *run, const struct output *output, struct error *e)
{
	const struct names *given = &run->options.members;
	struct identity id;

	for (size_t i = 0; i < given->count; i++)
		if (output->identity.type && njoin_given_identity(given->names[i], &id) &&
		    identity_equal(&output->identity, &id))
			return error_set(e, STATUS_USAGE, "%s: was given as a member, too; nothing was "
					 "written; choose another output", output->name);
	return STATUS_OK;
}

static enum status refuse_member(const struct run *run, const struct output *output,
				 struct error *e)
{
	for (unsigned i = 0; i < run->set.count; i++)
		if (output->identity.type &&
		    identity_equal(&output->identity, &run->set.members[i].identity))
			return error_set(e, STATUS_USAGE, "%s: is a member of the set",
					 output->name);
	return refuse_given(run, output, e);
}

bool njoin_output_identity(const struct output *output, struct identity *id)
{
	*id = output->identity;
	return id->type || identity_of_new(id, output->name);
}

/* A directory that is not there is told when a file is to be made in it. */
static enum status refuse_repeated(const struct run *run, const struct output *output,
				   struct error *e)
{
	const struct output *before = run->outputs;
	struct identity id, other;

	for (; before < output; before++)
		if (njoin_output_identity(output, &id) && njoin_output_identity(before, &other) &&
		    identity_equal(&id, &other))
			return error_set(e, STATUS_USAGE, "%s: is the same output as %s",
					 output->name, before->name);
	return STATUS_OK;
}

static enum status refuse_stream(const struct run *run, const struct output *output,
				 struct error *e)
{
	if (run->options.format == NJOIN_ELF || output->seekable)
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "%s: is a stream, and a kdump-compressed file begins "
			 "with what is known at the end; give a file with -o", output->name);
}

enum status njoin_probe_outputs(struct run *run, struct error *e)
{
	const struct njoin_options *o = &run->options;
	enum status status = STATUS_OK;

	run->outputs = calloc(o->outputs.count + 1, sizeof(*run->outputs));
	if (!run->outputs)
		return error_system(e, ENOMEM, "%zu outputs", o->outputs.count);
	while (run->outputs_count < o->outputs.count && !status) {
		struct output *output = &run->outputs[run->outputs_count];

		status = output_probe(output, o->outputs.names[run->outputs_count++], o->force,
				      o->sparse, e);
		if (!status)
			status = refuse_stream(run, output, e);
		if (!status)
			status = refuse_member(run, output, e);
		if (!status)
			status = refuse_repeated(run, output, e);
	}
	return status ? status : njoin_refuse_shared(run, e);
}

enum status njoin_open_outputs(struct run *run, struct error *e)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < run->outputs_count && !status; i++)
		status = output_open(&run->outputs[i], e);
	return status;
}

bool njoin_seekable(const struct run *run)
{
	for (size_t i = 0; i < run->outputs_count; i++)
		if (!run->outputs[i].seekable)
			return false;
	return true;
}

void njoin_abandon_outputs(const struct run *run)
{
	for (size_t i = 0; i < run->outputs_count; i++)
		output_abandon(&run->outputs[i]);
}

void njoin_free_outputs(struct run *run)
{
	for (size_t i = 0; i < run->outputs_count; i++)
		output_free(&run->outputs[i]);
	free(run->outputs);
	run->outputs = NULL;
	run->outputs_count = 0;
}
