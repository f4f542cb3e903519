// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/message.h"
#include "cmd/nsplit/mistakes.h"
#include "cmd/common/vmcore.h"

void mistakes_init_as_there(struct mistakes *m, int argc, char **argv, const struct mistake_reporter *reporter)
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

void mistakes_doubt(struct mistakes *m, const char *word)
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

static void report_dropped(const struct mistakes *m, const char *word)
{
	struct error e;

	error_set(&e, STATUS_USAGE, "'%s' is no output of this dump; it may be the value of an option", word);
	m->reporter->report(m->reporter->arg, &e);
}

int mistakes_drop_values(const struct mistakes *m, int first, int argc, char **argv)
{
	enum guess guess;
	int kept = first;

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
			report_dropped(m, argv[i]);
		}
	}
	return kept;
}
