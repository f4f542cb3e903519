// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/common/message.h"
#include "cmd/common/operands.h"
#include "cmd/common/page_policy.h"
#include "cmd/nsplit/options.h"
#include "set/dump.h"

/* As if this were the capture kernel.  The caller there may add /proc/vmcore. */
static void mistakes_init_as_there(struct mistakes *m, int argc, char **argv, const struct mistake_reporter *reporter)
{
	*m = (struct mistakes){ .count = argc, .vmcore = 1 };
	while (m->vmcore < argc && strcmp(argv[m->vmcore], vmcore_name) != 0)
		m->vmcore++;
	m->words = calloc((size_t)argc + 1, sizeof(*m->words));
	m->doubtful = calloc((size_t)argc, sizeof(*m->doubtful));
	m->forgiven = m->words && m->doubtful;
	m->reporter = m->forgiven ? reporter : NULL;
	for (int i = 0; i < argc && m->forgiven; i++)
		m->words[i] = argv[i];
}

void mistakes_init(struct mistakes *m, int argc, char **argv)
{
	bool named = false;

	for (int i = 1; i < argc; i++)
		named |= strcmp(argv[i], vmcore_name) == 0;
	*m = (struct mistakes){ .count = argc, .vmcore = argc };
	if (named && !vmcore_absent(vmcore_name))
		mistakes_init_as_there(m, argc, argv, &mistake_printer);
}

void mistakes_free(struct mistakes *m)
{
	free(m->words);
	free(m->doubtful);
}

enum status mistakes_check_value(const struct mistakes *m, const struct option_call *call,
				 struct error *e)
{
	if (!m->forgiven || call->text != m->words[m->vmcore])
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "option '%s' needs a value; '%s' is the source", call->called,
			 call->text);
}

void mistake_print(struct error *e)
{
	error_prefix(e, "ignored: ");
	message("%s", e->text);
}

static void print(void *arg, struct error *e)
{
	(void)arg;
	mistake_print(e);
}

const struct mistake_reporter mistake_printer = { .report = print };

/* An option was skipped, and this word behind it may be its value; NULL: none. */
static void mistakes_doubt(struct mistakes *m, const char *word)
{
	m->any = true;
	for (int i = 0; i < m->count; i++)
		m->doubtful[i] |= m->words[i] == word;
}

void mistakes_skip(struct mistakes *m, char **argv, struct error *e)
{
	/* A value that was refused is read again, as an operand. */
	mistakes_doubt(m, optarg && optarg == argv[optind] ? optarg : NULL);
	m->reporter->report(m->reporter->arg, e);
}

/* Kinds of words that are taken for outputs; each only if there is none of the kind before. */
enum guess { PATHS, NAMES, DOUBTFUL_PATHS, GUESSES };

/* Is this word behind the source an output? */
static bool is_guessed(const char *word, bool doubtful, enum guess guess)
{
	bool path = strchr(word, '/') || strcmp(word, "-") == 0 || *word == '|';

	if (guess == NAMES)
		return !doubtful && word[strspn(word, "0123456789")];
	return path && doubtful == (guess == DOUBTFUL_PATHS);
}

static bool is_output(const struct mistakes *m, const char *word, enum guess guess)
{
	if (strcmp(word, vmcore_name) == 0)
		return false;
	for (int i = m->vmcore + 1; i < m->count; i++)
		if (m->words[i] == word)
			return is_guessed(word, m->doubtful[i], guess);
	return false;
}

static enum guess choose_guess(const struct mistakes *m, int first, int argc, char **argv)
{
	for (enum guess guess = PATHS; guess < GUESSES; guess++)
		for (int i = first; i < argc; i++)
			if (is_output(m, argv[i], guess))
				return guess;
	return PATHS;
}

