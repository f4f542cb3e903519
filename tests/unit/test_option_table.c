// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/option_table.h"
#include "helper.h"

enum color { COLOR_RED, COLOR_GREEN, COLOR_BLUE };

struct settings {
	uint64_t size;
	unsigned number;
	uint32_t narrow;
	enum color color, shade;
	bool loud, shut;
	const char *text;
};

static const char *const colors[] = { "red", "green", "blue", NULL };

static const struct option_entry entries[] = {
	{ NULL, .help = "Kinds" },
	{ "size", 's', "SIZE", "a size", option_set_size, OPTION_FIELD(struct settings, size),
	  .least = 1, .most = 1 << 20, .key = true },
	{ "number", 'n', "N", "a number", option_set_number, OPTION_FIELD(struct settings, number),
	  .least = 2, .most = 100, .key = true, .basic = true },
	{ "narrow", 0, "SIZE", "a size in a field of four bytes", option_set_size,
	  OPTION_FIELD(struct settings, narrow), .most = UINT32_MAX },
	{ "color", 0, "COLOR", "a choice", option_set_choice, OPTION_FIELD(struct settings, color),
	  .choices = colors },
	{ "shade", 0, "COLOR", "a choice that may be left out", option_set_choice,
	  OPTION_FIELD(struct settings, shade), .choices = colors, .absent = "blue" },
	{ NULL, .help = "Others" },
	{ "loud", 'l', NULL, "a flag whose description is so long that it needs a second line",
	  option_set_bool,
	  OPTION_FIELD(struct settings, loud), .negatable = true, .key = true },
	{ "shut", 0, NULL, "a flag", option_clear_bool, OPTION_FIELD(struct settings, shut) },
	{ "text", 't', "A-LONG-WORD-OR-TWO", "a text", option_set_text,
	  OPTION_FIELD(struct settings, text) },
	{ "hidden", 0, "TEXT", "only in the file", option_set_text,
	  OPTION_FIELD(struct settings, text), .key_only = true },
	{ NULL, .help = "undo an option", .negatable = true },
	OPTION_HELP,
};

static const struct option_table table = {
	.program = "test", .usage = "Usage: test\n", .entries = entries, .count = LENGTH(entries),
	.operands = "More.\n", .examples = "  test -n 7\n", .notes = "The end.\n",
};

enum { ARGUMENTS_MAX = 8 };

/* Splits a line into an argument vector, "" standing for an empty word. */
static int split(char *line, char *argv[ARGUMENTS_MAX + 2])
{
	static char program[] = "test", nothing[] = "";
	int argc = 0;

	argv[argc++] = program;
	for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
		argv[argc++] = strcmp(word, "\"\"") == 0 ? nothing : word;
	argv[argc] = NULL;
	return argc;
}

static enum status read_line(const char *text, char *line, struct settings *s, struct error *e)
{
	const struct option_reader reader = { .each = option_set, .arg = s };
	char *argv[ARGUMENTS_MAX + 2];

	strcpy(line, text);
	memset(s, 0, sizeof(*s));	/* the padding, too: test_good compares bytes */
	s->shut = true;
	return option_table_read(&table, split(line, argv), argv, &reader, e);
}

enum { LINE_LENGTH = 100 };

static const struct {
	const char *line;
	struct settings want;
	int operands;		/* optind at the end */
} good[] = {
	{ "", { .shut = true }, 1 },
	{ "--size=4K", { .shut = true, .size = 4096 }, 2 },
	{ "--size 4K", { .shut = true, .size = 4096 }, 3 },
	{ "-s4K", { .shut = true, .size = 4096 }, 2 },
	{ "-s 4K", { .shut = true, .size = 4096 }, 3 },
	{ "--si=1", { .shut = true, .size = 1 }, 2 },
	{ "--number=2 -n 100", { .shut = true, .number = 100 }, 4 },
	{ "--narrow=3G", { .shut = true, .narrow = 3U << 30 }, 2 },
	{ "--color=green", { .shut = true, .color = COLOR_GREEN }, 2 },
	{ "--shade", { .shut = true, .shade = COLOR_BLUE }, 2 },
	{ "--shade green", { .shut = true, .shade = COLOR_BLUE }, 2 },
	{ "--shade=green", { .shut = true, .shade = COLOR_GREEN }, 2 },
	{ "--loud", { .shut = true, .loud = true }, 2 },
	{ "-l --no-loud", { .shut = true }, 3 },
	{ "--no-loud -l", { .shut = true, .loud = true }, 3 },
	{ "-ln7", { .shut = true, .loud = true, .number = 7 }, 2 },
	{ "--shut", { .shut = false }, 2 },
	{ "--shu", { .shut = false }, 2 },
	{ "a -l b", { .shut = true, .loud = true }, 2 },
	{ "-- -l", { .shut = true }, 2 },
	{ "a -- -l", { .shut = true }, 2 },
	{ "-l -- -h", { .shut = true, .loud = true }, 3 },
	{ "- -l", { .shut = true, .loud = true }, 2 },
};

