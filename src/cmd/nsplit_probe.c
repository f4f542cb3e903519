// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "cmd/message.h"
#include "cmd/nsplit_probe.h"
#include "cmd/outputs.h"

enum status nsplit_probe_output(const struct nsplit_options *o, const struct source *source,
				struct sink *sinks, unsigned i, struct error *e)
{
	enum status status;

	status = sink_probe(&sinks[i], o->outputs.names[i], o->force, o->direct, e);
	return status ? status : outputs_refuse_repeated(sinks, i, source, e);
}

enum status nsplit_probe_together(const struct nsplit_options *o, const struct source *source,
				  const struct sink *sinks, struct error *e)
{
	enum status status = outputs_refuse_holes(sinks, o->outputs.count, e);

	/* The figures must not go where the dump comes from or goes to. */
	if (status || !o->stats_file)
		return status;
	return outputs_refuse_file("--stats", o->stats_file, source, sinks, o->outputs.count, e);
}

enum status nsplit_probe(const struct nsplit_options *o, const struct source *source,
			 struct sink *sinks, unsigned *lost, struct error *e)
{
	enum status status;

	for (unsigned i = 0; i < o->outputs.count; i++) {
		status = nsplit_probe_output(o, source, sinks, i, e);
		if (status == STATUS_SYSTEM) {
			++*lost;
			if (o->dry_run)
				message("%s; would be given up", e->text);
		} else if (status) {
			return status;
		}
	}
	return nsplit_probe_together(o, source, sinks, e);
}