int mistakes_drop_values(const struct mistakes *m, int first, int argc, char **argv)
{
	enum guess guess;
	int kept = first;
	struct error e;

	if (!m->any && first < argc && argv[first] == m->words[m->vmcore])
		return argc;
	guess = choose_guess(m, first, argc, argv);
	for (int i = first; i < argc; i++) {
		if (argv[i] == m->words[m->vmcore]) {
			memmove(&argv[first + 1], &argv[first], (size_t)(kept - first) * sizeof(*argv));
			argv[first] = m->words[m->vmcore];
			kept++;
		} else if (is_output(m, argv[i], guess)) {
			argv[kept++] = argv[i];
		} else {
			error_set(&e, STATUS_USAGE, "'%s' is not used as an output; it may be the value of an option",
				  argv[i]);
			m->reporter->report(m->reporter->arg, &e);
		}
	}
	return kept;
}

/* An ELF core is not compressed. */
static void settle_codec(struct nsplit_options *o, bool silent)
{
	if (o->format != NSPLIT_ELF || presets_single(&o->capture.presets) == &codec_raw)
		return;
	if (!silent)
		message("--format=elf: the form is not compressed; the codec %s is not used", o->codec_text);
	settings_init_codec(o);
}

static void settle_block_size(struct nsplit_options *o)
{
	struct capture_settings *c = &o->capture;

	if (!o->block_size_given)
		c->block_size = page_policy_block_size(o->left_out.classes, &c->presets, c->block_size, c->chunk_size);
}

/* What a dump in one file cannot be. */
static enum status check_dump(const struct nsplit_options *o, struct error *e)
{
	const char *form = o->format == NSPLIT_KDUMP ? "kdump" : "elf";
	const struct capture_settings *c = &o->capture;
	const struct codec *codec = presets_single(&c->presets);

	if (c->stripe)
		return error_set(e, STATUS_USAGE, "--stripe cannot be combined with --format=%s", form);
	if (o->outputs.count - c->fallbacks > 1)
		return error_set(e, STATUS_USAGE, "--format=%s writes one OUTPUT; for several disks omit it: njoin "
				 "--format=%s makes a dump of the members", form, form);
	if (codec && kdump_has_codec(codec->id))
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "--format=kdump: the form does not know the codec %s; use raw, zlib, "
			 "lzo, lzohc, snappy or zstd", o->codec_text);
}

/* trial: see nsplit_options_try(). */
static enum status check_together(const struct nsplit_options *o, bool trial, struct error *e)
{
	const struct capture_settings *c = &o->capture;
	const struct {
		bool both;
		const char *text;
	} pairs[] = {
		{ o->json && !o->check_params && !o->estimate, "--json requires --check-params or --estimate" },
		{ o->capture_only && !o->check_params, "--capture-only requires --check-params" },
		{ o->estimate && o->check_params, "--estimate cannot be combined with --check-params" },
		{ o->estimate && o->drill, "--estimate cannot be combined with --drill" },
		{ o->estimate && o->dry_run, "--estimate cannot be combined with --dry-run" },
		{ !o->drill && o->drill_size, "--drill-size requires --drill" },
		{ !o->drill && o->drill_memory, "--drill-memory requires --drill" },
		{ o->drill && trial, "--drill is for the running system, not for the capture kernel" },
		{ o->drill && !vmcore_absent(vmcore_name),
		  "--drill is for the running system, and this is the capture kernel: /proc/vmcore exists" },
		{ o->drill && o->check_params, "--drill cannot be combined with --check-params" },
		{ o->drill && o->dry_run, "--drill cannot be combined with --dry-run" },
		{ c->stripe && c->presets.count > 1, "--stripe cannot be combined with --compress=auto" },
		{ c->stripe && o->left_out.given, "--stripe cannot be combined with --dump-level or --exclude" },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (pairs[i].both)
			return error_set(e, STATUS_USAGE, "%s", pairs[i].text);
	if (o->format != NSPLIT_MEMBERS && check_dump(o, e))
		return e->status;
	/* Also of a dump, since a member may be written instead. */
	if (!chunk_size_valid(c->chunk_size, c->block_size))
		return error_set(e, STATUS_USAGE, "--chunksize=%" PRIu32 " is not a multiple of "
				 "the block size, %" PRIu32, c->chunk_size, c->block_size);
	return STATUS_OK;
}

struct pass {
	struct nsplit_options *options;
	struct mistakes *mistakes;
	bool trial;			/* see nsplit_options_try(); then */
	const char *config;
	char **argv;
	bool late;			/* the second pass, after the configuration file */
	bool in_config;			/* the error is in that */
	/* late: by the offset of the field, which --dump-level and --exclude share */
	bool given[sizeof(struct nsplit_options)];
};

static enum status append_all(struct names *to, const struct names *from, struct error *e)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; !status && i < from->count; i++)
		status = names_append(to, from->names[i], MEMBERS_MAX, e);
	return status;
}

