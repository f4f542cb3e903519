// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>
#include <ctype.h>
#include <getopt.h>
#include <string.h>

#include "base/option_refused.h"
#include "base/option_table.h"
#include "base/size.h"

enum {
	/* What getopt_long() returns for entry n: LONG + n, or for its --no- form NEGATED + n. */
	LONG = 256,
	NEGATED = LONG + OPTIONS_MAX,
};

/* The arguments of getopt_long(), made from a table. */
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

/* The same if it has refused something; NULL: an option that is unknown. */
static const struct option_entry *entry_meant(const struct option_table *table, int found)
{
	bool negated;

	if (found == '?' && optopt < LONG)
		return NULL;
	return &table->entries[entry_found(table, found == '?' || found == ':' ? optopt : found, &negated)];
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
static enum status refuse(const struct option_table *table, char **argv, int found,
			  struct error *e)
{
	struct option_refused r = {
		.table = table, .word = argv[optind - 1], .lacks_value = found == ':',
	};

	if (optopt && optopt < LONG) {
		r.letter = (char)optopt;
		if (!groups(r.word, optopt))
			r.word = groups(argv[optind], optopt) ? argv[optind] : "-";
	}
	r.entry = entry_meant(table, found);
	return option_refuse(&r, e);
}

/*
 * getopt_long() takes any word for the value that an option requires.  If that is an option, the
 * value was forgotten; one that looks like an option can be given with "=".
 */
static enum status refuse_option_as_value(const struct option_table *table, char **argv, int found,
					  struct error *e)
{
	struct option_refused r = {
		.table = table, .word = "", .lacks_value = true, .follows = argv[optind - 1],
	};
	bool negated;

	if (optarg != argv[optind - 1] || !option_is_known(table, optarg))
		return STATUS_OK;
	r.entry = &table->entries[entry_found(table, found, &negated)];
	if (found < LONG)
		r.letter = (char)found;
	return option_refuse(&r, e);
}

enum status option_set(void *settings, const struct option_call *call, struct error *e)
{
	return call->entry->set(settings, call, e);
}

/* An option of another program must not be taken for the abbreviation of one, as --list for --list-codecs. */
static enum status refuse_abbreviation(const struct option_table *table, const struct option_entry *entry, char **argv,
				       struct error *e)
{
	const char *word = argv[optind - (optarg && optarg == argv[optind - 1] ? 2 : 1)];
	size_t length = strcspn(word, "=");

	if (strlen(entry->name) + 2 == length && strncmp(word + 2, entry->name, length - 2) == 0)
		return STATUS_OK;
	return option_refuse_foreign(table, word, e);
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
	struct option_call call = { .table = table, .called = called, .text = optarg };
	bool negated;

	call.entry = &table->entries[entry_found(table, found, &negated)];
	if (found >= LONG && refuse_abbreviation(table, call.entry, argv, e))
		return e->status;
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

/* If the value was a word of its own, it may be another option or an operand. */
static void skip(char **argv)
{
	if (optarg && optarg == argv[optind - 1])
		optind--;
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
			status = refuse(table, argv, found, e);
		else
			status = refuse_option_as_value(table, argv, found, e);
		if (!status)
			status = call_each(table, argv, found, reader, e);
		if (status == STATUS_USAGE && reader->skipped) {
			skip(argv);
			reader->skipped(reader->arg, entry_meant(table, found), e);
			status = STATUS_OK;
		}
	}
	/* Where mistakes are skipped, it may be the name of a file, and the dump depends on it. */
	for (int i = optind; !status && i < argc && !reader->skipped; i++)
		if (strncmp(argv[i], "--", 2) != 0)
			status = option_refuse_foreign(table, argv[i], e);
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
