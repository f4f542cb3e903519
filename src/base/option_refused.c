// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "base/option_refused.h"

enum { WORD_LENGTH = 100, LIST_LENGTH = 200 };

/* Calls each(arg, name) for every long option, without its dashes. */
static void for_each_name(const struct option_table *table,
			  void (*each)(void *arg, const char *name), void *arg)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct option_entry *entry = &table->entries[i];
		char negated[OPTION_NAME_LENGTH];

		if (!entry->name || !*entry->name || entry->key_only)
			continue;
		each(arg, entry->name);
		if (!entry->negatable)
			continue;
		snprintf(negated, sizeof(negated), "no-%s", entry->name);
		each(arg, negated);
	}
}

/*
 * The best candidate is copied, because for_each_name() makes some of the names, all in one buffer:
 * nearest.best only says whether there is one.
 */
struct search {
	char word[WORD_LENGTH];		/* as typed, without dashes and value */
	struct nearest nearest;
	char best[OPTION_NAME_LENGTH];
	unsigned begin_so;		/* the number of names that begin with the word */
	char list[LIST_LENGTH];		/* of them */
	bool list_ended;		/* it is too short for all */
};

/* A list that is too long ends in ", ...", for which there is always room. */
static void add_to_list(struct search *s, const char *name)
{
	static const char more[] = ", ...";
	size_t used = strlen(s->list), length = strlen(name) + strlen(", --");

	s->begin_so++;
	if (s->list_ended)
		return;
	s->list_ended = used + length + strlen(more) >= sizeof(s->list);
	if (s->list_ended)
		strcpy(s->list + used, more);
	else
		snprintf(s->list + used, sizeof(s->list) - used, "%s--%s", used ? ", " : "", name);
}

static void look_at(void *arg, const char *name)
{
	struct search *s = arg;
	unsigned distance = s->nearest.distance;

	nearest_offer(&s->nearest, name);
	if (s->nearest.distance < distance)
		snprintf(s->best, sizeof(s->best), "%s", name);
	if (*s->word && strncmp(name, s->word, strlen(s->word)) == 0)
		add_to_list(s, name);
}

static void search(struct search *s, const struct option_table *table, const char *text)
{
	*s = (struct search){ 0 };
	snprintf(s->word, sizeof(s->word), "%.*s", (int)strcspn(text, "="), text);
	nearest_begin(&s->nearest, s->word);
	for_each_name(table, look_at, s);
}

/* True if two names differ only in dashes and underscores. */
static bool same_name(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, "-_");
		b += strspn(b, "-_");
		if (*a != *b || !*a)
			return *a == *b;
	}
}

/* The equivalent of an option of another program; NULL: not known. */
static const char *answer_for(const struct option_table *table, const char *option)
{
	for (const struct option_foreign *f = table->foreign; f && f->option; f++)
		if (same_name(f->option, option))
			return f->answer;
	return NULL;
}

enum status option_refuse_foreign(const struct option_table *table, const char *word, struct error *e)
{
	bool option = strncmp(word, "--", 2) == 0;
	size_t length = strcspn(word, "=");
	char name[WORD_LENGTH];
	const char *answer;

	/* An operand with the sign, an option without; letters are left to getopt_long(). */
	if ((!option && word[length] != '=') || length < 2 || length + 2 > sizeof(name))
		return STATUS_OK;
	snprintf(name, sizeof(name), "%.*s", (int)(option ? length : length + 1), word);
	answer = length > 3 || !option ? answer_for(table, name) : NULL;
	if (!answer || (!option && strncmp(name, "if=", 3) != 0 && strncmp(name, "of=", 3) != 0))
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, option ? "unknown option '%s': %s" : "operand '%s': %s", option ? name : word,
			 answer);
}

/* option and meant, the nearest one or "", have their dashes. */
static enum status refuse_unknown(const char *answer, const char *option, const char *meant,
				  struct error *e)
{
	if (answer)
		return error_set(e, STATUS_USAGE, "unknown option '%s': %s", option, answer);
	if (*meant)
		return error_set(e, STATUS_USAGE, "unknown option '%s'; do you mean '%s'?", option,
				 meant);
	return error_set(e, STATUS_USAGE, "unknown option '%s'", option);
}