/* Those beside the first ones, in place of what there was. */
static enum status gather_others(struct nsplit_options *o, struct error *e)
{
	enum status status;

	while (o->outputs.count > o->required)
		names_remove(&o->outputs, o->outputs.count - 1);
	status = append_all(&o->outputs, &o->also, e);
	if (!status)
		status = append_all(&o->outputs, &o->fallbacks, e);
	o->capture.fallbacks = (unsigned)o->fallbacks.count;
	return status ? error_prefix(e, "outputs: ") : STATUS_OK;
}

/* Outputs of the configuration file are used if the command line has none. */
static enum status gather_outputs(struct nsplit_options *o, int argc, char **argv, struct error *e)
{
	enum status status = optind == argc ? append_all(&o->outputs, &o->configured, e) : STATUS_OK;

	for (; !status && optind < argc; optind++)
		status = stamp_expand(&o->outputs, argv[optind], o->now, MEMBERS_MAX, e);
	o->required = o->outputs.count;
	return status ? error_prefix(e, "outputs: ") : gather_others(o, e);
}

static enum status refuse_no_output(const struct nsplit_options *o, struct error *e)
{
	struct stat st;

	if (strcmp(o->source, vmcore_name) != 0 && access(o->source, F_OK) < 0 &&
	    fstat(STDIN_FILENO, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISREG(st.st_mode)))
		return error_set(e, STATUS_USAGE, "no OUTPUT given: '%s' is the SOURCE; to read standard input, write - "
				 "before it", o->source);
	return error_set(e, STATUS_USAGE, "no OUTPUT given");
}

/* "nul:", which would become a file.  With a filter, a name may be that of another machine. */
static enum status refuse_kinds(const struct nsplit_options *o, struct error *e)
{
	for (size_t i = 0; !o->filter && i < o->outputs.count; i++) {
		const char *name = o->outputs.names[i], *colon = strchr(name, ':');

		if (*name != '|' && colon && !colon[1] && !strchr(name, '/') && strcmp(name, "null:") != 0)
			return error_set(e, STATUS_USAGE, "%s: unknown kind of output; use null: to discard all data, or "
					 "./%s for a file", name, name);
	}
	return STATUS_OK;
}

/*
 * --check-params, --estimate and --drill have the operands of a crash in its order.  Only before a single output that is
 * new may the source be left out.
 */
static bool is_output_alone(const struct nsplit_options *o, int argc, char **argv)
{
	return optind + 1 == argc && !o->configured.count && strcmp(argv[optind], "-") != 0 &&
	       strcmp(argv[optind], vmcore_name) != 0 && access(argv[optind], F_OK) < 0 && errno == ENOENT;
}

static enum status read_operands(const struct pass *pass, int argc, char **argv, struct error *e)
{
	struct nsplit_options *o = pass->options;
	bool any = optind < argc, before_crash = o->check_params || o->estimate || o->drill;

