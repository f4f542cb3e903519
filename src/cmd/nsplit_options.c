// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cmd/message.h"
#include "cmd/nsplit_config.h"
#include "cmd/nsplit_options.h"
#include "cmd/nsplit_settings.h"
#include "cmd/vmcore.h"

static enum status check_together(const struct nsplit_options *o, struct error *e)
{
	const struct capture_settings *c = &o->capture;

	if (c->stripe && c->presets.count > 1)
		return error_set(e, STATUS_USAGE, "--stripe cannot be combined with --compress=auto");
	if (c->stripe && o->layers)
		return error_set(e, STATUS_USAGE, "--stripe cannot be combined with --dump-level or "
				 "--exclude");
	if (!chunk_size_valid(c->chunk_size, c->block_size))
		return error_set(e, STATUS_USAGE, "--chunksize=%" PRIu32 " is not a multiple of "
				 "the block size, %" PRIu32, c->chunk_size, c->block_size);
	return STATUS_OK;
}

/* Outputs of the configuration file are used if the command line has none. */
static enum status gather_outputs(struct nsplit_options *o, int argc, char **argv,
				  struct error *e)
{
	const struct names *more[] = {
		optind == argc ? &o->configured : NULL, &o->also, &o->fallbacks,
	};
	enum status status = STATUS_OK;

	for (; !status && optind < argc; optind++)
		status = stamp_expand(&o->outputs, argv[optind], o->now, MEMBERS_MAX, e);
	for (int i = 0; i < 3; i++) {
		for (size_t n = 0; more[i] && !status && n < more[i]->count; n++)
			status = names_append(&o->outputs, more[i]->names[n], MEMBERS_MAX, e);
		if (i == 0)
			o->required = o->outputs.count;
	}
	o->capture.fallbacks = (unsigned)o->fallbacks.count;
	return status ? error_prefix(e, "outputs: ") : STATUS_OK;
}

static enum status read_operands(struct nsplit_options *o, int argc, char **argv,
				 struct error *e)
{
	bool any = optind < argc;
	enum status status;

	/* Much can be checked without operands. */
	if (!any && !o->check_params)
		return error_set(e, STATUS_USAGE, "no SOURCE given");
	o->source = any ? argv[optind++] : vmcore_name;
	if (!*o->source)
		return error_set(e, STATUS_USAGE, "the name of the SOURCE is empty");
	if (any && optind == argc && !o->configured.count)
		return error_set(e, STATUS_USAGE, "no OUTPUT given");
	status = gather_outputs(o, argc, argv, e);
	return status ? status : check_together(o, e);
}

/* The options that take effect before the configuration file is read, such as --config and --help. */
static enum status set_early(void *arg, const struct option_call *call, struct error *e)
{
	return call->entry->early ? option_set(arg, call, e) : STATUS_OK;
}

struct late_pass {
	struct nsplit_options *options;
	bool given[OPTIONS_MAX];	/* by the number of the entry */
};

/* All others: they override the configuration file, and their lists replace those of the file. */
static enum status set_late(void *arg, const struct option_call *call, struct error *e)
{
	struct late_pass *pass = arg;
	bool *given = &pass->given[option_table_number(call->table, call->entry)];

	if (call->entry->early)
		return STATUS_OK;
	if (!*given && setting_is_list(call->entry))
		setting_clear_list(pass->options, call->entry);
	*given = true;
	return option_set(pass->options, call, e);
}

int nsplit_options_read(struct nsplit_options *o, int argc, char **argv)
{
	const struct option_table *table = &nsplit_option_table;
	struct late_pass pass = { .options = o };
	unsigned configured;
	bool layers;
	enum status status;
	struct error e;

	settings_init(o);
	status = option_table_read(table, argc, argv, set_early, o, &e);
	if (status)
		return options_result(status, &e);
	if (nsplit_config_read(o, &e)) {
		message("%s", e.text);
		return e.status == STATUS_USAGE ? EXIT_USAGE : EXIT_FAILED;
	}
	/* The command line does not add to the classes in the file. */
	configured = o->left_out;
	layers = o->layers;
	o->left_out = 0;
	o->left_out_given = o->layers = false;
	status = option_table_read(table, argc, argv, set_late, &pass, &e);
	if (!o->left_out_given) {
		o->left_out = configured;
		o->layers = layers;
	}
	if (!status)
		status = read_operands(o, argc, argv, &e);
	return options_result(status, &e);
}

void nsplit_options_free(struct nsplit_options *o)
{
	names_free(&o->configured);
	names_free(&o->also);
	names_free(&o->fallbacks);
	names_free(&o->outputs);
	free(o->config_text);
}