static enum status refuse_long(const struct option_refused *r, struct error *e)
{
	char option[WORD_LENGTH + 2], meant[OPTION_NAME_LENGTH + 2] = "";
	struct search s;

	search(&s, r->table, r->word + 2);
	snprintf(option, sizeof(option), "--%s", *s.word ? s.word : r->word + 2);
	if (s.begin_so > 1)
		return error_set(e, STATUS_USAGE, "option '%s' is ambiguous: %s", option, s.list);
	if (s.nearest.best)
		snprintf(meant, sizeof(meant), "--%s", s.best);
	return refuse_unknown(answer_for(r->table, option), option, meant, e);
}

static bool has_letter(const struct option_table *table, char letter)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->entries[i].name && table->entries[i].letter == letter)
			return true;
	return false;
}

static char other_case(char letter)
{
	int c = (unsigned char)letter;

	return (char)(isupper(c) ? tolower(c) : toupper(c));
}

/* Of a number, such as the level in -19, all digits. */
static void format_letter(char option[WORD_LENGTH + 1], const struct option_refused *r)
{
	const char *rest = strchr(r->word, r->letter);
	size_t digits = rest ? strspn(rest, "0123456789") : 0;

	if (digits > 1)
		snprintf(option, WORD_LENGTH + 1, "-%.*s", (int)digits, rest);
	else
		snprintf(option, WORD_LENGTH + 1, "-%c", r->letter);
}

static enum status refuse_letter(const struct option_refused *r, struct error *e)
{
	char option[WORD_LENGTH + 1], meant[OPTION_NAME_LENGTH + 2] = "";
	const char letter[] = { r->letter, '\0' }, *name = letter;
	char other = other_case(r->letter);
	struct search s;

	search(&s, r->table, r->word + 1);
	if (strlen(s.word) > 2 && strcmp(s.word, s.best) == 0) {
		/* A long option with one dash: "-threads". */
		name = s.word;
		snprintf(option, sizeof(option), "-%s", s.word);
		snprintf(meant, sizeof(meant), "--%s", s.best);
	} else {
		format_letter(option, r);
		if (other != r->letter && has_letter(r->table, other))
			snprintf(meant, sizeof(meant), "-%c", other);
	}
	return refuse_unknown(answer_for(r->table, name), option, meant, e);
}

static enum status refuse_missing(const struct option_refused *r, struct error *e)
{
	const struct option_entry *entry = r->entry;
	char option[OPTION_NAME_LENGTH + 2], use[2 * OPTION_NAME_LENGTH];

	if (r->letter)
		snprintf(option, sizeof(option), "-%c", r->letter);
	else
		snprintf(option, sizeof(option), "--%s", entry->name);
	snprintf(use, sizeof(use), "%s%s%s", option, r->letter ? " " : "=", entry->argument);
	if (r->follows)
		return error_set(e, STATUS_USAGE, "option '%s' needs a value: %s; '%s' is an option",
				 option, use, r->follows);
	return error_set(e, STATUS_USAGE, "option '%s' needs a value: %s", option, use);
}

/* Another program's option of the same name may take one: the table has it as "NAME=". */
static enum status refuse_value(const struct option_refused *r, struct error *e)
{
	int length = (int)strcspn(r->word, "=");
	char key[OPTION_NAME_LENGTH + 1];
	const char *answer;

	snprintf(key, sizeof(key), "%s=", r->entry->name);
	answer = answer_for(r->table, key);
	if (answer)
		return error_set(e, STATUS_USAGE, "option '%.*s' takes no value: %s", length, r->word,
				 answer);
	return error_set(e, STATUS_USAGE, "option '%.*s' takes no value", length, r->word);
}

bool option_is_known(const struct option_table *table, const char *word)
{
	struct search s;

	if (strncmp(word, "--", 2) != 0)
		return false;
	search(&s, table, word + 2);
	return s.begin_so > 0;
}

enum status option_refuse(const struct option_refused *r, struct error *e)
{
	if (r->entry && r->lacks_value)
		return refuse_missing(r, e);
	if (r->entry)
		return refuse_value(r, e);
	return r->letter ? refuse_letter(r, e) : refuse_long(r, e);
}
