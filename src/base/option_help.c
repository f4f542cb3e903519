// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes --help, --help=all and --version. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/option_table.h"

/* Columns. */
enum { HELP_INDENT = 26, HELP_WIDTH = 80 };

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

	if (!*entry->name)
		column += fprintf(file, "  -%c", entry->letter);
	else if (entry->letter)
		column += fprintf(file, "  -%c, --%s", entry->letter, entry->name);
	else
		column += fprintf(file, "      --%s", entry->name);
	if (entry->argument)
		column += fprintf(file, !*entry->name ? " %s" : entry->absent ? "[=%s]" : "=%s", entry->argument);
	print_wrapped(entry->help, column, file);
}

/* All --no- forms, as one entry. */
static void print_negated(const struct option_table *table, const char *help, FILE *file)
{
	int column = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct option_entry *entry = &table->entries[i];
		const char *separator = column ? ", " : "      ";

		if (!entry->name || !entry->negatable)
			continue;
		/* With a comma at the end. */
		if (column + (int)strlen(", --no-,") + (int)strlen(entry->name) > HELP_WIDTH) {
			separator = ",\n      ";
			column = -2;		/* for the comma and the end of the line */
		}
		column += fprintf(file, "%s--no-%s", separator, entry->name);
	}
	print_wrapped(help, column, file);
}

static void print_all_entries(const struct option_table *table, FILE *file)
{
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
}

static void print_all(const struct option_table *table, FILE *file)
{
	fputs(table->usage, file);
	if (table->operands)
		fprintf(file, "\n%s", table->operands);
	print_all_entries(table, file);
	if (table->examples)
		fprintf(file, "\nExamples:\n%s", table->examples);
	fprintf(file, "\n%s\n'man %s' explains all of this.\n", table->notes, table->program);
}

static void print_basic(const struct option_table *table, FILE *file)
{
	fprintf(file, "%s\n", table->usage);
	for (size_t i = 0; i < table->count; i++)
		if (table->entries[i].basic)
			print_entry(&table->entries[i], file);
	fprintf(file, "\nExamples:\n%s", table->examples);
	fprintf(file, "'%s --help=all' lists all options; 'man %s' explains them.\n",
		table->program, table->program);
}

void option_table_print(const struct option_table *table, bool all, FILE *file)
{
	if (all || !table->examples)
		print_all(table, file);
	else
		print_basic(table, file);
}

static const char *value_of(const struct option_entry *entry, unsigned n)
{
	if (entry->choices)
		return entry->choices[n];
	return entry->value ? entry->value(n) : NULL;
}

void option_table_print_values(const struct option_table *table, FILE *file)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct option_entry *entry = &table->entries[i];
		const char *value;

		if (!value_of(entry, 0))
			continue;
		fprintf(file, "--%s", entry->name);
		for (unsigned n = 0; (value = value_of(entry, n)); n++)
			fprintf(file, " %s", value);
		fputc('\n', file);
	}
}

const char *const option_help_choices[] = { "all", NULL };

enum status option_print_help(void *settings, const struct option_call *call, struct error *e)
{
	bool all = strcmp(call->text, "all") == 0;

	(void)settings;
	if (strcmp(call->text, "values") == 0) {
		option_table_print_values(call->table, stdout);
		return STATUS_END;
	}
	if (*call->text && !all)
		return error_set(e, STATUS_USAGE, "--help=%s: use --help or --help=all",
				 call->text);
	option_table_print(call->table, all, stdout);
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