	o->has_operands = any;
	/* Without operands, these have the outputs of the system's kdump, or of the configuration. */
	if (!any && !before_crash && !pass->trial)
		return error_set(e, STATUS_USAGE, "no SOURCE given");
	o->source = !any || (before_crash && is_output_alone(o, argc, argv)) ? vmcore_name : argv[optind++];
	if (!*o->source)
		return error_set(e, STATUS_USAGE, "the name of the SOURCE is empty");
	if (o->estimate && strcmp(o->source, vmcore_name) != 0)
		return error_set(e, STATUS_USAGE, "%s: is the SOURCE, but --estimate is about this machine; write %s before "
				 "the OUTPUTs", o->source, vmcore_name);
	if (any && optind == argc && !o->configured.count && !o->estimate)
		return refuse_no_output(o, e);
	if (gather_outputs(o, argc, argv, e))
		return e->status;
	/* In the capture kernel, a file of that name is better than no dump. */
	return pass->mistakes->forgiven || pass->trial ? STATUS_OK : refuse_kinds(o, e);
}

/*
 * The first pass sets the options that take effect before the configuration file is read, such as --config and --help; the
 * second one all others, which override the file, and whose lists replace those of the file.
 */
static enum status set(void *arg, const struct option_call *call, struct error *e)
{
	struct pass *pass = arg;
	bool early = call->entry->early, *given = &pass->given[call->entry->offset];

	if (!pass->late && !early)
		return STATUS_OK;
	if (mistakes_check_value(pass->mistakes, call, e))
		return e->status;
	if (pass->late && early)
		return STATUS_OK;
	if (pass->trial && call->entry->ends)
		return error_set(e, STATUS_END, "%s makes nsplit print something and save nothing", call->called);
	if (!early && !*given)
		setting_begin(pass->options, call->entry);
	*given |= !early;
	return option_set(pass->options, call, e);
}

/* In the first pass, the words are still in their order; the second one reports the error. */
static void skip(void *arg, const struct option_entry *entry, struct error *e)
{
	struct pass *pass = arg;

	(void)entry;
	if (pass->late)
		mistakes_skip(pass->mistakes, pass->argv, e);
	else
		mistakes_doubt(pass->mistakes, pass->argv[optind]);
}

/* One of the settings that the checks name gets its default.  They name --json first, the sizes last. */
static void settle_one(struct nsplit_options *o)
{
	if (o->json || o->capture_only || o->estimate)
		o->json = o->capture_only = o->estimate = false;
	else if (o->drill || o->drill_size || o->drill_memory)
		o->drill = o->drill_size = o->drill_memory = 0;
	else if (o->capture.stripe)
		o->capture.stripe = false;
	else if (o->format != NSPLIT_MEMBERS)
		o->format = NSPLIT_MEMBERS;
	else
		settings_init_sizes(o);
}

/* Settings that cannot be combined; in the capture kernel, these get their defaults. */
static enum status settle_together(const struct pass *pass, struct error *e)
{
	const struct mistake_reporter *reporter = pass->mistakes->reporter;
	struct nsplit_options *o = pass->options;
	enum status status;

	o->force |= o->overwrite_dumps;
	/* Before a capture of nsplit-drill, it was said. */
	settle_codec(o, pass->trial || getenv("NSPLIT_DRILL"));
	settle_block_size(o);
	while ((status = check_together(o, pass->trial, e)) == STATUS_USAGE && reporter) {
		reporter->report(reporter->arg, e);
		settle_one(o);
		settle_block_size(o);
	}
	return status;
}

/* Before the crash, somebody can mend it; --check-params says so as a finding. */
static enum status judge_config(const struct pass *pass, struct error *e)
{
	const struct mistake_reporter *reporter = pass->mistakes->reporter;
	const struct nsplit_options *o = pass->options;

