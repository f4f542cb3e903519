// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>
#include <ctype.h>
#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#include "base/option_table.h"
#include "base/text.h"

/* --- help ---------------------------------------------------------------- */

/* Writes --help, --help=all and --version. */

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
	fprintf(file, "\n%s\n'man %s' explains all of this.\nReport bugs to <%s>.\nHome page: <%s>\n", table->notes,
		table->program, PACKAGE_BUGREPORT, PACKAGE_URL);
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

/*
 * The same for the completions of the shells, as --help=values: a line for each option with known values,
 * "--mmap auto always never".
 */
static void option_table_print_values(const struct option_table *table, FILE *file)
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

/* --- getopt_long() ------------------------------------------------------- */

enum {
	/* What getopt_long() returns for entry n: LONG + n, or for its --no- form NEGATED + n. */
	LONG = 256,
	NEGATED = LONG + OPTIONS_MAX,
};

/* Its arguments, made from a table. */
struct getopt_arrays {
	const struct option_table *table;
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
	arrays->table = table;
	*letter++ = ':';	/* return ':' for a missing value */
	for (size_t i = 0; i < table->count; i++) {
		const struct option_entry *entry = &table->entries[i];
		int kind = argument_kind(entry);

		if (!entry->name || entry->key_only)
			continue;
		if (*entry->name)
			*next++ = (struct option){ entry->name, kind, NULL, LONG + (int)i };
		if (entry->negatable) {
			snprintf(arrays->negated[i], OPTION_NAME_LENGTH, "no-%s", entry->name);
			*next++ = (struct option){ arrays->negated[i], no_argument, NULL,
						   NEGATED + (int)i };
		}
		if (entry->letter) {
			/* An optional value cannot follow the letter. */
			*letter++ = entry->letter;
			if (kind == required_argument)
				*letter++ = ':';
		}
	}
	*letter = '\0';
	*next = (struct option){ 0 };
}

/* The entry that getopt_long() has found; NULL: no entry has this letter. */
static const struct option_entry *entry_found(const struct option_table *table, int found)
{
	if (found >= LONG)
		return &table->entries[found - (found >= NEGATED ? NEGATED : LONG)];
	for (size_t i = 0; i < table->count; i++)
		if (table->entries[i].name && table->entries[i].letter == found)
			return &table->entries[i];
	return NULL;
}

/* The same if it has refused something; NULL: an option that is unknown. */
static const struct option_entry *entry_meant(const struct option_table *table, int found)
{
	if (found == '?' && optopt < LONG)
		return NULL;
	return entry_found(table, found == '?' || found == ':' ? optopt : found);
}

/* --- options that are refused -------------------------------------------- */

enum { WORD_LENGTH = 100, LIST_LENGTH = 200 };

/* The long options that are like a word. */
struct search {
	char word[WORD_LENGTH];		/* as typed, without dashes and value */
	struct nearest nearest;
	unsigned begin_so;		/* the number of names that begin with the word */
	char list[LIST_LENGTH];		/* of them */
};

static void search(struct search *s, const struct getopt_arrays *arrays, const char *text)
{
	*s = (struct search){ 0 };
	snprintf(s->word, sizeof(s->word), "%.*s", (int)strcspn(text, "="), text);
	nearest_begin(&s->nearest, s->word);
	for (const struct option *o = arrays->longs; o->name; o++) {
		nearest_offer(&s->nearest, o->name);
		if (!*s->word || strncmp(o->name, s->word, strlen(s->word)) != 0)
			continue;
		text_append(s->list, sizeof(s->list), "%s--%s", s->begin_so ? ", " : "", o->name);
		s->begin_so++;
	}
}

/* option and meant, the nearest one or "", have their dashes. */
static enum status refuse_unknown(const char *option, const char *meant, struct error *e)
{
	if (*meant)
		return error_set(e, STATUS_USAGE, "unknown option '%s'; do you mean '%s'?", option, meant);
	return error_set(e, STATUS_USAGE, "unknown option '%s'", option);
}

static enum status refuse_long(const struct getopt_arrays *arrays, const char *word, struct error *e)
{
	char option[WORD_LENGTH + 2], meant[OPTION_NAME_LENGTH + 2] = "";
	struct search s;

	search(&s, arrays, word + 2);
	snprintf(option, sizeof(option), "--%s", *s.word ? s.word : word + 2);
	if (s.begin_so > 1)
		return error_set(e, STATUS_USAGE, "option '%s' is ambiguous: %s", option, s.list);
	if (s.nearest.best)
		snprintf(meant, sizeof(meant), "--%s", s.nearest.best);
	return refuse_unknown(option, meant, e);
}

