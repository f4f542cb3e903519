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
static enum status refuse_given(const struct njoin *njoin, const struct output_file *output,
				struct error *e)
{
	const struct names *given = &njoin->options.members;
	struct identity id;

	for (size_t i = 0; i < given->count; i++)
		if (output->identity.type && njoin_given_identity(given->names[i], &id) &&
		    identity_equal(&output->identity, &id))
			return error_set(e, STATUS_USAGE, "%s: is also given as a member; nothing was "
					 "written; choose another output", output->name);
	return STATUS_OK;
}

static enum status refuse_member(const struct njoin *njoin, const struct output_file *output,
				 struct error *e)
{
	for (unsigned i = 0; i < njoin->set.count; i++)
		if (output->identity.type &&
		    identity_equal(&output->identity, &njoin->set.members[i].identity))
			return error_set(e, STATUS_USAGE, "%s: is %s; nothing was written; choose "
					 "another output", output->name,
					 set_is_plain(&njoin->set) ? "the source"
								   : "a member of the set");
	return refuse_given(njoin, output, e);
}

/* A missing directory is reported later, when the file is created. */
static enum status refuse_repeated(const struct njoin *njoin, const struct output_file *output,
				   struct error *e)
{
	const struct output_file *before = njoin->outputs;
	struct identity id, other;

	for (; before < output; before++)
		if (njoin_output_identity(output, &id) && njoin_output_identity(before, &other) &&
		    identity_equal(&id, &other))
			return names_refuse_repeated(output->name, before->name, e);
	return STATUS_OK;
}

static enum status refuse_stream(const struct njoin *njoin, const struct output_file *output,
				 struct error *e)
{
	if (njoin->options.format == NJOIN_ELF || output_file_seekable(output))
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "%s: is a stream, but --format=kdump requires random "
			 "access; write to a file with -o", output->name);
}

enum status njoin_probe_outputs(struct njoin *njoin, struct error *e)
{
	const struct njoin_options *o = &njoin->options;
	enum status status = STATUS_OK;

	njoin->outputs = calloc(o->outputs.count + 1, sizeof(*njoin->outputs));
	if (!njoin->outputs)
		return error_system(e, ENOMEM, "%zu outputs", o->outputs.count);
	while (njoin->outputs_count < o->outputs.count && !status) {
		struct output_file *output = &njoin->outputs[njoin->outputs_count];

		status = output_file_probe(output, o->outputs.names[njoin->outputs_count++], o->force,
				      o->sparse, e);
		if (!status)
			status = refuse_stream(njoin, output, e);
		if (!status)
			status = refuse_member(njoin, output, e);
		if (!status)
			status = refuse_repeated(njoin, output, e);
	}
	return status ? status : njoin_refuse_shared(njoin, e);
}

enum status njoin_open_outputs(struct njoin *njoin, struct error *e)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < njoin->outputs_count && !status; i++)
		status = output_file_open(&njoin->outputs[i], e);
	return status;
}

bool njoin_seekable(const struct njoin *njoin)
{
	for (size_t i = 0; i < njoin->outputs_count; i++)
		if (!output_file_seekable(&njoin->outputs[i]))
			return false;
	return true;
}

void njoin_abandon_outputs(const struct njoin *njoin)
{
	for (size_t i = 0; i < njoin->outputs_count; i++)
		output_file_abandon(&njoin->outputs[i]);
}

void njoin_free_outputs(struct njoin *njoin)
{
	for (size_t i = 0; i < njoin->outputs_count; i++)
		output_file_free(&njoin->outputs[i]);
	free(njoin->outputs);
	njoin->outputs = NULL;
	njoin->outputs_count = 0;
}