	if (!o->config_unsafe.status || o->check_params || pass->trial)
		return STATUS_OK;
	*e = o->config_unsafe;
	if (!reporter)
		return error_suffix(e, "; its commands could be those of others, so it is not used");
	if (o->config_filter)
		error_suffix(e, "; its commands are not run, and without the filter the dump is in plain text");
	else
		error_suffix(e, "; its commands are not run");
	reporter->report(reporter->arg, e);
	return STATUS_OK;
}

static enum status read_all(struct pass *pass, int argc, char **argv, struct error *e)
{
	const struct option_table *table = &nsplit_option_table;
	struct nsplit_options *o = pass->options;
	struct mistakes *mistakes = pass->mistakes;
	const struct option_reader reader = { .each = set, .skipped = mistakes->forgiven ? skip : NULL, .arg = pass };
	enum status status;

	settings_init(o);
	status = option_table_read(table, argc, argv, &reader, e);
	if (status)
		return status;
	if (pass->config)
		o->config_choice = pass->config;
	status = nsplit_config_read(o, mistakes->reporter, e);
	pass->in_config = status != STATUS_OK;
	if (status)
		return status;
	pass->late = true;
	status = option_table_read(table, argc, argv, &reader, e);
	if (!status) {
		status = judge_config(pass, e);
		pass->in_config = status != STATUS_OK;
	}
	if (mistakes->forgiven)
		argc = mistakes_drop_values(mistakes, optind, argc, argv);
	if (!status)
		status = read_operands(pass, argc, argv, e);
	if (!status)
		status = settle_together(pass, e);
	return status;
}

int nsplit_options_read(struct nsplit_options *o, int argc, char **argv)
{
	struct mistakes mistakes;
	struct pass pass = { .options = o, .mistakes = &mistakes, .argv = argv };
	enum status status;
	struct error e;

	mistakes_init(&mistakes, argc, argv);
	status = read_all(&pass, argc, argv, &e);
	mistakes_free(&mistakes);
	if (!pass.in_config)
		return options_result(status, &e);
	message("%s", e.text);
	return status == STATUS_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

/* The option that makes nsplit do something else than save the dump; a drill is refused in the capture kernel. */
static const char *mode_of(const struct nsplit_options *o)
{
	if (o->dry_run)
		return "--dry-run";
	if (o->check_params)
		return "--check-params";
	return o->estimate ? "--estimate" : NULL;
}

enum status nsplit_options_try(struct nsplit_options *o, int argc, char **argv, const char *config,
			       const struct mistake_reporter *reporter, struct error *e)
{
	struct mistakes mistakes;
	struct pass pass = { .options = o, .mistakes = &mistakes, .trial = true, .config = config, .argv = argv };
	enum status status;

	mistakes_init_as_there(&mistakes, argc, argv, reporter);
	status = read_all(&pass, argc, argv, e);
	mistakes_free(&mistakes);
	if (!status && mode_of(o))
		status = error_set(e, STATUS_END, "with %s, nsplit saves nothing", mode_of(o));
	return status;
}

enum status nsplit_options_add(struct nsplit_options *o, int argc, char **argv, struct error *e)
{
	struct mistakes mistakes = { .count = argc, .vmcore = argc };
	struct pass pass = { .options = o, .mistakes = &mistakes, .argv = argv, .late = true };
	const struct option_reader reader = { .each = set, .arg = &pass };
	enum status status = option_table_read(&nsplit_option_table, argc, argv, &reader, e);

	if (!status)
		status = gather_others(o, e);
	return status ? status : settle_together(&pass, e);
}

void nsplit_options_move(struct nsplit_options *o, struct nsplit_options *from)
{
	nsplit_options_free(o);
	*o = *from;
	o->capture.codec_text = o->codec_text;
	*from = (struct nsplit_options){ 0 };
}

void nsplit_options_free(struct nsplit_options *o)
{
	names_free(&o->configured);
	names_free(&o->also);
	names_free(&o->fallbacks);
	names_free(&o->drill_remove);
	names_free(&o->outputs);
	free(o->config_text);
}