/* Of a number, such as the level in -19, all digits. */
static void format_letter(char option[WORD_LENGTH + 1], const char *word, char letter)
{
	const char *rest = strchr(word, letter);
	size_t digits = rest ? strspn(rest, "0123456789") : 0;

	if (digits > 1)
		snprintf(option, WORD_LENGTH + 1, "-%.*s", (int)digits, rest);
	else
		snprintf(option, WORD_LENGTH + 1, "-%c", letter);
}

static enum status refuse_letter(const struct getopt_arrays *arrays, const char *word, char letter, struct error *e)
{
	char option[WORD_LENGTH + 1], meant[OPTION_NAME_LENGTH + 2] = "";
	int c = (unsigned char)letter, other = isupper(c) ? tolower(c) : toupper(c);
	struct search s;

	search(&s, arrays, word + 1);
	if (strlen(s.word) > 2 && s.nearest.best && strcmp(s.word, s.nearest.best) == 0) {
		/* A long option with one dash: "-threads". */
		snprintf(option, sizeof(option), "-%s", s.word);
		snprintf(meant, sizeof(meant), "--%s", s.nearest.best);
	} else {
		format_letter(option, word, letter);
		if (other != c && entry_found(arrays->table, other))
			snprintf(meant, sizeof(meant), "-%c", other);
	}
	return refuse_unknown(option, meant, e);
}

/* follows: the option in place of the value; NULL: none. */
static enum status refuse_missing(const struct option_entry *entry, bool letter, const char *follows, struct error *e)
{
	char option[OPTION_NAME_LENGTH + 2], use[2 * OPTION_NAME_LENGTH];

	if (letter)
		snprintf(option, sizeof(option), "-%c", entry->letter);
	else
		snprintf(option, sizeof(option), "--%s", entry->name);
	snprintf(use, sizeof(use), "%s%s%s", option, letter ? " " : "=", entry->argument);
	if (follows)
		return error_set(e, STATUS_USAGE, "option '%s' needs a value: %s; '%s' is an option", option, use,
				 follows);
	return error_set(e, STATUS_USAGE, "option '%s' needs a value: %s", option, use);
}

/* True if this word of the command line is a group of letters with this one. */
static bool groups(const char *word, int letter)
{
	return word && word[0] == '-' && word[1] != '-' && strchr(word + 1, letter);
}

/*
 * What getopt_long() has refused: found is '?' or ':', and optopt the letter, 0 for an unknown or
 * ambiguous long option, or otherwise what it returns for the entry.  optind is after the word, or
 * at the word if it has further letters.
 */
static enum status refuse(const struct getopt_arrays *arrays, char **argv, int found, struct error *e)
{
	const struct option_entry *entry = entry_meant(arrays->table, found);
	bool letter = optopt && optopt < LONG;
	const char *word = argv[optind - 1];

	if (letter && !groups(word, optopt))
		word = groups(argv[optind], optopt) ? argv[optind] : "-";
	if (entry && found == ':')
		return refuse_missing(entry, letter, NULL, e);
	if (entry)
		return error_set(e, STATUS_USAGE, "option '%.*s' takes no value", (int)strcspn(word, "="), word);
	return letter ? refuse_letter(arrays, word, (char)optopt, e) : refuse_long(arrays, word, e);
}

/*
 * getopt_long() takes any word for the value that an option requires.  If that is a long option, perhaps abbreviated
 * and with a value, the value was forgotten; one that looks like an option can be given with "=".
 */
static enum status refuse_option_as_value(const struct getopt_arrays *arrays, char **argv, int found, struct error *e)
{
	struct search s;

	if (optarg != argv[optind - 1] || strncmp(optarg, "--", 2) != 0)
		return STATUS_OK;
	search(&s, arrays, optarg + 2);
	return s.begin_so ? refuse_missing(entry_found(arrays->table, found), found < LONG, optarg, e) : STATUS_OK;
}

/* --- the command line ---------------------------------------------------- */

enum status option_set(void *settings, const struct option_call *call, struct error *e)
{
	return call->entry->set ? call->entry->set(settings, call, e) : STATUS_OK;
}

/* "--mem-limit=64 MB": the shell makes two words of it.  A small letter alone is more likely a file. */
static enum status refuse_separate_unit(const struct option_entry *entry, char **argv, struct error *e)
{
	const char *next = argv[optind];
	uint64_t size;
	char both[32];

	if (!entry->argument || strcmp(entry->argument, "SIZE") != 0 || !optarg || !*optarg || !next ||
	    optarg[strspn(optarg, "0123456789.")] || !isalpha((unsigned char)*next) || (islower((unsigned char)*next) && !next[1]) ||
	    snprintf(both, sizeof(both), "1%s", next) >= (int)sizeof(both) || size_parse(both, &size, e))
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "'%s %s': a size has no space before its unit; use %s%s", optarg, next, optarg,
			 next);
}