START_TEST(test_good)
{
	char line[LINE_LENGTH];
	struct settings s;
	struct error e;

	ck_assert_int_eq(read_line(good[_i].line, line, &s, &e), STATUS_OK);
	ck_assert_mem_eq(&s, &good[_i].want, sizeof(s));
	ck_assert_int_eq(optind, good[_i].operands);
}
END_TEST

static const struct {
	const char *line, *text;
} bad[] = {
	/* What getopt_long() refuses. */
	{ "--frob", "unknown option '--frob'" },
	{ "--frob=x", "unknown option '--frob'" },
	{ "--sized", "unknown option '--sized'; do you mean '--size'?" },
	{ "--colour=red", "unknown option '--colour'; do you mean '--color'?" },
	{ "--no-luod", "unknown option '--no-luod'; do you mean '--no-loud'?" },
	{ "---", "unknown option '---'" },
	{ "--=x", "unknown option '--=x'" },
	{ "--hidden=x", "unknown option '--hidden'" },
	{ "--no-shut", "unknown option '--no-shut'" },
	{ "--s=1", "option '--s' is ambiguous: --size, --shade, --shut" },
	{ "-x", "unknown option '-x'" },
	{ "-lx", "unknown option '-x'" },
	{ "-lxy", "unknown option '-x'" },
	{ "-xl a", "unknown option '-x'" },
	{ "a b -x", "unknown option '-x'" },
	{ "-L", "unknown option '-L'; do you mean '-l'?" },
	{ "-shut -xyz", "-s: 'hut' is not a size" SIZE_RULE },
	{ "-color=red", "unknown option '-color'; do you mean '--color'?" },
	{ "-\303\244", "unknown option '-\303'" },
	{ "--size", "option '--size' needs a value: --size=SIZE" },
	{ "--si", "option '--size' needs a value: --size=SIZE" },
	{ "-s", "option '-s' needs a value: -s SIZE" },
	{ "-ls", "option '-s' needs a value: -s SIZE" },
	{ "--size --loud a", "option '--size' needs a value: --size=SIZE; '--loud' is an option" },
	{ "--size --no-loud", "option '--size' needs a value: --size=SIZE; '--no-loud' is an option" },
	{ "a -ls --size=4 b", "option '-s' needs a value: -s SIZE; '--size=4' is an option" },
	{ "--size --lo", "option '--size' needs a value: --size=SIZE; '--lo' is an option" },
	{ "--size --s=4", "option '--size' needs a value: --size=SIZE; '--s=4' is an option" },
	{ "--size --loudly", "--size: '--loudly' is not a size" SIZE_RULE },
	{ "--size=--lo", "--size: '--lo' is not a size" SIZE_RULE },
	{ "--size=--loud", "--size: '--loud' is not a size" SIZE_RULE },
	{ "--size --frob", "--size: '--frob' is not a size" SIZE_RULE },
	{ "-s -l", "-s: '-l' is not a size" SIZE_RULE },
	{ "-s -- a", "-s: '--' is not a size" SIZE_RULE },
	{ "--loud=yes", "option '--loud' takes no value" },
	{ "--no-loud=yes", "option '--no-loud' takes no value" },
	{ "--help=al", "--help=al: use --help or --help=all" },
	{ "--frobnicate", "unknown option '--frobnicate'" },
	{ "--frobnicate=7", "unknown option '--frobnicate'" },
	{ "--frob_nicate", "unknown option '--frob_nicate'" },
	{ "--frob-nicates", "unknown option '--frob-nicates'" },
	{ "--shut=7", "option '--shut' takes no value" },
	{ "-ln7 -l19", "unknown option '-19'" },
	{ "-2", "unknown option '-2'" },
	{ "-F", "unknown option '-F'" },
	{ "-lF7", "unknown option '-F'" },
	{ "--number=x", "--number 'x' is not a number" },
	{ "-n1", "-n 1 is out of range; use 2 to 100" },
	{ "--numb=101", "--number 101 is out of range; use 2 to 100" },
	{ "-s \"\"", "-s: '' is not a size" SIZE_RULE },
	{ "-s 0", "-s 0 is out of range; use 1 to 1048576" },
	{ "-s 2M", "-s 2M is out of range; use 1 to 1048576" },
	{ "--narrow=4G", "--narrow 4G is out of range; use 0 to 4294967295" },
	{ "--color=pink", "--color must be red, green or blue, not 'pink'" },
	{ "--shade=", "--shade must be red, green or blue, not ''" },
	/* The first one counts. */
	{ "a -n 1 -s 0 --frob", "-n 1 is out of range; use 2 to 100" },
};

START_TEST(test_bad)
{
	char line[LINE_LENGTH];
	struct settings s;
	struct error e;

	ck_assert_int_eq(read_line(bad[_i].line, line, &s, &e), STATUS_USAGE);
	ck_assert_int_eq(e.status, STATUS_USAGE);
	ck_assert_str_eq(e.text, bad[_i].text);
}
END_TEST

static enum status note(void *arg, const struct option_call *call, struct error *e)
{
	char *seen = arg;

