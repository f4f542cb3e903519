// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>
#include <getopt.h>
#include <string.h>

#include "base/option_refused.h"
#include "base/option_table.h"

enum {
	/* What getopt_long() returns for entry n: LONG + n, or for its --no- form NEGATED + n. */
	LONG = 256,
	NEGATED = LONG + OPTIONS_MAX,
	/* Columns of --help. */
	HELP_INDENT = 25,
	HELP_WIDTH = 80,
};

/* What getopt_long() takes, made from a table. */
struct getopt_arrays {
	char letters[2 * OPTIONS_MAX + 2];
	char negated[OPTIONS_MAX][OPTION_NAME_LENGTH];		/* "no-NAME" */
	struct option longs[2 * OPTIONS_MAX + 1];
};

static int argument_kind(const struct option_entry *entry)
{
	if (!entry->argument)
		return no_argument;
	return entry->absent ? optional_argument : required_argument;
}

static void make_arrays(struct getopt_arrays *arrays, const struct option_table *table)
{
	char *letter = arrays->letters;
	struct option *next = arrays->longs;

	assert(table->count <= OPTIONS_MAX);
	*letter++ = ':';	/* return ':' for a missing value */
	for (size_t i = 0; i < table->count; i++) {
		const struct option_entry *entry = &table->entries[i];
		int kind = argument_kind(entry);

		if (!entry->name || entry->key_only)
			continue;
		*next++ = (struct option){ entry->name, kind, NULL, LONG + (int)i };
		if (entry->negatable) {
			snprintf(arrays->negated[i], OPTION_NAME_LENGTH, "no-%s", entry->name);
			*next++ = (struct option){ arrays->negated[i], no_argument, NULL,
						   NEGATED + (int)i };
		}
		if (entry->letter) {
			assert(kind != optional_argument);
			*letter++ = entry->letter;
			if (kind == required_argument)
				*letter++ = ':';
		}
	}
	*letter = '\0';
	*next = (struct option){ 0 };
}

/* The number of the entry that getopt_long() has found; *negated: in its --no- form. */
static size_t entry_found(const struct option_table *table, int found, bool *negated)
{
	size_t number = 0;

	*negated = found >= NEGATED;
	if (*negated)
		return (size_t)(found - NEGATED);
	if (found >= LONG)
		return (size_t)(found - LONG);
	while (table->entries[number].letter != found)
		number++;
	return number;
}

/* Whether this word of the command line is a group of letters with this one. */
static bool groups(const char *word, int letter)
{
	return word && word[0] == '-' && word[1] != '-' && strchr(word + 1, letter);
}

/*
 * What getopt_long() has refused: found is '?' or ':', and optopt the letter, 0 for an unknown or
 * ambiguous long option, or otherwise what it returns for the entry.  optind is after the word, or
 * at the word if it has further letters.
 */
static enum status refuse(const struct option_table *table, char **argv, int found,
			  struct error *e)
{
	struct option_refused r = {
		.table = table, .word = argv[optind - 1], .lacks_value = found == ':',
	};
	bool negated;

	if (optopt && optopt < LONG) {
		r.letter = (char)optopt;
		if (!groups(r.word, optopt))
			r.word = groups(argv[optind], optopt) ? argv[optind] : "-";
	}
	if (optopt >= LONG || found == ':')
		r.entry = &table->entries[entry_found(table, optopt, &negated)];
	return option_refuse(&r, e);
}

enum status option_set(void *settings, const struct option_call *call, struct error *e)
{
	return call->entry->set(settings, call, e);
}

static enum status call_each(const struct option_table *table, int found,
			     enum status (*each)(void *arg, const struct option_call *call,
						 struct error *e),
			     void *arg, struct error *e)
{
	char called[OPTION_NAME_LENGTH];
	struct option_call call = { .table = table, .called = called, .text = optarg };
	bool negated;

	call.entry = &table->entries[entry_found(table, found, &negated)];
	snprintf(called, sizeof(called), "--%s%s", negated ? "no-" : "", call.entry->name);
	if (!call.entry->argument)
		call.text = negated ? "no" : "yes";
	else if (!optarg)
		call.text = call.entry->absent;
	return each(arg, &call, e);
}