static enum status call_each(const struct option_table *table, char **argv, int found,
			     const struct option_reader *reader, struct error *e)
{
	char called[OPTION_NAME_LENGTH];
	struct option_call call = { .table = table, .entry = entry_found(table, found), .called = called, .text = optarg };
	bool negated = found >= NEGATED;

	if (refuse_separate_unit(call.entry, argv, e))
		return e->status;
	if (found < LONG)
		snprintf(called, sizeof(called), "-%c", found);
	else
		snprintf(called, sizeof(called), "--%s%s", negated ? "no-" : "", call.entry->name);
	if (!call.entry->argument)
		call.text = negated ? "no" : "yes";
	else if (!optarg)
		call.text = call.entry->absent;
	return reader->each(reader->arg, &call, e);
}

enum status option_table_read(const struct option_table *table, int argc, char **argv,
			      const struct option_reader *reader, struct error *e)
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
			status = refuse(&arrays, argv, found, e);
		else
			status = refuse_option_as_value(&arrays, argv, found, e);
		if (!status)
			status = call_each(table, argv, found, reader, e);
		if (status == STATUS_USAGE && reader->skipped) {
			/* If the value was a word of its own, it may be another option or an operand. */
			if (optarg && optarg == argv[optind - 1])
				optind--;
			reader->skipped(reader->arg, entry_meant(table, found), e);
			status = STATUS_OK;
		}
	}
	return status;
}

/* --- setters ------------------------------------------------------------- */

static void store(void *settings, const struct option_call *call, const void *value, size_t width)
{
	assert(call->entry->width == width);
	memcpy((char *)settings + call->entry->offset, value, width);
}

static void store_unsigned(void *settings, const struct option_call *call, uint64_t value)
{
	uint32_t narrow = (uint32_t)value;

	if (call->entry->width == sizeof(narrow))
		store(settings, call, &narrow, sizeof(narrow));
	else
		store(settings, call, &value, sizeof(value));
}

/* "A or B", "A, B or C". */
static void list_choices(const char *const *choices, char *list, size_t size)
{
	*list = '\0';
	for (size_t i = 0; choices[i]; i++)
		text_append(list, size, "%s%s", i == 0 ? "" : choices[i + 1] ? ", " : " or ", choices[i]);
}

static enum status find_choice(const struct option_call *call, const char *const *choices,
			       uint32_t *number, struct error *e)
{
	char list[128];

	for (*number = 0; choices[*number]; ++*number)
		if (strcmp(choices[*number], call->text) == 0)
			return STATUS_OK;
	list_choices(choices, list, sizeof(list));
	return error_set(e, STATUS_USAGE, "%s must be %s, not '%s'", call->called, list,
			 call->text);
}

static enum status set_bool(void *settings, const struct option_call *call, bool yes,
			    struct error *e)
{
	static const char *const choices[] = { "yes", "no", NULL };
	uint32_t number;
	enum status status = find_choice(call, choices, &number, e);
	bool value = number == 0 ? yes : !yes;

	if (!status)
		store(settings, call, &value, sizeof(value));
	return status;
}

enum status option_set_bool(void *settings, const struct option_call *call, struct error *e)
{
	return set_bool(settings, call, true, e);
}

enum status option_clear_bool(void *settings, const struct option_call *call, struct error *e)
{
	return set_bool(settings, call, false, e);
}

enum status option_set_number(void *settings, const struct option_call *call, struct error *e)
{
	uint64_t number;
	enum status status = number_parse(call->text, call->called, call->entry->least,
					  call->entry->most, &number, e);

	if (!status)
		store_unsigned(settings, call, number);
	return status;
}

enum status option_parse_size(const struct option_call *call, const char *text, uint64_t *size,
			      struct error *e)
{
	const struct option_entry *entry = call->entry;

	if (size_parse(text, size, e))
		return error_prefix(e, "%s: ", call->called);
	if (*size < entry->least || *size > entry->most)
		return error_set(e, STATUS_USAGE,
				 "%s %s is out of range; use %" PRIu64 " to %" PRIu64,
				 call->called, text, entry->least, entry->most);
	return STATUS_OK;
}

enum status option_set_size(void *settings, const struct option_call *call, struct error *e)
{
	uint64_t size;
	enum status status = option_parse_size(call, call->text, &size, e);

	if (!status)
		store_unsigned(settings, call, size);
	return status;
}

enum status option_set_choice(void *settings, const struct option_call *call, struct error *e)
{
	uint32_t number;
	enum status status = find_choice(call, call->entry->choices, &number, e);

	if (!status)
		store(settings, call, &number, sizeof(number));
	return status;
}

enum status option_set_text(void *settings, const struct option_call *call, struct error *e)
{
	(void)e;
	store(settings, call, &call->text, sizeof(call->text));
	return STATUS_OK;
}