	(void)e;
	sprintf(seen + strlen(seen), "%s=%s ", call->called, call->text);
	return call->entry->early ? STATUS_END : STATUS_OK;
}

/* In the order of the command line, in each of several passes; STATUS_END stops. */
START_TEST(test_order)
{
	char line[LINE_LENGTH] = "-t 1 x --no-loud --shade -l --help --size=1", seen[LINE_LENGTH];
	const struct option_reader reader = { .each = note, .arg = seen };
	char *argv[ARGUMENTS_MAX + 2];
	int argc = split(line, argv);
	struct error e;

	for (int pass = 0; pass < 2; pass++) {
		seen[0] = '\0';
		ck_assert_int_eq(option_table_read(&table, argc, argv, &reader, &e), STATUS_END);
		ck_assert_str_eq(seen, "-t=1 --no-loud=no --shade=blue -l=yes --help= ");
	}
}
END_TEST

static void note_skipped(void *arg, const struct option_entry *entry, struct error *e)
{
	char *seen = arg;

	ck_assert_int_eq(e->status, STATUS_USAGE);
	sprintf(seen + strlen(seen), "skipped(%s) ", entry ? entry->name : "unknown");
}

/* Unknown options, and values that are missing or not taken; the operands stay in their order. */
START_TEST(test_skipped)
{
	char line[LINE_LENGTH] = "--what 7 -Xl --size --loud x --loud=2 -t", seen[LINE_LENGTH] = "";
	const struct option_reader reader = { .each = note, .skipped = note_skipped, .arg = seen };
	char *argv[ARGUMENTS_MAX + 2];
	int argc = split(line, argv);
	struct error e;

	ck_assert_int_eq(option_table_read(&table, argc, argv, &reader, &e), STATUS_OK);
	ck_assert_str_eq(seen, "skipped(unknown) skipped(unknown) -l=yes skipped(size) --loud=yes skipped(loud) skipped(text) ");
	ck_assert_int_eq(argc - optind, 2);
	ck_assert_str_eq(argv[optind], "7");
	ck_assert_str_eq(argv[optind + 1], "x");
}
END_TEST

START_TEST(test_key)
{
	struct settings s = { 0 };
	struct option_call call = { .table = &table, .entry = entries, .called = "loud", .text = "maybe" };
	struct error e;

	while (!call.entry->name || strcmp(call.entry->name, call.called) != 0)
		call.entry++;
	ck_assert_int_eq(option_set(&s, &call, &e), STATUS_USAGE);
	ck_assert_str_eq(e.text, "loud must be yes or no, not 'maybe'");
	call.text = "yes";
	ck_assert_int_eq(option_set(&s, &call, &e), STATUS_OK);
	ck_assert(s.loud);
	call.text = "no";
	ck_assert_int_eq(option_set(&s, &call, &e), STATUS_OK);
	ck_assert(!s.loud);
}
END_TEST

static void assert_help(const struct option_table *t, bool all, const char *want)
{
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);

	ck_assert_ptr_nonnull(file);
	option_table_print(t, all, file);
	fclose(file);
	ck_assert_str_eq(text, want);
	free(text);
}

START_TEST(test_help_all)
{
	assert_help(&table, true,
		    "Usage: test\n"
		    "\n"
		    "More.\n"
		    "\n"
		    "Kinds:\n"
		    "  -s, --size=SIZE         a size\n"
		    "  -n, --number=N          a number\n"
		    "      --narrow=SIZE       a size in a field of four bytes\n"
		    "      --color=COLOR       a choice\n"
		    "      --shade[=COLOR]     a choice that may be left out\n"
		    "\n"
		    "Others:\n"
		    "  -l, --loud              a flag whose description is so long that it needs a\n"
		    "                          second line\n"
		    "      --shut              a flag\n"
		    "  -t, --text=A-LONG-WORD-OR-TWO\n"
		    "                          a text\n"
		    "      --no-loud           undo an option\n"
		    "  -h, --help[=all]        print the basic options, or all, and exit\n"
		    "\n"
		    "Examples:\n"
		    "  test -n 7\n"
		    "\n"
		    "The end.\n"
		    "\n"
		    "'man test' explains all of this.\n"
		    "Report bugs to <" PACKAGE_BUGREPORT ">.\nHome page: <" PACKAGE_URL ">\n");
}
END_TEST

START_TEST(test_help)
{
	assert_help(&table, false,
		    "Usage: test\n"
		    "\n"
		    "  -n, --number=N          a number\n"
		    "  -h, --help[=all]        print the basic options, or all, and exit\n"
		    "\n"
		    "Examples:\n"
		    "  test -n 7\n"
		    "'test --help=all' lists all options; 'man test' explains them.\n");
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("option_table");

	tcase_add_loop_test(tcase, test_good, 0, LENGTH(good));
	tcase_add_loop_test(tcase, test_bad, 0, LENGTH(bad));
	tcase_add_test(tcase, test_order);
	tcase_add_test(tcase, test_skipped);
	tcase_add_test(tcase, test_key);
	tcase_add_test(tcase, test_help);
	tcase_add_test(tcase, test_help_all);
	return helper_run_case("option_table", tcase);
}