enum status option_table_read(const struct option_table *table, int argc, char **argv,
			      enum status (*each)(void *arg, const struct option_call *call,
						  struct error *e),
			      void *arg, struct error *e)
{
	enum status status = STATUS_OK;
	struct getopt_arrays arrays;
	int found;

	make_arrays(&arrays, table);
	opterr = 0;		/* its messages name neither a remedy nor the nearest option */
	optind = 0;		/* glibc: begin again, in a second pass too */
	while (!status && (found = getopt_long(argc, argv, arrays.letters, arrays.longs,
					       NULL)) != -1) {
		if (found == '?' || found == ':')
			status = refuse(table, argv, found, e);
		else
			status = call_each(table, found, each, arg, e);
	}
	return status;
}

const struct option_entry *option_table_key(const struct option_table *table, const char *key)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct option_entry *entry = &table->entries[i];

		if ((entry->key || entry->key_only) && strcmp(entry->name, key) == 0)
			return entry;
	}
	return NULL;
}

size_t option_table_number(const struct option_table *table, const struct option_entry *entry)
{
	return (size_t)(entry - table->entries);
}

/* Words of text from column HELP_INDENT on; the caller has written up to column. */
static void print_wrapped(const char *text, int column, FILE *file)
{
	if (column > HELP_INDENT - 2) {
		fputc('\n', file);
		column = 0;
	}
	fprintf(file, "%*s", HELP_INDENT - column, "");
	column = HELP_INDENT;
	while (*text) {
		int length = (int)strcspn(text, " ");

		if (column > HELP_INDENT && column + 1 + length > HELP_WIDTH) {
			fprintf(file, "\n%*s", HELP_INDENT, "");
			column = HELP_INDENT;
		}
		column += fprintf(file, "%s%.*s", column > HELP_INDENT ? " " : "", length, text);
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', file);
}

static void print_entry(const struct option_entry *entry, FILE *file)
{
	int column = 0;

	if (entry->letter)
		column += fprintf(file, "  -%c, --%s", entry->letter, entry->name);
	else
		column += fprintf(file, "      --%s", entry->name);
	if (entry->argument)
		column += fprintf(file, entry->absent ? "[=%s]" : "=%s", entry->argument);
	print_wrapped(entry->help, column, file);
}

/* All --no- forms, as one entry. */
static void print_negated(const struct option_table *table, const char *help, FILE *file)
{
	const char *separator = "      ";
	int column = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct option_entry *entry = &table->entries[i];

		if (!entry->name || !entry->negatable)
			continue;
		column += fprintf(file, "%s--no-%s", separator, entry->name);
		separator = ", ";
	}
	print_wrapped(help, column, file);
}

void option_table_print(const struct option_table *table, FILE *file)
{
	fputs(table->usage, file);
	/* A table that does not begin with a heading has none. */
	if (table->entries[0].name)
		fputc('\n', file);
	for (size_t i = 0; i < table->count; i++) {
		const struct option_entry *entry = &table->entries[i];

		if (!entry->name && entry->negatable)
			print_negated(table, entry->help, file);
		else if (!entry->name)
			fprintf(file, "\n%s:\n", entry->help);
		else if (!entry->key_only)
			print_entry(entry, file);
	}
	fprintf(file, "\n%s", table->notes);
}

enum status option_print_help(void *settings, const struct option_call *call, struct error *e)
{
	(void)settings;
	(void)e;
	option_table_print(call->table, stdout);
	return STATUS_END;
}

enum status option_print_version(void *settings, const struct option_call *call, struct error *e)
{
	const char *program = call->table->program;

	(void)settings;
	(void)e;
	if (strcmp(program, PACKAGE_NAME) == 0)
		puts(PACKAGE_STRING);
	else
		printf("%s (%s) %s\n", program, PACKAGE_NAME, PACKAGE_VERSION);
	return STATUS_END;
}
